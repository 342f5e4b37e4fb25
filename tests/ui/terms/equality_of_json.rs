use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    pub data: serde_json::Value,
}

fn main() {
    let _ = Product::FIELDS.data.eq(serde_json::Value::Null);
}
