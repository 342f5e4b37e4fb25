//! Reader cards.

use crud_runtime::prelude::*;

use super::reader::Reader;

/// A reader card.
#[derive(Debug, Clone, Resource)]
#[crud(table("reader_card", unmanaged), filter, sort, pagination(cursor))]
pub struct ReaderCard {
    #[crud(
        id(client),
        references(Reader, expand, relation(reader), on_delete(cascade))
    )]
    pub holder: Uuid,
    pub number: String,
}
