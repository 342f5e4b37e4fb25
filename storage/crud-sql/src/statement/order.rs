//! Orders by columns of a resource and by fields of records that it refers to, and their keyset continuation.
//!
//! A field of a referred record is read by a subselect on that record's key, which cannot multiply rows:
//!
//! ```sql
//! SELECT "id", …, (SELECT "name" FROM "products" AS "crud_joined"
//!                  WHERE "crud_joined"."id" = "orders"."product_id" AND "deleted_at" IS NULL)
//! FROM "orders" ORDER BY 9, "id"
//! ```
//!
//! If a condition on the referred record excludes records without one, the table is joined by the same key. An index of
//! that table can then serve both the condition and the order:
//!
//! ```sql
//! SELECT "id", …, "crud_joined"."crud_value" FROM "orders"
//! JOIN (SELECT "id" AS "crud_key", "name" AS "crud_value" FROM "products" WHERE "name" LIKE $1 AND "deleted_at" IS NULL)
//!      AS "crud_joined" ON "crud_joined"."crud_key" = "orders"."product_id"
//! ORDER BY 9, "id"
//! ```

use super::select::{AND, Clauses, WHERE, columns, filter, write_count};
use super::{Bound, Sql};
use crate::dialect::{ColumnRef, Dialect};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{ColumnDescriptor, Count, Descriptor, SortKey};
use crate::model::value::Value;
use crate::query::{InSubquery, JoinedColumn, LimitPer, ListQuery, Predicate};

/// Alias of the table that a subselect reads, as that may be the table of the list.
const JOINED: &str = "crud_joined";

/// The columns of a joined table: its key, and the value of the list's joined column.
const JOINED_KEY: &str = "crud_key";
const JOINED_VALUE: &str = "crud_value";

/// Column with a record's number among the records with the same values of some columns.
const NUMBER: &str = "crud_number";

/// The columns of a list's rows: those of its resource, then the joined ones.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    pub(super) resource: &'static Descriptor,
    pub(super) query: &'a ListQuery,
    /// Precision of the total, if the rows end with it.
    pub(super) total: Option<Count>,
    /// Whether a table may be joined: a statement that locks its rows would also lock the joined table's rows.
    pub(super) joins: bool,
}

