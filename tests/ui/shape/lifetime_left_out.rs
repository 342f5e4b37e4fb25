use crud_runtime::prelude::*;

#[derive(Resource)]
pub struct Product {
    pub id: i64,
    pub name: &str,
    pub names: Vec<&str>,
}

fn main() {
    let _ = ProductPatch::default();
}
