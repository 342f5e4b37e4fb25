//! Authors.

use crud_runtime::prelude::*;

use super::authorship::Authorship;
use super::book::Book;

/// An author.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("author", unmanaged),
    filter,
    sort,
    pagination(cursor),
    soft_delete,
    has_many(
        authors(Author::mentor_id),
        authorships(Authorship::author_id),
        books(Book::editor_id)
    )
)]
#[allow(clippy::struct_field_names)]
pub struct Author {
    #[crud(id)]
    pub author_id: i32,
    #[crud(column = "Full Name")]
    pub full_name: String,
    pub born: Option<NaiveDate>,
    #[crud(references(Author, expand, on_delete(set_null)))]
    pub mentor_id: Option<i32>,
    #[crud(created_at)]
    pub created_at: DateTime<Utc>,
    #[crud(updated_at)]
    pub updated_at: NaiveDateTime,
    pub deleted_at: Option<DateTime<Utc>>,
}
