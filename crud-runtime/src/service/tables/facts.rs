//! The facts of the tables at a start: what the database fills in, computes and changes by triggers.

use std::time::Duration;

use tokio::time::timeout;

use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};
use crate::storage::facts::{ColumnFacts, TableFacts};
use crate::storage::migrate_error::MigrateError;
use crate::storage::schema::{Difference, DifferenceKind};

/// The longest time that a start waits for the facts.
const TIME_LIMIT: Duration = Duration::from_secs(5);

impl Service {
    /// Reads the facts of the tables, and logs the triggers that writes cannot follow.
    ///
    /// # Errors
    /// [`Error::Database`] when they cannot be read; [`MigrateError::Mismatch`] where a struct contradicts them.
    pub(in crate::service) async fn learn(&mut self) -> Result<()> {
        let tables = self.tables();
        let facts = self.administration.learn(&self.stored(&tables)).await.map_err(Error::Database)?;
        self.learned.clone_from(&tables);
        self.check_expressions(&tables).await?;
        facts.iter().for_each(report);
        let lines: Vec<String> = differences(&tables, &facts).iter().map(Difference::to_string).collect();
        if lines.is_empty() { Ok(()) } else { Err(MigrateError::Mismatch(lines).into()) }
    }

    /// Reads the facts of tables that no migration has read. Where this fails, a write reads the facts of its table.
    ///
    /// # Errors
    /// [`MigrateError::Mismatch`] where a struct contradicts them.
    pub(in crate::service) async fn learn_at_start(&mut self) -> Result<()> {
        const UNREAD: &str = "the facts of tables cannot be read: the first change of each reads them";
        let is_known = |table: &&'static Descriptor| self.learned.iter().any(|known| std::ptr::eq(*known, *table));
        if self.tables().iter().all(is_known) {
            return Ok(());
        }
        match timeout(TIME_LIMIT, self.learn()).await {
            Ok(Err(Error::Database(error))) => tracing::warn!(%error, "{UNREAD}"),
            Ok(learned) => return learned,
            Err(_) => tracing::warn!(seconds = TIME_LIMIT.as_secs(), "{UNREAD}"),
        }
        Ok(())
    }

    /// Differences between the facts of the tables and the structs.
    #[cfg(any(feature = "config", feature = "migrations"))]
    pub(in crate::service) async fn fact_differences(&self) -> Result<Vec<Difference>> {
        let tables = self.tables();
        let facts = self.administration.learn(&self.stored(&tables)).await.map_err(Error::Database)?;
        Ok(differences(&tables, &facts))
    }

    /// The descriptions that storage gets of these tables.
    fn stored(&self, tables: &[&'static Descriptor]) -> Vec<&'static Descriptor> {
        tables.iter().map(|table| self.overrides.of(table)).collect()
    }

    /// A field that the database fills in needs a database that does.
    pub(in crate::service) fn check_filled(&self) -> Result<()> {
        if self.adapter.capabilities().defaults {
            return Ok(());
        }
        for resource in self.tables() {
            if let Some(column) = resource.columns.iter().find(|column| column.database_default) {
                return Err(Error::Setup(format!(
                    "{}.{} has `default(database)`, and this storage fills in nothing: write `default(…)`, or use an SQL \
                     database",
                    resource.name, column.name
                )));
            }
        }
        Ok(())
    }
}

/// Logs the triggers of a table that change records after a change, or after its end.
fn report(facts: &TableFacts) {
    let names = |is: fn(&crate::storage::facts::TriggerFacts) -> bool| {
        let triggers = facts.triggers.iter().filter(|trigger| is(trigger));
        triggers.map(|trigger| trigger.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    let (table, rereads, deferred) =
        (&facts.table, names(|trigger| trigger.changes_returned), names(|trigger| trigger.is_deferred));
    if !rereads.is_empty() {
        tracing::info!(
            table,
            triggers = rereads,
            "each change reads its records again: triggers may have changed them"
        );
    }
    let replacing = names(|trigger| trigger.replaces);
    if !replacing.is_empty() {
        tracing::warn!(
            table,
            rules = replacing,
            "rules do something instead of changes of the table: a change that returns no record then is refused, 422 \
             `constraint_failed`. Write them as triggers, or give them RETURNING"
        );
    }
    if !deferred.is_empty() {
        tracing::warn!(
            table,
            triggers = deferred,
            "deferred triggers run at the commit: what they change is neither in the answer nor in the audit entry"
        );
    }
}

/// Differences between structs and the facts of their tables.
fn differences(resources: &[&'static Descriptor], facts: &[TableFacts]) -> Vec<Difference> {
    let mut found: Vec<Difference> = Vec::new();
    // Records without a key are only read: no statement sets their columns.
    let written = resources.iter().filter(|resource| resource.view.is_none() && !resource.keyless);
    for resource in written {
        let Some(table) = facts.iter().find(|table| table.table.eq_ignore_ascii_case(resource.table)) else { continue };
        for column in resource.columns.iter().filter(|column| column.is_stored()) {
            let known = table.columns.iter().find(|known| known.name.eq_ignore_ascii_case(column.column));
            let what = known.and_then(|known| difference(column, known, table));
            let difference = what.map(|what| Difference::new(resource.table, what));
            found.extend(difference.filter(|difference| !found.contains(difference)));
        }
    }
    found
}

fn difference(column: &'static ColumnDescriptor, known: &ColumnFacts, table: &TableFacts) -> Option<DifferenceKind> {
    let is_key = column.role == Role::Id;
    if known.is_generated && !column.is_computed() && !is_key {
        return Some(DifferenceKind::Generated { column: column.column });
    }
    if !column.database_default {
        return None;
    }
    let is_filled = known.has_default || known.is_generated || table.triggers.iter().any(|trigger| trigger.changes);
    if !is_filled && !known.nullable {
        return Some(DifferenceKind::NotFilled { column: column.column });
    }
    (is_key && !table.returns_keys).then_some(DifferenceKind::KeyNotReturned { column: column.column })
}
