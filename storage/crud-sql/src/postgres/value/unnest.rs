//! One statement for many records, whose values it binds as a list for each column: its text is the same for
//! any number of them.

use std::borrow::Borrow;

use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::value::Value;
use crate::postgres::dialect::{Postgres, rounded};
use crate::postgres::value::argument::{Argument, List};
use crate::postgres::value::types::Type;
use crate::statement::Sql;
use crate::statement::multi_row::NEW;

/// `SELECT unnest($1), unnest($2)`: lists in step, whose values go from hand to hand, where those of a table of lists
/// would each be stored first.
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

/// `unnest($1, $2) AS "new values" ("new 1", "new 2")`: names that no column is likely to have, because those
/// of the table stand beside them.
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

/// The values of each column.
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

/// The name of the value of this column, at this position.
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
