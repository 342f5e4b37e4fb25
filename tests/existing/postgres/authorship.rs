//! Authorships.

use crud_runtime::prelude::*;

use super::author::Author;
use super::book::Book;

/// An authorship.
#[derive(Debug, Clone, Resource)]
#[crud(table("authorship", unmanaged), filter, sort, pagination(cursor))]
pub struct Authorship {
    #[crud(
        id,
        references(Book, expand, relation(book), on_delete(cascade)),
        length(max = 17)
    )]
    pub book_isbn: String,
    #[crud(id, references(Author, expand))]
    pub author_id: i32,
    #[crud(default(database), decimal(3, 2))]
    pub share: Decimal,
}
