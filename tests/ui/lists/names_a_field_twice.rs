use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(name, name), sort(name, id, name), default_sort(name, -name), unique(name, name))]
pub struct Product {
    pub id: i64,
    pub name: String,
}

fn main() {}
