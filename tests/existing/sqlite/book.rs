//! Books.

use crud_runtime::prelude::*;

use super::authorship::Authorship;
use super::publisher::Publisher;

/// A book.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("Book", unmanaged),
    filter,
    sort,
    pagination(cursor),
    unique(title, publisher_id),
    has_many(authorships(Authorship::isbn))
)]
pub struct Book {
    #[crud(id, column = "Isbn")]
    pub isbn: String,
    #[crud(column = "Title", length(max = 160))]
    pub title: String,
    #[crud(
        column = "PublisherId",
        references(Publisher, expand, on_delete(cascade))
    )]
    pub publisher_id: i64,
    #[crud(column("Price", format = "number"), decimal(10, 2))]
    pub price: Decimal,
    #[crud(column = "Weight")]
    pub weight: Option<f64>,
    #[crud(column("Published", format = "%Y-%m-%d %H:%M:%S"))]
    pub published: Option<NaiveDateTime>,
    #[crud(column = "Stamp")]
    pub stamp: Option<i64>,
    #[crud(column("Seen", format = "unix"))]
    pub seen: Option<DateTime<Utc>>,
    #[crud(column("Guid", format = "uppercase"))]
    pub guid: Option<Uuid>,
    #[crud(column = "IsLong", default(database))]
    pub is_long: bool,
    #[crud(column = "Words", read_only, default(database))]
    pub words: Option<i64>,
    #[crud(column = "Cover")]
    pub cover: Option<Vec<u8>>,
    #[crud(column = "Facts")]
    pub facts: Option<serde_json::Value>,
    #[crud(column = "Loose")]
    pub loose: Option<f64>,
    #[crud(rename = "limit_value")]
    pub limit: Option<i64>,
}
