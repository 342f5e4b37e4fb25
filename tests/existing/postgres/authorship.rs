//! Authorships.

use crud_runtime::prelude::*;

use super::author::Author;
use super::book::Book;

/// An authorship.
#[derive(Debug, Clone, Resource)]
#[crud(unmanaged, table = "authorship", filter, sort, pagination(cursor))]
pub struct Authorship {
    #[crud(
        id,
        references = Book,
        expand,
        relation = book,
        on_delete = cascade,
        max_length = 17
    )]
    pub book_isbn: String,
    #[crud(id, references = Author, expand)]
    pub author_id: i32,
    #[crud(default(database), precision = 3, scale = 2)]
    pub share: Decimal,
}
