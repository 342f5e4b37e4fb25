//! Logs each kind of slow list, with its plan and the index that would help.

use std::time::Duration;

use super::connections::{Connections, all};
use super::dialect::Dialect;
use super::driver::text_in;
use super::plan::Plan;
use super::statement::{Sql, select};
use crate::advice::{filter_text, index_for, sort_text};
use crate::model::descriptor::{Descriptor, SortKey};
use crate::query::{Comparison, ListQuery, Predicate};

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
    let tenants = crosses_tenants(resource, filter).then_some("all");
    let (_, filter, sort) = kind;
    tracing::warn!(
        target: "crud_runtime::slow_statement",
        resource = resource.name,
        tenants,
        filter,
        sort,
        ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        plan = plan.verdict(),
        index = index.unwrap_or_default(),
        "slow statement"
    );
}

/// Whether a filter reads the records of every tenant, so that every shard is asked.
fn crosses_tenants(resource: &Descriptor, filter: &Predicate) -> bool {
    let Some(tenant) = resource.tenant else { return false };
    !names_values(filter, tenant.column)
}

/// Whether a filter restricts a column to certain values.
fn names_values(filter: &Predicate, named: usize) -> bool {
    match filter {
        Predicate::Compare { column, operator, .. } => *column == named && *operator == Comparison::Eq,
        Predicate::In { column, negated, .. } => *column == named && !negated,
        Predicate::And(all) => all.iter().any(|one| names_values(one, named)),
        _ => false,
    }
}

/// The plan of a statement; unknown where the database returns none.
async fn explain<C: Connections>(connections: &C, mut statement: Sql<C::Driver>) -> Plan {
    statement.explain(C::Driver::EXPLAIN);
    let rows = all(connections, statement.finish()).await.unwrap_or_default();
    let line = |row| text_in::<C::Driver>(row, C::Driver::PLAN_COLUMN).unwrap_or_default();
    let lines: Vec<String> = rows.iter().map(line).collect();
    C::Driver::plan(&lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::value::Value;

    #[test]
    fn filter_names_a_tenant_where_each_match_has_one_of_its_values() {
        let is = |column| Predicate::Compare { column, operator: Comparison::Eq, value: Value::Int(1) };
        let is_in = |negated| Predicate::In { column: 2, negated, values: vec![Value::Int(1)] };
        for named in [is(2), is_in(false), Predicate::And(vec![is(1), is(2)])] {
            assert!(names_values(&named, 2), "{named:?}");
        }
        for other in
            [is(1), is_in(true), Predicate::All, Predicate::Or(vec![is(2), is(1)]), Predicate::Not(Box::new(is(2)))]
        {
            assert!(!names_values(&other, 2), "{other:?}");
        }
    }
}
