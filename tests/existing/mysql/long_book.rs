//! Long books.

use crud_runtime::prelude::*;

/// A long book.
#[derive(Debug, Clone, Resource)]
#[crud(unmanaged, table = "long_books", filter, sort, no_key, pagination)]
pub struct LongBook {
    pub id: i64,
    pub title: String,
    pub published: Option<NaiveDateTime>,
}
