//! The version of the tables that the service keeps for itself.

use crate::service::builder::Service;
use crate::service::tables::is_internal;
use crate::storage::error::{Error, Result};
use crate::storage::schema::Verdict;

/// Version of this crate that changed these tables last. Its statements are kept in the tests, which fail on tables that
/// differ: a change of them has a new version.
///
/// The database does not record it. What each column, index and constraint is compared for says more than a number: programs
/// with other features share a database, and a newer table fits an older program, or does not, as any other does. A value
/// gets no new meaning in an old column, which no comparison would see.
const VERSION: &str = "0.1";

impl Service {
    /// Line on the version of the service's own tables in the database, with what an older one lacks; `None` without such
    /// tables.
    pub(in crate::service) async fn own_tables_line(&self) -> Result<Option<String>> {
        let mut own = self.described_tables()?;
        own.retain(|table| is_internal(table));
        if own.is_empty() {
            return Ok(None);
        }
        let differences = self.adapter.compare(&own).await.map_err(Error::Database)?;
        let lacking = differences.iter().filter(|difference| difference.verdict() != Verdict::Fits);
        let lines: Vec<String> = lacking.map(|one| format!("\n  {}: {one}", one.verdict())).collect();
        let not = if lines.is_empty() { "" } else { "not those of " };
        Ok(Some(format!("own tables: {not}{VERSION}{}", lines.concat())))
    }
}
