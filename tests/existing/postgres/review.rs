//! Reviews.

use crud_runtime::prelude::*;

use super::book::Book;
use super::review_text::ReviewText;

/// A review.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("review", unmanaged),
    pagination(cursor),
    has_many(review_texts(ReviewText::review_id))
)]
#[allow(clippy::struct_field_names)]
pub struct Review {
    #[crud(id)]
    pub review_id: i64,
    #[crud(
        references(Book, expand, relation(book)),
        length(max = 17),
        filter,
        sort
    )]
    pub isbn: String,
    #[crud(filter, sort)]
    pub body: String,
    #[crud(column(sql_type = "tsvector"), read_only, default(database))]
    pub words: String,
}
