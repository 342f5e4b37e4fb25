//! A line of the log for each kind of list that takes long, with the plan and the index that would help.

use std::time::Duration;

use super::connections::{Connections, all};
use super::dialect::Dialect;
use super::driver::{DatabaseRow, Driver};
use super::plan::Plan;
use super::statement::{Sql, select};
use crate::advice::{filter_text, index_for, sort_text};
use crate::model::column::Column as _;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, SortKey};
use crate::model::value::ValueRef;
use crate::query::{ListQuery, Predicate};

/// Logs a list or a page that took long.
pub(super) async fn notice_list<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    query: &ListQuery,
    elapsed: Duration,
) {
    if connections.slow_statements().is_slow(elapsed) {
        let statement = select::select(resource, query, select::Part::Whole, query.limit);
        notice(connections, resource, (&query.filter, &query.sort), statement.ok(), elapsed).await;
    }
}

/// Logs a count that took long.
pub(super) async fn notice_count<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    filter: &Predicate,
    elapsed: Duration,
) {
    if connections.slow_statements().is_slow(elapsed) {
        notice(connections, resource, (filter, &[]), select::count(resource, filter, None).ok(), elapsed).await;
    }
}

async fn notice<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    (filter, sort): (&Predicate, &[SortKey]),
    statement: Option<Sql<C::Driver>>,
    elapsed: Duration,
) {
    let kind = (resource.name, filter_text(resource, filter), sort_text(resource, sort));
    if !connections.slow_statements().is_due(kind.clone()) {
        return;
    }
    let plan = match statement {
        Some(statement) => explain(connections, statement).await,
        None => Plan::default(),
    };
    let index = if plan.is_along_an_index() { None } else { index_for(resource, filter, sort) };
    let (_, filter, sort) = kind;
    tracing::warn!(
        target: "crud_runtime::slow_statement",
        resource = resource.name,
        filter,
        sort,
        ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        plan = plan.verdict(),
        index = index.unwrap_or_default(),
        "slow statement"
    );
}

/// The plan of a statement; nothing is known of it where the database refuses to tell.
async fn explain<C: Connections>(connections: &C, mut statement: Sql<C::Driver>) -> Plan {
    statement.explain(C::Driver::EXPLAIN);
    let rows = all(connections, statement.finish()).await.unwrap_or_default();
    let lines: Vec<String> = rows.iter().map(line::<C::Driver>).collect();
    C::Driver::plan(&lines.join("\n"))
}

/// The text of a row of a plan.
fn line<D: Driver>(row: &DatabaseRow<D>) -> String {
    const TEXT: ColumnDescriptor = Option::<String>::TYPE.column("text", "");
    match D::value(&TEXT, D::PLAN_COLUMN, row, &D::Decoded::default()) {
        Ok(ValueRef::Text(text)) => text.to_owned(),
        _ => String::new(),
    }
}
