//! Publishers.

use crud_runtime::prelude::*;

use super::book::Book;

/// A publisher.
#[derive(Debug, Clone, Resource)]
#[crud(
    unmanaged,
    table = "publishers",
    filter,
    sort,
    pagination(cursor),
    has_many(books(Book.publisher))
)]
pub struct Publisher {
    pub id: i32,
    #[crud(unique, max_length = 80)]
    pub name: String,
    #[crud(default(database), max_length = 2, sql_type = "character(2)")]
    pub country: String,
    pub website: Option<String>,
}
