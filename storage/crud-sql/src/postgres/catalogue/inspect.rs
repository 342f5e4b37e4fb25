//! Inspecting the tables of a database.

use sqlx::Row;
use sqlx::postgres::{PgConnection, PgRow};

use crud_shared::table::split;

use crate::column_names::column_names;
use crate::postgres::catalogue::triggers::triggers;
use crate::postgres::catalogue::{self, by_name, identifiers, place, text, texts};
use crate::postgres::dialect::Postgres;
use crate::schema::ddl::table_identifier;
use crate::schema::search_index::{self, PresentSearch};
use crate::schema::table::{Column, ForeignKey, Index, IndexedColumn, Named, Parts, Table, TableName, fill};

/// The tables of these names on the search path.
pub(in crate::postgres) async fn described(
    connection: &mut PgConnection,
    names: Vec<&str>,
    parts: Parts,
) -> sqlx::Result<Vec<Option<Table>>> {
    let names = &identifiers(&names);
    let mut tables: Vec<Option<Table>> = columns(connection, names).await?.into_iter().map(of_columns).collect();
    if tables.iter().all(Option::is_none) {
        return Ok(tables);
    }
    fill(&mut tables, indexes(connection, names).await?, |table, indexes| {
        let (valid, unfinished): (Vec<_>, Vec<_>) = indexes.into_iter().partition(|(_, is_valid)| *is_valid);
        table.indexes = valid.into_iter().map(|(index, _)| index).collect();
        table.unfinished = unfinished.into_iter().map(|(index, _)| index).collect();
    });
    match parts {
        Parts::Schema => {
            fill(&mut tables, foreign_keys(connection, names).await?, |table, keys| table.foreign_keys = keys);
            fill(&mut tables, searches(connection, names).await?, |table, searches| table.searches = searches);
        }
        Parts::Writes => fill(&mut tables, triggers(connection, names).await?, |table, found| table.triggers = found),
    }
    Ok(tables)
}

/// The table of its kind and its columns.
fn of_columns(found: Vec<(String, Option<Column>)>) -> Option<Table> {
    let kind = found.first()?.0.clone();
    let columns = found.into_iter().filter_map(|(_, column)| column).collect();
    let (partitioned, kind) = (kind == "p", kind_name(&kind).to_owned());
    Some(Table { kind, partitioned, columns, returns_keys: true, ..Table::default() })
}

/// The tables of the current schema, without partitions and those of extensions. Those of resources have texts that compare
/// by code point, or constraints or indexes with the names that they get.
pub(in crate::postgres) async fn tables(connection: &mut PgConnection) -> sqlx::Result<Vec<TableName>> {
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
    let read = |row: &PgRow| Ok(TableName { name: row.try_get(0)?, is_known: row.try_get(1)? });
    catalogue::rows(connection, TABLES, Vec::new(), read).await
}

/// Whether there is a schema of this name.
pub(in crate::postgres) async fn has_schema(connection: &mut PgConnection, schema: &str) -> sqlx::Result<bool> {
    const SCHEMA: &str = "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname = $1)";
    catalogue::one::<bool>(connection, SCHEMA, vec![text(schema)]).await
}

/// The tables of other schemas that have these names and can be read: those that the search path does not find, or finds first.
pub(in crate::postgres) async fn elsewhere(
    connection: &mut PgConnection,
    tables: Vec<&'static str>,
) -> sqlx::Result<Vec<(&'static str, String)>> {
    const TABLES: &str = "SELECT w.place, (n.nspname || '.' || c.relname)::text \
        FROM unnest($1::text[], $2::text[]) WITH ORDINALITY w (own, schema, place) \
        JOIN pg_class c ON c.relname = w.own JOIN pg_namespace n ON n.oid = c.relnamespace \
        WHERE c.relkind IN ('r', 'p', 'f') AND n.nspname <> COALESCE(NULLIF(w.schema, ''), current_schema()::text, '') \
        AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' \
        AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') ORDER BY w.place, n.nspname";
    // A list has no nulls, and no schema an empty name.
    let parts = |(schema, own): (Option<&str>, &str)| (schema.unwrap_or_default().to_owned(), own.to_owned());
    let (schemas, own): (Vec<String>, Vec<String>) = tables.iter().map(|table| parts(split(table))).unzip();
    let read = |row: &PgRow| Ok((place(row, 0)?, row.try_get::<String, _>(1)?));
    let found = catalogue::rows(connection, TABLES, vec![texts(own), texts(schemas)], read).await?;
    Ok(found.into_iter().filter_map(|(place, other)| Some((*tables.get(place)?, other))).collect())
}

