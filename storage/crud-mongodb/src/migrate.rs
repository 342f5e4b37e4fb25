//! Migration of a database: finds what it lacks for its resources, and what contradicts them.
//!
//! Collections, indexes and descriptions are created. Documents are read where the description of their collection
//! differs from the struct, and whenever the differences are asked for: one that does not fit is reported by its key.

use std::collections::HashSet;

use mongodb::IndexModel;
use mongodb::bson::{Bson, Document, doc};
use mongodb::options::IndexOptions;

use super::adoption::adopt_all;
use super::database::{Database, Find};
use super::error::Failure;
use super::field::{GONE, KEY, PENDING, field, refusal};
use super::pending;
use super::record::Record;
use super::schema::{Collection, SCHEMA, Schema};
use super::unique::path;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::storage::indexes::{self, ActiveBy, Present, RecordSet, indexes};
use crate::storage::migrate_error::MigrateError;
use crate::storage::uniques::of as uniques;

/// Limit of documents of a collection that are reported.
const REPORTED: usize = 10;

/// Name of the index of documents with pending work.
const PENDING_INDEX: &str = "ix_pending";

/// An index that a collection lacks.
#[derive(Debug)]
struct Index {
    name: String,
    keys: Document,
    unique: bool,
    sparse: bool,
}

impl Index {
    fn line(&self, collection: &str) -> String {
        let kind = if self.unique { "unique index" } else { "index" };
        format!("create {kind} `{}` on `{collection}` {}", self.name, self.keys)
    }

    fn model(self) -> IndexModel {
        let (unique, sparse) = (self.unique.then_some(true), self.sparse.then_some(true));
        let options = IndexOptions::builder().name(self.name).unique(unique).sparse(sparse).build();
        IndexModel::builder().keys(self.keys).options(options).build()
    }
}

/// Missing parts of one collection.
#[derive(Debug)]
struct Missing {
    resource: &'static Descriptor,
    collection: bool,
    indexes: Vec<Index>,
    /// The description that `migrate` has to store.
    description: Option<Collection>,
    /// The description that is stored now.
    before: Option<Collection>,
}