impl<'a> Columns<'a> {
    /// The column with this index.
    pub(super) fn of(self, index: usize) -> &'a ColumnDescriptor {
        self.query.column(self.resource, index)
    }

    /// The beginning of the list's statement: columns, table and condition. Returns also the word before a further
    /// condition.
    pub(super) fn select<D: Dialect>(self) -> Result<(Sql<D>, &'static str), AdapterError> {
        let query = self.query;
        if query.joined.is_empty() && query.limit_per.is_none() && self.total.is_none() {
            let mut sql = Sql::select(self.resource)?;
            let glue = self.conditions(&mut sql)?;
            return Ok((sql, glue));
        }
        let mut sql = Sql::columns(self.resource)?;
        for joined in &query.joined {
            sql.push(", ");
            self.joined(&mut sql, joined)?;
            D::read_cast(&mut sql, joined.descriptor());
        }
        if let Some(count) = self.total {
            let limit = if let Count::Capped(cap) = count { Some(u64::from(cap) + 1) } else { None };
            let (before, after) = D::TOTAL;
            sql.push(before);
            write_count(&mut sql, self.resource, &self.query.filter, limit)?;
            sql.push(after);
        }
        sql.end_columns();
        sql.push(" FROM ");
        let glue = match &query.limit_per {
            Some(limit) => self.first_of_each(&mut sql, limit)?,
            None => {
                sql.table(self.resource);
                if let (Some(of_joined), [joined]) = (self.join(), query.joined.as_slice()) {
                    self.write_join(&mut sql, joined, of_joined)?;
                }
                self.conditions(&mut sql)?
            }
        };
        Ok((sql, glue))
    }

    /// Writes the filter. Returns the word before a further condition.
    fn conditions<D: Dialect>(self, sql: &mut Sql<D>) -> Result<&'static str, AdapterError> {
        let rest = self.join().map(|of_joined| without(&self.query.filter, of_joined));
        let predicate = rest.as_ref().unwrap_or(&self.query.filter);
        if *predicate == Predicate::All {
            return Ok(WHERE);
        }
        sql.push(WHERE);
        filter(sql, self.resource, predicate)?;
        Ok(AND)
    }

    /// The condition by which the joined column's table can be joined. Every listed record must refer to one of that
    /// table's records, so that the join by its key neither loses nor multiplies records.
    fn join(self) -> Option<&'a InSubquery> {
        let [joined] = self.query.joined.as_slice() else { return None };
        // The key of a view may not be unique.
        if !self.joins || self.query.limit_per.is_some() || joined.resource.view.is_some() {
            return None;
        }
        terms(&self.query.filter).iter().find_map(|term| match term {
            Predicate::InSubquery(select) if is_of(select, joined) => Some(&**select),
            _ => None,
        })
    }

    fn write_join<D: Dialect>(
        self,
        sql: &mut Sql<D>,
        joined: &JoinedColumn,
        of_joined: &InSubquery,
    ) -> Result<(), AdapterError> {
        let target = joined.resource;
        sql.push(" JOIN (SELECT ");
        sql.column(ColumnRef { resource: target, column: target.id });
        sql.push(" AS ");
        sql.identifier(JOINED_KEY);
        sql.push(", ");
        sql.column(ColumnRef { resource: target, column: joined.column });
        sql.push(" AS ");
        sql.identifier(JOINED_VALUE);
        sql.push(" FROM ");
        sql.table(target);
        sql.push(WHERE);
        filter(sql, target, &of_joined.filter)?;
        sql.push(") AS ");
        sql.identifier(JOINED);
        sql.push(" ON ");
        sql.qualified(JOINED, JOINED_KEY);
        sql.push(" = ");
        sql.qualified(self.resource.own_table(), self.resource.columns[joined.reference].column);
        Ok(())
    }

    /// Writes a subselect in place of the table, with the first records for each value of some columns:
    ///
    /// ```sql
    /// (SELECT *, ROW_NUMBER() OVER (PARTITION BY "customer_id" ORDER BY "created_at" DESC) AS "crud_number"
    ///  FROM "orders" WHERE …) AS "orders" WHERE "crud_number" <= 20
    /// ```
    fn first_of_each<D: Dialect>(self, sql: &mut Sql<D>, limit: &LimitPer) -> Result<&'static str, AdapterError> {
        sql.push("(SELECT *, ROW_NUMBER() OVER (PARTITION BY ");
        columns(sql, limit.columns.iter().map(|&column| ColumnRef { resource: self.resource, column }));
        self.order(sql)?;
        sql.push(") AS ");
        sql.identifier(NUMBER);
        sql.push(" FROM ");
        sql.table(self.resource);
        self.conditions(sql)?;
        sql.push(") AS ");
        sql.identifier(self.resource.own_table());
        sql.push(WHERE);
        sql.identifier(NUMBER);
        sql.push(" <= ");
        sql.bind(D::number(limit.limit));
        Ok(AND)
    }

    /// Writes the sort value of a column: its value or, for an enum, the variant's position in the declaration.
    fn write<D: Dialect>(self, sql: &mut Sql<D>, index: usize) -> Result<(), AdapterError> {
        match self.of(index).ranked() {
            Some(_) => write_rank(sql, self.of(index), |sql| self.value(sql, index)),
            None => self.value(sql, index),
        }
    }

    /// The argument for comparisons with the expression of [`write`](Self::write).
    fn operand<D: Dialect>(self, index: usize, value: &Value) -> D::Argument {
        let column = self.of(index);
        match column.rank(value) {
            Some(rank) => D::number(rank as u64),
            None => D::operand(column, value).argument,
        }
    }

    /// Writes the SQL of a column's value.
    fn value<D: Dialect>(self, sql: &mut Sql<D>, index: usize) -> Result<(), AdapterError> {
        match index.checked_sub(self.resource.columns.len()) {
            None => sql.column(ColumnRef { resource: self.resource, column: index }),
            Some(joined) => self.joined(sql, &self.query.joined[joined])?,
        }
        Ok(())
    }

    fn joined<D: Dialect>(self, sql: &mut Sql<D>, joined: &JoinedColumn) -> Result<(), AdapterError> {
        if self.join().is_some() {
            sql.qualified(JOINED, JOINED_VALUE);
            return Ok(());
        }
        let target = joined.resource;
        sql.push("(SELECT ");
        sql.column(ColumnRef { resource: target, column: joined.column });
        sql.push(" FROM ");
        sql.table(target);
        sql.push(" AS ");
        sql.identifier(JOINED);
        sql.push(" WHERE ");
        let reference = self.resource.columns[joined.reference].references;
        let alone = || vec![(joined.reference, target.id)];
        for (own, key) in reference.map_or_else(alone, |reference| reference.pairs(joined.reference)) {
            sql.qualified(JOINED, target.columns[key].column);
            sql.push(" = ");
            sql.qualified(self.resource.own_table(), self.resource.columns[own].column);
            sql.push(AND);
        }
        filter(sql, target, &joined.filter)?;
        sql.push(")");
        Ok(())
    }

    /// Writes the order. A joined column is named by its position in the rows, so that it is computed once. If the rows
    /// have it cast to text, the order uses the uncast value.
    ///
    /// # Errors
    /// Errors of a condition on the joined column's records.
    pub(super) fn order<D: Dialect>(self, sql: &mut Sql<D>) -> Result<(), AdapterError> {
        self.order_by(sql, " ORDER BY ")
    }

    /// Writes the order after these first words.
    ///
    /// # Errors
    /// Errors of [`order`](Self::order).
    pub(super) fn order_by<D: Dialect>(self, sql: &mut Sql<D>, start: &'static str) -> Result<(), AdapterError> {
        for (position, key) in self.query.sort.iter().enumerate() {
            sql.push(if position == 0 { start } else { ", " });
            if self.of(key.column).ranked().is_some() {
                self.write(sql, key.column)?;
            } else if key.column < self.resource.columns.len() {
                // Without the table, the name would mean the column with the cast value in the rows.
                if D::is_cast(self.of(key.column)) {
                    sql.identifier(self.resource.own_table());
                    sql.push(".");
                }
                sql.column(ColumnRef { resource: self.resource, column: key.column });
            } else if D::is_cast(self.of(key.column)) {
                self.joined(sql, &self.query.joined[key.column - self.resource.columns.len()])?;
            } else {
                sql.count(key.column + 1);
            }
            D::direction(sql, self.of(key.column).nullable, key.descending);
        }
        Ok(())
    }

    pub(super) fn null_part<D: Dialect>(
        self,
        clauses: &mut Clauses<'_, D>,
        nulls: bool,
        resumed: bool,
    ) -> Result<(), AdapterError> {
        let query = self.query;
        let (Some((first, keys)), Some(values)) = (query.sort.split_first(), &query.after) else { return Ok(()) };
        let sql = clauses.next();
        if resumed && !nulls {
            return self.after(sql, &query.sort, values, false);
        }
        self.write(sql, first.column)?;
        sql.push(if nulls { " IS NULL" } else { " IS NOT NULL" });
        if resumed {
            self.after_rest(clauses.next(), keys, values)?;
        }
        Ok(())
    }

    /// Writes the condition that a record comes after the one with these values of the sort keys. The first key that
    /// differs decides: its value must be greater, or less if the key is descending.
    ///
    /// `nulls`: whether records with a null as their first key are included.
    pub(super) fn after<D: Dialect>(
        self,
        sql: &mut Sql<D>,
        keys: &[SortKey],
        values: &[Value],
        nulls: bool,
    ) -> Result<(), AdapterError> {
        let (Some((first, rest)), Some(value)) = (keys.split_first(), values.first()) else {
            sql.push("1 = 0");
            return Ok(());
        };
        let column = first.column;
        let plain = |key: &SortKey| key.descending == first.descending && !self.of(key.column).nullable;
        match (value.is_null(), first.descending) {
            (true, false) => {
                sql.push("(");
                self.write(sql, column)?;
                sql.push(" IS NOT NULL OR ");
                self.after_rest(sql, rest, values)?;
                sql.push(")");
            }
            (true, true) => {
                self.write(sql, column)?;
                sql.push(" IS NULL AND ");
                self.after_rest(sql, rest, values)?;
            }
            (false, true) if nulls => {
                sql.push("(");
                let bound = self.beyond(sql, column, " < ", value)?;
                sql.push(" OR ");
                self.write(sql, column)?;
                sql.push(" IS NULL OR ");
                self.write(sql, column)?;
                sql.push(" = ");
                sql.bound(bound);
                sql.push(" AND ");
                self.after_rest(sql, rest, values)?;
                sql.push(")");
            }
            (false, descending) if rest.is_empty() => {
                self.beyond(sql, column, if descending { " < " } else { " > " }, value)?;
            }
            // A comparison of rows is one range of an index on these columns.
            (false, _) if D::ROW_RANGES && rest.iter().all(plain) => self.row_after(sql, keys, values)?,
            (false, descending) => {
                // The first condition is redundant, but an index can serve it.
                let bound = self.beyond(sql, column, if descending { " <= " } else { " >= " }, value)?;
                sql.push(" AND (");
                self.write(sql, column)?;
                sql.push(if descending { " < " } else { " > " });
                sql.bound(bound);
                sql.push(" OR ");
                self.after_rest(sql, rest, values)?;
                sql.push(")");
            }
        }
        Ok(())
    }

    /// Writes the condition that a record comes after the one with these values in all keys but the first.
    fn after_rest<D: Dialect>(self, sql: &mut Sql<D>, rest: &[SortKey], values: &[Value]) -> Result<(), AdapterError> {
        let nulls = rest.first().is_some_and(|key| self.of(key.column).nullable);
        sql.push("(");
        self.after(sql, rest, values.get(1..).unwrap_or_default(), nulls)?;
        sql.push(")");
        Ok(())
    }

    fn beyond<D: Dialect>(
        self,
        sql: &mut Sql<D>,
        column: usize,
        symbol: &'static str,
        value: &Value,
    ) -> Result<Bound, AdapterError> {
        self.write(sql, column)?;
        sql.push(symbol);
        Ok(sql.bind(self.operand::<D>(column, value)))
    }

    fn row_after<D: Dialect>(self, sql: &mut Sql<D>, keys: &[SortKey], values: &[Value]) -> Result<(), AdapterError> {
        let glue = |position| if position == 0 { "(" } else { ", " };
        for (position, key) in keys.iter().enumerate() {
            sql.push(glue(position));
            self.write(sql, key.column)?;
        }
        sql.push(if keys[0].descending { ") < " } else { ") > " });
        for (position, (key, value)) in keys.iter().zip(values).enumerate() {
            sql.push(glue(position));
            sql.bind(self.operand::<D>(key.column, value));
        }
        sql.push(")");
        Ok(())
    }
}

