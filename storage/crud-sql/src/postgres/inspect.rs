//! Inspecting the tables of a database.

use crud_shared::table::split;
use sqlx::postgres::{PgConnection, PgRow};
use sqlx::{Decode, Postgres, Row, Type};

use super::dialect::Postgres as Dialect;
use crate::schema::by_place::by_place;
use crate::schema::ddl::table_identifier;
use crate::schema::search_index::{self, PresentSearch};
use crate::schema::table::Column;
use crate::schema::table::ForeignKey;
use crate::schema::table::{Index, IndexedColumn};
use crate::schema::table::{Named, Table};
use crate::schema::table_name::TableName;

/// The tables of these names on the search path.
pub(super) async fn described(connection: &mut PgConnection, names: Vec<&str>) -> sqlx::Result<Vec<Option<Table>>> {
    const KINDS: &str = "SELECT c.relkind::text, n.place FROM unnest($1::text[]) WITH ORDINALITY n (name, place) \
        JOIN pg_class c ON c.oid = to_regclass(n.name)";
    let names = &quoted(&names);
    let kinds = rows(connection, KINDS, names, |row| get::<String>(row, 0)).await?;
    if kinds.iter().all(Vec::is_empty) {
        return Ok(kinds.iter().map(|_| None).collect());
    }
    let (columns, indexes) = (columns(connection, names).await?, indexes(connection, names).await?);
    let (foreign_keys, searches) = (foreign_keys(connection, names).await?, searches(connection, names).await?);
    let parts = columns.into_iter().zip(indexes).zip(foreign_keys.into_iter().zip(searches));
    let tables = kinds.into_iter().zip(parts).map(|(kind, ((columns, indexes), (foreign_keys, searches)))| {
        let kind = kind.first()?;
        let (partitioned, kind) = (kind == "p", kind_name(kind).to_owned());
        Some(Table { kind, partitioned, columns, indexes, foreign_keys, searches })
    });
    Ok(tables.collect())
}

/// The tables of the current schema, without partitions and those of extensions. Those of resources have texts that compare
/// by code point, or constraints or indexes with the names that they get.
pub(super) async fn tables(connection: &mut PgConnection) -> sqlx::Result<Vec<TableName>> {
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
    let all = sqlx::query(TABLES).fetch_all(connection).await?;
    all.iter().map(|row| Ok(TableName { name: get(row, 0)?, is_known: get(row, 1)? })).collect()
}

/// Whether there is a schema of this name.
pub(super) async fn has_schema(connection: &mut PgConnection, schema: &str) -> sqlx::Result<bool> {
    const SCHEMA: &str = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)";
    sqlx::query_scalar(SCHEMA).bind(schema).fetch_one(connection).await
}

/// The tables of other schemas that have these names and can be read: those that the search path does not find, or finds first.
pub(super) async fn elsewhere(
    connection: &mut PgConnection,
    tables: Vec<&'static str>,
) -> sqlx::Result<Vec<(&'static str, String)>> {
    const TABLES: &str = "SELECT w.place, n.nspname || '.' || c.relname \
        FROM unnest($1::text[], $2::text[]) WITH ORDINALITY w (own, schema, place) \
        JOIN pg_class c ON c.relname = w.own JOIN pg_namespace n ON n.oid = c.relnamespace \
        WHERE c.relkind IN ('r', 'p', 'f') AND n.nspname <> COALESCE(w.schema, current_schema()::text, '') \
        AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' \
        AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') ORDER BY w.place, n.nspname";
    let (schemas, own): (Vec<Option<&str>>, Vec<&str>) = tables.iter().map(|table| split(table)).unzip();
    let found: Vec<(i64, String)> = sqlx::query_as(TABLES).bind(own).bind(schemas).fetch_all(connection).await?;
    let named = |(place, other): (i64, String)| {
        let place = usize::try_from(place).ok()?.checked_sub(1)?;
        Some((*tables.get(place)?, other))
    };
    Ok(found.into_iter().filter_map(named).collect())
}

