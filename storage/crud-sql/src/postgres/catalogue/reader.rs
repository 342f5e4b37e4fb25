//! The parts of tables in PostgreSQL's catalogue.

use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::catalogue::table::{Check, Column, ForeignKey, Index, IndexedColumn, Table};
use crate::column_names::column_names;
use crate::search_index::SearchIndex;

pub(super) fn kind_name(kind: &str) -> &'static str {
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

/// The columns. A partitioned table has no primary key without the columns that it is partitioned by: that of a partition
/// counts. Whether the database's own collation orders by code point is seen best by what it does. A column of a domain has
/// the domain's default.
pub(super) const COLUMNS: &str = "SELECT n.place, a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull, \
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

/// A table with one of its columns, if it has any.
pub(super) fn table(row: &PgRow) -> sqlx::Result<Table> {
    let (kind, name): (String, Option<String>) = (row.try_get(12)?, row.try_get(1)?);
    let (partitioned, kind) = (kind == "p", kind_name(&kind).to_owned());
    let table = Table { kind, partitioned, returns_keys: true, ..Table::default() };
    let Some(name) = name else { return Ok(table) };
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
        filled: row.try_get(10)?,
        fixed: row.try_get(11)?,
        ..Column::default()
    };
    Ok(Table { columns: vec![column], ..table })
}

/// The indexes: those that are valid, and those that refuse duplicates. An option of 2 puts nulls first, one of 1 descends. Of
/// `character varying`, an expression has a cast.
pub(super) const INDEXES: &str = "SELECT n.place, i.indisunique, pg_get_expr(i.indpred, i.indrelid), \
    array_agg(COALESCE(a.attname, l.attname, '')::text ORDER BY k), m.amname = 'btree' AND bool_and(COALESCE( \
    i.indoption[k] IN (0, 2) AND i.indcollation[k] = a.attcollation, false)), \
    array_agg(l.attname IS NOT NULL ORDER BY k), c.relname::text, \
    array_agg(i.indoption[k] & 2 <> 0 ORDER BY k), i.indisvalid, \
    array_agg(CASE WHEN a.attname IS NULL THEN pg_get_indexdef(i.indexrelid, k + 1, false) END ORDER BY k), \
    i.indisunique AND bool_and(i.indimmediate AND i.indexprs IS NULL AND i.indpred IS NULL) \
    FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_index i ON i.indrelid = to_regclass(n.name) JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam \
    CROSS JOIN generate_series(0, i.indnkeyatts::int - 1) k \
    LEFT JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k] \
    LEFT JOIN pg_attribute l ON i.indkey[k] = 0 AND l.attrelid = i.indrelid AND l.attnum > 0 \
    AND pg_get_indexdef(i.indexrelid, k + 1, false) IN \
    (format('lower(%I)', l.attname), format('lower((%I)::text)', l.attname)) \
    WHERE i.indisvalid OR i.indisunique GROUP BY n.place, i.indexrelid, m.amname, c.relname, \
    i.indisvalid, i.indisunique, i.indpred, i.indrelid ORDER BY n.place, i.indexrelid";

/// An index, and whether it is valid.
pub(super) fn index(row: &PgRow) -> sqlx::Result<(Index, bool)> {
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
        identifies: row.try_get(10)?,
        partial: row.try_get(2)?,
        columns: columns.collect(),
        reads,
        plain: row.try_get(4)?,
    };
    Ok((index, row.try_get(8)?))
}

/// The foreign keys. PostgreSQL lists one to a partitioned table again for each partition: only the key to the table itself is
/// read.
pub(super) const FOREIGN_KEYS: &str = "SELECT n.place, CASE WHEN pg_table_is_visible(f.oid) THEN f.relname::text \
    ELSE (SELECT nspname FROM pg_namespace WHERE oid = f.relnamespace) || '.' || f.relname END, array_agg(a.attname::text ORDER BY k), \
    array_agg(b.attname::text ORDER BY k), c.confdeltype::text, c.conname::text, \
    c.confupdtype::text, (SELECT nspname::text FROM pg_namespace WHERE oid = f.relnamespace) \
    FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_constraint c ON c.conrelid = to_regclass(n.name) JOIN pg_class f ON f.oid = c.confrelid \
    CROSS JOIN generate_series(1, cardinality(c.conkey)) k \
    JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[k] \
    JOIN pg_attribute b ON b.attrelid = c.confrelid AND b.attnum = c.confkey[k] \
    WHERE c.contype = 'f' AND NOT (c.conparentid <> 0 \
    AND EXISTS (SELECT FROM pg_inherits i WHERE i.inhrelid = c.confrelid)) GROUP BY n.place, c.oid, f.oid, f.relname, f.relnamespace, c.confdeltype, c.confupdtype, \
    c.conname ORDER BY n.place, c.oid";

pub(super) fn foreign_key(row: &PgRow) -> sqlx::Result<ForeignKey> {
    let (from, to): (Vec<String>, Vec<String>) = (row.try_get(2)?, row.try_get(3)?);
    let columns = from.into_iter().zip(to.into_iter().map(Some)).collect();
    let [on_delete, on_update] = [action(&row.try_get::<String, _>(4)?), action(&row.try_get::<String, _>(6)?)];
    let (name, table, schema) = (row.try_get(5)?, row.try_get(1)?, row.try_get(7)?);
    Ok(ForeignKey { name, table, schema, columns, on_delete, on_update })
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

/// The CHECK constraints. The server writes a condition anew.
pub(in crate::postgres) const CHECKS: &str = "SELECT n.place, c.conname::text, \
    COALESCE(substring(pg_get_constraintdef(c.oid) FROM '^CHECK \\((.*)\\)$'), '') \
    FROM unnest($1::text[]) WITH ORDINALITY n (name, place) \
    JOIN pg_constraint c ON c.conrelid = to_regclass(n.name) AND c.contype = 'c' ORDER BY n.place, c.oid";

pub(in crate::postgres) fn check(row: &PgRow) -> sqlx::Result<Check> {
    Ok(Check { name: row.try_get(1)?, condition: row.try_get(2)? })
}

/// The indexes of words, and others of their kind.
pub(super) const SEARCHES: &str = "SELECT n.place, c.relname::text, pg_get_indexdef(i.indexrelid) \
    FROM unnest($1::text[]) WITH ORDINALITY n (name, place) JOIN pg_index i ON i.indrelid = to_regclass(n.name) \
    JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_am m ON m.oid = c.relam \
    WHERE m.amname = 'gin' AND i.indisvalid ORDER BY n.place, c.relname";

pub(super) fn search(row: &PgRow) -> sqlx::Result<SearchIndex> {
    Ok(SearchIndex { name: row.try_get(1)?, create: vec![row.try_get(2)?], create_concurrently: None })
}
