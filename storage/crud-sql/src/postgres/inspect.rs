//! Inspecting the tables of a database.

use crud_shared::table::split;

use super::catalogue::{self, Cells, PgDriver, optional_text, text};
use super::search;
use crate::driver::Connection;
use crate::schema::ddl::table_identifier;
use crate::schema::table::Column;
use crate::schema::table::ForeignKey;
use crate::schema::table::{Index, IndexedColumn};
use crate::schema::table::{Named, Table};
use crate::schema::table_name::TableName;

/// The table of this name on the search path, if there is one.
pub(super) async fn table<D: PgDriver>(connection: &mut Connection<D>, name: &str) -> Result<Option<Table>, D::Error> {
    const KIND: &str = "SELECT relkind::text FROM pg_class WHERE oid = to_regclass($1)";
    let kinds = rows::<D, String>(connection, KIND, name, |row| row.get(0)).await?;
    let Some(kind) = kinds.first() else { return Ok(None) };
    Ok(Some(Table {
        kind: kind_name(kind).to_owned(),
        partitioned: kind == "p",
        columns: columns::<D>(connection, name).await?,
        indexes: indexes::<D>(connection, name).await?,
        foreign_keys: foreign_keys::<D>(connection, name).await?,
        searches: search::present::<D>(connection, name).await?,
    }))
}

/// The tables of the current schema, without partitions and those of extensions. Those of resources have texts that compare
/// by code point, or constraints or indexes with the names that they get.
pub(super) async fn tables<D: PgDriver>(connection: &mut Connection<D>) -> Result<Vec<TableName>, D::Error> {
    const TABLES: &str = "SELECT c.relname::text, \
        EXISTS (SELECT FROM pg_attribute a JOIN pg_collation l ON l.oid = a.attcollation \
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND l.collname = 'C') \
        OR EXISTS (SELECT FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1] \
        WHERE k.conrelid = c.oid AND k.contype = 'c' AND k.conname = 'check_' || a.attname) \
        OR EXISTS (SELECT FROM pg_index i JOIN pg_class n ON n.oid = i.indexrelid WHERE i.indrelid = c.oid \
        AND (starts_with(n.relname, 'ix_' || c.relname || '__') OR starts_with(n.relname, 'ux_' || c.relname || '__'))) \
        FROM pg_class c WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition \
        AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) \
        AND has_table_privilege(c.oid, 'SELECT') \
        AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid \
        AND d.deptype = 'e') ORDER BY c.relname";
    let read = |row: &Cells<'_, D>| Ok(TableName { name: row.get(0)?, is_known: row.get(1)? });
    catalogue::rows::<D, _>(connection, TABLES, Vec::new(), read).await
}

/// Whether there is a schema of this name.
pub(super) async fn has_schema<D: PgDriver>(connection: &mut Connection<D>, schema: &str) -> Result<bool, D::Error> {
    const SCHEMA: &str = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)";
    catalogue::one::<D, bool>(connection, SCHEMA, vec![text(schema)]).await
}

/// The tables of other schemas that have this name and can be read: those that the search path does not find, or finds first.
pub(super) async fn elsewhere<D: PgDriver>(
    connection: &mut Connection<D>,
    table: &str,
) -> Result<Vec<String>, D::Error> {
    const TABLES: &str = "SELECT (n.nspname || '.' || c.relname)::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
        WHERE c.relname = $1 AND c.relkind IN ('r', 'p', 'f') AND n.nspname <> COALESCE($2::text, current_schema()::text, '') \
        AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' \
        AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') ORDER BY n.nspname";
    let (schema, own) = split(table);
    let arguments = vec![text(own), optional_text(schema)];
    catalogue::rows::<D, String>(connection, TABLES, arguments, |row| row.get(0)).await
}

