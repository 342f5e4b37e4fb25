//! Tables and records.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use crud_runtime::adapter::{AdapterError, Key, MigrateError, Row, RowSink};
use crud_runtime::column::{Value, ValueRef};
use crud_runtime::descriptor::{ColumnDescriptor, Descriptor, Role};
use crud_runtime::query::{ListQuery, Predicate};

use crate::list::list;
use crate::order::SortedKey;
use crate::predicate::satisfies;

/// A record: a value for every column of its resource.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record(pub(crate) Vec<Value>);

impl Record {
    /// The value of a column.
    pub(crate) fn get(&self, column: usize) -> &Value {
        &self.0[column]
    }

    /// Sets every column of a role, if the resource has one.
    pub(crate) fn set(&mut self, resource: &Descriptor, role: Role, value: &Value) {
        for (column, stored) in resource.columns.iter().zip(&mut self.0) {
            if column.role == role {
                *stored = value.clone();
            }
        }
    }

    /// Rounds decimals to the scale of their columns.
    pub(crate) fn rescale(&mut self, resource: &Descriptor) {
        for (column, stored) in resource.columns.iter().zip(&mut self.0) {
            if let Value::Decimal(decimal) = stored {
                decimal.rescale(column.scale);
            }
        }
    }

    /// Whether the record is of the tenant; `true` if none is stated.
    pub(crate) fn is_of(&self, resource: &Descriptor, tenant: Option<&Value>) -> bool {
        resource.tenant.zip(tenant).is_none_or(|(of, tenant)| self.get(of.column) == tenant)
    }

    /// Whether the record is soft-deleted.
    pub(crate) fn is_deleted(&self, resource: &Descriptor) -> bool {
        let state = resource.soft_delete.map(|soft_delete| self.get(soft_delete.deleted_at));
        state.is_some_and(|state| !matches!(state, Value::Null | Value::Bool(false)))
    }

    /// Sets the columns of a role to the time of a change.
    pub(crate) fn set_time(&mut self, resource: &Descriptor, role: Role, time: DateTime<Utc>) {
        for (column, stored) in resource.columns.iter().zip(&mut self.0).filter(|(column, _)| column.role == role) {
            *stored = column.time(time);
        }
    }

    /// Soft-deletes the record at a time, or restores it.
    pub(crate) fn set_deleted(&mut self, resource: &Descriptor, time: Option<DateTime<Utc>>) {
        if let Some(soft_delete) = resource.soft_delete {
            self.0[soft_delete.deleted_at] = resource.columns[soft_delete.deleted_at].deletion(time);
        }
        self.set(resource, Role::IsDeleted, &Value::Bool(time.is_some()));
    }
}

impl Row for Record {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        Ok(self.get(column).borrow())
    }
}

/// The records of a resource.
#[derive(Debug, Clone)]
pub(crate) struct Table {
    pub(crate) resource: &'static Descriptor,
    pub(crate) records: BTreeMap<SortedKey, Arc<Record>>,
    /// The last assigned key: keys are never reused.
    last: i64,
}

impl Table {
    /// Assigns an integer key.
    pub(crate) fn assign(&mut self) -> Value {
        self.last += 1;
        Value::Int(self.last)
    }

    /// The record with a key.
    pub(crate) fn get(&self, id: &Key) -> Option<&Arc<Record>> {
        self.records.get(&SortedKey(id.clone()))
    }

    /// Inserts a record, or replaces the one with its key.
    pub(crate) fn put(&mut self, record: Arc<Record>) {
        let key = Key::of(self.resource, &record.0);
        self.records.insert(SortedKey(key), record);
    }
}

/// All tables by name. A clone shares the tables that do not change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tables(BTreeMap<&'static str, Arc<Table>>);

impl Tables {
    /// The table of this name.
    ///
    /// # Errors
    /// When its resource has not been migrated.
    pub(crate) fn get(&self, name: &str) -> Result<&Table, AdapterError> {
        self.0.get(name).map(|table| &**table).ok_or_else(|| missing(name))
    }

