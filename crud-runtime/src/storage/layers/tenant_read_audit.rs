//! [`AuditedReads`]: storage that reports the records which are read, to a [`TenantReadAudit`].

use std::fmt;
use std::sync::Arc;

use super::unchanged::UnchangedRecords;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::Value;
use crate::query::{AggregateQuery, Group, GroupKey, InSubquery, ListQuery, Predicate, Total};
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::adapter_layer::AdapterLayer;
use crate::storage::session_variables::SessionVariables;
use crate::storage::write::{Outcome, Work, Write, WriteSink, WriteWhere};

/// Audit of one column's values in the records that calls read. Reads include the records behind aggregates, counts and
/// totals of pages, related records in conditions and orders, and records that updates return unchanged. Reads in
/// transactions are not reported.
pub(crate) trait TenantReadAudit: Send + Sync {
    /// The reported column; `None` for a resource whose reads are not reported.
    fn column(&self, resource: &'static Descriptor) -> Option<usize>;

    /// Takes a value of the column.
    fn value(&self, resource: &'static Descriptor, value: &Value);

    /// Ends a call: the call's result is returned after this.
    ///
    /// # Errors
    /// The error of the call.
    fn end(&self) -> AdapterFuture<'_, ()>;
}

/// An audit whose calls do not end, for reads in a transaction: it may hold the only connection that writes. The
/// request ends the calls after the transaction.
pub(crate) struct Unended(pub(crate) Arc<dyn TenantReadAudit>);

impl TenantReadAudit for Unended {
    fn column(&self, resource: &'static Descriptor) -> Option<usize> {
        self.0.column(resource)
    }

    fn value(&self, resource: &'static Descriptor, value: &Value) {
        self.0.value(resource, value);
    }

    fn end(&self) -> AdapterFuture<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A sink whose rows an audit takes too.
pub(crate) struct ReportingSink<'s> {
    resource: &'static Descriptor,
    column: Option<usize>,
    audit: &'s dyn TenantReadAudit,
    sink: &'s mut dyn RowSink,
    /// Number of the rows so far.
    rows: u64,
}

impl<'s> ReportingSink<'s> {
    pub(crate) fn new(
        resource: &'static Descriptor,
        audit: &'s dyn TenantReadAudit,
        sink: &'s mut dyn RowSink,
    ) -> Self {
        Self { resource, column: audit.column(resource), audit, sink, rows: 0 }
    }
}

impl RowSink for ReportingSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        if let Some(column) = self.column {
            self.audit.value(self.resource, &stored_value(self.resource, column, row)?);
        }
        self.rows += 1;
        self.sink.row(row)
    }
}

/// Reports the values of the observed column in the records that an aggregate or a count covers.
async fn report_groups(
    adapter: &dyn Adapter,
    audit: &dyn TenantReadAudit,
    resource: &'static Descriptor,
    filter: &Predicate,
) -> Result<(), AdapterError> {
    let Some(column) = audit.column(resource) else { return Ok(()) };
    let query = AggregateQuery::new(filter.clone(), u64::from(u32::MAX)).group_by(GroupKey::new(column));
    for group in adapter.aggregate(resource, &query).await? {
        group.keys.iter().for_each(|value| audit.value(resource, value));
    }
    audit.end().await
}

/// Reports the values of the observed columns in the related records that the conditions of a filter are about.
pub(crate) async fn report_selects(
    adapter: &dyn Adapter,
    audit: &dyn TenantReadAudit,
    resource: &'static Descriptor,
    filter: &Predicate,
) -> Result<(), AdapterError> {
    let mut selected = Vec::new();
    add_selected(resource, filter, &Predicate::All, &mut selected);
    for (other, filter) in selected {
        report_groups(adapter, audit, other, &filter).await?;
    }
    Ok(())
}

/// Reports the values of the observed columns in the records of other resources by whose fields a list is sorted: those that
/// its records refer to.
async fn report_joined(
    adapter: &dyn Adapter,
    audit: &dyn TenantReadAudit,
    resource: &'static Descriptor,
    query: &ListQuery,
) -> Result<(), AdapterError> {
    for joined in &query.joined {
        let Some(reference) = resource.columns[joined.reference].references else { continue };
        let columns = reference.pairs(joined.reference).into_iter().map(|(own, key)| (key, own)).collect();
        let listed = InSubquery { columns, resource, filter: of_columns(&query.filter) };
        let filter = joined.filter.clone().and(Predicate::InSubquery(Box::new(listed)));
        report_groups(adapter, audit, joined.resource, &filter).await?;
    }
    Ok(())
}

/// The part of a predicate that compares columns with values.
fn of_columns(predicate: &Predicate) -> Predicate {
    match predicate {
        Predicate::And(terms) => {
            terms.iter().filter(|term| is_of_columns(term)).cloned().fold(Predicate::All, Predicate::and)
        }
        term if is_of_columns(term) => term.clone(),
        _ => Predicate::All,
    }
}

