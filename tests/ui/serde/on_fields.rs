use crud_runtime::prelude::*;

#[derive(serde::Serialize, serde::Deserialize, Resource)]
pub struct Product {
    pub id: i64,
    #[serde(alias = "title")]
    pub name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    #[serde(with = "text")]
    pub stock: i64,
    #[serde(skip_serializing)]
    pub secret: String,
    #[serde(skip_deserializing)]
    pub rating: f64,
}

mod text {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &i64, serializer: S) -> Result<S::Ok, S::Error> {
        value.serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<i64, D::Error> {
        i64::deserialize(deserializer)
    }
}

fn main() {}
