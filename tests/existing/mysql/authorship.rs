//! Authorships.

use crud_runtime::prelude::*;

use super::book::Book;

/// An authorship.
#[derive(Debug, Clone, Resource)]
#[crud(unmanaged, table = "authorship", filter, sort, pagination(cursor))]
pub struct Authorship {
    #[crud(id, references = Book, expand)]
    pub book_id: i64,
    #[crud(id, max_length = 80)]
    pub author: String,
}
