//! Authorships.

use crud_runtime::prelude::*;

use super::author::Author;
use super::book::Book;

/// An authorship.
#[derive(Debug, Clone, Resource)]
#[crud(table("Authorship", unmanaged), filter, sort, pagination(cursor))]
pub struct Authorship {
    #[crud(id, column = "AuthorId", references(Author, expand))]
    pub author_id: i64,
    #[crud(
        id,
        column = "Isbn",
        references(Book, expand, relation(book), on_delete(cascade))
    )]
    pub isbn: String,
    #[crud(column = "Share", default(database))]
    pub share: f64,
}
