use crud_runtime::prelude::*;

#[derive(Resource)]
pub enum Product {
    Chair,
    Table,
}

fn main() {
    let _ = Product::DESCRIPTOR;
}
