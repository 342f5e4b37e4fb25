//! Publishers.

use crud_runtime::prelude::*;

use super::book::Book;

/// A publisher.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("Publisher", unmanaged),
    filter,
    sort,
    pagination(cursor),
    has_many(books(Book::publisher_id))
)]
#[allow(clippy::struct_field_names)]
pub struct Publisher {
    #[crud(id, column = "PublisherId")]
    pub publisher_id: i64,
    #[crud(column = "Name", unique, length(max = 80))]
    pub name: String,
}
