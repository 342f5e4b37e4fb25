use crud_runtime::prelude::*;

#[derive(serde::Serialize, serde::Deserialize, Resource)]
#[serde(rename_all(serialize = "camelCase"))]
pub struct Product {
    pub id: i64,
    #[serde(rename(serialize = "a", deserialize = "b"))]
    pub name: String,
}

fn main() {}
