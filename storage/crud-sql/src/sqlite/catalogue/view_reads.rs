//! The tables and views that a view reads, which SQLite's authorizer names.
//!
//! It is asked in an empty copy of the schema, so that it is the same for every way of opening the database.

use std::sync::mpsc::channel;

use rusqlite::Connection as Copy;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};

use super::rows::cells;
use super::search_triggers::OF_SEARCH;
use crate::catalogue::table::Reads;
use crate::driver::{Connection, Driver};
use crate::identifier::identifier;
use crate::sqlite::argument::Argument;
use crate::sqlite::dialect::Sqlite;
use crate::statement::Text;

/// The statements that created everything but the triggers, which reads do not run.
const SCHEMA: &str =
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND type <> 'trigger' ORDER BY type <> 'table', rowid";

/// See [`CatalogueDriver::reads`](crate::catalogue::driver::CatalogueDriver::reads).
pub(super) async fn reads<D: Driver<Argument = Argument>>(
    connection: &mut Connection<D>,
    views: Vec<&str>,
) -> Result<Vec<Reads>, D::Error> {
    let schema = cells::<D, _>(connection, SCHEMA, None, |row| row.text(0)).await?;
    // The indexes of words with their tables, of which they return texts.
    let searches = Text::Assembled(format!(
        "SELECT DISTINCT x.name, t.tbl_name FROM sqlite_schema t JOIN sqlite_schema x ON {OF_SEARCH} WHERE t.type = 'trigger'"
    ));
    let searches = cells::<D, _>(connection, searches, None, |row| (row.text(0), row.text(1))).await?;
    let copy = copied(&schema);
    let reads = |view: &str| {
        let mut reads = match copy.as_ref().map_err(ToString::to_string).and_then(|copy| named(copy, view)) {
            Ok(names) => Reads { names, opaque: None },
            Err(error) => Reads { names: Vec::new(), opaque: Some(format!("SQL that cannot be checked ({error})")) },
        };
        let is_read = |index: &str| reads.names.iter().any(|name| name.eq_ignore_ascii_case(index));
        let indexed: Vec<_> =
            searches.iter().filter(|(index, _)| is_read(index)).map(|(_, table)| table.clone()).collect();
        reads.names.extend(indexed);
        reads
    };
    Ok(views.into_iter().map(reads).collect())
}

/// An empty copy of a schema.
fn copied(schema: &[String]) -> rusqlite::Result<Copy> {
    let copy = Copy::open_in_memory()?;
    for sql in schema {
        // A table that cannot be created here, such as one of an extension, fails the view that reads it.
        drop(copy.execute_batch(sql));
    }
    Ok(copy)
}

/// Names that SQLite passes to the authorizer while it prepares a read of the view.
fn named(copy: &Copy, view: &str) -> Result<Vec<String>, String> {
    let (sender, names) = channel();
    copy.authorizer(Some(move |context: AuthContext<'_>| {
        let table = match context.action {
            AuthAction::Read { table_name, .. } => Some(table_name),
            _ => None,
        };
        for name in table.into_iter().chain(context.accessor) {
            // It is received as long as the copy is open.
            drop(sender.send(name.to_owned()));
        }
        Authorization::Allow
    }))
    .and_then(|()| copy.prepare(&format!("SELECT * FROM {}", identifier::<Sqlite>(view))).map(drop))
    .map_err(|error| error.to_string())?;
    Ok(names.try_iter().collect())
}
