//! Records of other resources that decide which records a scope has. They are looked up before guards are called, since
//! a guard cannot query storage.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::{Value, ValueRef};
use crate::query::record_scope::RecordScope;
use crate::query::{InSubquery, ListQuery, Predicate};
use crate::storage::adapter::Adapter;
use crate::store::each_row::each_row;
use crate::store::scope::subqueries::resolved;
use crate::store::transaction::shared::SharedTransaction;

/// Number of values that one query looks up.
const CHUNK: usize = 500;

/// Storage that records are looked up in.
#[derive(Clone, Copy)]
pub(crate) struct Lookup<'a> {
    pub(crate) adapter: &'a dyn Adapter,
    /// The transaction that the adapter is: records that are looked up for a change stay as they are until its end.
    pub(crate) transaction: Option<&'a SharedTransaction>,
}

impl<'a> Lookup<'a> {
    /// Storage outside of a transaction.
    pub(crate) const fn of(adapter: &'a dyn Adapter) -> Self {
        Self { adapter, transaction: None }
    }

    /// A transaction, which locks the records that it looks up.
    pub(crate) fn within(transaction: &'a SharedTransaction) -> Self {
        Self { adapter: transaction, transaction: Some(transaction) }
    }

    async fn list(
        self,
        resource: &'static Descriptor,
        query: &ListQuery,
        sink: &mut dyn RowSink,
    ) -> Result<(), AdapterError> {
        match self.transaction {
            Some(transaction) => transaction.list_locked(resource, query, sink).await,
            None => self.adapter.list(resource, query, sink).await,
        }
    }

    /// Finds out whether the record of a key is in a scope, where other records decide.
    pub(crate) async fn prepare(
        self,
        resource: &'static Descriptor,
        scope: &RecordScope,
        id: &Key,
    ) -> Result<(), AdapterError> {
        scope.forget();
        let stored = self.stored(resource, scope, &[id]).await?;
        self.look_up(resource, scope, stored.values()).await
    }

    /// The values that decide whether records with these keys are in a scope, by the records' keys.
    pub(in crate::store) async fn stored(
        self,
        resource: &'static Descriptor,
        scope: &RecordScope,
        ids: &[&Key],
    ) -> Result<HashMap<String, ScopeValues>, AdapterError> {
        let mut rows = HashMap::new();
        let mut sink = each_row(|row| {
            let values = ScopeValues::of(resource, scope.columns_of_changes(), row);
            rows.insert(Key::of_row(resource, row)?.lookup(), values);
            Ok(())
        });
        for ids in ids.chunks(CHUNK) {
            // In the order of keys, to avoid deadlocks.
            let query = ListQuery::all(resource).sort(SortKey::of_key(resource, false));
            let of_tenant = Predicate::of_tenant(resource, scope.tenant());
            let query = query.filter(Predicate::of_keys(resource, ids.iter().copied()).and(of_tenant));
            self.list(resource, &query, &mut sink).await?;
        }
        Ok(rows)
    }

    /// Finds out which values of these records related to records of the scope.
    pub(in crate::store) async fn look_up<'r>(
        self,
        resource: &'static Descriptor,
        scope: &RecordScope,
        rows: impl Iterator<Item = &'r ScopeValues> + Clone,
    ) -> Result<(), AdapterError> {
        for (column, related) in scope.related_scopes() {
            let values = rows.clone().filter_map(|row| row.0.get(&column));
            let values = values.filter(|value| !value.is_null() && !value.is_default());
            let values: BTreeMap<String, &Value> = values.map(|value| (value.to_string(), value)).collect();
            let values: Vec<&Value> = values.into_values().collect();
            let select = related.select();
            let of_tenant = Predicate::of_shared_tenants(resource, select.resource, scope.tenant());
            let found = self.found(select, of_tenant, &values).await?;
            related.learn(values, &found);
        }
        Ok(())
    }

    /// The given values that records of a select have, as text.
    async fn found(
        self,
        select: &InSubquery,
        of_tenant: Predicate,
        values: &[&Value],
    ) -> Result<HashSet<String>, AdapterError> {
        let InSubquery { resource, columns, filter } = select;
        let (resource, selected) = (*resource, columns[0].1);
        let mut texts = HashSet::new();
        if values.is_empty() {
            return Ok(texts);
        }
        let mut sink = each_row(|row| {
            texts.insert(stored_value(resource, selected, row)?.to_string());
            Ok(())
        });
        let filter = Predicate::clone(filter).and(of_tenant);
        let filter = resolved(self.adapter, &filter, None).await?;
        for chunk in values.chunks(CHUNK) {
            let values = chunk.iter().map(|value| (*value).clone()).collect();
            let of_these = Predicate::In { column: selected, negated: false, values };
            let query = ListQuery::all(resource).filter(of_these.and(Predicate::clone(&filter)));
            let query = query.sort(SortKey::of_key(resource, false));
            if resource.is_key(selected) {
                self.list(resource, &query, &mut sink).await?;
            } else if self.adapter.capabilities().subqueries {
                // One record for each value is enough.
                self.adapter.list(resource, &query.limit_per(vec![selected], 1), &mut sink).await?;
            } else {
                self.adapter.list(resource, &query, &mut sink).await?;
            }
        }
        Ok(texts)
    }
}

/// The values that decide whether a record is in a scope.
#[derive(Debug, Clone, Default)]
pub(in crate::store) struct ScopeValues(HashMap<usize, Value>);

impl ScopeValues {
    /// The values of a row, without those that cannot be read.
    pub(in crate::store) fn of(resource: &Descriptor, columns: impl Iterator<Item = usize>, row: &dyn Row) -> Self {
        let value = |column| (column, stored_value(resource, column, row).unwrap_or(Value::Null));
        Self(columns.map(value).collect())
    }

    /// The values after a change.
    pub(in crate::store) fn changed(&self, changes: &Changes) -> Self {
        let value = |(column, value): (&usize, &Value)| (*column, changes.get(*column).unwrap_or(value).clone());
        Self(self.0.iter().map(value).collect())
    }
}

impl Row for ScopeValues {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        Ok(self.0.get(&column).map_or(ValueRef::Null, Value::borrow))
    }
}
