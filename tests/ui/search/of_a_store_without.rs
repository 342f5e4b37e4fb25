use crud_runtime::prelude::*;

#[derive(Debug, Clone, Resource)]
struct Product {
    id: i64,
    name: String,
}

async fn of(products: Store<Product>) {
    let _ = products.list(Select::all().search("desk lamp")).await;
}

fn main() {}
