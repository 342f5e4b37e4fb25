//! Readers.

use crud_runtime::prelude::*;

use super::loan::Loan;

/// A reader.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("reader", unmanaged),
    filter,
    sort,
    pagination(cursor),
    has_many(loans(Loan::reader_id))
)]
pub struct Reader {
    #[crud(default(database))]
    pub id: Uuid,
    pub name: String,
    pub born: NaiveDate,
    #[crud(default(database))]
    pub active: bool,
}
