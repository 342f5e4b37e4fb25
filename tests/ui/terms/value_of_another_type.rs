use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    pub name: String,
    pub stock: u32,
}

fn main() {
    let _ = Product::FIELDS.name.eq(5);
    let _ = Product::FIELDS.stock.gt("5");
}
