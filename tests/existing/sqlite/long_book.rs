//! Long books.

use crud_runtime::prelude::*;

/// A long book.
#[derive(Debug, Clone, Resource)]
#[crud(table("LongBooks", unmanaged, no_key), filter, sort, pagination)]
pub struct LongBook {
    #[crud(column = "Isbn")]
    pub isbn: Option<String>,
    #[crud(column = "Title")]
    pub title: Option<String>,
    #[crud(column("Published", format = "%Y-%m-%d %H:%M:%S"))]
    pub published: Option<NaiveDateTime>,
}
