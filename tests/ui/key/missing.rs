use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub name: String,
}

fn main() {
    let _ = NewProduct::new("Chair");
}
