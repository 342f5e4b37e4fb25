use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(hidden, read_only, write_only, immutable)]
    pub note: Option<String>,
}

fn main() {}
