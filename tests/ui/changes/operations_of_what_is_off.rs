use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(only(list, restore, purge, batch, history))]
pub struct Product {
    pub id: i64,
}

#[derive(Resource)]
#[crud(except(restore), batch, audit)]
pub struct Order {
    pub id: i64,
}

fn main() {}
