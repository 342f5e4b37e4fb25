//! Reads of an untyped store.

use std::borrow::Cow;
use std::future::ready;

use super::store::UntypedStore;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::Key;
use crate::model::problem::{Code, FieldError, Problem};
use crate::model::row::RowSink;
use crate::query::visibility::RecordVisibility;
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Scope};
use crate::storage::adapter::BoxFuture;
use crate::storage::error::Result;
use crate::store::scope::subqueries::resolved;
use crate::store::scope::visible_record::read_visible;
use crate::store::time_zone;

/// Limit of keys in a query.
const KEYS: usize = 500;

impl UntypedStore {
    pub(crate) fn list<'a>(
        &'a self,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let (adapter, query) = (self.adapter()?, self.in_scope(query)?);
            let listed = async {
                if !query.joined.is_empty() && !adapter.capabilities().subqueries {
                    return Err(AdapterError::Unsupported { what: "orders by fields of other records" });
                }
                match resolved(adapter, &query.filter, None).await? {
                    Cow::Borrowed(_) => adapter.list(self.mounted.resource(), &query, sink).await,
                    Cow::Owned(filter) => {
                        let mut query = ListQuery::clone(&query);
                        query.filter = filter;
                        adapter.list(self.mounted.resource(), &query, sink).await
                    }
                }
            };
            listed.await.map_err(|error| self.problem(error))
        })
    }

    /// Passes the active records of another resource with these keys to the sink, as far as they are in the store's scope.
    pub(crate) fn list_keys<'a>(
        &'a self,
        other: &'static Descriptor,
        keys: Vec<Key>,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let adapter = self.adapter()?;
            let records = Scope::Active.predicate(other).and(self.records_of(other)?.predicate());
            let records = resolved(adapter, &records, None).await.map_err(|error| self.problem(error))?;
            for keys in keys.chunks(KEYS) {
                let with_key = Predicate::of_keys(other, keys);
                let query = ListQuery::all(other).sort(SortKey::of_key(other, false));
                let query = query.filter(with_key.and(Predicate::clone(&records)));
                adapter.list(other, &query, sink).await.map_err(|error| Problem::from_adapter(other, error))?;
            }
            Ok(())
        })
    }

    /// Counts the records of a query, up to a limit if there is one.
    pub(crate) fn count<'a>(&'a self, query: &'a ListQuery, limit: Option<u64>) -> BoxFuture<'a, Result<u64, Problem>> {
        Box::pin(async move {
            let (adapter, query, resource) = (self.adapter()?, self.in_scope(query)?, self.mounted.resource());
            let counted = async {
                let filter = resolved(adapter, &query.filter, None).await?;
                match limit {
                    Some(limit) => adapter.count_up_to(resource, &filter, limit).await,
                    None => adapter.count(resource, &filter).await,
                }
            };
            counted.await.map_err(|error| self.problem(error))
        })
    }

    /// Groups the records of a query.
    pub(crate) fn aggregate<'a>(
        &'a self,
        query: &'a ListQuery,
        mut groups: AggregateQuery,
    ) -> BoxFuture<'a, Result<Vec<Group>, Problem>> {
        Box::pin(async move {
            let (adapter, query, resource) = (self.adapter()?, self.in_scope(query)?, self.mounted.resource());
            let lacks = |column: usize, what: &str| {
                let name = resource.columns[column].json;
                Err(Problem::validation([FieldError::field(name, "type", format!("has no {what}"))]))
            };
            for key in &groups.group_by {
                if key.bucket.is_some_and(|bucket| !bucket.is_of(&resource.columns[key.column])) {
                    return lacks(key.column, "spans of time");
                }
            }
            for measure in &groups.measures {
                if !measure.function.is_of(&resource.columns[measure.column]) {
                    return lacks(measure.column, "sum, average or order");
                }
            }
            if let Some(zone) = &groups.zone {
                time_zone::check(zone).map_err(|detail| Problem::new(Code::ValidationFailed, detail))?;
            }
            let grouped = async {
                groups.filter = resolved(adapter, &query.filter, None).await?.into_owned();
                time_zone::resolve(adapter, resource, &mut groups).await?;
                adapter.aggregate(resource, &groups).await
            };
            grouped.await.map_err(|error| self.problem(error))
        })
    }

    /// The query, limited to the store's scope.
    fn in_scope<'q>(&self, query: &'q ListQuery) -> Result<Cow<'q, ListQuery>, Problem> {
        let (records, deletion) = (self.records()?, self.app.scope().deletion(self.mounted.resource()));
        if records.is_unrestricted() && deletion == Scope::All {
            return Ok(Cow::Borrowed(query));
        }
        let records = records.predicate().and(deletion.predicate(self.mounted.resource()));
        let filter = records.and(query.filter.clone());
        let mut query = query.clone();
        query.filter = filter;
        Ok(Cow::Owned(query))
    }

    pub(crate) fn find<'a>(
        &'a self,
        id: &'a Key,
        scope: Scope,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, Problem>> {
        match (scope, self.app.scope().deletion(self.mounted.resource())) {
            (Scope::Deleted, Scope::Active) => Box::pin(ready(Ok(false))),
            (Scope::All, shown) => self.find_in_state(id, shown, sink),
            (scope, _) => self.find_in_state(id, scope, sink),
        }
    }

    /// Finds a record in one of these states, for any caller.
    pub(crate) fn find_in_state<'a>(
        &'a self,
        id: &'a Key,
        scope: Scope,
        sink: &'a mut dyn RowSink,
    ) -> BoxFuture<'a, Result<bool, Problem>> {
        Box::pin(async move {
            let records = self.records()?;
            let visibility = RecordVisibility { scope, records: Some(&records) };
            read_visible(self.adapter()?, self.mounted.resource(), id, visibility, sink)
                .await
                .map_err(|error| self.problem(error))
        })
    }
}
