use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(read_only, write_only)]
    pub note: Option<String>,
}

fn main() {}
