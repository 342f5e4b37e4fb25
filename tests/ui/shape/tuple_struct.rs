use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product(i64, String);

fn main() {
    let _ = Product::DESCRIPTOR;
    let _ = ProductPatch::default();
}
