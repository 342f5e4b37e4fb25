//! Triggers of SQLite's tables.

use super::rows::Cells;
use super::search_triggers::OF_SEARCH;
use crate::driver::Driver;
use crate::statement::Text;
use crate::storage::facts::TriggerFacts;

/// The triggers, without those of an index of words.
pub(super) fn triggers() -> Text {
    Text::Assembled(format!(
        "SELECT n.key, t.name, t.sql LIKE '%ignore%' FROM json_each(?1) n \
        JOIN sqlite_schema t ON t.type = 'trigger' AND t.tbl_name = n.value COLLATE NOCASE \
        WHERE NOT EXISTS (SELECT 1 FROM sqlite_schema x WHERE {OF_SEARCH}) ORDER BY n.key, t.name"
    ))
}

pub(super) fn trigger<D: Driver>(row: &Cells<'_, D>) -> TriggerFacts {
    let mut trigger = TriggerFacts::new(row.text(1));
    // `RETURNING` has the record as it is before triggers after it; when one runs, its text alone says.
    (trigger.changes, trigger.changes_returned, trigger.leaves_out) = (true, true, row.is(2));
    trigger
}
