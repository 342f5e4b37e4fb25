//! [`Tally`]: how the writer's transactions change the numbers of records.
//!
//! Temporary triggers count each row that is inserted, deleted, soft-deleted or restored, whether by a statement, a
//! reference or another trigger. The counts are in a temporary table:
//!
//! ```sql
//! CREATE TEMP TRIGGER "crud_tally_0_insert" AFTER INSERT ON main."products" BEGIN
//!   UPDATE crud_tally SET active = active + (NEW."deleted_at" IS NULL), … WHERE id = 0; END
//! ```
//!
//! A rollback reverts that table too. SQLite calls no trigger for a row that `REPLACE` removes. If a schema or a
//! statement contains that word, the changes are unknown.

use std::collections::HashMap;
use std::sync::Arc;

use rusqlite::Connection;

use crate::sqlite::embedded::error::Error;
use crate::sqlite::embedded::totals::{Base, Numbers, Table, Totals};

/// The SQL keyword that removes rows without calling a trigger.
const REPLACE: &[u8] = b"replace";

/// Counts the changes of a connection's transactions.
pub(in crate::sqlite::embedded) struct Tally {
    totals: Arc<Totals>,
    /// The tables with triggers; the index is the row in the temporary table. `None` for a table that cannot have
    /// triggers.
    installed: Vec<Option<Table>>,
    /// The version of the schema for which the triggers were installed.
    schema: i64,
    started: Option<Started>,
    /// Whether the triggers are removed for migrations, some of which they would forbid.
    paused: bool,
}

/// A transaction in which changes are counted.
struct Started {
    base: Base,
    before: Vec<Numbers>,
}

/// A transaction that is about to be committed.
pub(in crate::sqlite::embedded) struct Finished {
    base: Base,
    changes: HashMap<Table, Numbers>,
}

impl Tally {
    pub(in crate::sqlite::embedded) fn new(totals: Arc<Totals>) -> Self {
        Self { totals, installed: Vec::new(), schema: 0, started: None, paused: false }
    }

    /// Installs missing triggers, before a transaction begins.
    pub(in crate::sqlite::embedded) fn prepare(&mut self, sqlite: &Connection) {
        self.started = None;
        let watched = self.totals.watched();
        if self.paused || watched == 0 || (watched == self.installed.len() && schema_version(sqlite) == Ok(self.schema))
        {
            return;
        }
        self.remove(sqlite);
        if self.install(sqlite).is_err() {
            // The changes are unknown until the schema changes.
            self.remove(sqlite);
            self.installed = vec![None; watched];
        }
    }

    fn install(&mut self, sqlite: &Connection) -> rusqlite::Result<()> {
        const REPLACES: &str = "SELECT count(*) FROM main.sqlite_schema WHERE sql LIKE '%replace%'";
        let tables = self.totals.watched_tables();
        self.schema = schema_version(sqlite)?;
        if sqlite.query_row(REPLACES, (), |row| row.get::<_, i64>(0))? > 0 {
            self.installed = vec![None; tables.len()];
            return Ok(());
        }
        sqlite.execute_batch(
            "PRAGMA temp_store = MEMORY; CREATE TEMP TABLE crud_tally \
             (id INTEGER PRIMARY KEY, active INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0)",
        )?;
        for (id, table) in tables.into_iter().enumerate() {
            sqlite.execute_batch(&format!("INSERT INTO temp.crud_tally (id) VALUES ({id})"))?;
            // A view cannot have these triggers.
            let has_triggers = sqlite.execute_batch(&triggers(id, table)).is_ok();
            self.installed.push(has_triggers.then_some(table));
        }
        self.schema = schema_version(sqlite)?;
        Ok(())
    }

    fn remove(&mut self, sqlite: &Connection) {
        for id in 0..self.installed.len() {
            for event in ["insert", "delete", "update"] {
                let drop_it = format!("DROP TRIGGER IF EXISTS temp.crud_tally_{id}_{event}");
                // If a trigger stays, the installation fails.
                let _ = sqlite.execute_batch(&drop_it);
            }
        }
        let _ = sqlite.execute_batch("DROP TABLE IF EXISTS temp.crud_tally");
        self.installed.clear();
    }

