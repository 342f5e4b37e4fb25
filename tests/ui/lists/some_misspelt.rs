use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(
    index(name, shop, some()),
    index(shop, some(shop), some(name)),
    index(shop, name, some(shop, name)),
    index(shop, sone(shop)),
    index(shop, some = shop),
    index(shop, some(-shop)),
)]
pub struct Product {
    pub id: i64,
    pub name: Option<String>,
    pub shop: Option<i64>,
}

fn main() {}
