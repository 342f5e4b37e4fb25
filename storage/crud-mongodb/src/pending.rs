//! Pending work of an interrupted change.

use mongodb::bson::{RawDocument, doc};

use super::database::Session;
use super::error::{Failure, failed};
use super::field::{GONE, PENDING, VERSION};
use super::schema::{Collection, Schema};
use super::{outbox, removal};

/// Number of documents that are read at a time.
const CHUNK: i64 = 100;

/// Finishes pending work in the collections for which `is_meant` is true: all of them, or the audited ones.
///
/// # Errors
/// When the server fails.
pub(super) async fn finish_all(
    session: &mut Session<'_>,
    schema: &Schema,
    is_meant: fn(&Collection) -> bool,
) -> Result<(), Failure> {
    for collection in schema.0.iter().filter(|collection| is_meant(collection)) {
        finish_collection(session, schema, &collection.name).await?;
    }
    Ok(())
}

async fn finish_collection(session: &mut Session<'_>, schema: &Schema, collection: &str) -> Result<(), Failure> {
    let mut first = None;
    loop {
        let pending = session.find(collection, doc! { PENDING: true }, CHUNK).await?;
        let key = pending.first().map(|document| removal::document_key(document)).transpose()?;
        // A removal that waits for another stays pending.
        if key.is_none() || key == first {
            return Ok(());
        }
        first = key;
        for document in &pending {
            finish(session, schema, collection, document).await?;
        }
    }
}

/// Finishes the pending work of a document.
///
/// # Errors
/// When the server fails.
pub(super) async fn finish(
    session: &mut Session<'_>,
    schema: &Schema,
    collection: &str,
    document: &RawDocument,
) -> Result<(), Failure> {
    if document.get(GONE).map_err(failed)?.is_some() {
        return removal::finish(session, schema, collection, document).await;
    }
    outbox::deliver(session, document).await?;
    let key = removal::document_key(document)?;
    outbox::clear(session, collection, &key, document.get_i64(VERSION).map_err(failed)?).await
}
