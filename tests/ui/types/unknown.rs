use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(filter, sort)]
pub struct Product {
    pub id: i64,
    pub price: Money,
}

fn main() {
    let _ = ProductPatch::default();
    let _ = Product::FIELDS.id.eq(7);
}
