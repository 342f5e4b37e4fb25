use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(sort)]
    pub photo: Vec<u8>,
    #[crud(filter)]
    pub words: Vec<String>,
}

fn main() {}