/// Adds the conditions of a predicate on related records, nested ones included. Each is limited to related records of
/// records that satisfy `around`:
///
/// ```text
/// shop_id = 2 AND id IN (SELECT ticket_id FROM comments WHERE text = 'x')
/// comments:       text = 'x' AND ticket_id IN (SELECT id FROM tickets WHERE shop_id = 2)
/// ```
fn add_selected(
    resource: &'static Descriptor,
    predicate: &Predicate,
    around: &Predicate,
    selected: &mut Vec<(&'static Descriptor, Predicate)>,
) {
    match predicate {
        Predicate::InSubquery(select) => {
            let of_around = match around {
                Predicate::All => Predicate::All,
                around => {
                    let columns = select.columns.iter().map(|(own, other)| (*other, *own)).collect();
                    let filter = around.clone();
                    Predicate::InSubquery(Box::new(InSubquery { columns, resource, filter }))
                }
            };
            selected.push((select.resource, select.filter.clone().and(of_around.clone())));
            add_selected(select.resource, &select.filter, &of_around, selected);
        }
        Predicate::And(terms) => {
            let around = terms.iter().filter(|term| is_of_columns(term)).cloned().fold(around.clone(), Predicate::and);
            for term in terms {
                add_selected(resource, term, &around, selected);
            }
        }
        Predicate::Or(terms) => {
            for term in terms {
                add_selected(resource, term, around, selected);
            }
        }
        Predicate::Not(inner) => add_selected(resource, inner, around, selected),
        _ => {}
    }
}

/// Whether a predicate compares a column with values.
const fn is_of_columns(predicate: &Predicate) -> bool {
    matches!(
        predicate,
        Predicate::Compare { .. } | Predicate::In { .. } | Predicate::Like { .. } | Predicate::IsNull { .. }
    )
}

/// Storage that reports the records which are read, each call's before its result is returned.
pub(crate) struct AuditedReads {
    inner: Arc<dyn Adapter>,
    audit: Arc<dyn TenantReadAudit>,
}

impl AuditedReads {
    pub(crate) fn new(inner: Arc<dyn Adapter>, audit: Arc<dyn TenantReadAudit>) -> Self {
        Self { inner, audit }
    }

    /// Reports the records that satisfy a condition, and the related records that it is about.
    async fn report_filtered(&self, resource: &'static Descriptor, filter: &Predicate) -> Result<(), AdapterError> {
        report_selects(&*self.inner, &*self.audit, resource, filter).await?;
        report_groups(&*self.inner, &*self.audit, resource, filter).await
    }
}

impl fmt::Debug for AuditedReads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.fmt(f)
    }
}

impl AdapterLayer for AuditedReads {
    fn inner(&self) -> &dyn Adapter {
        &*self.inner
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        Some(Arc::new(Self { inner: self.inner.session(variables)?, audit: self.audit.clone() }))
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(async move {
            let (inner, audit) = (&*self.inner, &*self.audit);
            report_selects(inner, audit, resource, &query.filter).await?;
            report_joined(inner, audit, resource, query).await?;
            inner.list(resource, query, &mut ReportingSink::new(resource, audit, sink)).await?;
            audit.end().await
        })
    }

    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        Box::pin(async move {
            self.report_filtered(resource, filter).await?;
            self.inner.count(resource, filter).await
        })
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        Box::pin(async move {
            self.report_filtered(resource, filter).await?;
            self.inner.count_up_to(resource, filter, limit).await
        })
    }

    fn aggregate<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        Box::pin(async move {
            self.report_filtered(resource, &query.filter).await?;
            self.inner.aggregate(resource, query).await
        })
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        Box::pin(async move {
            let (inner, audit) = (&*self.inner, &*self.audit);
            report_selects(inner, audit, resource, &query.filter).await?;
            report_joined(inner, audit, resource, query).await?;
            let mut sink = ReportingSink::new(resource, audit, sink);
            let total = inner.page(resource, query, count, &mut sink).await?;
            // A total reveals records that are not on the page.
            if total.as_ref().is_some_and(|total| total.number() > sink.rows) {
                report_groups(inner, audit, resource, &query.filter).await?;
            }
            audit.end().await.map(|()| total)
        })
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        Box::pin(async move {
            let mut sink = ReportingSink::new(resource, &*self.audit, sink);
            let found = self.inner.get(resource, id, tenant, &mut sink).await?;
            self.audit.end().await.map(|()| found)
        })
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        let Work::Update(updates) = write.work else { return self.inner.write(resource, write, sink) };
        Box::pin(async move {
            let mut write = write;
            let mut unchanged = UnchangedRecords::new(resource, &*self.audit, sink);
            let updates = unchanged.guarding(updates);
            write.work = Work::Update(&updates);
            write.recorder = write.recorder.map(|recorder| unchanged.noting(recorder));
            let outcomes = self.inner.write(resource, write, &mut unchanged).await?;
            unchanged.report();
            self.audit.end().await.map(|()| outcomes)
        })
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        Box::pin(async move {
            report_selects(&*self.inner, &*self.audit, resource, write.filter).await?;
            self.inner.write_where(resource, write).await
        })
    }
}
