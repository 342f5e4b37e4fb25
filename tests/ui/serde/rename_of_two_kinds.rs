use crud_runtime::prelude::*;

#[derive(serde::Serialize, serde::Deserialize, Resource)]
pub struct Product {
    pub id: i64,
    #[crud(rename = "a")]
    #[serde(rename = "b")]
    pub name: String,
}

fn main() {}
