//! [`Product`]: a product of the shop.

use crud_files::File;
use crud_runtime::prelude::*;

use crate::{Category, Order};

/// A product in the catalogue.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    admin(list(name, photo, price, stock, category_id, created_at), group = "Catalogue"),
    filter(name, price, stock, category_id, category::name),
    sort(name, price, created_at),
    default_sort(desc(created_at)),
    has_many(orders(Order::product_id, limit = 10, sort(desc(created_at)))),
    search(name, description),
    pagination(default_limit = 20, max_limit = 100),
    soft_delete,
    export,
    import,
    batch(max_size = 1000, mode(atomic)),
    audit,
    access(read(public), write(authenticated), delete(role("admin")), purge(role("admin")), history(authenticated))
)]
pub struct Product {
    /// The product's number.
    pub id: i64,
    /// The name.
    #[crud(length(min = 1, max = 200))]
    pub name: String,
    /// A description, in a sentence or two.
    pub description: Option<String>,
    /// The price of one piece.
    #[crud(range(min = 0))]
    pub price: f64,
    /// The number of pieces in the warehouse.
    pub stock: i32,
    /// The category it belongs to.
    #[crud(references(Category, expand))]
    pub category_id: i64,
    /// A photo of it.
    #[crud(file(max = "5MB", types("image/png", "image/jpeg", "image/webp")))]
    pub photo: Option<File>,
    /// When it came into the catalogue.
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    #[crud(updated_at)]
    pub updated_at: DateTime<Utc>,
    /// Whether it was taken out of the catalogue.
    pub is_deleted: bool,
    /// When it was taken out of the catalogue, if it was.
    pub deleted_at: Option<DateTime<Utc>>,
}
