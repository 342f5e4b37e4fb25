//! Readers.

use crud_runtime::prelude::*;

use super::loan::Loan;
use super::reader_card::ReaderCard;

/// A reader.
#[derive(Debug, Clone, Resource)]
#[crud(
    table("reader", unmanaged),
    filter,
    sort,
    pagination(cursor),
    has_many(loans(Loan::reader_id), reader_cards(ReaderCard::holder))
)]
pub struct Reader {
    #[crud(default(database))]
    pub id: Uuid,
    pub name: String,
    pub born: NaiveDate,
    #[crud(default(database))]
    pub active: bool,
}
