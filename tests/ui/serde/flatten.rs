use crud_runtime::prelude::*;

#[derive(serde::Serialize, serde::Deserialize, Resource)]
pub struct Product {
    pub id: i64,
    #[serde(flatten)]
    pub extra: serde_json::Value,
}

fn main() {}
