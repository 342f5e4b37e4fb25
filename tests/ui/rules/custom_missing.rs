use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(custom = check)]
    pub name: String,
}

fn main() {}
