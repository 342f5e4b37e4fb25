use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter("name"), sort(1), default_sort("-name"))]
pub struct Product {
    pub id: i64,
    pub name: String,
}

fn main() {}
