//! [`ReferenceRule`]: which records a change may refer to.
//!
//! A refused reference and a reference to a missing record get the same answer, which does not reveal what other owners
//! and tenants have.

use std::cell::LazyCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ptr;

use crate::model::access::Enforcement;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Operation, Reference, SortKey};
use crate::model::key::Key;
use crate::model::principal::Principal;
use crate::model::stored_value::stored_value;
use crate::model::value::{Value, is_same};
use crate::query::record_scope::RecordScope;
use crate::query::{ListQuery, Predicate};
use crate::storage::adapter::Adapter;
use crate::storage::write::Work;
use crate::store::each_row::each_row;
use crate::store::scope::store_scope::StoreScope;
use crate::store::scope::subqueries::resolved;

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
        /// The record that the request has created before, in the same transaction.
        created: Option<(&'static Descriptor, &'a Key)>,
    },
    /// Records in the scope of a store.
    Store { scope: &'a StoreScope, actor: Option<&'a Principal> },
}

impl ReferenceRule<'_> {
    /// The records of a target that may be referred to; `None` for all.
    fn visible(self, target: &'static Descriptor) -> Option<Predicate> {
        let records = match self {
            Self::Any => return None,
            Self::Principal { principal, enforcement, .. } => {
                if !enforcement.admits(&target.access, Operation::Get, principal) {
                    return Some(Predicate::Or(Vec::new()));
                }
                RecordScope::new(target, principal)
            }
            Self::Store { scope, actor } => match scope.records(target, actor) {
                Ok(records) => records,
                // Without a known tenant, no record is visible.
                Err(_) => return Some(Predicate::Or(Vec::new())),
            },
        };
        (!records.is_unrestricted()).then(|| records.predicate())
    }

    /// The key, as text, of the record of a target that the request has created: the records that make it visible to
    /// the principal may be written later.
    fn created(self, target: &'static Descriptor) -> Option<String> {
        let Self::Principal { principal, enforcement, created: Some((resource, key)) } = self else { return None };
        let may_read = ptr::eq(resource, target) && enforcement.admits(&target.access, Operation::Get, principal);
        may_read.then(|| key.to_string())
    }

    /// The changes whose references the rule refuses, by index, each with the referring columns. Where a tenant is
    /// stated, the changes are of its records.
    pub(in crate::store) async fn refused(
        self,
        adapter: &dyn Adapter,
        resource: &'static Descriptor,
        (work, tenant): (Work<'_>, Option<&Value>),
        unkept: Unkept<'_>,
    ) -> Result<BTreeMap<usize, Vec<usize>>, AdapterError> {
        let mut refused: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        if matches!(self, Self::Any) || !matches!(work, Work::Insert(_) | Work::Update(_)) {
            return Ok(refused);
        }
        for (column, descriptor) in resource.columns.iter().enumerate() {
            let Some(reference) = descriptor.references else { continue };
            let target = (reference.target)();
            let visible = self.visible(target).filter(|_| !reference.any);
            let Some(visible) = visible.or_else(|| unkept.has(&reference).then_some(Predicate::All)) else { continue };
            let keys = keys(adapter, resource, (work, tenant), column, &reference).await?;
            let mut found = found(adapter, target, keys.iter().map(|(_, key)| key), &visible).await?;
            // A record of a batch may refer to an earlier one.
            if let Work::Insert(records) = work
                && ptr::eq(target, resource)
            {
                found.extend(records.iter().map(|record| Key::of(resource, record).to_string()));
            }
            found.extend(self.created(target));
            for (index, key) in keys {
                if !found.contains(&key.to_string())
                    && !has_already(adapter, resource, (work, tenant), index, reference.columns(&column), &key).await?
                {
                    refused.entry(index).or_default().push(column);
                }
            }
        }
        Ok(refused)
    }

    /// The first records of a large insert, up to a limit, that refer to records which do not exist or are refused,
    /// each with the referring columns. This only reads, so that a writing transaction need not find them.
    pub(in crate::store) async fn missing(
        self,
        adapter: &dyn Adapter,
        resource: &'static Descriptor,
        records: &[Vec<Value>],
        most: usize,
    ) -> Result<BTreeMap<usize, Vec<usize>>, AdapterError> {
        let mut missing: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let own = LazyCell::new(|| -> HashSet<String> {
            records.iter().map(|record| Key::of(resource, record).to_string()).collect()
        });
        for (chunk, start) in records.chunks(CHUNK).zip((0..).step_by(CHUNK)) {
            for (column, descriptor) in resource.columns.iter().enumerate() {
                let Some(reference) = descriptor.references else { continue };
                let target = (reference.target)();
                let visible = self.visible(target).filter(|_| !reference.any).unwrap_or(Predicate::All);
                let keys = inserted_keys(chunk, column, &reference);
                let distinct: HashMap<String, &Key> = keys.iter().map(|(_, key)| (key.to_string(), key)).collect();
                if distinct.is_empty() {
                    continue;
                }
                let found = found(adapter, target, distinct.into_values(), &visible).await?;
                for (index, key) in keys {
                    let key = key.to_string();
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

/// References that the foreign keys of a database do not enforce.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct Unkept<'a> {
    /// Whether policies of the database hide records: its foreign keys ignore policies.
    pub(in crate::store) has_policies: bool,
    /// The tables to which no foreign key leads.
    pub(in crate::store) elsewhere: &'a [&'static Descriptor],
}

impl Unkept<'_> {
    fn has(self, reference: &Reference) -> bool {
        let target = (reference.target)();
        let is_elsewhere = self.elsewhere.iter().any(|other| ptr::eq(*other, target));
        self.has_policies && !reference.any || is_elsewhere && !reference.unconstrained
    }
}

/// The keys that new records refer to by the reference of a column, by their indexes.
fn inserted_keys(records: &[Vec<Value>], column: usize, reference: &Reference) -> Vec<(usize, Key)> {
    let keys = records.iter().enumerate();
    keys.filter_map(|(index, record)| Some((index, reference.key_in(column, record)?))).collect()
}

/// The keys to which changes set the reference of a column, by the changes' indexes.
async fn keys(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    (work, tenant): (Work<'_>, Option<&Value>),
    column: usize,
    reference: &Reference,
) -> Result<Vec<(usize, Key)>, AdapterError> {
    let updates = match work {
        Work::Insert(records) => return Ok(inserted_keys(records, column, reference)),
        Work::Update(updates) => updates,
        _ => return Ok(Vec::new()),
    };
    let columns = reference.columns(&column);
    let mut keys = Vec::new();
    for (index, update) in updates.iter().enumerate() {
        let set = columns.iter().filter(|column| update.changes.get(**column).is_some()).count();
        if set == 0 {
            continue;
        }
        // A part of the key that the update does not set is the record's.
        let of_record = (update.id, tenant);
        let stored = if set == columns.len() { None } else { stored(adapter, resource, of_record, columns).await? };
        let value = |column: usize| {
            let position = columns.iter().position(|other| *other == column)?;
            let stored = || stored.as_ref().map(|values| values[position].clone());
            update.changes.get(column).cloned().or_else(stored)
        };
        // Without the record there is nothing to update.
        let key = reference.key(column, |column| value(column).ok_or(()));
        keys.extend(key.ok().flatten().map(|key| (index, key)));
    }
    Ok(keys)
}

/// The keys, as text, of the records with one of these keys that satisfy a condition.
async fn found(
    adapter: &dyn Adapter,
    target: &'static Descriptor,
    keys: impl Iterator<Item = &Key>,
    visible: &Predicate,
) -> Result<HashSet<String>, AdapterError> {
    let keys: Vec<&Key> = keys.collect();
    let mut found = HashSet::new();
    let mut sink = each_row(|row| {
        found.insert(Key::of_row(target, row)?.to_string());
        Ok(())
    });
    let visible = resolved(adapter, visible, None).await?;
    for chunk in keys.chunks(CHUNK) {
        let filter = Predicate::of_keys(target, chunk.iter().copied()).and(Predicate::clone(&visible));
        let query = ListQuery::all(target).sort(SortKey::of_key(target, false)).filter(filter);
        adapter.list(target, &query, &mut sink).await?;
    }
    Ok(found)
}

/// Whether the record of an update has the reference already: a record that was read can be written back.
async fn has_already(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    (work, tenant): (Work<'_>, Option<&Value>),
    index: usize,
    columns: &[usize],
    key: &Key,
) -> Result<bool, AdapterError> {
    let Work::Update(updates) = work else { return Ok(false) };
    let stored = stored(adapter, resource, (updates[index].id, tenant), columns).await?;
    Ok(stored.is_some_and(|stored| key.values().iter().zip(&stored).all(|(value, stored)| is_same(value, stored))))
}

/// The values that a record has in some columns; `None` where there is none.
async fn stored(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    (id, tenant): (&Key, Option<&Value>),
    columns: &[usize],
) -> Result<Option<Vec<Value>>, AdapterError> {
    let mut stored: Option<Vec<Value>> = None;
    let mut sink = each_row(|row| {
        let values = columns.iter().map(|column| stored_value(resource, *column, row));
        stored = Some(values.collect::<Result<_, _>>()?);
        Ok(())
    });
    adapter.get(resource, id, tenant, &mut sink).await?;
    Ok(stored)
}
