use crud_runtime::prelude::*;

#[derive(Resource)]
#[crud(
    soft_delete,
    index(name, shop, some(name)),
    index(name, some(shop)),
    index(name, some(price)),
    index(name, some(shpo)),
    index(name, some(is_deleted)),
    index(some(shop)),
)]
pub struct Product {
    pub id: i64,
    pub name: String,
    pub price: f64,
    pub shop: Option<i64>,
    pub is_deleted: bool,
    pub deleted_at: Option<DateTime<Utc>>,
}

fn main() {}
