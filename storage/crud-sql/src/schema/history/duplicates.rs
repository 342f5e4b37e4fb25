//! The records that a unique index refuses, in the error of its file.

use super::History;
use crate::driver::{DatabaseRow, text_in};
use crate::schema::migration_driver::MigrationDriver;
use crate::schema::planner::duplicates::{COUNT, HAVING};
use crate::statement::Statement;
use crate::storage::migrations::MigrationFile;

/// Number of values that an error names.
const NAMED: usize = 3;

impl<D: MigrationDriver> History<'_, D> {
    /// Adds the values that several records have to the reason why a file that asks for unique ones fails.
    pub(super) async fn add_duplicates(&mut self, file: &MigrationFile, reason: &mut String) {
        let queries = file.sql.lines().filter_map(|line| line.strip_prefix("-- SELECT "));
        for query in queries.filter(|query| query.ends_with(HAVING)) {
            // A table that the file had not reached is as it was; the query of another fails.
            let Ok(found) = self.values(query).await else { continue };
            if !found.is_empty() {
                let values = found.join(", ");
                *reason = format!("{reason}. Records have the same values, such as {values}: SELECT {query}");
            }
        }
    }

    /// Values that several records have, each with the number of the records.
    async fn values(&mut self, query: &str) -> Result<Vec<String>, D::Error> {
        let Some((columns, rest)) = query.split_once(COUNT) else { return Ok(Vec::new()) };
        let casts: Vec<String> =
            columns.split(", ").map(|column| format!("CAST({column} AS {})", D::TEXT_OF_ANY)).collect();
        let text = format!("SELECT {}{COUNT}{} LIMIT {NAMED}", casts.join(", "), rest.trim_end_matches(';'));
        let rows = D::all(self.0, Statement::assembled(text)).await?;
        let named = |row: &DatabaseRow<D>| {
            let value = |column| text_in::<D>(row, column).unwrap_or_else(|| "?".to_owned());
            let values: Vec<String> = (0..casts.len()).map(value).collect();
            let records = D::number_in(row, casts.len()).unwrap_or_default();
            format!("`{}` ({records} records)", values.join("`, `"))
        };
        Ok(rows.iter().map(named).collect())
    }
}
