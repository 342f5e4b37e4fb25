//! One statement for many records. Each column's values are bound as one list, so that the text is the same for any
//! number of records.

use std::borrow::Borrow;

use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::Value;
use crate::postgres::dialect::{Postgres, rounded};
use crate::postgres::value::argument::{Argument, List};
use crate::postgres::value::types::Type;
use crate::statement::Sql;
use crate::statement::multi_row::NEW;

/// Writes `SELECT unnest($1), unnest($2)`: the lists are read in step, one row at a time. As a table function in
/// `FROM`, they would first be stored.
pub(in crate::postgres) fn rows(
    sql: &mut Sql<Postgres>,
    resource: &'static Descriptor,
    columns: &[usize],
    rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
) {
    sql.push("SELECT ");
    for (position, (of, list)) in lists(resource, columns, rows).into_iter().enumerate() {
        sql.push(if position == 0 { "unnest(" } else { ", unnest(" });
        sql.bind(Argument::Many(list));
        sql.push(")");
        push_cast(sql, of);
    }
}

/// Writes `unnest($1, $2) AS "new values" ("new 1", "new 2")`. The names are unlikely ones, as the names of the table's
/// columns are in scope too.
pub(in crate::postgres) fn new_values(
    sql: &mut Sql<Postgres>,
    resource: &'static Descriptor,
    columns: &[usize],
    rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
) {
    let lists = lists(resource, columns, rows);
    let count = lists.len();
    sql.push("unnest(");
    sql.bind_list(lists.into_iter().map(|(_, list)| Argument::Many(list)));
    sql.push(") AS ");
    sql.identifier(NEW);
    for position in 0..count {
        sql.push(if position == 0 { " (" } else { ", " });
        name(sql, position);
    }
    sql.push(")");
}

/// The values of each column, as lists.
fn lists(
    resource: &'static Descriptor,
    columns: &[usize],
    rows: impl Iterator<Item = impl Iterator<Item = impl Borrow<Value>>>,
) -> Vec<(&'static ColumnDescriptor, List)> {
    let (_, most) = rows.size_hint();
    let list = |column| (column, List::new(Type::of_column(column), most.unwrap_or_default()));
    let mut lists: Vec<_> = columns.iter().map(|&column| list(&resource.columns[column])).collect();
    for row in rows {
        for ((column, list), value) in lists.iter_mut().zip(row) {
            list.push(&rounded(column, value.borrow()).0);
        }
    }
    lists
}

/// Writes the name of this column's value at this position.
pub(in crate::postgres) fn new_value(
    sql: &mut Sql<Postgres>,
    resource: &'static Descriptor,
    column: usize,
    position: usize,
) {
    sql.identifier(NEW);
    sql.push(".");
    name(sql, position);
    push_cast(sql, &resource.columns[column]);
}

/// Writes the cast from a list's element to the column's value: in a list of lists, each is text.
fn push_cast(sql: &mut Sql<Postgres>, column: &ColumnDescriptor) {
    let sql_type = match Type::of_column(column) {
        Type::Texts => "text[]",
        Type::OtherTexts(sql_type) => sql_type,
        Type::List(item) => Type::of_kind(item).list_name(),
        _ => return,
    };
    sql.push("::");
    sql.push(sql_type);
}

fn name(sql: &mut Sql<Postgres>, position: usize) {
    sql.push("\"new ");
    sql.count(position + 1);
    sql.push("\"");
}