/// Writes the position of an enum's variant in its declaration; unknown variants come last:
///
/// ```sql
/// CASE WHEN "priority" = $1 THEN 0 WHEN "priority" = $2 THEN 1 WHEN "priority" IS NOT NULL THEN 2 END
/// ```
///
/// # Errors
/// Errors of writing the value.
pub(super) fn write_rank<D: Dialect>(
    sql: &mut Sql<D>,
    column: &ColumnDescriptor,
    mut value: impl FnMut(&mut Sql<D>) -> Result<(), AdapterError>,
) -> Result<(), AdapterError> {
    let texts = column.ranked().unwrap_or_default();
    sql.push("CASE");
    for (rank, text) in texts.iter().enumerate() {
        sql.push(" WHEN ");
        value(sql)?;
        sql.push(" = ");
        sql.bind(D::operand(column, &Value::Text((*text).to_owned())).argument);
        sql.push(" THEN ");
        sql.count(rank);
    }
    sql.push(" WHEN ");
    value(sql)?;
    sql.push(" IS NOT NULL THEN ");
    sql.count(texts.len());
    sql.push(" END");
    Ok(())
}

/// The terms of a predicate, all of which must hold.
fn terms(predicate: &Predicate) -> &[Predicate] {
    match predicate {
        Predicate::And(terms) => terms,
        one => std::slice::from_ref(one),
    }
}

/// Whether a condition is on the joined column's record, and excludes records for which the joined column would be
/// null.
fn is_of(select: &InSubquery, joined: &JoinedColumn) -> bool {
    let target = joined.resource;
    let all = terms(&select.filter);
    select.columns == [(joined.reference, target.id)]
        && target.composite.is_empty()
        && std::ptr::eq(select.resource, target)
        && terms(&joined.filter).iter().all(|term| *term == Predicate::All || all.contains(term))
}

/// The predicate without the condition that the join replaces.
fn without(predicate: &Predicate, joined: &InSubquery) -> Predicate {
    let is_joined =
        |term: &&Predicate| matches!(term, Predicate::InSubquery(select) if std::ptr::eq(select.as_ref(), joined));
    let rest = terms(predicate).iter().filter(|term| !is_joined(term)).cloned();
    rest.fold(Predicate::All, Predicate::and)
}
