//! Publishers.

use crud_runtime::prelude::*;

use super::book::Book;

/// A publisher.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("publisher", unmanaged),
    filter,
    sort,
    pagination(cursor),
    has_many(books(Book::publisher_id))
)]
pub struct Publisher {
    pub id: i64,
    #[crud(unique, length(max = 80))]
    pub name: String,
}
