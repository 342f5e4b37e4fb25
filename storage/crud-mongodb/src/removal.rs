//! Removals: a document is marked, the dependent documents are handled, and then it is deleted.
//!
//! The mark hides it from readers and keeps new references away. CASCADE marks the referring documents in turn, SET NULL
//! clears their references. Each step can be repeated: what a crash interrupts is finished when the service starts,
//! and when its log is read.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::pin::Pin;

use mongodb::bson::{Bson, Document, RawDocument, doc};

use super::database::Session;
use super::error::{Failure, failed};
use super::field::{GONE, KEY, PENDING, STRONG, UNIQUE, VERSION, WEAK};
use super::outbox;
use super::references::{Quiet, counter, discount, recount};
use super::schema::{Collection, ReferentialAction, Schema, UniqueIndex};
use crate::model::adapter_error::AdapterError;

/// Number of referring documents that are handled at a time.
const CHUNK: i64 = 100;

/// Fields that a mark sets, in addition to the version.
pub(super) fn mark() -> Document {
    doc! { GONE: true, PENDING: true }
}

/// Checks that nothing forbids the further removals that CASCADE causes.
///
/// # Errors
/// [`AdapterError::Referenced`] when something does.
pub(super) async fn check_cascade(
    session: &mut Session<'_>,
    schema: &Schema,
    collection: &str,
    key: &Bson,
) -> Result<(), Failure> {
    let mut taken = vec![(collection.to_owned(), key.clone(), 0_i64)];
    let mut places = HashMap::from([(name_of(collection, key), 0)]);
    let mut restricting: Vec<String> = Vec::new();
    let mut next = 0;
    while let Some((collection, key, _)) = taken.get(next).cloned() {
        next += 1;
        let cascading =
            schema.referring(&collection).filter(|(_, reference)| reference.on_delete == ReferentialAction::Cascade);
        for (referring, reference) in cascading {
            let take = |document: &RawDocument| {
                let key = document_key(document)?;
                if let Entry::Vacant(place) = places.entry(name_of(&referring.name, &key)) {
                    place.insert(taken.len());
                    let strong = document.get_i64(STRONG).unwrap_or_default();
                    taken.push((referring.name.clone(), key, strong));
                    let references = references(Some(referring), document)?.into_iter();
                    let restricts = references.filter(|(.., action)| *action == ReferentialAction::Restrict);
                    restricting.extend(restricts.map(|(to, key, _)| name_of(&to, &key)));
                }
                Ok(())
            };
            session.each(&referring.name, reference.referring(&key), None, take).await?;
        }
    }
    // Records that are removed as well do not restrict the removal.
    for name in restricting {
        if let Some(place) = places.get(&name) {
            taken[*place].2 -= 1;
        }
    }
    let held = taken.iter().skip(1).find(|(.., strong)| *strong > 0);
    let Some((collection, key, _)) = held else { return Ok(()) };
    recount(session, schema, collection, key, STRONG, Quiet::Awaited).await?;
    Err(AdapterError::Referenced.into())
}

/// A document among those of all collections.
fn name_of(collection: &str, key: &Bson) -> String {
    format!("{collection} {key}")
}

/// Finishes the removal of a marked document.
///
/// # Errors
/// When the server fails.
pub(super) fn finish<'a>(
    session: &'a mut Session<'_>,
    schema: &'a Schema,
    collection: &'a str,
    document: &'a RawDocument,
) -> Pin<Box<dyn Future<Output = Result<(), Failure>> + Send + 'a>> {
    // Boxed: CASCADE recurses into documents that refer to the removed one.
    Box::pin(async move {
        let key = document_key(document)?;
        for (referring, reference) in schema.referring(collection) {
            let rest = || reference.referring(&key);
            match reference.on_delete {
                ReferentialAction::Restrict => {}
                ReferentialAction::Cascade => loop {
                    let found = session.find(&referring.name, rest(), CHUNK).await?;
                    let is_last = i64::try_from(found.len()).is_ok_and(|found| found < CHUNK);
                    for document in found {
                        let key = document_key(&document)?;
                        let update = doc! { "$set": mark(), "$unset": { UNIQUE: "" }, "$inc": { VERSION: 1_i64 } };
                        if session.update(&referring.name, doc! { KEY: key, GONE: Bson::Null }, update).await? {
                            release(session, Some(referring), &document).await?;
                            finish(session, schema, &referring.name, &document).await?;
                        }
                    }
                    if is_last {
                        break;
                    }
                },
                ReferentialAction::SetNull => {
                    let mut unset = Document::new();
                    let fields = reference.fields();
                    let is_of = |unique: &&UniqueIndex| unique.fields.iter().any(|it| fields.contains(&it.as_str()));
                    for unique in referring.uniques.iter().filter(is_of) {
                        unset.insert(format!("{UNIQUE}.{}", unique.name), "");
                    }
                    let cleared: Document = fields.iter().map(|field| ((*field).to_owned(), Bson::Null)).collect();
                    let mut update = doc! { "$set": cleared, "$inc": { VERSION: 1_i64 } };
                    if !unset.is_empty() {
                        update.insert("$unset", unset);
                    }
                    while session.update(&referring.name, rest(), update.clone()).await? {
                        discount(session, collection, &key, WEAK).await?;
                    }
                }
            }
        }
        outbox::deliver(session, document).await?;
        let unreferred =
            doc! { KEY: key.clone(), GONE: true, "$or": [{ WEAK: Bson::Null }, { WEAK: { "$lte": 0_i64 } }] };
        if !session.delete(collection, unreferred.clone()).await?
            && recount(session, schema, collection, &key, WEAK, Quiet::Awaited).await?
        {
            session.delete(collection, unreferred).await?;
        }
        Ok(())
    })
}

/// Ends the references of a document that was marked.
///
/// # Errors
/// When the server fails.
pub(super) async fn release(
    session: &mut Session<'_>,
    collection: Option<&Collection>,
    document: &RawDocument,
) -> Result<(), Failure> {
    for (to, key, action) in references(collection, document)? {
        discount(session, &to, &key, counter(action)).await?;
    }
    Ok(())
}

/// The references of a document: the collection and key that each leads to.
fn references(
    collection: Option<&Collection>,
    document: &RawDocument,
) -> Result<Vec<(String, Bson, ReferentialAction)>, AdapterError> {
    let mut found = Vec::new();
    for reference in collection.iter().flat_map(|collection| &collection.references) {
        let key = reference.key_in(document)?;
        found.extend(key.map(|key| (reference.to.clone(), key, reference.on_delete)));
    }
    Ok(found)
}

/// A document's key.
pub(super) fn document_key(document: &RawDocument) -> Result<Bson, AdapterError> {
    let key = document.get(KEY).map_err(failed)?.ok_or_else(|| failed("a document has no `_id`"))?;
    key.try_into().map_err(failed)
}
