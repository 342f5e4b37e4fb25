//! Authorships.

use crud_runtime::prelude::*;

use super::book::Book;

/// An authorship.
#[derive(Debug, Clone, Resource)]
#[crud(table("authorship", unmanaged), filter, sort, pagination(cursor))]
pub struct Authorship {
    #[crud(id, references(Book, expand))]
    pub book_id: i64,
    #[crud(id, length(max = 80))]
    pub author: String,
}
