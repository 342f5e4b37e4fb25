use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(hidden)]
    pub note: String,
}

fn main() {}
