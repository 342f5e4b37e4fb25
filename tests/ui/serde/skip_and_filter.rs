use crud_runtime::prelude::*;

#[derive(serde::Serialize, serde::Deserialize, Resource)]
#[crud(filter(secret))]
pub struct Product {
    pub id: i64,
    #[serde(skip)]
    pub secret: String,
}

fn main() {}