    /// Removes the triggers until [`resume`](Self::resume).
    #[cfg(feature = "migrations")]
    pub(in crate::sqlite::embedded) fn pause(&mut self, sqlite: &Connection) {
        self.remove(sqlite);
        self.paused = true;
        self.started = None;
    }

    /// Ends the transaction and a pause.
    pub(in crate::sqlite::embedded) fn resume(&mut self) {
        self.paused = false;
        self.started = None;
    }

    /// Starts to count in a transaction that no other transaction can run beside.
    pub(in crate::sqlite::embedded) fn start(&mut self, sqlite: &Connection) {
        if self.installed.iter().any(Option::is_some) {
            let started = || Ok::<_, Error>(Started { base: self.totals.base(sqlite)?, before: read(sqlite)? });
            self.started = started().ok();
        }
    }

    /// Notes a statement. If it may replace rows, the changes of the transaction are unknown.
    pub(in crate::sqlite::embedded) fn notice(&mut self, text: &str) {
        if self.started.is_some()
            && text.as_bytes().windows(REPLACE.len()).any(|word| word.eq_ignore_ascii_case(REPLACE))
        {
            self.started = None;
        }
    }

    /// Finishes the count of a transaction before its commit; `None` if its changes are unknown.
    pub(in crate::sqlite::embedded) fn finish(&mut self, sqlite: &Connection) -> Option<Finished> {
        let Started { base, before } = self.started.take()?;
        if schema_version(sqlite).ok()? != self.schema {
            return None;
        }
        let after = read(sqlite).ok()?;
        let counted = self.installed.iter().zip(after.into_iter().zip(before));
        let changes = counted.filter_map(|(table, (after, before))| Some(((*table)?, after.minus(before)))).collect();
        Some(Finished { base, changes })
    }

    /// Adds the changes of a committed transaction to the totals.
    pub(in crate::sqlite::embedded) fn committed(&self, sqlite: &Connection, finished: &Finished) {
        // If that fails, the numbers stay at an old version, and are not used.
        let _ = self.totals.committed(sqlite, finished.base, &finished.changes);
    }
}

/// The counts since the triggers were installed.
fn read(sqlite: &Connection) -> Result<Vec<Numbers>, Error> {
    let mut statement = sqlite.prepare_cached("SELECT active, deleted FROM temp.crud_tally ORDER BY id")?;
    let numbers = statement.query_map((), |row| Ok(Numbers { active: row.get(0)?, deleted: row.get(1)? }))?;
    Ok(numbers.collect::<rusqlite::Result<_>>()?)
}

fn schema_version(sqlite: &Connection) -> rusqlite::Result<i64> {
    sqlite.prepare_cached("PRAGMA main.schema_version")?.query_row((), |row| row.get(0))
}

/// The statements that create the triggers of a table.
fn triggers(id: usize, table: Table) -> String {
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let name = quoted(table.name);
    let trigger = |event: &str, when: &str, change: &str| {
        format!(
            "CREATE TEMP TRIGGER crud_tally_{id}_{event} AFTER {when} BEGIN \
             UPDATE crud_tally SET {change} WHERE id = {id}; END;"
        )
    };
    let on = |event: &str| format!("{event} ON main.{name}");
    let Some(deleted_at) = table.deleted_at.map(quoted) else {
        return trigger("insert", &on("INSERT"), "active = active + 1")
            + &trigger("delete", &on("DELETE"), "active = active - 1");
    };
    let by = |sign: &str, row: &str| {
        format!(
            "active = active {sign} ({row}.{deleted_at} IS NULL), deleted = deleted {sign} ({row}.{deleted_at} IS NOT NULL)"
        )
    };
    let differs = format!(
        "{} WHEN (OLD.{deleted_at} IS NULL) <> (NEW.{deleted_at} IS NULL)",
        on(&format!("UPDATE OF {deleted_at}"))
    );
    let moved = format!(
        "active = active + (NEW.{deleted_at} IS NULL) - (OLD.{deleted_at} IS NULL), \
         deleted = deleted + (OLD.{deleted_at} IS NULL) - (NEW.{deleted_at} IS NULL)"
    );
    trigger("insert", &on("INSERT"), &by("+", "NEW"))
        + &trigger("delete", &on("DELETE"), &by("-", "OLD"))
        + &trigger("update", &differs, &moved)
}
