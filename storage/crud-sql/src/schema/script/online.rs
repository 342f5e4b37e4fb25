//! Changes of a table that others use meanwhile: an index is made concurrently, and a constraint is added for new records
//! first, and checked against those that are there in a separate transaction, which locks neither readers nor writers out.
//! (<https://www.postgresql.org/docs/current/sql-altertable.html#SQL-ALTERTABLE-NOTES>)

use crate::catalogue::table::Column;
use crate::dialect::Dialect;
use crate::identifier::{identifier, in_schema_of, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::alteration::Shape;
use crate::schema::ddl::{CONCURRENTLY, backfill, column_default};
use crate::schema::driver::SchemaDriver;
use crate::storage::migrations::{Step, StepKind};

/// The statement that drops an index while others write to its table.
pub(crate) fn drop_index<D: Dialect>(resource: &Descriptor, index: &str) -> String {
    format!("DROP INDEX {CONCURRENTLY}{};", table_identifier::<D>(&in_schema_of(resource.table, index)))
}

/// The steps that add a constraint, such as `CHECK (…)`.
pub(crate) fn constrain<D: SchemaDriver>(resource: &Descriptor, name: &str, constraint: &str) -> Vec<Step> {
    replace::<D>(resource, name, None, Some(constraint))
}

/// The steps that replace a constraint by another one of its name.
pub(crate) fn replace<D: SchemaDriver>(
    resource: &Descriptor,
    name: &str,
    from: Option<&str>,
    to: Option<&str>,
) -> Vec<Step> {
    let (table, name) = (table_identifier::<D>(resource.table), identifier::<D>(name));
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

/// Number of records that a transaction fills in.
const BATCH: i64 = 5_000;

/// The step that fills in the values of a column in batches, each a transaction: in one, every record of a large table would
/// be locked until its end. It can be repeated, and is stopped between two batches without loss.
fn fill<D: SchemaDriver>(resource: &Descriptor, column: &ColumnDescriptor, value: &str, records: i64) -> Step {
    let (table, column) = (table_identifier::<D>(resource.table), identifier::<D>(column.column));
    let id = identifier::<D>(resource.id_column().column);
    let up = format!(
        "-- Fills in values, {BATCH} records at a time, of {records} here: other writers wait for those at most.\n\
         DO $crud$\n\
         DECLARE\n  \
           crud_first {table}.{id}%TYPE;\n  \
           crud_last {table}.{id}%TYPE;\n\
         BEGIN\n  \
           SELECT {id} INTO crud_first FROM {table} ORDER BY {id} LIMIT 1;\n  \
           WHILE crud_first IS NOT NULL LOOP\n    \
             SELECT {id} INTO crud_last FROM (SELECT {id} FROM {table} WHERE {id} >= crud_first ORDER BY {id} LIMIT {BATCH}) \
             AS batch\n      ORDER BY {id} DESC LIMIT 1;\n    \
             UPDATE {table} SET {column} = {value} WHERE {column} IS NULL AND {id} BETWEEN crud_first AND crud_last;\n    \
             COMMIT;\n    \
             SELECT {id} INTO crud_first FROM {table} WHERE {id} > crud_last ORDER BY {id} LIMIT 1;\n  \
           END LOOP;\n\
         END $crud$;"
    );
    Step { table: resource.table, up, down: String::new(), kind: StepKind::Fill }
}

/// The steps that make a column NOT NULL. A constraint that is valid spares the last one reading the table. `present`: the
/// column as it is, where it is there; `records`: the number of the table's.
pub(crate) fn require<D: SchemaDriver>(
    resource: &Descriptor,
    column: &ColumnDescriptor,
    present: Option<&Column>,
    records: i64,
) -> Vec<Step> {
    let (table, name) = (table_identifier::<D>(resource.table), identifier::<D>(column.column));
    let constraint = (D::TABLES.shorten)(format!("{}_{}_not_null", resource.own_table(), column.column));
    let drop = |end| format!("ALTER TABLE {table} DROP CONSTRAINT {end}{};", identifier::<D>(&constraint));
    let mut steps = constrain::<D>(resource, &constraint, &format!("CHECK ({name} IS NOT NULL)"));
    // The values come first: a record without one cannot be changed any more.
    let value = backfill::<D>(column);
    let fill = match &value {
        Some(value) => format!("UPDATE {table} SET {name} = {value} WHERE {name} IS NULL;"),
        None => format!(
            "-- The next file fails where a record has no value in {name}, unless you say what it gets.\n\
             -- UPDATE {table} SET {name} = … WHERE {name} IS NULL;"
        ),
    };
    // Programs of before may not know the column.
    let default = column_default::<D>(column).map(D::TABLES.default_value).filter(|_| present.is_some());
    let alter = |what: String| format!("ALTER TABLE {table} ALTER COLUMN {name} {what};");
    let set = default.as_ref().map_or_else(String::new, |default| alter(format!("SET DEFAULT {default}")) + "\n");
    let former = present.and_then(|present| present.default.as_ref());
    let back = former.map_or_else(|| "DROP DEFAULT".to_owned(), |former| format!("SET DEFAULT {former}"));
    let back = default.map_or_else(String::new, |_| format!("\n{}", alter(back)));
    steps[0].up = format!("{fill}\n{set}{}", steps[0].up);
    // The last step has dropped it.
    steps[0].down = drop("IF EXISTS ") + &back;
    steps[0].kind = StepKind::Constrain;
    let required = Shape { not_null: true, ..Shape::wanted::<D>(resource, column) };
    let nullable = Shape { not_null: false, ..required.clone() };
    let reshape = |from, to| (D::ALTERATION.reshape)(&table, from, to, "");
    steps.push(Step {
        table: resource.table,
        up: format!("{}\n{}", reshape(&nullable, &required), drop("")),
        down: reshape(&required, &nullable),
        kind: StepKind::Finish,
    });
    // The text of a value could end the block.
    if let Some(value) = value.filter(|value| records > BATCH && !value.contains('$')) {
        steps.insert(0, self::fill::<D>(resource, column, &value, records));
    }
    steps
}
