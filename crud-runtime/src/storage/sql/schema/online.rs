//! Changes of a table that others use meanwhile: an index is made concurrently, and a constraint is added for new records
//! first, and checked against those that are there in a separate transaction, which locks neither readers nor writers out.
//! (<https://www.postgresql.org/docs/current/sql-altertable.html#SQL-ALTERTABLE-NOTES>)

use super::alteration::Shape;
use super::ddl::{backfill, identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::storage::migrations::{Step, StepKind};
use crate::storage::sql::driver::Driver;

/// The step that makes an index, from the statements that make it and drop it with a lock.
pub(crate) fn index(table: &'static str, up: &str, down: &str) -> Step {
    let concurrently = |sql: &str| {
        let line = |line: &str| {
            if line.starts_with("--") { line.to_owned() } else { line.replacen("INDEX ", "INDEX CONCURRENTLY ", 1) }
        };
        sql.lines().map(line).collect::<Vec<_>>().join("\n")
    };
    Step { table, up: concurrently(up), down: concurrently(down), kind: StepKind::Concurrent }
}

/// The steps that add a constraint, such as `CHECK (…)`.
pub(crate) fn constrain<D: Driver>(resource: &Descriptor, name: &str, constraint: &str) -> Vec<Step> {
    replace::<D>(resource, name, None, Some(constraint))
}

/// The steps that replace a constraint by another one of its name.
pub(crate) fn replace<D: Driver>(resource: &Descriptor, name: &str, from: Option<&str>, to: Option<&str>) -> Vec<Step> {
    let (table, name) = (identifier::<D>(resource.table), identifier::<D>(name));
    let drop = format!("ALTER TABLE {table} DROP CONSTRAINT {name};");
    let statements = |from: Option<&str>, to: Option<&str>, end: &str| {
        let add = to.map(|to| format!("ALTER TABLE {table} ADD CONSTRAINT {name} {to}{end};"));
        from.map(|_| drop.clone()).into_iter().chain(add).collect::<Vec<_>>().join("\n")
    };
    let (up, down) = (statements(from, to, " NOT VALID"), statements(to, from, ""));
    let change = Step { table: resource.table, up, down, kind: StepKind::Alter };
    let validate = to.map(|_| {
        let up = format!("-- Fails where a record violates it.\nALTER TABLE {table} VALIDATE CONSTRAINT {name};");
        Step { table: resource.table, up, down: String::new(), kind: StepKind::Validate }
    });
    std::iter::once(change).chain(validate).collect()
}

/// The steps that make a column NOT NULL. A constraint that is valid spares the last one reading the table.
pub(crate) fn require<D: Driver>(resource: &Descriptor, column: &ColumnDescriptor) -> Vec<Step> {
    let (table, name) = (identifier::<D>(resource.table), identifier::<D>(column.column));
    let constraint = (D::TABLES.shorten)(format!("{}_{}_not_null", resource.table, column.column));
    let drop = |end| format!("ALTER TABLE {table} DROP CONSTRAINT {end}{};", identifier::<D>(&constraint));
    let mut steps = constrain::<D>(resource, &constraint, &format!("CHECK ({name} IS NOT NULL)"));
    // The values come first: a record without one cannot be changed any more.
    let fill = match backfill::<D>(column) {
        Some(value) => format!("UPDATE {table} SET {name} = {value} WHERE {name} IS NULL;"),
        None => format!(
            "-- The next file fails where a record has no value in {name}, unless you say what it gets.\n\
             -- UPDATE {table} SET {name} = … WHERE {name} IS NULL;"
        ),
    };
    steps[0].up = format!("{fill}\n{}", steps[0].up);
    // The last step has dropped it.
    steps[0].down = drop("IF EXISTS ");
    steps[0].kind = StepKind::Constrain;
    let required = Shape { not_null: true, ..Shape::wanted::<D>(resource, column) };
    let nullable = Shape { not_null: false, ..required.clone() };
    let reshape = |from, to| (D::ALTERATION.reshape)(&table, from, to).join("\n");
    steps.push(Step {
        table: resource.table,
        up: format!("{}\n{}", reshape(&nullable, &required), drop("")),
        down: reshape(&required, &nullable),
        kind: StepKind::Finish,
    });
    steps
}
