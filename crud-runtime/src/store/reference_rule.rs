//! [`ReferenceRule`]: which records a change may refer to.
//!
//! A reference that is refused and one to a record that does not exist get the same answer: it does not tell what other
//! owners and tenants have.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ptr;

use super::store_scope::StoreScope;
use super::subqueries::resolved;
use crate::model::access::Enforcement;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Operation, SortKey};
use crate::model::principal::Principal;
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::{Value, is_same};
use crate::query::record_scope::RecordScope;
use crate::query::{ListQuery, Predicate};
use crate::storage::adapter::Adapter;
use crate::storage::write::Work;

/// Number of keys that one query looks for.
const CHUNK: usize = 500;

/// Rule for the records that a change may refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ReferenceRule<'a> {
    /// Any: an import by the program's command.
    #[cfg_attr(not(feature = "config"), expect(dead_code, reason = "imports by the command are of `config`"))]
    Any,
    /// Records that a principal may read.
    Principal {
        principal: Option<&'a Principal>,
        /// The access rules that apply, of which `get` decides: over HTTP, those of the service.
        enforcement: Enforcement,
    },
    /// Records in the scope of a store.
    Store { scope: &'a StoreScope, actor: Option<&'a Principal> },
}

impl ReferenceRule<'_> {
    /// The records of a target that may be referred to; `None` for all.
    fn reach(self, target: &'static Descriptor) -> Option<Predicate> {
        let records = match self {
            Self::Any => return None,
            Self::Principal { principal, enforcement } => {
                if !enforcement.admits(&target.access, Operation::Get, principal) {
                    return Some(Predicate::Or(Vec::new()));
                }
                RecordScope::new(target, principal)
            }
            Self::Store { scope, actor } => match scope.records(target, actor) {
                Ok(records) => records,
                // Whose records they are is not known.
                Err(_) => return Some(Predicate::Or(Vec::new())),
            },
        };
        (!records.is_unrestricted()).then(|| records.predicate())
    }

    /// The changes whose references the rule refuses, by index, each with the referring columns. `has_policies`: whether
    /// policies of the database hide records, which its foreign keys do not heed.
    pub(super) async fn refused(
        self,
        adapter: &dyn Adapter,
        resource: &'static Descriptor,
        work: Work<'_>,
        has_policies: bool,
    ) -> Result<BTreeMap<usize, Vec<usize>>, AdapterError> {
        let mut refused: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        if matches!(self, Self::Any) || !matches!(work, Work::Insert(_) | Work::Update(_)) {
            return Ok(refused);
        }
        for (column, descriptor) in resource.columns.iter().enumerate() {
            let Some(reference) = descriptor.references.filter(|reference| !reference.any) else { continue };
            let target = (reference.target)();
            let visible = has_policies.then_some(Predicate::All);
            let Some(reach) = self.reach(target).or(visible) else { continue };
            let values = values(work, column);
            let ids: Vec<&Value> = values.iter().map(|(_, value)| *value).collect();
            let mut found = found(adapter, target, &ids, &reach).await?;
            // A record of a batch may refer to one before it.
            if let Work::Insert(records) = work
                && ptr::eq(target, resource)
            {
                found.extend(records.iter().map(|record| record[resource.id].to_string()));
            }
            for (index, value) in values {
                if !found.contains(&value.to_string()) && !has_already(adapter, resource, work, index, column).await? {
                    refused.entry(index).or_default().push(column);
                }
            }
        }
        Ok(refused)
    }

    /// The first records of a large insert that refer to records which do not exist or are refused, each with the
    /// referring columns: so many of them at most. It reads, so that a transaction that writes need not find them.
    pub(super) async fn missing(
        self,
        adapter: &dyn Adapter,
        resource: &'static Descriptor,
        records: &[Vec<Value>],
        most: usize,
    ) -> Result<BTreeMap<usize, Vec<usize>>, AdapterError> {
        let mut missing: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let refers_to_own =
            |column: &ColumnDescriptor| column.references.is_some_and(|to| ptr::eq((to.target)(), resource));
        let own: HashSet<String> = if resource.columns.iter().any(refers_to_own) {
            records.iter().map(|record| record[resource.id].to_string()).collect()
        } else {
            HashSet::new()
        };
        for (chunk, start) in records.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
            for (column, descriptor) in resource.columns.iter().enumerate() {
                let Some(reference) = descriptor.references else { continue };
                let target = (reference.target)();
                let reach = self.reach(target).filter(|_| !reference.any).unwrap_or(Predicate::All);
                let values = values(Work::Insert(chunk), column);
                let distinct: HashMap<String, &Value> =
                    values.iter().map(|(_, value)| (value.to_string(), *value)).collect();
                let ids: Vec<&Value> = distinct.into_values().collect();
                if ids.is_empty() {
                    continue;
                }
                let found = found(adapter, target, &ids, &reach).await?;
                for (index, value) in values {
                    let key = value.to_string();
                    let is_in_file = ptr::eq(target, resource) && own.contains(&key);
                    if !is_in_file && !found.contains(&key) {
                        missing.entry(start + index).or_default().push(column);
                    }
                }
            }
            if missing.len() >= most {
                break;
            }
        }
        Ok(missing.into_iter().take(most).collect())
    }
}