    /// The table of this name, copied first if it is shared.
    ///
    /// # Errors
    /// The errors of [`get`](Self::get).
    pub(crate) fn get_mut(&mut self, name: &str) -> Result<&mut Table, AdapterError> {
        self.0.get_mut(name).map(Arc::make_mut).ok_or_else(|| missing(name))
    }

    /// Passes the records of a query to `sink`.
    pub(crate) fn list(
        &self,
        resource: &Descriptor,
        query: &ListQuery,
        sink: &mut dyn RowSink,
    ) -> Result<(), AdapterError> {
        list(self.get(resource.table)?, query).into_iter().try_for_each(|record| sink.row(record))
    }

    /// Counts the records that satisfy a predicate.
    pub(crate) fn count(&self, resource: &Descriptor, filter: &Predicate) -> Result<u64, AdapterError> {
        let records = self.get(resource.table)?.records.values();
        Ok(records.filter(|record| satisfies(filter, record)).count() as u64)
    }

    /// Passes the record with a key, and with the tenant if one is stated, to `sink`. Returns whether there is one.
    pub(crate) fn find(
        &self,
        resource: &Descriptor,
        id: &Key,
        tenant: Option<&Value>,
        sink: &mut dyn RowSink,
    ) -> Result<bool, AdapterError> {
        match self.get(resource.table)?.get(id).filter(|record| record.is_of(resource, tenant)) {
            Some(record) => sink.row(&**record).map(|()| true),
            None => Ok(false),
        }
    }

    /// Every table.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Table> {
        self.0.values().map(|table| &**table)
    }

    /// The resources without a table.
    ///
    /// # Errors
    /// [`MigrateError::Mismatch`] when an existing table has other columns.
    pub(crate) fn missing(&self, resources: &[&'static Descriptor]) -> Result<Vec<&'static Descriptor>, MigrateError> {
        let there = resources.iter().filter_map(|resource| Some((self.0.get(resource.table)?.resource, *resource)));
        let lines: Vec<String> = there.flat_map(|(there, resource)| differences(there, resource)).collect();
        if !lines.is_empty() {
            return Err(MigrateError::Mismatch(lines));
        }
        Ok(resources.iter().copied().filter(|resource| !self.0.contains_key(resource.table)).collect())
    }

    /// Creates an empty table.
    pub(crate) fn create(&mut self, resource: &'static Descriptor) {
        self.0.insert(resource.table, Arc::new(Table { resource, records: BTreeMap::new(), last: 0 }));
    }
}

fn missing(name: &str) -> AdapterError {
    AdapterError::MissingTable(format!("there is no table `{name}`").into())
}

/// The differences between the columns of a table's resource and those of another resource.
fn differences(there: &'static Descriptor, wanted: &'static Descriptor) -> Vec<String> {
    let stored = |column: &&ColumnDescriptor| column.is_stored();
    let find = |among: &'static Descriptor, column: &ColumnDescriptor| {
        among.columns.iter().filter(stored).find(|other| other.column == column.column)
    };
    let line = |column: &ColumnDescriptor, what: String| {
        format!("table `{}`, column `{}`: {what}", wanted.table, column.column)
    };
    let typed = |column: &ColumnDescriptor| (column.kind, column.nullable);
    let of_wanted = wanted.columns.iter().filter(stored).filter_map(|column| match find(there, column) {
        None => Some(line(column, "is missing".to_owned())),
        Some(other) if typed(other) == typed(column) => None,
        Some(other) => {
            let name = |(kind, nullable)| format!("{kind:?}{}", if nullable { " or null" } else { "" });
            Some(line(column, format!("is {}, must be {}", name(typed(other)), name(typed(column)))))
        }
    });
    let of_there = there.columns.iter().filter(stored).filter(|column| find(wanted, column).is_none());
    of_wanted.chain(of_there.map(|column| line(column, "is no field".to_owned()))).collect()
}
