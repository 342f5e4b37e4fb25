//! Opening a database by its URL.

use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqliteSynchronous};
use sqlx::{ConnectOptions, Row};
use tokio::time::{Instant, sleep};

use super::connections::SqliteConnections;
use super::error::{general, is_busy};
use crate::model::adapter_error::AdapterError;

/// The number of connections to a file that read.
const MAX_READERS: usize = 8;

/// The busy timeout: how long SQLite waits for a lock of another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The size of a connection's statement cache: the texts of lists differ by filters and order.
const STATEMENT_CACHE: usize = 250;

/// The number of rows that a connection's thread reads ahead.
const ROW_BUFFER: usize = 256;

/// Opens the database of a URL.
pub(super) async fn connect(url: &str) -> Result<SqliteConnections, AdapterError> {
    let Location { options, read_only } = locate(url)?;
    let mut first = options.connect().await.map_err(general)?;
    if has_no_file(&mut first).await.map_err(general)? {
        // Every further connection would open another database.
        return SqliteConnections::to_memory(options, first).await;
    }
    if !read_only {
        write_ahead(&mut first).await?;
    }
    SqliteConnections::to_file(options, first, MAX_READERS).await
}

/// Whether the URL names a database in memory.
pub(super) fn is_in_memory(url: &str) -> bool {
    url.contains(":memory:") || url.contains("mode=memory")
}

/// Whether the URL names a file that does not exist and is created when it is opened.
pub(super) fn is_missing_file(url: &str) -> bool {
    let options = url.parse::<SqliteConnectOptions>();
    options.is_ok_and(|options| {
        let file = options.get_filename();
        let directory = file.parent().filter(|directory| !directory.as_os_str().is_empty());
        !file.exists() && directory.is_none_or(Path::is_dir) && !url.contains("mode=")
    })
}

struct Location {
    options: SqliteConnectOptions,
    read_only: bool,
}

/// The options of the URL, and those that a service needs.
fn locate(url: &str) -> Result<Location, AdapterError> {
    let refuse = |reason: String| Err(AdapterError::Other(reason.into()));
    if !url.starts_with("sqlite:") {
        return refuse(format!("`{url}` is not a URL of SQLite such as `sqlite://shop.db`"));
    }
    let options = SqliteConnectOptions::from_str(url).map_err(|error| AdapterError::Other(error.into()))?;
    let parameter = |name: &str| {
        let parameters = url.split_once('?').map_or("", |(_, parameters)| parameters);
        url::form_urlencoded::parse(parameters.as_bytes()).filter(|(key, _)| key == name).last().map(|(_, value)| value)
    };
    let mode = parameter("mode");
    if options.get_filename().as_os_str().is_empty() && mode.as_deref() != Some("memory") {
        return refuse(format!("`{url}` names no file"));
    }
    let read_only = mode.as_deref() == Some("ro") || parameter("immutable").is_some();
    let options = if mode.is_none() { options.create_if_missing(true) } else { options };
    let options = options
        .shared_cache(false)
        .foreign_keys(true)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(STATEMENT_CACHE)
        .row_buffer_size(ROW_BUFFER);
    Ok(Location { options, read_only })
}

/// Whether the database has no file.
async fn has_no_file(connection: &mut SqliteConnection) -> sqlx::Result<bool> {
    let main = sqlx::query("SELECT file FROM pragma_database_list WHERE name = 'main'").fetch_one(connection).await?;
    Ok(main.try_get::<Option<String>, _>(0)?.is_none_or(|file| file.is_empty()))
}

/// Turns on write-ahead logging, in which readers and the writer do not wait for each other. The file keeps the mode.
///
/// The change needs an exclusive lock, for which SQLite does not wait: of several processes that start at once, some
/// retry.
async fn write_ahead(connection: &mut SqliteConnection) -> Result<(), AdapterError> {
    let deadline = Instant::now() + BUSY_TIMEOUT;
    loop {
        match sqlx::query("PRAGMA journal_mode = WAL").fetch_one(&mut *connection).await {
            Ok(_) => return Ok(()),
            Err(error) if is_busy(&error) && Instant::now() < deadline => sleep(Duration::from_millis(20)).await,
            Err(error) => return Err(general(error)),
        }
    }
}
