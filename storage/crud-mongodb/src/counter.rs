//! The keys that storage assigns: a counter for each collection, in the collection `_counters`.

use mongodb::bson::doc;

use super::database::Session;
use super::error::Failure;
use super::field::KEY;
use crate::model::descriptor::Descriptor;

/// The collection of the counters.
pub(super) const COUNTERS: &str = "_counters";

/// The field of the last number that was assigned.
const LAST: &str = "last";

/// The next key of a resource. A key is never assigned twice, even after its record is removed.
///
/// # Errors
/// When the server fails.
pub(super) async fn next(session: &mut Session<'_>, resource: &Descriptor) -> Result<i64, Failure> {
    session.add(COUNTERS, resource.table, LAST, 1).await
}

/// Moves the counter past the keys that other programs have assigned, up to `key`.
///
/// # Errors
/// When the server fails.
pub(super) async fn pass_over(session: &mut Session<'_>, resource: &Descriptor, key: i64) -> Result<(), Failure> {
    let behind = doc! { KEY: resource.table, LAST: { "$lt": key } };
    session.update(COUNTERS, behind, doc! { "$set": { LAST: key } }).await.map(drop)
}
