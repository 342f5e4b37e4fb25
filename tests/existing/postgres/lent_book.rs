//! Lent books.

use crud_runtime::prelude::*;

use super::reader::Reader;

/// A lent book.
#[derive(Debug, Clone, Resource)]
#[crud(table("lent_books", unmanaged, no_key), filter, sort, pagination)]
pub struct LentBook {
    pub isbn: Option<String>,
    pub title: Option<String>,
    #[crud(column = "Reader")]
    pub reader: Option<String>,
    pub lent: Option<DateTime<Utc>>,
    #[crud(references(Reader, unconstrained, expand, relation(reader_record)))]
    pub reader_id: Option<Uuid>,
}
