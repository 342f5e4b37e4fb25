//! The command `describe`.

use crud_config::command::Describe;

use super::output::{print, setup};
use crate::storage::backends::{self, Backend};
use crate::storage::error::{Error, Result};

/// Prints the tables of the database as JSON, in one line.
pub(super) async fn run(url: Option<&str>, command: &Describe) -> Result<()> {
    let Some(url) = url else {
        return setup("the database is missing: set `database_url` in `crud.toml`");
    };
    if Backend::is_missing_file(url) {
        return setup("the database is a file that does not exist");
    }
    let catalogue = backends::describe(url, command.schema.as_deref(), &command.tables).await?;
    let text = serde_json::to_string(&catalogue);
    print(&text.map_err(|error| Error::Setup(format!("the tables cannot be written as JSON: {error}")))?)
}
