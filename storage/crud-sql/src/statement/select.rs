//! Lists and counts: filters, orders, pages and keyset continuation as SQL.

use super::Sql;
use super::order::Columns;
use super::search_term::SearchTerm;
use crate::dialect::{ColumnRef, Dialect, Operand};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor, Search};
use crate::model::value::Value;
use crate::query::{Comparison, InSubquery, ListQuery, Pattern, Predicate, SearchTerms};

/// Maximum length of a flat list of terms. Longer lists become a balanced tree: databases limit the depth of an
/// expression, and parse a flat list into a chain as deep as it is long.
const FLAT: usize = 16;

/// A part of a list that one statement can read along an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The whole list.
    Whole,
    /// The records whose first sort key is null.
    Nulls {
        /// Whether the part begins after the record that the query continues from.
        after: bool,
    },
    /// The records whose first sort key is not null.
    Values {
        /// Whether the part begins after the record that the query continues from.
        after: bool,
    },
}

/// The parts of a list, in its order.
///
/// If the first sort key can be null, a list that continues after a record may cross from nulls to values, or back. It
/// then has two ranges of the index. One condition for both would be an `OR`, for which a database scans from the start
/// or sorts everything.
pub(crate) fn parts(resource: &'static Descriptor, query: &ListQuery) -> &'static [Part] {
    let (Some(after), Some(first)) = (&query.after, query.sort.first()) else { return &[Part::Whole] };
    // A second part would have to know how many records the first part skipped.
    if query.skip > 0 || !query.column(resource, first.column).nullable {
        return &[Part::Whole];
    }
    match (first.descending, after.first().is_some_and(Value::is_null)) {
        (false, true) => &[Part::Nulls { after: true }, Part::Values { after: false }],
        (false, false) => &[Part::Values { after: true }],
        (true, false) => &[Part::Values { after: true }, Part::Nulls { after: false }],
        (true, true) => &[Part::Nulls { after: true }],
    }
}

/// The statement of a part of a list.
///
/// # Errors
/// When the resource lacks the database's statements, or a pattern is too long for the database.
pub(crate) fn select<D: Dialect>(
    resource: &'static Descriptor,
    query: &ListQuery,
    part: Part,
    limit: Option<u64>,
) -> Result<Sql<D>, AdapterError> {
    rest(Columns { resource, query, total: None, joins: true }, part, limit)
}

/// The statement of a part of a list, to which a clause is appended that locks the rows.
///
/// # Errors
/// Errors of [`select`].
pub(crate) fn select_to_lock<D: Dialect>(
    resource: &'static Descriptor,
    query: &ListQuery,
    part: Part,
    limit: Option<u64>,
) -> Result<Sql<D>, AdapterError> {
    rest(Columns { resource, query, total: None, joins: false }, part, limit)
}

/// The statement of a page whose rows end with the total, exact or capped as `count` says.
///
/// # Errors
/// Errors of [`select`].
pub(crate) fn with_total<D: Dialect>(
    resource: &'static Descriptor,
    query: &ListQuery,
    count: Count,
) -> Result<Sql<D>, AdapterError> {
    rest(Columns { resource, query, total: Some(count), joins: true }, Part::Whole, query.limit)
}

/// The statement of a page that SQLite sorts only after it has found all matches, whatever indexes exist. `function` is
/// called for each match.
///
/// # Errors
/// Errors of [`select`].
#[cfg(feature = "sqlite")]
pub(crate) fn sorted_page<D: Dialect>(
    resource: &'static Descriptor,
    query: &ListQuery,
    function: &'static str,
) -> Result<Sql<D>, AdapterError> {
    let columns = Columns { resource, query, total: None, joins: false };
    let (mut sql, glue) = columns.select()?;
    sql.push(glue);
    sql.push(function);
    sql.push("(");
    filter(&mut sql, resource, &query.filter)?;
    sql.push(")");
    // The `+` makes an expression, whose order no index has.
    columns.order_by(&mut sql, " ORDER BY +")?;
    page(&mut sql, query.skip, query.limit);
    Ok(sql)
}

fn rest<D: Dialect>(columns: Columns<'_>, part: Part, limit: Option<u64>) -> Result<Sql<D>, AdapterError> {
    let query = columns.query;
    let (mut sql, glue) = columns.select()?;
    let mut clauses = Clauses { sql: &mut sql, glue };
    match part {
        Part::Whole => {
            if let Some(values) = &query.after {
                let nulls = query.sort.first().is_some_and(|key| columns.of(key.column).nullable);
                columns.after(clauses.next(), &query.sort, values, nulls)?;
            }
        }
        Part::Nulls { after } => columns.null_part(&mut clauses, true, after)?,
        Part::Values { after } => columns.null_part(&mut clauses, false, after)?,
    }
    columns.order(&mut sql)?;
    page(&mut sql, query.skip, limit);
    Ok(sql)
}

/// The statement of a count, which may stop at a limit: `SELECT COUNT(*) FROM (SELECT 1 FROM … LIMIT ?) AS "counted"`.
///
/// # Errors
/// Errors of [`select`].
pub(crate) fn count<D: Dialect>(
    resource: &'static Descriptor,
    predicate: &Predicate,
    limit: Option<u64>,
) -> Result<Sql<D>, AdapterError> {
    let mut sql = Sql::new("");
    write_count(&mut sql, resource, predicate, limit)?;
    Ok(sql)
}

/// Writes a count, of all records or up to a limit.
pub(super) fn write_count<D: Dialect>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    predicate: &Predicate,
    limit: Option<u64>,
) -> Result<(), AdapterError> {
    sql.push("SELECT COUNT(*)");
    sql.end_columns();
    let Some(limit) = limit else { return from_where(sql, resource, predicate) };
    sql.push(" FROM (SELECT 1");
    from_where(sql, resource, predicate)?;
    page(sql, 0, Some(limit));
    sql.push(") AS ");
    sql.identifier("counted");
    Ok(())
}

