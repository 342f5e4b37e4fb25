use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter(photo, words, extra))]
pub struct Product {
    pub id: i64,
    pub photo: Vec<u8>,
    pub words: Option<Vec<String>>,
    pub extra: serde_json::Value,
}

fn main() {}
