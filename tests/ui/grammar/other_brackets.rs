use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud[filter]]
pub struct Product {
    pub id: i64,
    #[crud{unique}]
    pub name: String,
}

fn main() {}
