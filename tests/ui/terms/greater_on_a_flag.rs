use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    pub active: bool,
}

fn main() {
    let _ = Product::FIELDS.active.gt(true);
}
