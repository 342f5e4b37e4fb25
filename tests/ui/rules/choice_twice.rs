use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(one_of("a", "b", "a"))]
    pub size: String,
}

fn main() {}
