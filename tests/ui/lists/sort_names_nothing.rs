use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(sort(zzz))]
pub struct Product {
    pub id: i64,
    pub name: String,
}

fn main() {}
