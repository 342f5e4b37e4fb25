//! [`Backend`]: the databases that the suite runs on, and [`Database`]: a fresh one for a test.
//!
//! All that the suite knows of a database beyond the contract is here: a further back end is a variant
//! of [`Backend`] and its arm in each `match`.

use std::env;
use std::io::Write;
use std::sync::Once;
use std::time::Duration;

use crud_runtime::Service;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{AssertSqlSafe, Connection, SqliteConnection, SqlitePool};
use tempfile::TempDir;

const REQUIRE: &str = "CRUD_TEST_REQUIRE";

/// A kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The embedded one.
    Sqlite,
}

impl Backend {
    /// Every kind.
    pub const ALL: [Self; 1] = [Self::Sqlite];

    /// Its name in `CRUD_TEST_REQUIRE` and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
        }
    }

    /// Why it cannot be tested on this machine, if so.
    const fn missing(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
        }
    }

    /// Those that can be tested here; says so once, past the test runner's capture.
    ///
    /// # Panics
    /// When one that `CRUD_TEST_REQUIRE` names is missing or unknown.
    pub fn available() -> Vec<Self> {
        static REPORT: Once = Once::new();
        let required = env::var(REQUIRE).unwrap_or_default();
        for name in required.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let backend = Self::ALL.into_iter().find(|backend| backend.name() == name);
            let backend = backend.unwrap_or_else(|| panic!("{REQUIRE} names an unknown back end: {name}"));
            assert!(
                backend.missing().is_none(),
                "{REQUIRE} names {name}, but {}",
                backend.missing().unwrap_or_default()
            );
        }
        let (missing, available): (Vec<_>, Vec<_>) = Self::ALL.into_iter().partition(|b| b.missing().is_some());
        REPORT.call_once(|| {
            let names: Vec<_> = available.iter().map(|backend| backend.name()).collect();
            let mut report = vec![format!("back ends under test: {}", names.join(", "))];
            report.extend(missing.iter().map(|b| format!("not {}: {}", b.name(), b.missing().unwrap_or_default())));
            // A report that cannot be written is no reason to fail a test.
            writeln!(std::io::stderr(), "{}", report.join("; ")).ok();
        });
        available
    }

    /// A database with nothing in it.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn fresh(self) -> Database {
        let directory = TempDir::with_prefix("crud-").expect("a directory for the database");
        let file = directory.path().join("test.db");
        let url = format!("sqlite://{}", file.to_str().expect("a path in UTF-8"));
        Database { backend: self, url, directory }
    }
}

/// A database of one test's own; gone when dropped.
#[derive(Debug)]
pub struct Database {
    backend: Backend,
    url: String,
    directory: TempDir,
}

impl Database {
    /// Its kind.
    pub const fn backend(&self) -> Backend {
        self.backend
    }

    /// What `Service::connect` and `DATABASE_URL` take.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What no answer may ever tell of it.
    pub fn secrets(&self) -> Vec<String> {
        vec![self.url.clone(), self.directory.path().display().to_string()]
    }

    /// A service on it, without resources.
    ///
    /// # Panics
    /// When the database cannot be reached.
    pub async fn service(&self) -> Service {
        Service::connect(&self.url).await.expect("a service on the fresh database")
    }

    /// A service on it with a pool of one connection, and the pool.
    ///
    /// # Panics
    /// When the database cannot be reached.
    pub async fn service_with_one_connection(&self) -> (Service, Pool) {
        let options: SqliteConnectOptions = self.url.parse().expect("the URL of the database");
        let options = options.create_if_missing(true).foreign_keys(true);
        let pool = SqlitePoolOptions::new()
            .max_connections(1)
            .acquire_timeout(Duration::from_millis(300))
            .connect_with(options)
            .await
            .expect("a pool on the fresh database");
        (Service::pool(pool.clone()), Pool(pool))
    }

    /// Runs a statement past the service.
    ///
    /// # Panics
    /// When the database refuses it.
    pub async fn execute(&self, sql: &str) {
        assert!(self.try_execute(sql).await, "the database takes {sql}");
    }

    /// Runs a statement past the service; gives whether the database takes it.
    ///
    /// # Panics
    /// When the database cannot be reached.
    pub async fn try_execute(&self, sql: &str) -> bool {
        let mut connection = SqliteConnection::connect(&self.url).await.expect("a connection of the test's own");
        let taken = sqlx::query(AssertSqlSafe(sql.to_owned())).execute(&mut connection).await.is_ok();
        connection.close().await.expect("the connection closes");
        taken
    }

    /// Keeps other writers from the database for as long as the result lives.
    ///
    /// # Panics
    /// When somebody else holds it.
    pub async fn lock_for_writing(&self) -> impl Sized {
        let mut connection = SqliteConnection::connect(&self.url).await.expect("a connection of the test's own");
        sqlx::query("BEGIN IMMEDIATE").execute(&mut connection).await.expect("nobody else writes");
        connection
    }

    /// Adds a CHECK constraint to a table.
    pub async fn add_check(&self, table: &str, condition: &str) {
        match self.backend {
            // SQLite adds constraints with columns only, and a column's may speak of others.
            Backend::Sqlite => {
                self.execute(&format!("ALTER TABLE \"{table}\" ADD COLUMN \"__check\" INTEGER CHECK ({condition})"))
                    .await;
            }
        }
    }

    /// Puts entries `1` to `count` into the kitchen's `entries`, faster than a service could.
    pub async fn fill_entries(&self, count: u32) {
        match self.backend {
            Backend::Sqlite => {
                self.execute(&format!(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) \
                     INSERT INTO \"entries\" (\"id\", \"text\") SELECT i, 'entry ' || i FROM n"
                ))
                .await;
            }
        }
    }
}

/// A pool of one connection that a test shares with its service.
#[derive(Debug)]
pub struct Pool(SqlitePool);

impl Pool {
    /// Keeps the connection from the service for as long as the result lives.
    ///
    /// # Panics
    /// When the service does not give it back.
    pub async fn occupy(&self) -> impl Sized {
        self.0.acquire().await.expect("the connection is free")
    }

    /// Closes it, as if the database were gone.
    pub async fn close(&self) {
        self.0.close().await;
    }
}