/// The table or view of this name on the search path, if there is one.
pub(super) async fn view<D: PgDriver>(connection: &mut Connection<D>, name: &str) -> Result<Option<Named>, D::Error> {
    const VIEW: &str = "SELECT relkind::text, \
        'CREATE VIEW ' || $1::text || ' AS ' || CASE relkind WHEN 'v' THEN pg_get_viewdef(oid) ELSE '' END \
        FROM pg_class WHERE oid = to_regclass($1)";
    let present = |row: &Cells<'_, D>| {
        let kind = kind_name(&row.get::<String>(0)?).to_owned();
        Ok(Named { kind, definition: row.get::<String>(1)?.trim_end_matches(';').to_owned() })
    };
    rows::<D, _>(connection, VIEW, name, present).await.map(|mut found| found.pop())
}

fn kind_name(kind: &str) -> &'static str {
    match kind {
        "r" | "p" => "table",
        "v" => "view",
        "m" => "materialized view",
        "f" => "foreign table",
        "i" | "I" => "index",
        "S" => "sequence",
        _ => "type",
    }
}

/// Whether something has this name: tables and indexes share theirs. An index that is not valid is being created, or is
/// replaced.
pub(super) async fn is_taken<D: PgDriver>(connection: &mut Connection<D>, name: &str) -> Result<bool, D::Error> {
    const TAKEN: &str = "SELECT to_regclass($1) IS NOT NULL AND NOT EXISTS \
        (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid)";
    rows::<D, bool>(connection, TAKEN, name, |row| row.get(0)).await.map(|taken| taken.contains(&true))
}

async fn columns<D: PgDriver>(connection: &mut Connection<D>, table: &str) -> Result<Vec<Column>, D::Error> {
    // A partitioned table has no primary key without the columns that it is partitioned by: that of a partition counts.
    // Whether the database's own collation orders by code point is seen best by what it does.
    const COLUMNS: &str = "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull, \
        pg_get_expr(d.adbin, d.adrelid), a.attidentity <> '', COALESCE(array_position(p.conkey, a.attnum), 0)::bigint, \
        a.attgenerated <> '', CASE WHEN c.collname IN ('C', 'POSIX', 'ucs_basic') THEN NULL \
        WHEN c.collname = 'default' AND 'B' < 'a' COLLATE \"default\" THEN NULL ELSE quote_ident(c.collname) END, \
        CASE WHEN NOT c.collisdeterministic THEN quote_ident(c.collname) \
        WHEN a.atttypid = to_regtype('citext') THEN 'citext' END \
        FROM pg_attribute a LEFT JOIN pg_collation c ON c.oid = a.attcollation \
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
        LEFT JOIN pg_constraint p ON p.contype = 'p' AND p.conrelid = COALESCE((SELECT min(i.inhrelid::bigint)::oid \
        FROM pg_inherits i JOIN pg_class t ON t.oid = i.inhparent \
        WHERE t.relkind = 'p' AND t.oid = a.attrelid), a.attrelid) \
        WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";
    rows::<D, _>(connection, COLUMNS, table, |row| {
        Ok(Column {
            name: row.get(0)?,
            declared: row.get(1)?,
            not_null: row.get(2)?,
            default: row.get(3)?,
            assigned: row.get(4)?,
            key: row.get(5)?,
            generated: row.get(6)?,
            collation: row.get(7)?,
            equates: row.get(8)?,
            scale: None,
        })
    })
    .await
}

