use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    pub name: String,
}

fn main() {
    let _ = Product::FIELDS.name.is_null();
}
