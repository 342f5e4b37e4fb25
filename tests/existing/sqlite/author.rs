//! Authors.

use crud_runtime::prelude::*;

use super::authorship::Authorship;

/// An author.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("Author", unmanaged),
    filter,
    sort,
    pagination(cursor),
    has_many(authors(Author::mentor_id), authorships(Authorship::author_id))
)]
#[allow(clippy::struct_field_names)]
pub struct Author {
    #[crud(id, column = "AuthorId")]
    pub author_id: i64,
    #[crud(column = "Full Name")]
    pub full_name: String,
    #[crud(column = "MentorId", references(Author, expand, on_delete(set_null)))]
    pub mentor_id: Option<i64>,
    #[crud(column = "Born")]
    pub born: Option<NaiveDate>,
    #[crud(
        column(format = "%Y-%m-%d %H:%M:%S"),
        created_at(off),
        default(database)
    )]
    pub created_at: NaiveDateTime,
}
