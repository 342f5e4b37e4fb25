//! Changes with idempotency keys, on storage with transactions of several calls.

use crud_runtime::prelude::*;

/// A payment, which a client may send again when it gets no answer.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(audit, filter(reference), pagination(max_limit = 1000), batch(mode(partial)), idempotency)]
pub struct Payment {
    /// The key.
    pub id: i64,
    /// Purpose of the payment. It is not unique, so that a test sees a payment that was made twice.
    pub reference: String,
    /// In cents.
    #[crud(range(min = 1))]
    pub amount: i32,
}