/// The values that changes give a column, by the changes' indexes.
fn values(work: Work<'_>, column: usize) -> Vec<(usize, &Value)> {
    let is_reference = |(_, value): &(usize, &Value)| !value.is_null();
    match work {
        Work::Insert(records) => {
            records.iter().map(|record| &record[column]).enumerate().filter(is_reference).collect()
        }
        Work::Update(updates) => {
            let values = updates.iter().enumerate();
            let values = values.filter_map(|(index, update)| Some((index, update.changes.get(column)?)));
            values.filter(is_reference).collect()
        }
        _ => Vec::new(),
    }
}

/// The keys, as text, of the records with one of these keys that satisfy a condition.
async fn found(
    adapter: &dyn Adapter,
    target: &'static Descriptor,
    ids: &[&Value],
    reach: &Predicate,
) -> Result<HashSet<String>, AdapterError> {
    let mut found = KeySink { target, keys: HashSet::new() };
    let reach = resolved(adapter, reach, None).await?;
    for chunk in ids.chunks(CHUNK) {
        let values = chunk.iter().map(|id| (*id).clone()).collect();
        let filter = Predicate::In { column: target.id, negated: false, values }.and(Predicate::clone(&reach));
        let query = ListQuery::all(target).sort(vec![SortKey::ascending(target.id)]).filter(filter);
        adapter.list(target, &query, &mut found).await?;
    }
    Ok(found.keys)
}

/// Whether the record of an update has the reference already: a record that was read can be written back.
async fn has_already(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    work: Work<'_>,
    index: usize,
    column: usize,
) -> Result<bool, AdapterError> {
    let Work::Update(updates) = work else { return Ok(false) };
    let update = &updates[index];
    let mut stored = ValueSink { resource, column, value: None };
    adapter.get(resource, update.id, &mut stored).await?;
    Ok(stored.value.is_some_and(|stored| update.changes.get(column).is_some_and(|value| is_same(value, &stored))))
}

/// Collects keys as text.
struct KeySink {
    target: &'static Descriptor,
    keys: HashSet<String>,
}

impl RowSink for KeySink {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.keys.insert(stored_value(self.target, self.target.id, row)?.to_string());
        Ok(())
    }
}

/// Keeps the value of one column.
struct ValueSink {
    resource: &'static Descriptor,
    column: usize,
    value: Option<Value>,
}

impl RowSink for ValueSink {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.value = Some(stored_value(self.resource, self.column, row)?);
        Ok(())
    }
}
