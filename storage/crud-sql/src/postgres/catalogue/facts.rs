//! Facts of tables, from PostgreSQL's catalogue.

use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};

use crate::column_names::column_names;
use crate::facts::{Collected, unique};
use crate::postgres::catalogue::{self, texts};
use crate::postgres::dialect::Postgres;
use crate::schema::ddl::table_identifier;
use crate::storage::facts::{ColumnFacts, TableFacts, TriggerFacts};

/// Bits of `pg_trigger.tgtype`.
const ROW: i32 = 1;
const BEFORE: i32 = 2;
const INSERT: i32 = 4;
const DELETE: i32 = 8;
const UPDATE: i32 = 16;

/// The facts of these tables, of each that is there.
pub(in crate::postgres) async fn facts(
    connection: &mut PgConnection,
    tables: Vec<&'static str>,
) -> sqlx::Result<Vec<TableFacts>> {
    // A column of a domain has the domain's default.
    const COLUMNS: &str = "SELECT n.name, a.attname::text, \
        CASE WHEN l.collname NOT IN ('C', 'POSIX', 'ucs_basic') THEN l.collname::text END, NOT a.attnotnull, \
        a.atthasdef OR a.attidentity <> '' OR y.typdefault IS NOT NULL, a.attgenerated <> '' OR a.attidentity = 'a', \
        format_type(a.atttypid, a.atttypmod) \
        FROM unnest($1::text[], $2::text[]) AS n(name, quoted) JOIN pg_attribute a ON a.attrelid = to_regclass(n.quoted) \
        AND a.attnum > 0 AND NOT a.attisdropped JOIN pg_type y ON y.oid = a.atttypid \
        LEFT JOIN pg_collation l ON l.oid = a.attcollation ORDER BY n.name, a.attnum";
    // Those of a partition run for records of the partitioned table. A rule is a trigger of statements, as far as it changes
    // records.
    const TRIGGERS: &str = "WITH wanted AS (SELECT n.name, r.oid FROM unnest($1::text[], $2::text[]) AS n(name, quoted) \
        CROSS JOIN LATERAL (SELECT to_regclass(n.quoted)::oid UNION \
        SELECT relid::oid FROM pg_partition_tree(to_regclass(n.quoted))) r(oid)) \
        SELECT w.name, t.tgname::text, t.tgtype::int, t.tginitdeferred, false FROM wanted w JOIN pg_trigger t ON t.tgrelid = w.oid \
        WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') UNION \
        SELECT w.name, u.rulename::text, CASE u.ev_type WHEN '3' THEN 4 WHEN '4' THEN 8 ELSE 16 END, false, u.is_instead \
        FROM wanted w JOIN pg_rewrite u ON u.ev_class = w.oid AND u.ev_type IN ('2', '3', '4') \
        AND u.ev_enabled IN ('O', 'A') ORDER BY 1, 2";
    const UNIQUES: &str = "SELECT n.name, c.relname::text, \
        COALESCE(a.attname::text, pg_get_indexdef(i.indexrelid, k + 1, false)), a.attname IS NULL \
        FROM unnest($1::text[], $2::text[]) AS n(name, quoted) JOIN pg_index i ON i.indrelid = to_regclass(n.quoted) \
        AND i.indisunique JOIN pg_class c ON c.oid = i.indexrelid CROSS JOIN generate_series(0, i.indnkeyatts::int - 1) k \
        LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k] ORDER BY n.name, i.indexrelid, k";
    let quoted: Vec<String> = tables.iter().map(|table| table_identifier::<Postgres>(table)).collect();
    let names: Vec<String> = tables.into_iter().map(str::to_owned).collect();
    let arguments = vec![texts(names), texts(quoted)];
    let mut found = Collected::default();
    let column = |row: &PgRow| {
        let mut column = ColumnFacts::new(row.try_get::<String, _>(1)?);
        column.collation = row.try_get(2)?;
        column.nullable = row.try_get(3)?;
        column.has_default = row.try_get(4)?;
        column.is_generated = row.try_get(5)?;
        column.declared = row.try_get(6)?;
        Ok((row.try_get::<String, _>(0)?, column))
    };
    for (table, column) in catalogue::rows(connection, COLUMNS, arguments.clone(), column).await? {
        found.table(&table).columns.push(column);
    }
    let trigger = |row: &PgRow| {
        let (kind, is_deferred, replaces): (i32, bool, bool) = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
        let has = |bits: i32| kind & bits != 0;
        let mut trigger = TriggerFacts::new(row.try_get::<String, _>(1)?);
        trigger.changes = has(INSERT | UPDATE);
        // `RETURNING` has the record as triggers before it leave it.
        trigger.changes_returned = trigger.changes && !(has(BEFORE) && has(ROW)) && !is_deferred;
        trigger.leaves_out = (has(BEFORE) && has(ROW) || replaces) && has(INSERT | DELETE);
        trigger.replaces = replaces;
        trigger.is_deferred = is_deferred;
        Ok((row.try_get::<String, _>(0)?, trigger))
    };
    for (table, trigger) in catalogue::rows(connection, TRIGGERS, arguments.clone(), trigger).await? {
        found.table(&table).triggers.push(trigger);
    }
    let part = |row: &PgRow| {
        let (part, is_expression): (String, bool) = (row.try_get(2)?, row.try_get(3)?);
        let names = if is_expression { column_names(&part) } else { vec![part] };
        Ok((row.try_get::<String, _>(0)?, row.try_get::<String, _>(1)?, names))
    };
    for (table, index, names) in catalogue::rows(connection, UNIQUES, arguments, part).await? {
        unique(found.table(&table), &index).columns.extend(names);
    }
    Ok(found.finish())
}
