//! Tables with records that no struct names.

use std::fmt::Write;
use std::time::Duration;

use tokio::time::timeout;

use crate::model::adapter_error::AdapterError;
use crate::model::resource::Resource;
use crate::service::builder::Service;
use crate::service::tables::internal_tables;
use crate::storage::error::{Error, Result};
use crate::storage::unused_table::UnusedTable;
use crate::store::tables::owner::TableOwner;

/// The longest time that a start waits for the names of tables.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// The greatest number of tables that a line names.
const MAX_NAMED: usize = 10;

/// The tables of the history of migrations, and of the progress of data migrations.
const HISTORY: [&str; 3] = ["_crud_migrations", "_sqlx_migrations", "crud_data_migrations"];

/// The service's own tables that need a feature: a program without it may share its database with one that has it.
const OF_FEATURES: [&str; 5] = ["auth_issuers", "auth_revocations", "auth_users", "crud_jobs", "crud_schedules"];

/// # Tables without a struct
///
/// Tables of the database that no struct of the service names.
impl Service {
    /// The tables with records that no struct of the service names: of structs that were renamed without `renamed_from`, of
    /// resources that were removed, and those of other programs in the same database, which come last. Empty on storage
    /// that cannot tell.
    ///
    /// A start logs their names once, or that it could not read them within five seconds; the command `check` prints them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn unused_tables(&self) -> Result<Vec<UnusedTable>> {
        // Where the service's own tables have a schema, other tables may have their names.
        let has_own = self.own_schema.is_none();
        let own = internal_tables().into_iter().filter(|_| has_own).chain(self.described_tables()?);
        // The table of owners names the owners of other tables, if it has records.
        let own = own.filter(|table| table.table != TableOwner::DESCRIPTOR.table);
        let of_features = OF_FEATURES.into_iter().filter(|_| has_own);
        let used: Vec<&'static str> = own.map(|resource| resource.table).chain(HISTORY).chain(of_features).collect();
        let mut found = self.administration.unused_tables(&used).await.map_err(Error::Database)?;
        #[cfg(feature = "migrations")]
        if let Some(directory) = &self.migrations {
            crate::service::migrations::mark_created(directory, &mut found).await;
        }
        self.name_owners(&mut found).await?;
        found.sort_by_key(|table| !table.is_known);
        Ok(found)
    }

    /// Adds the plugins of tables, where the database has the table of owners.
    async fn name_owners(&self, found: &mut Vec<UnusedTable>) -> Result<()> {
        let own = TableOwner::DESCRIPTOR.table;
        let is_there = self.has_owned_tables() || found.iter().any(|table| table.name == own);
        found.retain(|table| table.name != own);
        // Tables of another schema are not found.
        if found.is_empty() || !is_there && self.own_schema.is_none() {
            return Ok(());
        }
        let mut owners = match TableOwner::all(&*self.adapter).await {
            Err(AdapterError::MissingTable(_)) if !is_there => return Ok(()),
            read => read.map_err(Error::Database)?,
        };
        for table in found {
            table.owner = owners.remove(&table.name);
            table.is_known |= table.owner.is_some();
        }
        Ok(())
    }

    /// The line on tables that were made for a resource, and the one on those of unknown programs.
    ///
    /// # Errors
    /// When the database fails.
    pub(in crate::service) async fn unused_table_lines(&self) -> Result<(Option<String>, Option<String>)> {
        Ok(lines(&self.unused_tables().await?))
    }

    /// Logs the tables with records that no struct names.
    pub(in crate::service) async fn warn_of_unused_tables(&self) {
        const UNREAD: &str =
            "the names of tables cannot be read: tables with records that no struct names are not reported";
        let (known, others) = match timeout(TIME_LIMIT, self.unused_table_lines()).await {
            Ok(Ok(lines)) => lines,
            Ok(Err(error)) => return tracing::warn!(%error, "{UNREAD}"),
            Err(_) => return tracing::warn!(seconds = TIME_LIMIT.as_secs(), "{UNREAD}"),
        };
        if let Some(line) = known {
            tracing::warn!("{line}");
        }
        if let Some(line) = others {
            tracing::info!("{line}");
        }
    }
}

fn lines(tables: &[UnusedTable]) -> (Option<String>, Option<String>) {
    let (known, others): (Vec<&UnusedTable>, Vec<&UnusedTable>) = tables.iter().partition(|table| table.is_known);
    let known = (!known.is_empty()).then(|| {
        format!(
            "no struct names these tables, which have records: {}. If a struct was renamed, write `renamed_from` on it; if a \
             resource or a plugin was removed, its records stay until you drop the table",
            listed(&known, ToString::to_string)
        )
    });
    let others = (!others.is_empty()).then(|| {
        format!(
            "no struct names these tables, which no service made: {}",
            listed(&others, |table| format!("`{}`", table.name))
        )
    });
    (known, others)
}

/// The first tables, and the number of the others.
fn listed(tables: &[&UnusedTable], name: impl Fn(&UnusedTable) -> String) -> String {
    let named: Vec<String> = tables.iter().take(MAX_NAMED).map(|table| name(table)).collect();
    let mut text = named.join(", ");
    if let Some(more) = tables.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        // Writing to a String cannot fail.
        let _ = write!(text, " and {more} more");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_name_a_bounded_number_of_tables() {
        assert_eq!(lines(&[]), (None, None));
        let many = (0..12).map(|number| UnusedTable::new(format!("t{number}"), 1, false));
        let tables: Vec<_> = [UnusedTable::new("orders".to_owned(), 100_001, true)].into_iter().chain(many).collect();
        let (known, others) = lines(&tables);
        assert!(known.is_some_and(|line| line.contains(": `orders` (more than 100000 records). If")));
        assert!(others.is_some_and(|line| line.ends_with("`t9` and 2 more")));
    }
}
