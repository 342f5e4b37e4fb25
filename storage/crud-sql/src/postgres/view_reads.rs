//! The tables and views that a view reads, which PostgreSQL keeps as dependencies.

use sqlx::Row as _;
use sqlx::postgres::PgConnection;

use super::dialect::Postgres;
use crate::schema::ddl::table_identifier;
use crate::schema::table::Reads;

/// Dependencies of the rule of a view, through views, functions and operators, with the partitions and heirs of a table and
/// the table of a partition. A function that is not IMMUTABLE may read any table, unless it comes with an extension.
const READS: &str = "WITH RECURSIVE reads (place, class, id) AS ( \
     SELECT n.place, 'pg_class'::regclass::oid, to_regclass(n.name)::oid \
     FROM unnest($1::text[]) WITH ORDINALITY n (name, place) \
     UNION SELECT r.place, found.class, found.id FROM reads r CROSS JOIN LATERAL ( \
         SELECT 'pg_rewrite'::regclass::oid, oid FROM pg_rewrite \
         WHERE r.class = 'pg_class'::regclass AND ev_class = r.id AND ev_type = '1' \
         UNION ALL SELECT refclassid, refobjid FROM pg_depend \
         WHERE r.class <> 'pg_class'::regclass AND classid = r.class AND objid = r.id \
         UNION ALL SELECT r.class, inhrelid FROM pg_inherits WHERE r.class = 'pg_class'::regclass AND inhparent = r.id \
         UNION ALL SELECT r.class, inhparent FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid AND c.relispartition \
         WHERE r.class = 'pg_class'::regclass AND inhrelid = r.id \
     ) found (class, id)) \
     SELECT place, name::text, NULL FROM reads JOIN pg_class c ON class = 'pg_class'::regclass AND id = c.oid \
     JOIN pg_namespace n ON n.oid = c.relnamespace CROSS JOIN LATERAL ( \
         SELECT nspname || '.' || relname UNION ALL SELECT relname WHERE pg_table_is_visible(c.oid)) names (name) \
     UNION ALL SELECT place, NULL, proname::text FROM reads JOIN pg_proc p ON class = 'pg_proc'::regclass AND id = p.oid \
     WHERE provolatile <> 'i' AND NOT EXISTS ( \
         SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e')";

/// See [`Driver::reads`](crate::driver::Driver::reads).
pub(super) async fn reads(connection: &mut PgConnection, views: Vec<&str>) -> sqlx::Result<Vec<Reads>> {
    let quoted: Vec<String> = views.iter().map(|view| table_identifier::<Postgres>(view)).collect();
    let mut all: Vec<Reads> = views.iter().map(|_| Reads::default()).collect();
    for row in sqlx::query(READS).bind(quoted).fetch_all(connection).await? {
        let place = usize::try_from(row.try_get::<i64, _>(0)? - 1).unwrap_or(usize::MAX);
        let Some(reads) = all.get_mut(place) else { continue };
        reads.names.extend(row.try_get::<Option<String>, _>(1)?);
        let function: Option<String> = row.try_get(2)?;
        let opaque = || function.map(|name| format!("the function `{name}`, which is not IMMUTABLE"));
        reads.opaque = reads.opaque.take().or_else(opaque);
    }
    Ok(all)
}
