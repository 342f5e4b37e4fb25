//! The command `backup`.

use std::error::Error as _;
use std::path::Path;

use super::output::{print, setup};
use crate::adapter::{AdapterError, SqliteAdapter};
use crate::model::problem::chain;
use crate::storage::backends::Backend;
use crate::storage::error::{Error, Result};

/// Copies the configured database, which may be in use, into a new file.
pub(super) async fn run(url: Option<&str>, file: &Path) -> Result<()> {
    let url = url.unwrap_or_default();
    if Backend::of_url(url).is_none_or(|backend| backend.database.name != "sqlite") {
        return setup("`backup` copies a database of SQLite; database servers have their own commands for it");
    }
    if Backend::is_missing_file(url) || Backend::is_in_memory(url) {
        return setup("there is no file to copy");
    }
    // Shows the cause: the error itself would blame the database, not the file.
    let failed = |error: AdapterError| {
        let cause = error.source().map_or_else(|| error.to_string(), chain);
        Error::Setup(format!("cannot copy the database: {cause}"))
    };
    SqliteAdapter::connect(url).await.map_err(failed)?.backup(file).await.map_err(failed)?;
    print(&format!("{} is a copy of the database.", file.display()))
}
