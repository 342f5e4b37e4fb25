use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
pub struct Product {
    pub id: i64,
    pub name: String,
}

fn renamed() -> ProductPatch {
    ProductPatch { name: "lamp".to_owned(), ..Default::default() }
}

fn main() {}
