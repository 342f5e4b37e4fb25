//! [`StoredRecords`]: the stored records of a resource that code names while it runs, for the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use serde_json::Value as Json;

use super::app::App;
use super::each_row::each_row;
use super::stored_record::StoredRecord;
use super::transaction::Tx;
use super::transaction::shared::SharedTransaction;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::json::json_value;
use crate::model::key::Key;
use crate::model::problem::{Code, Problem};
use crate::model::row::RowSink;
use crate::query::{ListQuery, Predicate};
use crate::storage::adapter::Adapter;

/// Number of keys in a query.
const KEYS: usize = 500;

impl App {
    /// The stored records of a resource by its path, such as `/v1/products`, or by the name of its struct: those of
    /// every tenant and owner, deleted ones included. For jobs and tasks of code that does not know the struct, such as
    /// a plugin's.
    ///
    /// ```
    /// # use crud_runtime::prelude::*;
    /// # #[derive(Debug, Clone, Resource)] struct Part { id: i64, label: String }
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> crud_runtime::Result<()> {
    /// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
    /// # let app = service.app();
    /// app.store::<Part>().create(NewPart { label: "M8".to_owned() }).await?;
    /// let parts = app.stored_records("/parts")?;
    /// assert_eq!(parts.existing(["1", "2"]).await?, ["1"]);
    /// assert_eq!(parts.values("label", ["1", "2"]).await?["1"], "M8");
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `not_found` when the service has no such resource, or several of this name.
    pub fn stored_records(&self, resource: &str) -> Result<StoredRecords, Problem> {
        let path = resource.trim_start_matches('/');
        let of_path = self.resources().iter().find(|mounted| mounted.options().prefix.trim_start_matches('/') == path);
        let mut named = self.resources().iter().filter(|mounted| mounted.resource().name == resource);
        let found = of_path.or_else(|| named.next().filter(|_| named.next().is_none()));
        let missing = || Problem::new(Code::NotFound, format!("the service has no one resource `{resource}`"));
        let resource = found.ok_or_else(missing)?.resource();
        Ok(StoredRecords { app: self.clone(), resource, transaction: None })
    }
}

/// The stored records of a resource, for the program: see [`App::stored_records`]. A key is a text as in a path and in the
/// audit log: the parts of a key of several fields are separated by commas, and percent-encoded.
#[derive(Clone)]
#[must_use = "a handle does nothing until it reads"]
pub struct StoredRecords {
    app: App,
    resource: &'static Descriptor,
    transaction: Option<Arc<SharedTransaction>>,
}

impl fmt::Debug for StoredRecords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoredRecords").field("resource", &self.resource.name).finish_non_exhaustive()
    }
}

impl StoredRecords {
    /// The description of the resource.
    #[must_use]
    pub const fn descriptor(&self) -> &'static Descriptor {
        self.resource
    }

    /// Reads in a transaction.
    pub fn within(self, transaction: &Tx<'_>) -> Self {
        Self { transaction: Some(transaction.shared().clone()), ..self }
    }

    /// The given keys that a record has, in their order.
    ///
    /// # Errors
    /// `internal` for a resource without keys; when the database fails.
    pub async fn existing<K: AsRef<str>>(&self, keys: impl IntoIterator<Item = K>) -> Result<Vec<String>, Problem> {
        let keys: Vec<String> = keys.into_iter().map(|key| key.as_ref().to_owned()).collect();
        let mut found = BTreeSet::new();
        let resource = self.resource;
        let mut sink = each_row(|row| {
            found.insert(Key::of_row(resource, row)?.lookup());
            Ok(())
        });
        self.read(&keys, &mut sink).await?;
        Ok(keys.into_iter().filter(|key| self.parsed(key).is_some_and(|key| found.contains(&key.lookup()))).collect())
    }

    /// The stored values of a field, by its name in JSON, of the records with these keys.
    ///
    /// # Errors
    /// `internal` for a field that the resource does not have, and for a resource without keys; when the database fails.
    pub async fn values<K: AsRef<str>>(
        &self,
        field: &str,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<BTreeMap<String, Json>, Problem> {
        let keys: Vec<String> = keys.into_iter().map(|key| key.as_ref().to_owned()).collect();
        let resource = self.resource;
        let missing = || Problem::internal(format!("{} has no field `{field}`", resource.name));
        let (index, column) =
            resource.json_field(field).filter(|(_, column)| column.is_stored()).ok_or_else(missing)?;
        let mut found = BTreeMap::new();
        let mut sink = each_row(|row| {
            found.insert(Key::of_row(resource, row)?.lookup(), json_value(column, row.value(index)?));
            Ok(())
        });
        self.read(&keys, &mut sink).await?;
        let of_key = |key: String| {
            let value = found.get(&self.parsed(&key)?.lookup())?.clone();
            Some((key, value))
        };
        Ok(keys.into_iter().filter_map(of_key).collect())
    }

    /// The records with these keys, every field of each.
    ///
    /// # Errors
    /// `internal` for a resource without keys; when the database fails.
    pub async fn records<K: AsRef<str>>(
        &self,
        keys: impl IntoIterator<Item = K>,
    ) -> Result<BTreeMap<String, StoredRecord>, Problem> {
        let keys: Vec<String> = keys.into_iter().map(|key| key.as_ref().to_owned()).collect();
        let resource = self.resource;
        let mut found = BTreeMap::new();
        let mut sink = each_row(|row| {
            found.insert(Key::of_row(resource, row)?.lookup(), StoredRecord::read(resource, row)?);
            Ok(())
        });
        self.read(&keys, &mut sink).await?;
        let of_key = |key: String| {
            let record = found.get(&self.parsed(&key)?.lookup())?.clone();
            Some((key, record))
        };
        Ok(keys.into_iter().filter_map(of_key).collect())
    }

    /// Passes the records with these keys to the sink. A text that is not a key has no record.
    async fn read(&self, keys: &[String], sink: &mut dyn RowSink) -> Result<(), Problem> {
        if self.resource.keyless {
            return Err(Problem::internal(format!("records of {} have no key", self.resource.name)));
        }
        let keys: Vec<Key> = keys.iter().filter_map(|key| self.parsed(key)).collect();
        for keys in keys.chunks(KEYS) {
            let query = ListQuery::all(self.resource).sort(SortKey::of_key(self.resource, false));
            let query = query.filter(Predicate::of_keys(self.resource, keys));
            self.adapter()?.list(self.resource, &query, sink).await.map_err(|error| self.problem(error))?;
        }
        Ok(())
    }

    fn parsed(&self, key: &str) -> Option<Key> {
        Key::parse_stored(self.resource, key).ok()
    }

    fn adapter(&self) -> Result<&dyn Adapter, Problem> {
        match &self.transaction {
            Some(transaction) => Ok(&**transaction),
            None => self.app.refuse_inside_transaction().map(|()| &**self.app.adapter()),
        }
    }

    fn problem(&self, error: AdapterError) -> Problem {
        self.app.problem(self.resource, error)
    }
}
