//! One statement for many records, whose values it binds as a list for each column: its text is the same for
//! any number of them.

use super::argument::Argument;
use super::dialect::Postgres;
use super::types::Type;
use crate::adapter::sql::many::NEW;
use crate::adapter::sql::statement::Sql;
use crate::descriptor::Descriptor;

/// `SELECT … FROM unnest(…)`.
pub(super) fn rows<'a>(
    sql: &mut Sql<Postgres>,
    resource: &'static Descriptor,
    columns: &[usize],
    records: impl Iterator<Item = &'a [Argument]>,
) {
    sql.push("SELECT ");
    for (position, &column) in columns.iter().enumerate() {
        if position > 0 {
            sql.push(", ");
        }
        new_value(sql, resource, column, position);
    }
    sql.push(" FROM ");
    new_values(sql, resource, columns, records);
}

/// `unnest($1, $2) AS "new values" ("new 1", "new 2")`: names that no column is likely to have, because those
/// of the table stand beside them.
pub(super) fn new_values<'a>(
    sql: &mut Sql<Postgres>,
    resource: &'static Descriptor,
    columns: &[usize],
    records: impl Iterator<Item = &'a [Argument]>,
) {
    let mut lists: Vec<Vec<Argument>> = columns.iter().map(|_| Vec::new()).collect();
    for record in records {
        for (list, argument) in lists.iter_mut().zip(record) {
            list.push(argument.clone());
        }
    }
    sql.push("unnest(");
    for (position, (column, list)) in columns.iter().zip(lists).enumerate() {
        if position > 0 {
            sql.push(", ");
        }
        sql.bind(Argument::list(Type::of(&resource.columns[*column]), list));
    }
    sql.push(") AS ");
    sql.identifier(NEW);
    for position in 0..columns.len() {
        sql.push(if position == 0 { " (" } else { ", " });
        name(sql, position);
    }
    sql.push(")");
}

/// The name of the value of this column, at this position.
pub(super) fn new_value(sql: &mut Sql<Postgres>, resource: &'static Descriptor, column: usize, position: usize) {
    sql.identifier(NEW);
    sql.push(".");
    name(sql, position);
    if Type::of(&resource.columns[column]) == Type::Texts {
        sql.push("::text[]");
    }
}

fn name(sql: &mut Sql<Postgres>, position: usize) {
    sql.push("\"new ");
    sql.count(position + 1);
    sql.push("\"");
}
