use crud_runtime::prelude::*;

#[derive(serde::Serialize, serde::Deserialize, Resource, Default, Clone)]
#[serde(default, tag = "type")]
pub struct Product {
    pub id: i64,
}

#[derive(serde::Serialize, Resource, Clone)]
#[serde(into = "i64")]
pub struct Category {
    pub id: i64,
}

impl From<Category> for i64 {
    fn from(category: Category) -> Self {
        category.id
    }
}

fn main() {}
