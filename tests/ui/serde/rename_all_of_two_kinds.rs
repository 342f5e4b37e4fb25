use crud_runtime::prelude::*;

#[derive(serde::Serialize, serde::Deserialize, Resource)]
#[crud(rename_all = "camelCase")]
#[serde(rename_all = "snake_case")]
pub struct Product {
    pub id: i64,
}

fn main() {}
