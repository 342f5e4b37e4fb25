//! Adoption: adds the adapter's own fields to documents of other programs, and updates them after a change of the
//! struct.
//!
//! A document without a version is another program's: its unique values and references do not count yet. They count
//! once the document changes. Those of a whole collection count once `migrate` finds that the struct has changed.

use mongodb::bson::{Bson, doc};

use super::database::{Database, Find, Session};
use super::error::Failure;
use super::field::{GONE, KEY, STRONG, UNIQUE, VERSION, WEAK};
use super::record::Record;
use super::references::{self, Quiet, links, recount};
use super::removal::document_key;
use super::schema::{Collection, Schema};
use super::unique;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;

/// Gives a document of another program a version. Its unique values and references count from then on.
///
/// # Errors
/// [`AdapterError::Unique`] and [`AdapterError::ReferenceNotFound`] of a document that cannot be adopted.
pub(super) async fn adopt(session: &mut Session<'_>, record: &Record) -> Result<(), Failure> {
    let links = links(record);
    references::begin(session, &links).await?;
    let unadopted = doc! { KEY: record.key.clone(), VERSION: Bson::Null };
    let fields = doc! { VERSION: 1_i64, UNIQUE: unique::texts(record)? };
    match session.update(record.resource().table, unadopted, doc! { "$set": fields }).await {
        Ok(true) => Ok(()),
        Ok(false) => references::end(session, &links).await,
        Err(Failure::Duplicate) => {
            references::end(session, &links).await?;
            let columns = unique::conflict(session, record).await?.unwrap_or_default();
            Err(AdapterError::Unique { columns }.into())
        }
        Err(failure) => Err(failure),
    }
}

/// Adopts the documents of a collection, whose description was `before`. Returns a line for each that cannot be
/// adopted, with the reason.
///
/// # Errors
/// When the server fails.
pub(super) async fn adopt_all(
    database: &Database,
    resource: &'static Descriptor,
    before: Option<&Collection>,
    after: &Collection,
) -> Result<Vec<String>, Failure> {
    let same_uniques = before.is_some_and(|before| before.uniques == after.uniques);
    let same_references = before.is_some_and(|before| before.references == after.references);
    let mut records = Vec::new();
    let documents = Find { filter: doc! { GONE: Bson::Null }, sort: doc! { KEY: 1 }, ..Find::default() };
    database
        .find(resource.table, documents, |document| {
            let record = Record::decode(resource, document)?;
            if record.version.is_none() || !same_uniques || !same_references {
                records.push(record);
            }
            Ok(true)
        })
        .await?;
    let mut session = database.session();
    let mut lines = Vec::new();
    let mut line = |record: &Record, columns: &[usize], problem: &str| {
        let names: Vec<String> =
            columns.iter().map(|column| format!("`{}`", resource.columns[*column].column)).collect();
        lines.push(format!("collection `{}`, document {}: {} {problem}", resource.table, record.key, names.join(", ")));
    };
    for record in &records {
        let missing = references::missing(&mut session, &links(record)).await?;
        if !missing.is_empty() {
            line(record, &missing, "refers to a document that does not exist");
            continue;
        }
        let version = record.version.map_or(Bson::Null, Bson::Int64);
        let same = doc! { KEY: record.key.clone(), VERSION: version };
        let fields = doc! { VERSION: record.version.unwrap_or(1), UNIQUE: unique::texts(record)? };
        match session.update(resource.table, same, doc! { "$set": fields }).await {
            Ok(_) => {}
            Err(Failure::Duplicate) => {
                let columns = unique::conflict(&mut session, record).await?.unwrap_or_default();
                line(record, &columns, "has the value of another document");
            }
            Err(failure) => return Err(failure),
        }
    }
    if !records.is_empty() {
        count_references(database, after).await?;
    }
    Ok(lines)
}

/// Counts the references to every document that a collection can refer to.
async fn count_references(database: &Database, collection: &Collection) -> Result<(), Failure> {
    let schema = Schema::read(&mut database.session()).await?.with(collection.clone());
    for reference in &collection.references {
        let mut keys = Vec::new();
        let all = Find { filter: doc! { GONE: Bson::Null }, sort: doc! { KEY: 1 }, ..Find::default() };
        database
            .find(&reference.to, all, |document| {
                keys.push(document_key(document)?);
                Ok(true)
            })
            .await?;
        for key in &keys {
            for counter in [STRONG, WEAK] {
                recount(&mut database.session(), &schema, &reference.to, key, counter, Quiet::NotAwaited).await?;
            }
        }
    }
    Ok(())
}
