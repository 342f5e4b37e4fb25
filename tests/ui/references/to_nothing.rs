use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(references = Nothing)]
    pub nothing_id: i64,
}

fn main() {}
