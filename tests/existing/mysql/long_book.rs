//! Long books.

use crud_runtime::prelude::*;

/// A long book.
#[derive(Debug, Clone, Resource)]
#[crud(table("long_books", unmanaged, no_key), filter, sort, pagination)]
pub struct LongBook {
    pub id: i64,
    pub title: String,
    pub published: Option<NaiveDateTime>,
}
