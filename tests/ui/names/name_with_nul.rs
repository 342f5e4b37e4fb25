use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    #[crud(rename = "na\0me")]
    pub name: String,
}

fn main() {}
