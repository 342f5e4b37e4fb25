//! Publishers.

use crud_runtime::prelude::*;

use super::book::Book;

/// A publisher.
#[derive(Debug, Clone, Resource)]
#[crud(
    unmanaged,
    table = "publisher",
    filter,
    sort,
    pagination(cursor),
    has_many(books(Book.publisher_id))
)]
pub struct Publisher {
    pub id: i64,
    #[crud(unique, max_length = 80)]
    pub name: String,
}
