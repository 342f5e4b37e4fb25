use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter = true)]
pub struct Product {
    #[crud(id = true)]
    pub id: i64,
    #[crud(unique = true, immutable(yes))]
    pub name: String,
}

fn main() {}