async fn indexes<D: PgDriver>(connection: &mut Connection<D>, table: &str) -> Result<Vec<Index>, D::Error> {
    // An option of 2 puts nulls first, one of 1 descends. Of `character varying`, an expression has a cast.
    const INDEXES: &str = "SELECT i.indisunique, pg_get_expr(i.indpred, i.indrelid), \
        array_agg(COALESCE(a.attname, l.attname, '')::text ORDER BY k), m.amname = 'btree' AND bool_and(COALESCE( \
        i.indoption[k] IN (0, 2) AND i.indcollation[k] = a.attcollation, false)), \
        array_agg(l.attname IS NOT NULL ORDER BY k), c.relname::text, \
        array_agg(i.indoption[k] & 2 <> 0 ORDER BY k) \
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam \
        CROSS JOIN generate_series(0, i.indnkeyatts::int - 1) k \
        LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k] \
        LEFT JOIN pg_attribute l ON i.indkey[k] = 0 AND l.attrelid = i.indrelid AND l.attnum > 0 \
        AND pg_get_indexdef(i.indexrelid, k + 1, false) IN \
        (format('lower(%I)', l.attname), format('lower((%I)::text)', l.attname)) \
        WHERE i.indrelid = to_regclass($1) AND i.indisvalid GROUP BY i.indexrelid, m.amname, c.relname, \
        i.indisunique, i.indpred, i.indrelid ORDER BY i.indexrelid";
    rows::<D, _>(connection, INDEXES, table, |row| {
        let (names, folded): (Vec<String>, Vec<bool>) = (row.get(2)?, row.get(4)?);
        let columns = names.into_iter().zip(folded).zip(row.get::<Vec<bool>>(6)?);
        let columns = columns.map(|((name, ignores_case), nulls_first)| IndexedColumn {
            // An expression has none.
            name: Some(name).filter(|name| !name.is_empty()),
            ignores_case,
            nulls_first: Some(nulls_first),
        });
        Ok(Index {
            name: row.get(5)?,
            unique: row.get(0)?,
            partial: row.get(1)?,
            columns: columns.collect(),
            plain: row.get(3)?,
        })
    })
    .await
}

async fn foreign_keys<D: PgDriver>(connection: &mut Connection<D>, table: &str) -> Result<Vec<ForeignKey>, D::Error> {
    const FOREIGN_KEYS: &str = "SELECT CASE WHEN pg_table_is_visible(f.oid) THEN f.relname::text \
        ELSE (SELECT nspname FROM pg_namespace WHERE oid = f.relnamespace) || '.' || f.relname END, array_agg(a.attname::text ORDER BY k), \
        array_agg(b.attname::text ORDER BY k), c.confdeltype::text, c.conname::text, \
        c.confupdtype::text \
        FROM pg_constraint c JOIN pg_class f ON f.oid = c.confrelid \
        CROSS JOIN generate_series(1, cardinality(c.conkey)) k \
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[k] \
        JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[k] \
        WHERE c.conrelid = to_regclass($1) AND c.contype = 'f' \
        GROUP BY c.oid, f.oid, f.relname, f.relnamespace, c.confdeltype, c.confupdtype, c.conname ORDER BY c.oid";
    rows::<D, _>(connection, FOREIGN_KEYS, table, |row| {
        let (from, to): (Vec<String>, Vec<String>) = (row.get(1)?, row.get(2)?);
        let columns = from.into_iter().zip(to.into_iter().map(Some)).collect();
        let [on_delete, on_update] = [action(&row.get::<String>(3)?), action(&row.get::<String>(5)?)];
        Ok(ForeignKey { name: row.get(4)?, table: row.get(0)?, columns, on_delete, on_update })
    })
    .await
}

/// The action of a foreign key, from its letter.
fn action(letter: &str) -> String {
    let action = match letter {
        "r" => "RESTRICT",
        "c" => "CASCADE",
        "n" => "SET NULL",
        "d" => "SET DEFAULT",
        _ => "NO ACTION",
    };
    action.to_owned()
}

/// The rows of a statement about the thing of this name.
async fn rows<D: PgDriver, T>(
    connection: &mut Connection<D>,
    statement: &'static str,
    name: &str,
    read: impl Fn(&Cells<'_, D>) -> Result<T, D::Error>,
) -> Result<Vec<T>, D::Error> {
    catalogue::rows::<D, T>(connection, statement, vec![text(table_identifier::<D>(name))], read).await
}
