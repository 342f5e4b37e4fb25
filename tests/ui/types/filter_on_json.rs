use crud_runtime::prelude::*;

use serde_json::Value;

#[derive(Resource)]
#[crud(filter(data), default_sort(data))]
pub struct Product {
    pub id: i64,
    pub data: Value,
}

fn main() {}
