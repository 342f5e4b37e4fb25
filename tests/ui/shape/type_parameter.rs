use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product<T> {
    pub id: i64,
    pub name: String,
    pub extra: T,
}

fn main() {
    let _ = <Product<i64> as Resource>::DESCRIPTOR;
    let _ = ProductPatch::default().name("Chair");
}
