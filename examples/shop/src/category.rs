//! [`Category`]: a group of products.

use crud_runtime::prelude::*;

/// A group of products.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    admin(group = "Catalogue"),
    filter(name),
    sort(name),
    default_sort(name),
    pagination(default_limit = 10, max_limit = 100),
    batch,
    access(read(public), write(authenticated), delete(role("admin")))
)]
pub struct Category {
    /// The category's number.
    pub id: i64,
    /// The name; no two categories share one.
    #[crud(unique)]
    pub name: String,
    /// The products of the category.
    pub description: Option<String>,
}
