//! The outbox: audit entries inside the document that they are about.
//!
//! Without transactions, a change and its entry are one write of one document, `_out: [{c: "audit_logs", d: entry}]`. The
//! entry is then moved to its log, and the outbox cleared. The entry's key comes with it, so moving it again does
//! nothing. Every read of a log first moves what is pending, and so does every change of the document: no reader sees a
//! change without its entry.

use mongodb::bson::{Bson, Document, RawDocument, doc};

use super::database::Session;
use super::error::{Failure, failed};
use super::field::{KEY, OUTBOX, PENDING, VERSION};
use crate::model::adapter_error::AdapterError;

/// An entry in the outbox.
pub(super) fn entry(log: &str, entry: Document) -> Document {
    doc! { "c": log, "d": entry }
}

/// Moves a document's entries to their logs. The outbox keeps them.
///
/// # Errors
/// When the server fails.
pub(super) async fn deliver(session: &mut Session<'_>, document: &RawDocument) -> Result<(), Failure> {
    let Some(entries) = document.get(OUTBOX).map_err(failed)? else { return Ok(()) };
    let Some(entries) = entries.as_array() else { return Ok(()) };
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let entry = entry.as_document().ok_or_else(malformed)?;
        let log = entry.get_str("c").map_err(failed)?;
        let record = entry.get_document("d").map_err(failed)?;
        match session.insert(log, &record.to_owned()).await {
            // The entry was moved before.
            Ok(()) | Err(Failure::Duplicate) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

/// Clears the outbox of this version of a document.
///
/// # Errors
/// When the server fails.
pub(super) async fn clear(
    session: &mut Session<'_>,
    collection: &str,
    key: &Bson,
    version: i64,
) -> Result<(), Failure> {
    let update = doc! { "$unset": { OUTBOX: "", PENDING: "" } };
    session.update(collection, doc! { KEY: key.clone(), VERSION: version }, update).await.map(drop)
}

fn malformed() -> AdapterError {
    failed("a document's outbox is malformed")
}
