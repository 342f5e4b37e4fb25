//! Books.

use crud_runtime::prelude::*;

use super::author::Author;
use super::authorship::Authorship;
use super::mood::Mood;
use super::publisher::Publisher;
use super::review::Review;

/// A book.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("book", unmanaged),
    pagination(cursor),
    has_many(authorships(Authorship::book_isbn), reviews(Review::isbn))
)]
pub struct Book {
    #[crud(id, length(max = 17))]
    pub isbn: String,
    #[crud(filter, sort)]
    pub title: String,
    #[crud(
        references(Publisher, expand, relation(publisher_record)),
        filter,
        sort
    )]
    pub publisher: i32,
    #[crud(references(Author, expand), filter, sort)]
    pub editor_id: Option<i32>,
    #[crud(column(sql_type = "release_year"), filter, sort)]
    pub year: Option<i32>,
    #[crud(default(database), decimal(8, 2), filter, sort)]
    pub price: Decimal,
    #[crud(column(sql_type = "numeric"), filter, sort)]
    pub weight: Option<String>,
    #[crud(filter, sort)]
    pub pages: Option<i16>,
    #[crud(filter, sort)]
    pub rating: Option<f32>,
    #[crud(column(sql_type = "mood"), default(database), filter, sort)]
    pub feeling: Mood,
    #[crud(default(database))]
    pub tags: Vec<String>,
    pub sizes: Option<Vec<i32>>,
    #[crud(column(sql_type = "interval"), filter, sort)]
    pub reading: Option<String>,
    #[crud(column(sql_type = "inet"), filter, sort)]
    pub source: Option<String>,
    pub facts: Option<serde_json::Value>,
    pub cover: Option<Vec<u8>>,
    #[crud(filter, sort)]
    pub r#type: String,
    #[crud(rename = "limit_value", filter, sort)]
    pub limit: Option<i32>,
    #[crud(column(sql_type = "tsvector"), read_only, default(database))]
    pub words: Option<String>,
    #[crud(read_only, default(database), filter, sort)]
    pub is_long: Option<bool>,
    #[crud(filter, sort)]
    pub seen_at: Option<NaiveTime>,
}
