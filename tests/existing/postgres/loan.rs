//! Loans.

use crud_runtime::prelude::*;

use super::reader::Reader;

/// A loan.
#[derive(Debug, Clone, Resource)]
#[crud(table("loan", unmanaged), filter, sort, pagination(cursor))]
#[allow(clippy::struct_field_names)]
pub struct Loan {
    #[crud(id)]
    pub loan_id: i64,
    #[crud(references(Reader, unconstrained, expand))]
    pub reader_id: Uuid,
    #[crud(length(max = 17))]
    pub isbn: String,
    #[crud(id)]
    pub lent: DateTime<Utc>,
}
