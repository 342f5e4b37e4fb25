//! Objects around a table of PostgreSQL: extensions, types, sequences, partitions, triggers and policies.

use sqlx::AssertSqlSafe;
use sqlx::postgres::PgConnection;

use crate::identifier::table_identifier;
use crate::postgres::dialect::Postgres;

/// The types of a table's columns, those of arrays' elements among them, and the types that domains are over.
const TYPES: &str = "WITH RECURSIVE used (id) AS ( \
    SELECT COALESCE(NULLIF(t.typelem, 0), t.oid) FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid \
    WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped \
    UNION SELECT t.typbasetype FROM used JOIN pg_type t ON t.oid = used.id WHERE t.typtype = 'd') ";

/// The extensions that the types come with.
const EXTENSIONS: &str = "SELECT DISTINCT 'CREATE EXTENSION IF NOT EXISTS ' || quote_ident(e.extname) FROM used \
    JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = used.id AND d.deptype = 'e' \
    JOIN pg_extension e ON e.oid = d.refobjid ORDER BY 1";

/// The enums and the domains, each after that which it is over.
const CREATED_TYPES: &str = "SELECT 'DO $crud$ BEGIN CREATE ' || CASE t.typtype WHEN 'e' THEN 'TYPE ' || \
    format_type(t.oid, NULL) || ' AS ENUM (' || \
    (SELECT string_agg(quote_literal(enumlabel), ', ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = t.oid) || ')' \
    ELSE 'DOMAIN ' || format_type(t.oid, NULL) || ' AS ' || format_type(t.typbasetype, t.typtypmod) || \
    COALESCE(' DEFAULT ' || t.typdefault, '') || CASE WHEN t.typnotnull THEN ' NOT NULL' ELSE '' END || \
    COALESCE((SELECT string_agg(' CONSTRAINT ' || quote_ident(conname) || ' ' || pg_get_constraintdef(oid), '') \
    FROM pg_constraint WHERE contypid = t.oid AND contype = 'c'), '') END || \
    '; EXCEPTION WHEN duplicate_object THEN NULL; END $crud$' \
    FROM used JOIN pg_type t ON t.oid = used.id WHERE t.typtype IN ('e', 'd') AND NOT EXISTS \
    (SELECT FROM pg_depend d WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e') \
    ORDER BY t.typtype = 'd', t.oid";

/// The sequences that defaults call and that do not belong to the column.
const SEQUENCES: &str = "SELECT DISTINCT 'CREATE SEQUENCE IF NOT EXISTS ' || s.oid::regclass::text || ' AS ' || \
    format_type(q.seqtypid, NULL) || ' INCREMENT BY ' || q.seqincrement || ' MINVALUE ' || q.seqmin || ' MAXVALUE ' || \
    q.seqmax || ' START WITH ' || q.seqstart || CASE WHEN q.seqcycle THEN ' CYCLE' ELSE '' END \
    FROM pg_attrdef d JOIN pg_depend p ON p.classid = 'pg_attrdef'::regclass AND p.objid = d.oid \
    AND p.refclassid = 'pg_class'::regclass JOIN pg_class s ON s.oid = p.refobjid AND s.relkind = 'S' \
    JOIN pg_sequence q ON q.seqrelid = s.oid WHERE d.adrelid = to_regclass($1) AND NOT EXISTS (SELECT FROM pg_depend o \
    WHERE o.classid = 'pg_class'::regclass AND o.objid = s.oid AND o.refobjid = d.adrelid AND o.deptype IN ('a', 'i')) \
    ORDER BY 1";

/// Partition key of the table.
pub(in crate::postgres) const PARTITIONED: &str = "SELECT ' PARTITION BY ' || pg_get_partkeydef(oid) FROM pg_class \
    WHERE oid = to_regclass($1) AND relkind = 'p'";

/// The partitions of the table.
pub(in crate::postgres) const PARTITIONS: &str = "SELECT 'CREATE TABLE IF NOT EXISTS ' || c.oid::regclass::text || ' PARTITION OF ' || \
    i.inhparent::regclass::text || ' ' || pg_get_expr(c.relpartbound, c.oid) || \
    COALESCE(' PARTITION BY ' || pg_get_partkeydef(c.oid), '') FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
    WHERE i.inhparent = to_regclass($1) AND c.relispartition ORDER BY c.relname";

/// The objects that are left out. A partition has constraints and indexes that its table has not.
pub(in crate::postgres) const LEFT_OUT: &str = "SELECT 'the trigger `' || tgname || '`' FROM pg_trigger \
    WHERE tgrelid = to_regclass($1) AND NOT tgisinternal \
    UNION ALL SELECT DISTINCT 'the function `' || p.oid::regprocedure::text || '`, which a default or a constraint calls' \
    FROM pg_depend d JOIN pg_proc p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid \
    WHERE (d.classid, d.objid) IN (SELECT 'pg_attrdef'::regclass::oid, oid FROM pg_attrdef WHERE adrelid = to_regclass($1) \
    UNION ALL SELECT 'pg_constraint'::regclass::oid, oid FROM pg_constraint WHERE conrelid = to_regclass($1)) \
    AND NOT EXISTS (SELECT FROM pg_depend e WHERE e.classid = 'pg_proc'::regclass AND e.objid = p.oid AND e.deptype = 'e') \
    UNION ALL SELECT 'the policy `' || polname || '`' FROM pg_policy WHERE polrelid = to_regclass($1) \
    UNION ALL SELECT 'row-level security' FROM pg_class WHERE oid = to_regclass($1) AND relrowsecurity \
    UNION ALL SELECT 'constraints and indexes of the partition `' || c.oid::regclass::text || '`' FROM pg_inherits i \
    JOIN pg_class c ON c.oid = i.inhrelid WHERE i.inhparent = to_regclass($1) AND c.relispartition AND ( \
    EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.conparentid = 0 AND k.contype IN ('p', 'u', 'f', 'x')) \
    OR EXISTS (SELECT FROM pg_index x WHERE x.indrelid = c.oid AND NOT EXISTS \
    (SELECT FROM pg_inherits h WHERE h.inhrelid = x.indexrelid)))";

/// The statements that create what a table needs.
pub(in crate::postgres) async fn needs(connection: &mut PgConnection, table: &str) -> sqlx::Result<Vec<String>> {
    let mut needs = Vec::new();
    for statement in [&[TYPES, EXTENSIONS].concat(), &[TYPES, CREATED_TYPES].concat(), SEQUENCES] {
        needs.extend(texts(connection, statement, table).await?);
    }
    Ok(needs)
}

/// The rows of a statement about a table, which have one text each.
pub(in crate::postgres) async fn texts(
    connection: &mut PgConnection,
    statement: &str,
    table: &str,
) -> sqlx::Result<Vec<String>> {
    let statement = AssertSqlSafe(statement.to_owned());
    sqlx::query_scalar(statement).bind(table_identifier::<Postgres>(table)).fetch_all(connection).await
}
