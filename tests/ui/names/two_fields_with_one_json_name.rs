use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(rename = "title")]
    pub name: String,
    pub title: String,
}

fn main() {}
