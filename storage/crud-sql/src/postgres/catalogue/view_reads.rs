//! The tables and views that a view reads, which PostgreSQL keeps as dependencies.

use crate::catalogue::table::Reads;

/// Dependencies of the rule of a view, through views, functions and operators, with the partitions and heirs of a table and
/// the table of a partition. A function that is not IMMUTABLE may read any table, unless it comes with an extension.
pub(super) const READS: &str = "WITH RECURSIVE reads (place, class, id) AS ( \
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

/// The reads of one view, from the names of tables and functions.
pub(super) fn of_view(found: Vec<(Option<String>, Option<String>)>) -> Reads {
    let mut reads = Reads::default();
    for (name, function) in found {
        reads.names.extend(name);
        reads.opaque = reads.opaque.or(function.map(|name| format!("the function `{name}`, which is not IMMUTABLE")));
    }
    reads
}
