//! A page and its total by one statement, for databases where each statement is a round trip.
//!
//! ```sql
//! SELECT "id", …, (SELECT COUNT(*) FROM "products" WHERE …) FROM "products" WHERE … ORDER BY … LIMIT $1
//! ```
//!
//! Both see one snapshot. PostgreSQL's dialect puts a condition around the total. On PostgreSQL 15 and MariaDB 10.11
//! separate statements for a page of 20 among 250 records and its total take 1.4 and 2.3 times as long as this one (one
//! connection, prepared on PostgreSQL; 10,000 records in all).

use super::connections::{Connections, MAX_PAGE};
use super::driver::{Connection, DatabaseRow, Driver, Record};
use super::statement::{Sql, select};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::row::RowSink;
use crate::query::{ListQuery, Predicate, Total};
use crate::storage::page::{capped, known};

/// Passes the records of a page to the sink, and returns the total. Returns `None`, without records, where two
/// statements are better, or where the page is beyond the end and so has no row with the total.
pub(super) async fn page_with_total<C: Connections>(
    connections: &C,
    resource: &'static Descriptor,
    query: &ListQuery,
    count: Count,
    sink: &mut dyn RowSink,
) -> Result<Option<Total>, AdapterError> {
    if !is_worth_it(query, count) {
        return Ok(None);
    }
    let mut lease = connections.reader().await?;
    let replacement = C::replacement(&lease);
    let read = page_with_total_on::<C::Driver>(&mut lease, resource, query, count, sink);
    let total = match replacement.read(read).await {
        // The statement failed before its first row.
        Err(error) if C::Driver::is_outdated(&error) => {
            let replacement = C::replacement(&lease);
            replacement.read(page_with_total_on::<C::Driver>(&mut lease, resource, query, count, sink)).await?
        }
        total => total?,
    };
    C::release(lease);
    Ok(total)
}

/// Reads a page and its total on a connection.
pub(super) async fn page_with_total_on<D: Driver>(
    connection: &mut Connection<D>,
    resource: &'static Descriptor,
    query: &ListQuery,
    count: Count,
    sink: &mut dyn RowSink,
) -> Result<Option<Total>, AdapterError> {
    if !is_worth_it(query, count) {
        return Ok(None);
    }
    let statement: Sql<D> = select::with_total(resource, query, count)?;
    let column = resource.columns.len() + query.joined.len();
    let (mut found, mut rows) = (None, 0);
    let mut each = |row: &DatabaseRow<D>| {
        if found.is_none() {
            found = Some(D::number_in(row, column).map_err(D::general)?.unsigned_abs());
        }
        rows += 1;
        sink.row(&Record::<D>::joined(resource, &query.joined, row))
    };
    D::each(connection, statement.finish(), &mut each).await?;
    let Some(found) = found else { return Ok((query.skip == 0).then_some(Total::Exactly(0))) };
    Ok(Some(total(query, rows, found, count)))
}

/// The total of a list: `rows` are on the page, `found` were counted.
pub(super) fn total(query: &ListQuery, rows: u64, found: u64, count: Count) -> Total {
    known(query, rows, count).unwrap_or_else(|| match count {
        Count::Capped(cap) => capped(found, cap),
        _ => Total::Exactly(found),
    })
}

/// Whether one statement is better than two. A page that is not full implies its total, so that for a search by pattern
/// the count would be a second scan.
fn is_worth_it(query: &ListQuery, count: Count) -> bool {
    count != Count::None
        && query.after.is_none()
        && query.limit_per.is_none()
        && query.limit.is_some_and(|limit| limit <= MAX_PAGE)
        && !has_pattern(&query.filter)
}

/// Whether a condition reads other records by a subquery. vtgate spoils a statement in which it splits both a subquery
/// and the total.
pub(super) fn has_subquery(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::InSubquery(_) => true,
        Predicate::And(terms) | Predicate::Or(terms) => terms.iter().any(has_subquery),
        Predicate::Not(inner) => has_subquery(inner),
        _ => false,
    }
}

fn has_pattern(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Like { .. } => true,
        Predicate::And(terms) | Predicate::Or(terms) => terms.iter().any(has_pattern),
        Predicate::Not(inner) => has_pattern(inner),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Condition;
    use crud_runtime::prelude::*;

    #[derive(Resource)]
    #[crud(filter, pagination)]
    #[allow(dead_code)]
    struct Book {
        id: i64,
        title: String,
    }

    #[test]
    fn page_of_a_pattern_has_a_statement_for_its_total() {
        let all = |filter: Condition<Book>| ListQuery::all(Book::DESCRIPTOR).filter(filter.into_predicate());
        let query = |filter| all(filter).limit(20);
        assert!(is_worth_it(&query(Book::FIELDS.id.gt(5)), Count::Exact));
        assert!(!is_worth_it(&query(Book::FIELDS.id.gt(5)), Count::None));
        assert!(!is_worth_it(&query(Book::FIELDS.id.gt(5).and(!Book::FIELDS.title.like("a%"))), Count::Capped(10)));
        assert!(!is_worth_it(&all(Book::FIELDS.id.gt(5)), Count::Exact));
    }
}
