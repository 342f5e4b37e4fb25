//! Review texts.

use crud_runtime::prelude::*;

use super::review::Review;

/// A review text.
#[derive(Debug, Clone, Resource)]
#[crud(table("review_text", unmanaged), filter, sort, pagination(cursor))]
pub struct ReviewText {
    #[crud(id(client), references(Review, expand, on_delete(cascade)))]
    pub review_id: i64,
    pub body: String,
}
