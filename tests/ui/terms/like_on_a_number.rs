use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    pub price: f64,
}

fn main() {
    let _ = Product::FIELDS.price.like("5%");
}
