//! [`TestDatabase`]: a database on a server for one test.

use std::fmt;
use std::thread;

use sqlx::{AssertSqlSafe, Connection};
use url::Url;
use uuid::Uuid;

use crate::model::adapter_error::AdapterError;
use crate::storage::error::{Error, Result};

/// A database for one test on a server of PostgreSQL, MySQL or MariaDB, removed when it is dropped. For SQLite, the URL
/// `sqlite::memory:` is one already.
///
/// ```no_run
/// use crud_runtime::prelude::*;
/// use crud_runtime::testing::TestDatabase;
///
/// # async fn service(url: &str) -> crud_runtime::Result<Service> { Service::connect(url).await }
/// # async fn test() -> crud_runtime::Result<()> {
/// let database = TestDatabase::create("postgres://postgres@localhost/postgres").await?;
/// let test = service(database.url()).await?.test().await?;
/// # let _ = test; Ok(()) }
/// ```
pub struct TestDatabase {
    server: Url,
    name: String,
    url: String,
}

impl TestDatabase {
    /// Creates an empty database on the server of a URL, whose user may do so. The URL's own database is not touched.
    ///
    /// # Errors
    /// [`Error::Setup`] when the URL names no server that this build knows, [`Error::Database`] when the server refuses.
    pub async fn create(server: &str) -> Result<Self> {
        let server = Url::parse(server).map_err(|error| Error::Setup(format!("the URL of the server: {error}")))?;
        let name = format!("crud_test_{}", Uuid::now_v7().simple());
        let mut url = server.clone();
        url.set_path(&name);
        execute(&server, format!("CREATE DATABASE {name}")).await?;
        Ok(Self { server, name, url: url.into() })
    }

    /// The URL of the database, for [`Service::connect`](crate::Service::connect).
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        let (server, name) = (self.server.clone(), self.name.clone());
        // In a thread: the test's own runtime may be about to end. Joined: the process may be about to end too.
        let removal = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let force = if server.scheme().starts_with("postgres") { " WITH (FORCE)" } else { "" };
            let removed =
                runtime.map(|runtime| runtime.block_on(execute(&server, format!("DROP DATABASE {name}{force}"))));
            if !matches!(removed, Ok(Ok(()))) {
                tracing::warn!(name, "the database of a test is left behind");
            }
        });
        drop(removal.join());
    }
}

impl fmt::Debug for TestDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL may hold a password.
        f.debug_tuple("TestDatabase").field(&self.name).finish()
    }
}

/// Runs a statement, whose text holds no value from outside, on the server's own database.
async fn execute(server: &Url, statement: String) -> Result<()> {
    let statement = AssertSqlSafe(statement);
    let failed = |error: sqlx::Error| Error::Database(AdapterError::Other(error.into()));
    match server.scheme() {
        #[cfg(feature = "postgres")]
        "postgres" | "postgresql" => {
            let mut connection = sqlx::PgConnection::connect(server.as_str()).await.map_err(failed)?;
            sqlx::raw_sql(statement).execute(&mut connection).await.map_err(failed)?;
            connection.close().await.map_err(failed)
        }
        #[cfg(feature = "mysql")]
        "mysql" | "mariadb" => {
            let mut connection = sqlx::MySqlConnection::connect(server.as_str()).await.map_err(failed)?;
            sqlx::raw_sql(statement).execute(&mut connection).await.map_err(failed)?;
            connection.close().await.map_err(failed)
        }
        // The rest of the URL may hold a password.
        scheme => Err(Error::Setup(format!("a URL that begins with `{scheme}:` names no server of this build"))),
    }
}
