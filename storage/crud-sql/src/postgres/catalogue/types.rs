//! The parts of the types of columns, for structs that are written for a table.

use crud_shared::catalogue::ColumnType;
use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};

use crate::catalogue::table::{Column, Table, fill};
use crate::postgres::catalogue::by_name;

/// Difference between a type's number of characters or digits and its modifier in the catalogue: the length of a header.
const HEADER: i32 = 4;

/// The types of the columns that the user may read: of a domain the one below it, of an array that of its elements. Triggers
/// of PostgreSQL compute a column of words on every write.
const TYPES: &str = "WITH RECURSIVE used AS ( \
    SELECT n.place, a.attrelid, a.attnum, a.atttypid AS id, a.atttypmod AS modifier, false AS domain, false AS list, 0 AS depth \
    FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_attribute a ON a.attrelid = to_regclass(n.name) \
    WHERE a.attnum > 0 AND NOT a.attisdropped AND has_column_privilege(a.attrelid, a.attnum, 'SELECT') \
    UNION ALL SELECT u.place, u.attrelid, u.attnum, CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.typelem END, \
    CASE t.typtype WHEN 'd' THEN t.typtypmod ELSE u.modifier END, u.domain OR t.typtype = 'd', u.list OR t.typtype <> 'd', \
    u.depth + 1 FROM used u JOIN pg_type t ON t.oid = u.id \
    WHERE t.typtype = 'd' OR t.typcategory = 'A' AND t.typtype = 'b' AND t.typelem <> 0) \
    SELECT DISTINCT ON (u.place, u.attnum) u.place, a.attname::text, t.typname::text, t.typtype::text, u.modifier, u.domain, \
    u.list, ARRAY(SELECT e.enumlabel::text FROM pg_enum e WHERE e.enumtypid = t.oid ORDER BY e.enumsortorder), \
    COALESCE(NOT l.collisdeterministic, false), EXISTS (SELECT FROM pg_trigger g JOIN pg_proc p ON p.oid = g.tgfoid \
    WHERE g.tgrelid = a.attrelid AND g.tgenabled <> 'D' AND p.pronamespace = 'pg_catalog'::regnamespace \
    AND p.proname LIKE 'tsvector\\_update\\_trigger%' \
    AND split_part(encode(g.tgargs, 'escape'), '\\000', 1) = a.attname) \
    FROM used u JOIN pg_type t ON t.oid = u.id \
    JOIN pg_attribute a ON a.attrelid = u.attrelid AND a.attnum = u.attnum \
    LEFT JOIN pg_collation l ON l.oid = a.attcollation ORDER BY u.place, u.attnum, u.depth DESC";

/// Adds the parts of types to the columns of tables, and removes the columns that the user may not read.
pub(super) async fn add_types(
    connection: &mut PgConnection,
    names: &[&str],
    tables: &mut [Option<Table>],
) -> sqlx::Result<()> {
    fill(tables, by_name(connection, TYPES, names, typed_column).await?, |table, typed| {
        let mut typed: Vec<Column> = typed;
        table.columns.retain_mut(|column| {
            let Some(place) = typed.iter().position(|typed| typed.name == column.name) else { return false };
            let Column { ty, fixed, .. } = typed.swap_remove(place);
            column.ty = ColumnType { declared: column.declared.clone(), ..ty };
            column.fixed |= fixed;
            column.assigned |= column.default.as_deref().is_some_and(|default| default.starts_with("nextval("));
            true
        });
    });
    Ok(())
}

/// The type of a column that the user may read, and whether a trigger of PostgreSQL computes it.
fn typed_column(row: &PgRow) -> sqlx::Result<Column> {
    let (base, kind): (String, String) = (row.try_get(2)?, row.try_get(3)?);
    let (length, precision, scale) = numbers(&base, row.try_get(4)?);
    let base = match kind.as_str() {
        "c" => "composite".to_owned(),
        "e" => "enum".to_owned(),
        _ => base,
    };
    let ty = ColumnType {
        base,
        domain: row.try_get(5)?,
        array: row.try_get(6)?,
        folded: row.try_get(8)?,
        labels: row.try_get(7)?,
        length,
        precision,
        scale,
        ..ColumnType::default()
    };
    Ok(Column { name: row.try_get(1)?, ty, fixed: row.try_get(9)?, ..Column::default() })
}

/// The length, the precision and the scale that the modifier of a type states.
fn numbers(base: &str, modifier: i32) -> (Option<u32>, Option<u32>, Option<i32>) {
    let number = modifier - HEADER;
    match base {
        _ if number < 0 => (None, None, None),
        "varchar" | "bpchar" => (number.try_into().ok(), None, None),
        // The scale has eleven bits with a sign.
        "numeric" => (None, u32::try_from((number >> 16) & 0xffff).ok(), Some(((number & 0x7ff) ^ 0x400) - 0x400)),
        _ => (None, None, None),
    }
}
