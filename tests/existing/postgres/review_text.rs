//! Review texts.

use crud_runtime::prelude::*;

use super::review::Review;

/// A review text.
#[derive(Debug, Clone, Resource)]
#[crud(unmanaged, table = "review_text", filter, sort, pagination(cursor))]
pub struct ReviewText {
    #[crud(id = client, references = Review, expand, on_delete = cascade)]
    pub review_id: i64,
    pub body: String,
}
