use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    #[crud(hidden)]
    pub id: i64,
}

#[derive(Resource)]
pub struct Category {
    #[crud(write_only)]
    pub id: String,
}

fn main() {}
