use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    #[crud(immutable)]
    pub id: i64,
}

#[derive(Resource)]
pub struct Category {
    #[crud(read_only)]
    pub id: Uuid,
}

fn main() {}
