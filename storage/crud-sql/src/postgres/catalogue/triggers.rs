//! Triggers of PostgreSQL's tables, with the rules.

use sqlx::Row;
use sqlx::postgres::PgRow;

use crate::storage::facts::TriggerFacts;

/// Bits of `pg_trigger.tgtype`.
const ROW: i32 = 1;
const BEFORE: i32 = 2;
const INSERT: i32 = 4;
const DELETE: i32 = 8;
const UPDATE: i32 = 16;

/// The triggers that are on; those of a partition run for records of the partitioned table. A rule is a trigger of statements,
/// as far as it changes records.
pub(super) const TRIGGERS: &str = "WITH wanted AS (SELECT n.place, r.oid FROM unnest($1::text[]) WITH ORDINALITY n (name, place) \
    CROSS JOIN LATERAL (SELECT to_regclass(n.name)::oid UNION \
    SELECT relid::oid FROM pg_partition_tree(to_regclass(n.name))) r(oid)) \
    SELECT w.place, t.tgname::text, t.tgtype::int, t.tginitdeferred, false FROM wanted w JOIN pg_trigger t ON t.tgrelid = w.oid \
    WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') UNION \
    SELECT w.place, u.rulename::text, CASE u.ev_type WHEN '3' THEN 4 WHEN '4' THEN 8 ELSE 16 END, false, u.is_instead \
    FROM wanted w JOIN pg_rewrite u ON u.ev_class = w.oid AND u.ev_type IN ('2', '3', '4') \
    AND u.ev_enabled IN ('O', 'A') ORDER BY 1, 2";

pub(super) fn trigger(row: &PgRow) -> sqlx::Result<TriggerFacts> {
    let (kind, is_deferred, replaces): (i32, bool, bool) = (row.try_get(2)?, row.try_get(3)?, row.try_get(4)?);
    let has = |bits: i32| kind & bits != 0;
    let mut trigger = TriggerFacts::new(row.try_get::<String, _>(1)?);
    trigger.changes = has(INSERT | UPDATE);
    // `RETURNING` has the record as triggers before it leave it.
    trigger.changes_returned = trigger.changes && !(has(BEFORE) && has(ROW)) && !is_deferred;
    trigger.leaves_out = (has(BEFORE) && has(ROW) || replaces) && has(INSERT | DELETE);
    trigger.replaces = replaces;
    trigger.is_deferred = is_deferred;
    Ok(trigger)
}
