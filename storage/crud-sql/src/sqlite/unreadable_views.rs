//! Views that cannot be read, such as one of a column that is gone.
//!
//! SQLite parses the whole schema when it drops a column of any table, and fails on such a view without its name.

use super::argument::Argument;
use super::catalogue::rows::cells;
use super::dialect::Sqlite;
use crate::driver::{Connection, Driver};
use crate::identifier::identifier;
use crate::statement::{Statement, Text};

/// Message of SQLite for an error that it does not describe.
const UNDESCRIBED: &str = "SQL logic error";

const VIEWS: &str = "SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name";

/// See [`MigrationDriver::further_reason`](crate::schema::migration_driver::MigrationDriver::further_reason).
pub(super) async fn further_reason<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    message: &str,
) -> Result<Option<String>, D::Error> {
    if !message.contains(UNDESCRIBED) {
        return Ok(None);
    }
    let mut unreadable = Vec::new();
    for view in cells::<D, _>(connection, VIEWS, None, |row| row.text(0)).await? {
        let view = identifier::<Sqlite>(&view);
        let text = Text::Assembled(format!("SELECT 1 FROM {view} LIMIT 0"));
        if let Err(error) = D::all(connection, Statement { text, arguments: Vec::new(), then: None }).await {
            unreadable.push(format!("{view} ({})", D::message(&error)));
        }
    }
    Ok((!unreadable.is_empty()).then(|| {
        format!(
            "SQLite drops no column while a view cannot be read: drop or repair {}, and apply the file again",
            unreadable.join(", ")
        )
    }))
}
