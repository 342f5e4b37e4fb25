use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(read_only)]
    pub rating: f64,
}

fn main() {}
