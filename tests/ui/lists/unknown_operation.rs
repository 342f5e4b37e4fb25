use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(only(list, gte, creat))]
pub struct Product {
    pub id: i64,
}

fn main() {}
