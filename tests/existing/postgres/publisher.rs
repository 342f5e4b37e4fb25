//! Publishers.

use crud_runtime::prelude::*;

use super::book::Book;

/// A publisher.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("publishers", unmanaged),
    filter,
    sort,
    pagination(cursor),
    has_many(books(Book::publisher))
)]
pub struct Publisher {
    pub id: i32,
    #[crud(unique, length(max = 80))]
    pub name: String,
    #[crud(column(sql_type = "character(2)"), default(database), length(max = 2))]
    pub country: String,
    pub website: Option<String>,
}
