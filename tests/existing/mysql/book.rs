//! Books.

use crud_runtime::prelude::*;

use super::authorship::Authorship;
use super::publisher::Publisher;

/// A book.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("book", unmanaged),
    pagination(cursor),
    unique(title, publisher_id),
    has_many(authorships(Authorship::book_id))
)]
pub struct Book {
    pub id: i64,
    #[crud(length(max = 160), filter, sort)]
    pub title: String,
    #[crud(references(Publisher, expand, on_delete(cascade)), filter, sort)]
    pub publisher_id: i64,
    #[crud(default(database), decimal(8, 2), filter, sort)]
    pub price: Decimal,
    #[crud(column(sql_type = "decimal(40,20)"), filter)]
    pub huge: Option<String>,
    #[crud(default(database), filter)]
    pub kind: BookKind,
    #[crud(filter)]
    pub marks: Option<String>,
    #[crud(default(database), filter, sort)]
    pub is_long: bool,
    #[crud(filter, sort)]
    pub pages: Option<u16>,
    #[crud(filter, sort)]
    pub small: Option<i8>,
    #[crud(filter, sort)]
    pub published: Option<NaiveDateTime>,
    #[crud(filter, sort)]
    pub seen: Option<DateTime<Utc>>,
    #[crud(filter, sort)]
    pub day: Option<NaiveDate>,
    #[crud(filter, sort)]
    pub at: Option<NaiveTime>,
    #[crud(filter, sort)]
    pub year: Option<i16>,
    pub facts: Option<serde_json::Value>,
    pub cover: Option<Vec<u8>>,
    #[crud(filter, sort)]
    pub description: Option<String>,
    #[crud(read_only, default(database), filter, sort)]
    pub words: Option<i32>,
    #[crud(rename = "limit_value", filter, sort)]
    pub limit: Option<i32>,
}

/// The kind of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
pub enum BookKind {
    #[crud(rename = "novel")]
    Novel,
    #[crud(rename = "It's")]
    ItS,
}