/// The tables or views of these names on the search path.
pub(in crate::postgres) async fn views(
    connection: &mut PgConnection,
    names: Vec<&str>,
) -> sqlx::Result<Vec<Option<Named>>> {
    const VIEWS: &str = "SELECT n.place, c.relkind::text, \
        n.name || ' AS ' || CASE c.relkind WHEN 'v' THEN rtrim(pg_get_viewdef(c.oid), ';') ELSE '' END \
        FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_class c ON c.oid = to_regclass(n.name)";
    let present = |row: &PgRow| {
        let kind = kind_name(&row.try_get::<String, _>(1)?).to_owned();
        Ok(Named { kind, view: row.try_get(2)? })
    };
    let found = by_name(connection, VIEWS, &identifiers(&names), present).await?;
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
pub(in crate::postgres) async fn is_taken(connection: &mut PgConnection, name: &str) -> sqlx::Result<bool> {
    const TAKEN: &str = "SELECT to_regclass($1) IS NOT NULL AND NOT EXISTS \
        (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid)";
    catalogue::one::<bool>(connection, TAKEN, vec![text(table_identifier::<Postgres>(name))]).await
}

/// The columns, each after the kind of its table. One without columns has its kind alone.
async fn columns(connection: &mut PgConnection, names: &[String]) -> sqlx::Result<Vec<Vec<(String, Option<Column>)>>> {
    // A partitioned table has no primary key without the columns that it is partitioned by: that of a partition counts.
    // Whether the database's own collation orders by code point is seen best by what it does. A column of a domain has the
    // domain's default.
    const COLUMNS: &str = "SELECT n.place, a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull, \
        pg_get_expr(d.adbin, d.adrelid), a.attidentity <> '', COALESCE(array_position(p.conkey, a.attnum), 0)::bigint, \
        a.attgenerated <> '', CASE WHEN c.collname IN ('C', 'POSIX', 'ucs_basic') THEN NULL \
        WHEN c.collname = 'default' AND 'B' < 'a' COLLATE \"default\" THEN NULL ELSE quote_ident(c.collname) END, \
        CASE WHEN NOT c.collisdeterministic THEN quote_ident(c.collname) \
        WHEN a.atttypid = to_regtype('citext') THEN 'citext' END, \
        a.atthasdef OR a.attidentity <> '' OR y.typdefault IS NOT NULL, a.attgenerated <> '' OR a.attidentity = 'a', \
        r.relkind::text FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_class r ON r.oid = to_regclass(n.name) \
        LEFT JOIN pg_attribute a ON a.attrelid = r.oid AND a.attnum > 0 AND NOT a.attisdropped \
        LEFT JOIN pg_type y ON y.oid = a.atttypid LEFT JOIN pg_collation c ON c.oid = a.attcollation \
        LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
        LEFT JOIN pg_constraint p ON p.contype = 'p' AND p.conrelid = COALESCE((SELECT min(i.inhrelid::bigint)::oid \
        FROM pg_inherits i JOIN pg_class t ON t.oid = i.inhparent \
        WHERE t.relkind = 'p' AND t.oid = a.attrelid), a.attrelid) ORDER BY n.place, a.attnum";
    by_name(connection, COLUMNS, names, |row| {
        let (kind, name): (String, Option<String>) = (row.try_get(12)?, row.try_get(1)?);
        let Some(name) = name else { return Ok((kind, None)) };
        let column = Column {
            name,
            declared: row.try_get(2)?,
            not_null: row.try_get(3)?,
            default: row.try_get(4)?,
            assigned: row.try_get(5)?,
            key: row.try_get(6)?,
            generated: row.try_get(7)?,
            collation: row.try_get(8)?,
            equates: row.try_get(9)?,
            scale: None,
            filled: row.try_get(10)?,
            fixed: row.try_get(11)?,
        };
        Ok((kind, Some(column)))
    })
    .await
}

/// The indexes, each with whether it is valid: those that are, and those that refuse duplicates.
async fn indexes(connection: &mut PgConnection, names: &[String]) -> sqlx::Result<Vec<Vec<(Index, bool)>>> {
    // An option of 2 puts nulls first, one of 1 descends. Of `character varying`, an expression has a cast.
    const INDEXES: &str = "SELECT n.place, i.indisunique, pg_get_expr(i.indpred, i.indrelid), \
        array_agg(COALESCE(a.attname, l.attname, '')::text ORDER BY k), m.amname = 'btree' AND bool_and(COALESCE( \
        i.indoption[k] IN (0, 2) AND i.indcollation[k] = a.attcollation, false)), \
        array_agg(l.attname IS NOT NULL ORDER BY k), c.relname::text, \
        array_agg(i.indoption[k] & 2 <> 0 ORDER BY k), i.indisvalid, \
        array_agg(CASE WHEN a.attname IS NULL THEN pg_get_indexdef(i.indexrelid, k + 1, false) END ORDER BY k) \
        FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_index i ON i.indrelid = to_regclass(n.name) JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam \
        CROSS JOIN generate_series(0, i.indnkeyatts::int - 1) k \
        LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k] \
        LEFT JOIN pg_attribute l ON i.indkey[k] = 0 AND l.attrelid = i.indrelid AND l.attnum > 0 \
        AND pg_get_indexdef(i.indexrelid, k + 1, false) IN \
        (format('lower(%I)', l.attname), format('lower((%I)::text)', l.attname)) \
        WHERE i.indisvalid OR i.indisunique GROUP BY n.place, i.indexrelid, m.amname, c.relname, \
        i.indisvalid, i.indisunique, i.indpred, i.indrelid ORDER BY n.place, i.indexrelid";
    by_name(connection, INDEXES, names, |row| {
        let (names, folded): (Vec<String>, Vec<bool>) = (row.try_get(3)?, row.try_get(5)?);
        let expressions: Vec<Option<String>> = row.try_get(9)?;
        let reads = names.iter().zip(expressions).flat_map(|(name, expression)| {
            expression.map_or_else(|| vec![name.clone()], |expression| column_names(&expression))
        });
        let reads = reads.collect();
        let columns = names.into_iter().zip(folded).zip(row.try_get::<Vec<bool>, _>(7)?);
        let columns = columns.map(|((name, ignores_case), nulls_first)| IndexedColumn {
            // An expression has none.
            name: Some(name).filter(|name| !name.is_empty()),
            ignores_case,
            nulls_first: Some(nulls_first),
        });
        let index = Index {
            name: row.try_get(6)?,
            unique: row.try_get(1)?,
            partial: row.try_get(2)?,
            columns: columns.collect(),
            reads,
            plain: row.try_get(4)?,
        };
        Ok((index, row.try_get(8)?))
    })
    .await
}

async fn foreign_keys(connection: &mut PgConnection, names: &[String]) -> sqlx::Result<Vec<Vec<ForeignKey>>> {
    const FOREIGN_KEYS: &str = "SELECT n.place, CASE WHEN pg_table_is_visible(f.oid) THEN f.relname::text \
        ELSE (SELECT nspname FROM pg_namespace WHERE oid = f.relnamespace) || '.' || f.relname END, array_agg(a.attname::text ORDER BY k), \
        array_agg(b.attname::text ORDER BY k), c.confdeltype::text, c.conname::text, \
        c.confupdtype::text \
        FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_constraint c ON c.conrelid = to_regclass(n.name) JOIN pg_class f ON f.oid = c.confrelid \
        CROSS JOIN generate_series(1, cardinality(c.conkey)) k \
        JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[k] \
        JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[k] \
        WHERE c.contype = 'f' GROUP BY n.place, c.oid, f.oid, f.relname, f.relnamespace, c.confdeltype, c.confupdtype, \
        c.conname ORDER BY n.place, c.oid";
    by_name(connection, FOREIGN_KEYS, names, |row| {
        let (from, to): (Vec<String>, Vec<String>) = (row.try_get(2)?, row.try_get(3)?);
        let columns = from.into_iter().zip(to.into_iter().map(Some)).collect();
        let [on_delete, on_update] = [action(&row.try_get::<String, _>(4)?), action(&row.try_get::<String, _>(6)?)];
        Ok(ForeignKey { name: row.try_get(5)?, table: row.try_get(1)?, columns, on_delete, on_update })
    })
    .await
}

/// The action of a foreign key, from its letter.
pub(in crate::postgres) fn action(letter: &str) -> String {
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
    const INDEXES: &str = "SELECT n.place, c.relname::text, pg_get_indexdef(i.indexrelid) \
        FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_index i ON i.indrelid = to_regclass(n.name) \
        JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam \
        WHERE m.amname = 'gin' AND i.indisvalid ORDER BY n.place, c.relname";
    let present = |row: &PgRow| Ok(PresentSearch { name: row.try_get(1)?, definition: row.try_get(2)?, written: None });
    let mut found = by_name(connection, INDEXES, names, present).await?;
    for searches in &mut found {
        searches.retain(|search| search_index::is_name(&search.name));
    }
    Ok(found)
}
