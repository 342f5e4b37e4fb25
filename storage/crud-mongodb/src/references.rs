//! References: each document counts the references to it, so that its removal and a new reference exclude each other.
//!
//! A reference begins with `$inc` on its target, under the condition that the target is there, and then the referring
//! document is written. It ends the other way round. A crash in between leaves a number that is too high, never one too
//! low: no reference dangles. Such a number is corrected when it is in the way of a removal and no reference has begun
//! for a while.

use std::convert::Infallible;
use std::time::Duration;

use chrono::Utc;
use mongodb::bson::{Bson, Document, doc};

use super::TARGET;
use super::database::Session;
use super::error::Failure;
use super::field::{GONE, KEY, REFERRED, STRONG, WEAK, field};
use super::record::Record;
use super::schema::{ReferentialAction, Schema};
use super::value::{key, operand};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};

/// Time after the start of the last reference before a number can be corrected: longer than a change takes.
const QUIET: Duration = Duration::from_mins(1);

/// A reference of a record.
#[derive(Debug, Clone)]
pub(super) struct Link {
    /// The column that refers.
    pub(super) column: usize,
    target: &'static Descriptor,
    key: Bson,
    counter: &'static str,
}

impl Link {
    /// Whether the link leads to a document of this collection and key.
    pub(super) fn leads_to(&self, collection: &str, key: &Bson) -> bool {
        self.target.table == collection && self.key == *key
    }

    /// Whether two links, of two versions of a record, are the same reference.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.column == other.column && self.key == other.key
    }

    /// Whether the link forbids the removal of its target.
    pub(super) fn is_strong(&self) -> bool {
        self.counter == STRONG
    }
}

/// The field that counts references with this action.
pub(super) const fn counter(action: ReferentialAction) -> &'static str {
    match action {
        ReferentialAction::Restrict => STRONG,
        ReferentialAction::Cascade | ReferentialAction::SetNull => WEAK,
    }
}

/// The references of a record.
pub(super) fn links(record: &Record) -> Vec<Link> {
    let columns = record.resource().columns.iter().enumerate();
    let link = |(column, descriptor): (usize, &ColumnDescriptor)| {
        let reference = descriptor.constraint()?;
        let target = (reference.target)();
        let counter = counter(reference.on_delete.into());
        let Ok(found) = reference.key(column, |column| Ok::<_, Infallible>(record.get(column).clone()));
        Some(Link { column, target, key: key(target, &found?), counter })
    };
    columns.filter_map(link).collect()
}

/// Begins references. Where a target is missing, none begins.
///
/// # Errors
/// [`AdapterError::ReferenceNotFound`] with the columns of the missing targets.
pub(super) async fn begin(session: &mut Session<'_>, links: &[Link]) -> Result<(), Failure> {
    let mut begun: Vec<Link> = Vec::with_capacity(links.len());
    let mut columns = Vec::new();
    for link in links {
        let update = doc! { "$inc": { link.counter: 1_i64 }, "$set": { REFERRED: Utc::now().timestamp_micros() } };
        if session.update(link.target.table, there(link), update).await? {
            begun.push(link.clone());
        } else {
            columns.push(link.column);
        }
    }
    if columns.is_empty() {
        return Ok(());
    }
    end(session, &begun).await?;
    Err(AdapterError::ReferenceNotFound { columns }.into())
}

/// The filter that finds a link's target, unless the target is removed or soft-deleted.
pub(super) fn there(link: &Link) -> Document {
    let mut filter = doc! { KEY: link.key.clone(), GONE: Bson::Null };
    if let Some(soft_delete) = link.target.soft_delete {
        let column = &link.target.columns[soft_delete.deleted_at];
        let active = operand(column, &column.deletion(None)).bson;
        filter.insert(field(link.target, soft_delete.deleted_at), active);
    }
    filter
}

/// The columns of the references whose targets are missing.
///
/// # Errors
/// When the server fails.
pub(super) async fn missing(session: &mut Session<'_>, links: &[Link]) -> Result<Vec<usize>, Failure> {
    let mut columns = Vec::new();
    for link in links {
        if session.find_one(link.target.table, there(link)).await?.is_none() {
            columns.push(link.column);
        }
    }
    Ok(columns)
}

/// Ends references.
///
/// # Errors
/// When the server fails.
pub(super) async fn end(session: &mut Session<'_>, links: &[Link]) -> Result<(), Failure> {
    for link in links {
        discount(session, link.target.table, &link.key, link.counter).await?;
    }
    Ok(())
}

/// Counts one reference to a document less.
///
/// # Errors
/// When the server fails.
pub(super) async fn discount(
    session: &mut Session<'_>,
    collection: &str,
    key: &Bson,
    counter: &str,
) -> Result<(), Failure> {
    let update = doc! { "$inc": { counter: -1_i64 } };
    session.update(collection, doc! { KEY: key.clone() }, update).await.map(drop)
}

/// Wait of a correction until no reference has begun for a while: a reference that has just begun is not in its
/// document yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quiet {
    /// The correction waits.
    Awaited,
    /// The correction does not wait, when the service starts on another struct: no change of that struct is in flight.
    NotAwaited,
}

/// Corrects the number of references to a document; returns whether it has changed.
///
/// # Errors
/// When the server fails.
pub(super) async fn recount(
    session: &mut Session<'_>,
    schema: &Schema,
    collection: &str,
    key: &Bson,
    counted: &str,
    wait: Quiet,
) -> Result<bool, Failure> {
    let Some(document) = session.find_one(collection, doc! { KEY: key.clone() }).await? else { return Ok(false) };
    let number = document.get_i64(counted).unwrap_or_default();
    let quiet = QUIET.max(session.database.limit() * 2);
    let latest = Utc::now().timestamp_micros() - i64::try_from(quiet.as_micros()).unwrap_or(i64::MAX);
    if wait == Quiet::Awaited && document.get_i64(REFERRED).is_ok_and(|referred| referred > latest) {
        return Ok(false);
    }
    let mut actual = 0;
    for (referring, reference) in schema.referring(collection) {
        if counter(reference.on_delete) == counted {
            let filter = reference.referring(key);
            actual += i64::try_from(session.count(&referring.name, filter, None).await?).unwrap_or(i64::MAX);
        }
    }
    if actual == number {
        return Ok(false);
    }
    tracing::info!(target: TARGET, collection, %key, number, actual, "the number of references to a document is corrected");
    let unchanged = doc! { KEY: key.clone(), counted: document.get_i64(counted).map_or(Bson::Null, Bson::Int64) };
    session.update(collection, unchanged, doc! { "$set": { counted: actual } }).await
}