pub(super) fn from_where<D: Dialect>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    predicate: &Predicate,
) -> Result<(), AdapterError> {
    sql.push(" FROM ");
    sql.table(resource);
    if *predicate != Predicate::All {
        sql.push(" WHERE ");
        filter(sql, resource, predicate)?;
    }
    Ok(())
}

/// The word before the first condition of a statement.
pub(super) const WHERE: &str = " WHERE ";

/// The word before each further condition.
pub(super) const AND: &str = " AND ";

/// Puts `WHERE` before the first clause and `AND` before the others.
pub(super) struct Clauses<'a, D: Dialect> {
    sql: &'a mut Sql<D>,
    glue: &'static str,
}

impl<D: Dialect> Clauses<'_, D> {
    pub(super) fn next(&mut self) -> &mut Sql<D> {
        self.sql.push(std::mem::replace(&mut self.glue, AND));
        self.sql
    }
}

pub(super) fn page<D: Dialect>(sql: &mut Sql<D>, skip: u64, limit: Option<u64>) {
    if let Some(limit) = limit {
        sql.push(D::LIMIT);
        sql.bind(D::number(limit));
    }
    if skip > 0 {
        if limit.is_none() {
            sql.push(D::NO_LIMIT);
        }
        sql.push(" OFFSET ");
        sql.bind(D::number(skip));
    }
}

/// Writes a predicate as a condition that can be combined by `AND` without parentheses.
pub(crate) fn filter<D: Dialect>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    predicate: &Predicate,
) -> Result<(), AdapterError> {
    filter_of(sql, resource, predicate, None)
}

