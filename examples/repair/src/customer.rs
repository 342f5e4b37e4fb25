use crud_runtime::prelude::*;

use crate::Shop;

/// A customer of a shop. The addresses of deleted ones are free again.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(name, email),
    sort(name),
    pagination,
    soft_delete,
    audit,
    unique(email, among(active)),
    access(get(any(role("staff"), role("customer")))),
    scope(role("customer"), id(claim("customer")))
)]
pub struct Customer {
    pub id: i64,
    #[crud(tenant, references(Shop))]
    pub shop_id: i64,
    #[crud(length(min = 1, max = 200))]
    pub name: String,
    #[crud(validate(email), length(max = 200))]
    pub email: String,
    pub deleted_at: Option<DateTime<Utc>>,
}