/// The tables or views of these names on the search path.
pub(super) async fn views(connection: &mut PgConnection, names: Vec<&str>) -> sqlx::Result<Vec<Option<Named>>> {
    const VIEWS: &str = "SELECT c.relkind::text, \
        'CREATE VIEW ' || n.name || ' AS ' || CASE c.relkind WHEN 'v' THEN pg_get_viewdef(c.oid) ELSE '' END, n.place \
        FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_class c ON c.oid = to_regclass(n.name)";
    let present = |row: &PgRow| {
        let kind = kind_name(&get::<String>(row, 0)?).to_owned();
        Ok(Named { kind, definition: get::<String>(row, 1)?.trim_end_matches(';').to_owned() })
    };
    let found = rows(connection, VIEWS, &quoted(&names), present).await?;
    Ok(found.into_iter().map(|mut found| found.pop()).collect())
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
pub(super) async fn is_taken(connection: &mut PgConnection, name: &str) -> sqlx::Result<bool> {
    const TAKEN: &str = "SELECT to_regclass($1) IS NOT NULL AND NOT EXISTS \
        (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid)";
    let taken: Option<bool> =
        sqlx::query_scalar(TAKEN).bind(table_identifier::<Dialect>(name)).fetch_one(connection).await?;
    Ok(taken == Some(true))
}

async fn columns(connection: &mut PgConnection, names: &[String]) -> sqlx::Result<Vec<Vec<Column>>> {
    // A partitioned table has no primary key without the columns that it is partitioned by: that of a partition counts.
    // Whether the database's own collation orders by code point is seen best by what it does.
    const COLUMNS: &str = "SELECT a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull, \
        pg_get_expr(d.adbin, d.adrelid), a.attidentity <> '', COALESCE(array_position(p.conkey, a.attnum), 0)::bigint, \
        a.attgenerated <> '', CASE WHEN c.collname IN ('C', 'POSIX', 'ucs_basic') THEN NULL \
        WHEN c.collname = 'default' AND 'B' < 'a' COLLATE \"default\" THEN NULL ELSE quote_ident(c.collname) END, \
        CASE WHEN NOT c.collisdeterministic THEN quote_ident(c.collname) \
        WHEN a.atttypid = to_regtype('citext') THEN 'citext' END, n.place \
        FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_attribute a ON a.attrelid = to_regclass(n.name) \
        LEFT JOIN pg_collation c ON c.oid = a.attcollation \
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
        LEFT JOIN pg_constraint p ON p.contype = 'p' AND p.conrelid = COALESCE((SELECT min(i.inhrelid::bigint)::oid \
        FROM pg_inherits i JOIN pg_class t ON t.oid = i.inhparent \
        WHERE t.relkind = 'p' AND t.oid = a.attrelid), a.attrelid) \
        WHERE a.attnum > 0 AND NOT a.attisdropped ORDER BY n.place, a.attnum";
    rows(connection, COLUMNS, names, |row| {
        Ok(Column {
            name: get(row, 0)?,
            declared: get(row, 1)?,
            not_null: get(row, 2)?,
            default: get(row, 3)?,
            assigned: get(row, 4)?,
            key: get(row, 5)?,
            generated: get(row, 6)?,
            collation: get(row, 7)?,
            equates: get(row, 8)?,
            scale: None,
        })
    })
    .await
}

async fn indexes(connection: &mut PgConnection, names: &[String]) -> sqlx::Result<Vec<Vec<Index>>> {
    // An option of 2 puts nulls first, one of 1 descends. Of `character varying`, an expression has a cast.
    const INDEXES: &str = "SELECT i.indisunique, pg_get_expr(i.indpred, i.indrelid), \
        array_agg(COALESCE(a.attname, l.attname)::text ORDER BY k), m.amname = 'btree' AND bool_and(COALESCE( \
        i.indoption[k] IN (0, 2) AND i.indcollation[k] = a.attcollation, false)), \
        array_agg(l.attname IS NOT NULL ORDER BY k), c.relname::text, \
        array_agg(i.indoption[k] & 2 <> 0 ORDER BY k), n.place \
        FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_index i ON i.indrelid = to_regclass(n.name) JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam \
        CROSS JOIN generate_series(0, i.indnkeyatts::int - 1) k \
        LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k] \
        LEFT JOIN pg_attribute l ON i.indkey[k] = 0 AND l.attrelid = i.indrelid AND l.attnum > 0 \
        AND pg_get_indexdef(i.indexrelid, k + 1, false) IN \
        (format('lower(%I)', l.attname), format('lower((%I)::text)', l.attname)) \
        WHERE i.indisvalid GROUP BY n.place, i.indexrelid, m.amname, c.relname, \
        i.indisunique, i.indpred, i.indrelid ORDER BY n.place, i.indexrelid";
    rows(connection, INDEXES, names, |row| {
        let (names, folded): (Vec<Option<String>>, Vec<bool>) = (get(row, 2)?, get(row, 4)?);
        let columns = names.into_iter().zip(folded).zip(get::<Vec<bool>>(row, 6)?);
        let columns = columns.map(|((name, ignores_case), nulls_first)| IndexedColumn {
            name,
            ignores_case,
            nulls_first: Some(nulls_first),
        });
        Ok(Index {
            name: get(row, 5)?,
            unique: get(row, 0)?,
            partial: get(row, 1)?,
            columns: columns.collect(),
            plain: get(row, 3)?,
        })
    })
    .await
}

async fn foreign_keys(connection: &mut PgConnection, names: &[String]) -> sqlx::Result<Vec<Vec<ForeignKey>>> {
    const FOREIGN_KEYS: &str = "SELECT CASE WHEN pg_table_is_visible(f.oid) THEN f.relname::text \
        ELSE (SELECT nspname FROM pg_namespace WHERE oid = f.relnamespace) || '.' || f.relname END, array_agg(a.attname::text ORDER BY k), \
        array_agg(b.attname::text ORDER BY k), c.confdeltype::text, c.conname::text, \
        c.confupdtype::text, n.place \
        FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_constraint c ON c.conrelid = to_regclass(n.name) JOIN pg_class f ON f.oid = c.confrelid \
        CROSS JOIN generate_series(1, cardinality(c.conkey)) k \
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[k] \
        JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[k] \
        WHERE c.contype = 'f' GROUP BY n.place, c.oid, f.oid, f.relname, f.relnamespace, c.confdeltype, c.confupdtype, \
        c.conname ORDER BY n.place, c.oid";
    rows(connection, FOREIGN_KEYS, names, |row| {
        let (from, to): (Vec<String>, Vec<Option<String>>) = (get(row, 1)?, get(row, 2)?);
        let columns = from.into_iter().zip(to).collect();
        let [on_delete, on_update] = [action(&get::<String>(row, 3)?), action(&get::<String>(row, 5)?)];
        Ok(ForeignKey { name: get(row, 4)?, table: get(row, 0)?, columns, on_delete, on_update })
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

/// The indexes of words.
async fn searches(connection: &mut PgConnection, names: &[String]) -> sqlx::Result<Vec<Vec<PresentSearch>>> {
    const INDEXES: &str = "SELECT c.relname::text, pg_get_indexdef(i.indexrelid), n.place \
        FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_index i ON i.indrelid = to_regclass(n.name) \
        JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam \
        WHERE m.amname = 'gin' AND i.indisvalid ORDER BY n.place, c.relname";
    let present = |row: &PgRow| Ok(PresentSearch { name: get(row, 0)?, definition: get(row, 1)?, written: None });
    let mut found = rows(connection, INDEXES, names, present).await?;
    for searches in &mut found {
        searches.retain(|search| search_index::is_name(&search.name));
    }
    Ok(found)
}

fn quoted(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| table_identifier::<Dialect>(name)).collect()
}

/// The rows of a statement about the things of these names, by their `place` in the list from 1.
async fn rows<T>(
    connection: &mut PgConnection,
    statement: &'static str,
    names: &[String],
    read: impl Fn(&PgRow) -> sqlx::Result<T>,
) -> sqlx::Result<Vec<Vec<T>>> {
    let rows = sqlx::query(statement).bind(names).fetch_all(connection).await?;
    let placed = |row: &PgRow| {
        let place: i64 = row.try_get("place")?;
        Ok((usize::try_from(place - 1).unwrap_or(usize::MAX), read(row)?))
    };
    Ok(by_place(names.len(), rows.iter().map(placed).collect::<sqlx::Result<Vec<_>>>()?))
}

fn get<'r, T: Decode<'r, Postgres> + Type<Postgres>>(row: &'r PgRow, column: usize) -> sqlx::Result<T> {
    row.try_get(column)
}