/// Writes a condition that is part of another one. `tenant`: the tenant to which the outer condition limits the
/// records, if any.
fn filter_of<D: Dialect>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    predicate: &Predicate,
    tenant: Option<&Value>,
) -> Result<(), AdapterError> {
    let of = |column: usize| ColumnRef { resource, column };
    match predicate {
        Predicate::All => sql.push("1 = 1"),
        Predicate::Compare { column, operator, value } => compare(sql, of(*column), *operator, value),
        Predicate::In { column, negated, values } => one_of(sql, of(*column), *negated, values),
        Predicate::Like { column, pattern, ignore_case } => D::like(sql, of(*column), pattern, *ignore_case)?,
        Predicate::IsNull { column, null } => {
            sql.column(of(*column));
            sql.push(if *null { " IS NULL" } else { " IS NOT NULL" });
        }
        Predicate::InSubquery(inner) => in_select(sql, resource, inner)?,
        Predicate::Search { search, words } => in_texts(sql, resource, *search, words, tenant)?,
        Predicate::And(terms) => {
            let tenant = terms.iter().find_map(|term| tenant_of(resource, term)).or(tenant);
            junction(sql, resource, terms, tenant, (" AND ", "1 = 1"))?;
        }
        Predicate::Or(terms) => junction(sql, resource, terms, tenant, (" OR ", "1 = 0"))?,
        Predicate::Not(inner) => {
            sql.push("NOT (");
            filter_of(sql, resource, inner, tenant)?;
            sql.push(")");
        }
    }
    Ok(())
}

/// Writes `"author_id" IN (SELECT "author_id" FROM "follows" WHERE …)`; for several columns, `("order_id", "line_no")
/// IN (SELECT "order_id", "number" FROM "lines" WHERE …)`.
fn in_select<D: Dialect>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    select: &InSubquery,
) -> Result<(), AdapterError> {
    let own = || select.columns.iter().map(move |&(column, _)| ColumnRef { resource, column });
    let other = select.resource;
    let selected = || select.columns.iter().map(move |&(_, column)| ColumnRef { resource: other, column });
    // With several columns, one that differs makes the comparison false even if another one is null.
    let is_row = select.columns.len() > 1;
    let unknown = || own().filter(move |column| is_row && column.descriptor().nullable);
    let has_unknown = unknown().next().is_some();
    if has_unknown {
        sql.push("(");
    }
    match select.columns.as_slice() {
        [] => {
            sql.push("1 = 0");
            return Ok(());
        }
        [_] => columns(sql, own()),
        _ => {
            sql.push("(");
            columns(sql, own());
            sql.push(")");
        }
    }
    sql.push(" IN (SELECT ");
    columns(sql, selected());
    sql.push(" FROM ");
    sql.table(other);
    sql.push(" WHERE ");
    // A single null in the subselect would make the negated condition unknown for every record.
    for column in selected().filter(|column| column.descriptor().nullable) {
        sql.column(column);
        sql.push(" IS NOT NULL AND ");
    }
    filter(sql, other, &select.filter)?;
    sql.push(")");
    for column in unknown() {
        sql.push(" OR ");
        never(sql, column);
    }
    if has_unknown {
        sql.push(")");
    }
    Ok(())
}

/// Writes columns, separated by commas.
pub(super) fn columns<D: Dialect>(sql: &mut Sql<D>, columns: impl Iterator<Item = ColumnRef>) {
    for (position, column) in columns.enumerate() {
        sql.comma(position);
        sql.column(column);
    }
}

/// Writes the condition that the searched columns contain these words. The index finds the words that it has, patterns
/// find the others.
///
/// Each database has its own rules for words. If they differ from [`SearchTerms`], the index is not asked for the word:
///
/// ```text
/// "id" IN (SELECT rowid FROM "search_1f0c36a9_products" WHERE "search_1f0c36a9_products" MATCH '"desk" "lamp" *')
/// ```
fn in_texts<D: Dialect>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    search: Search,
    words: &SearchTerms,
    tenant: Option<&Value>,
) -> Result<(), AdapterError> {
    let words = words.as_slice();
    let terms = words.iter().enumerate().map(|(index, word)| SearchTerm { word, prefix: index + 1 == words.len() });
    let (indexed, others): (Vec<_>, Vec<_>) = terms.partition(|term| D::is_indexed(resource, term.word));
    let mut glue = "(";
    if !indexed.is_empty() {
        sql.push(std::mem::replace(&mut glue, " AND "));
        D::search(sql, resource, search, &indexed, tenant);
    }
    for term in others {
        sql.push(std::mem::replace(&mut glue, " AND "));
        filter(sql, resource, &Predicate::of_word(search, term.word))?;
    }
    sql.push(")");
    Ok(())
}