/// Creates missing collections, indexes and descriptions, and finishes the work that an earlier process did not.
///
/// # Errors
/// [`MigrateError::Mismatch`] with every difference.
pub(super) async fn migrate(database: &Database, resources: &[&'static Descriptor]) -> Result<(), MigrateError> {
    let missing = missing(database, resources, Scan::WhereDescriptionsDiffer).await?;
    let is_new = missing.iter().all(|missing| missing.collection);
    let mut new = Vec::new();
    let mut changed = Vec::new();
    for Missing { resource, collection, indexes, description, before } in missing {
        if !indexes.is_empty() {
            // A collection that is missing is created with its first index.
            create_indexes(database, resource.table, indexes.into_iter().map(Index::model).collect()).await?;
        }
        match description {
            Some(description) if collection => new.push(description),
            Some(description) => changed.push((resource, before, description)),
            None => {}
        }
    }
    store_new(database, &new).await?;
    adopt_changed(database, changed).await?;
    if is_new {
        return Ok(());
    }
    let mut session = database.session();
    let finished = async {
        let schema = Schema::read(&mut session).await?;
        pending::finish_all(&mut session, &schema, |_| true).await
    };
    finished.await.map_err(|failure: Failure| failure.into_adapter().into())
}

/// Adopts the documents of collections whose description has changed, then stores the new description.
async fn adopt_changed(
    database: &Database,
    changed: Vec<(&'static Descriptor, Option<Collection>, Collection)>,
) -> Result<(), MigrateError> {
    let mut mismatches = Vec::new();
    for (resource, before, description) in changed {
        let adopted = adopt_all(database, resource, before.as_ref(), &description).await;
        let lines = adopted.map_err(Failure::into_adapter)?;
        if lines.is_empty() {
            store(database, &description).await?;
        }
        mismatches.extend(lines);
    }
    if mismatches.is_empty() { Ok(()) } else { Err(MigrateError::Mismatch(mismatches)) }
}

/// Plans [`migrate`]: the steps that are necessary, a line each.
///
/// # Errors
/// Errors of [`migrate`].
pub(super) async fn plan(database: &Database, resources: &[&'static Descriptor]) -> Result<Vec<String>, MigrateError> {
    let mut lines = Vec::new();
    for Missing { resource, collection, indexes, description, .. } in missing(database, resources, Scan::All).await? {
        let name = resource.table;
        lines.extend(collection.then(|| format!("create collection `{name}`")));
        lines.extend(indexes.iter().map(|index| index.line(name)));
        lines.extend(description.map(|_| format!("describe `{name}` in `{SCHEMA}`")));
    }
    Ok(lines)
}

/// Choice of the collections whose documents are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scan {
    WhereDescriptionsDiffer,
    All,
}

async fn missing(
    database: &Database,
    resources: &[&'static Descriptor],
    scan: Scan,
) -> Result<Vec<Missing>, MigrateError> {
    let mut mismatches: Vec<String> = resources.iter().flat_map(|resource| illegal_names(resource)).collect();
    if !mismatches.is_empty() {
        return Err(MigrateError::Mismatch(mismatches));
    }
    let collections: HashSet<String> = database.collections().await?.into_iter().collect();
    let schema = Schema::read(&mut database.session()).await.map_err(Failure::into_adapter)?;
    let mut missing = Vec::new();
    for &resource in resources {
        let exists = collections.contains(resource.table);
        let is_unused = |from: &str| !resources.iter().any(|other| other.table == from);
        let former = resource.former_tables().find(|from| collections.contains(*from) && is_unused(from));
        if let Some(from) = former.filter(|_| !exists) {
            let table = resource.table;
            mismatches
                .push(format!("collection `{table}`: is still called `{from}`: keep that with `table = \"{from}\"`"));
            continue;
        }
        let present = if exists { index_names(database, resource).await? } else { HashSet::new() };
        let description = describe(resources, resource.table);
        let differs = schema.get(resource.table) != description.as_ref();
        if exists && (differs || scan == Scan::All) {
            mismatches.extend(misfits(database, resource).await?);
        }
        if let (true, Some(before), Some(after)) = (exists, schema.get(resource.table), &description) {
            mismatches.extend(other_units(database, before, after).await?);
        }
        missing.push(Missing {
            resource,
            collection: !exists,
            indexes: wanted(resource).into_iter().filter(|index| !present.contains(&index.name)).collect(),
            description: description.filter(|_| differs),
            before: schema.get(resource.table).cloned(),
        });
    }
    if mismatches.is_empty() { Ok(missing) } else { Err(MigrateError::Mismatch(mismatches)) }
}

/// Creates indexes: all at once, and one by one where that fails, because another process may create some of them at the
/// same time.
async fn create_indexes(database: &Database, name: &str, models: Vec<IndexModel>) -> Result<(), AdapterError> {
    let collection = database.collection(name);
    let together = models.clone();
    if database.within_limit(async { collection.create_indexes(together).await }).await?.is_ok() {
        return Ok(());
    }
    for model in models {
        database.within(async { collection.create_index(model).await }).await?;
    }
    Ok(())
}

/// The description of a collection, which several resources may share.
fn describe(resources: &[&'static Descriptor], name: &str) -> Option<Collection> {
    let mut all = resources.iter().filter(|resource| resource.table == name).map(|resource| Collection::of(resource));
    let mut description = all.next()?;
    all.for_each(|other| description.merge(other));
    Some(description)
}

/// Names in a resource that the server or the adapter reserves.
fn illegal_names(resource: &Descriptor) -> Vec<String> {
    let table = refusal(resource.table).map(|reason| format!("collection `{}`: its name {reason}", resource.table));
    let fields = (0..resource.columns.len()).filter(|column| resource.key() != [*column]).filter_map(|column| {
        let name = field(resource, column);
        refusal(name).map(|reason| format!("collection `{}`, field `{name}`: its name {reason}", resource.table))
    });
    table.into_iter().chain(fields).collect()
}

/// The indexes that a resource wants.
fn wanted(resource: &'static Descriptor) -> Vec<Index> {
    let unique = uniques(resource).into_iter().map(|unique| Index {
        name: unique.name(resource),
        keys: doc! { path(resource, &unique): 1 },
        unique: true,
        sparse: true,
    });
    // The server's own index covers a composite key as one document, not its parts.
    let of_parts = Present { columns: resource.composite.to_vec(), unique: false, among: RecordSet::ALL };
    let present: Vec<Present> = Some(of_parts).filter(|present| !present.columns.is_empty()).into_iter().collect();
    let rest = indexes(resource, false, ActiveBy::Column, &present);
    let parts =
        present.into_iter().map(|Present { columns, among, .. }| indexes::Index { columns, ordered: true, among });
    let ordered = parts.chain(rest).map(|index| Index {
        name: index.name(resource),
        keys: index.columns.iter().map(|column| (field(resource, *column).to_owned(), Bson::Int32(1))).collect(),
        unique: false,
        sparse: false,
    });
    let pending = Index { name: PENDING_INDEX.to_owned(), keys: doc! { PENDING: 1 }, unique: false, sparse: true };
    unique.chain(ordered).chain([pending]).collect()
}

async fn index_names(database: &Database, resource: &Descriptor) -> Result<HashSet<String>, AdapterError> {
    let collection = database.collection(resource.table);
    let names = database.within(async { collection.list_index_names().await }).await?;
    Ok(names.into_iter().collect())
}

/// The documents that are not records of the resource, a line each.
async fn misfits(database: &Database, resource: &'static Descriptor) -> Result<Vec<String>, AdapterError> {
    let mut lines = Vec::new();
    let mut more = 0;
    let documents = Find { filter: doc! { GONE: Bson::Null }, sort: doc! { KEY: 1 }, ..Find::default() };
    database
        .find(resource.table, documents, |document| {
            let record = Record::decode(resource, document)?;
            for misfit in record.misfits() {
                if lines.len() < REPORTED {
                    lines.push(format!("collection `{}`, document {}: {misfit}", resource.table, record.key));
                } else {
                    more += 1;
                }
            }
            Ok(true)
        })
        .await?;
    if more > 0 {
        lines.push(format!("collection `{}`: {more} more fields do not fit", resource.table));
    }
    Ok(lines)
}

/// The fields of a collection with documents whose integers counted other units before, a line each.
async fn other_units(
    database: &Database,
    before: &Collection,
    after: &Collection,
) -> Result<Vec<String>, AdapterError> {
    let changed = after.changed_units(before);
    let name = &after.name;
    let is_empty =
        async || database.session().count(name, doc! { GONE: Bson::Null }, Some(1)).await.map(|count| count == 0);
    if changed.is_empty() || is_empty().await.map_err(Failure::into_adapter)? {
        return Ok(Vec::new());
    }
    let line = |[field, old, new]: [&str; 3]| {
        format!(
            "collection `{name}`, field `{field}`: its integers are {old}, the struct reads {new}: keep the type, or write \
             the values anew under another name"
        )
    };
    Ok(changed.into_iter().map(line).collect())
}

/// Stores the descriptions of new collections. An existing description is replaced: a process that started at the same
/// time stored it, or its collection was dropped.
async fn store_new(database: &Database, descriptions: &[Collection]) -> Result<(), AdapterError> {
    if descriptions.is_empty() {
        return Ok(());
    }
    let documents = descriptions.iter().map(Collection::document).collect::<Result<Vec<_>, _>>()?;
    let collection = database.collection(SCHEMA);
    let inserted = database.within_limit(async { collection.insert_many(documents).await }).await?;
    if inserted.is_err() {
        for description in descriptions {
            store(database, description).await?;
        }
    }
    Ok(())
}

/// Stores a description in place of the existing one.
async fn store(database: &Database, description: &Collection) -> Result<(), AdapterError> {
    let collection = database.collection(SCHEMA);
    let filter = doc! { KEY: description.name.as_str() };
    let document = description.document()?;
    database.within(async { collection.replace_one(filter, document).upsert(true).await }).await.map(drop)
}