/// The tenant to which a term limits the records, if any.
fn tenant_of<'p>(resource: &Descriptor, term: &'p Predicate) -> Option<&'p Value> {
    match term {
        Predicate::Compare { column, operator: Comparison::Eq, value } => {
            resource.tenant.filter(|tenant| tenant.column == *column).map(|_| value)
        }
        _ => None,
    }
}

/// Writes terms with a word between them. `words`: that word, and the condition for an empty list.
fn junction<D: Dialect>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    terms: &[Predicate],
    tenant: Option<&Value>,
    words: (&'static str, &'static str),
) -> Result<(), AdapterError> {
    let (glue, of_none) = words;
    match terms {
        [] => sql.push(of_none),
        [only] => filter_of(sql, resource, only, tenant)?,
        _ => {
            sql.push("(");
            for (position, chunk) in halves(terms).enumerate() {
                if position > 0 {
                    sql.push(glue);
                }
                junction(sql, resource, chunk, tenant, words)?;
            }
            sql.push(")");
        }
    }
    Ok(())
}

/// Single terms if they are few, or else their two halves.
fn halves(terms: &[Predicate]) -> std::slice::Chunks<'_, Predicate> {
    terms.chunks(if terms.len() <= FLAT { 1 } else { terms.len().div_ceil(2) })
}

fn compare<D: Dialect>(sql: &mut Sql<D>, column: ColumnRef, operator: Comparison, value: &Value) {
    let Operand { argument, exact } = D::operand(column.descriptor(), value);
    let symbol = match (operator, exact) {
        (Comparison::Eq, true) => " = ",
        (Comparison::Ne, true) => " <> ",
        (Comparison::Gte, true) => " >= ",
        (Comparison::Lt, true) => " < ",
        // The argument is the greatest storable value below: no stored value is between it and the value itself.
        (Comparison::Gt, _) | (Comparison::Gte, false) => " > ",
        (Comparison::Lte, _) | (Comparison::Lt, false) => " <= ",
        (Comparison::Eq, false) => return never(sql, column),
        (Comparison::Ne, false) => return always(sql, column),
    };
    sql.column(column);
    sql.push(symbol);
    sql.bind(argument);
}

/// Writes a condition that is false for every value, and unknown for null, like a comparison.
pub(crate) fn never<D: Dialect>(sql: &mut Sql<D>, column: ColumnRef) {
    sql.push("(");
    sql.column(column);
    sql.push(" IS NULL AND NULL)");
}

/// Writes a condition that is true for every value, and unknown for null, like a comparison.
pub(crate) fn always<D: Dialect>(sql: &mut Sql<D>, column: ColumnRef) {
    sql.push("(");
    sql.column(column);
    sql.push(" IS NOT NULL OR NULL)");
}

fn one_of<D: Dialect>(sql: &mut Sql<D>, column: ColumnRef, negated: bool, values: &[Value]) {
    let operands = values.iter().map(|value| D::operand(column.descriptor(), value));
    let arguments: Vec<_> = operands.filter(|operand| operand.exact).map(|operand| operand.argument).collect();
    if arguments.is_empty() {
        return if negated { always(sql, column) } else { never(sql, column) };
    }
    sql.column(column);
    D::one_of(sql, negated, arguments);
}

/// The text of a `LIKE` pattern, in which `escape` escapes special characters.
pub(crate) fn like_pattern(pattern: &Pattern, escape: char) -> String {
    pattern.written("%", |text, character| {
        if matches!(character, '_' | '%') || character == escape {
            text.push(escape);
        }
        text.push(character);
    })
}
