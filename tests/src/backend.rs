//! [`Backend`]: the databases that the suite runs on, and [`Database`]: a fresh one for a test.
//!
//! All that the suite knows of a database beyond the contract is here and in `past`: a further back end is a variant
//! of [`Backend`] and its arm in each `match`.

use std::env;
use std::io::Write;
use std::sync::{Arc, Once};
use std::time::Duration;

use crud_runtime::Service;
use own_adapter::Memory;
use sqlx::mysql::MySqlPoolOptions;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{MySql, MySqlPool, PgPool, Postgres, Sqlite, SqlitePool};
use tempfile::TempDir;

use crate::cluster::{self, Cluster};
use crate::mariadb::{self, Server};

/// The variable that names the back ends that must be tested.
const REQUIRE: &str = "CRUD_TEST_REQUIRE";

/// The variable that names the back ends to test, where it is not all of them.
const ONLY: &str = "CRUD_TEST_ONLY";

/// A kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The embedded one.
    Sqlite,
    /// A server that the tests start.
    Postgres,
    /// The same; `MariaDB`, unless a `MySQL` is named.
    MySql,
    /// The memory of the tests, through the example of an adapter from outside.
    Memory,
}

impl Backend {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Sqlite, Self::Postgres, Self::MySql, Self::Memory];

    /// Its name in `CRUD_TEST_REQUIRE` and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::MySql => "mysql",
            Self::Memory => "memory",
        }
    }

    /// Whether it speaks SQL past the service and has a URL, by which another process reaches it.
    pub const fn speaks_sql(self) -> bool {
        !matches!(self, Self::Memory)
    }

    /// Whether it is a server, whose writers meet.
    pub const fn is_server(self) -> bool {
        matches!(self, Self::Postgres | Self::MySql)
    }

    /// Why it cannot be tested on this machine, if so.
    fn missing(self) -> Option<&'static str> {
        match self {
            Self::Sqlite | Self::Memory => None,
            Self::Postgres => (!Cluster::is_possible()).then_some(cluster::MISSING),
            Self::MySql => (!Server::is_possible()).then_some(mariadb::MISSING),
        }
    }

    /// Those that can be tested here; says so once, past the test runner's capture.
    ///
    /// # Panics
    /// When one that `CRUD_TEST_REQUIRE` names is missing, or it or `CRUD_TEST_ONLY` names an unknown one.
    pub fn available() -> Vec<Self> {
        static REPORT: Once = Once::new();
        for backend in Self::named_by(REQUIRE) {
            let (name, missing) = (backend.name(), backend.missing());
            assert!(missing.is_none(), "{REQUIRE} names {name}, but {}", missing.unwrap_or_default());
        }
        let only = Self::named_by(ONLY);
        let wanted = Self::ALL.into_iter().filter(|backend| only.is_empty() || only.contains(backend));
        let (missing, available): (Vec<_>, Vec<_>) = wanted.partition(|backend| backend.missing().is_some());
        REPORT.call_once(|| {
            let names: Vec<_> = available.iter().map(|backend| backend.name()).collect();
            let mut report = vec![format!("back ends under test: {}", names.join(", "))];
            report.extend(missing.iter().map(|b| format!("not {}: {}", b.name(), b.missing().unwrap_or_default())));
            // A report that cannot be written is no reason to fail a test.
            writeln!(std::io::stderr(), "{}", report.join("; ")).ok();
        });
        available
    }

    /// Those that a variable of the environment names, separated by commas.
    fn named_by(variable: &str) -> Vec<Self> {
        let names = env::var(variable).unwrap_or_default();
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
        let find = |name| Self::ALL.into_iter().find(|backend| backend.name() == name);
        names.map(|name| find(name).unwrap_or_else(|| panic!("{variable} names an unknown back end: {name}"))).collect()
    }

    /// A database with nothing in it.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn fresh(self) -> Database {
        match self {
            Self::Sqlite => {
                let directory = TempDir::with_prefix("crud-").expect("a directory for the database");
                let file = directory.path().join("test.db");
                let url = format!("sqlite://{}", file.to_str().expect("a path in UTF-8"));
                Database { url, place: Place::Directory(directory) }
            }
            Self::Postgres => Database::of(&Cluster::get()),
            Self::MySql => {
                let name = Server::get().create();
                Database { url: Server::get().url(&name), place: Place::Server(name) }
            }
            Self::Memory => Database { url: String::new(), place: Place::Memory(Memory::new()) },
        }
    }
}

/// A database of one test's own; gone when dropped.
#[derive(Debug)]
pub struct Database {
    url: String,
    place: Place,
}

/// Where a database is.
#[derive(Debug)]
enum Place {
    /// In a file of this directory.
    Directory(TempDir),
    /// In this PostgreSQL server, by this name.
    Cluster(Arc<Cluster>, String),
    /// In the MariaDB server that the tests started, the same.
    Server(String),
    /// In this process.
    Memory(Memory),
}

impl Drop for Database {
    fn drop(&mut self) {
        match &self.place {
            Place::Directory(_) | Place::Memory(_) => {}
            Place::Cluster(cluster, name) => cluster.remove(name),
            Place::Server(name) => Server::get().remove(name),
        }
    }
}

impl Database {
    /// A new one in a server of PostgreSQL's.
    ///
    /// # Panics
    /// When it cannot be made.
    pub fn of(cluster: &Arc<Cluster>) -> Self {
        let name = cluster.create();
        Self { url: cluster.url(&name), place: Place::Cluster(cluster.clone(), name) }
    }

    /// The URL of its copy in a replica.
    ///
    /// # Panics
    /// When it is in no server that has replicas.
    pub fn url_in(&self, replica: &Cluster) -> String {
        let Place::Cluster(_, name) = &self.place else { panic!("the tests have no replicas of it") };
        replica.url(name)
    }

    /// Its kind.
    pub const fn backend(&self) -> Backend {
        match self.place {
            Place::Directory(_) => Backend::Sqlite,
            Place::Cluster(..) => Backend::Postgres,
            Place::Server(_) => Backend::MySql,
            Place::Memory(_) => Backend::Memory,
        }
    }

    /// What `Service::connect` and `DATABASE_URL` take; of a database that [speaks SQL](Backend::speaks_sql).
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What no answer may ever tell of it.
    pub fn secrets(&self) -> Vec<String> {
        let directory = match &self.place {
            Place::Directory(directory) => Some(directory.path()),
            Place::Cluster(cluster, _) => Some(cluster.directory()),
            Place::Server(_) => Server::get().directory(),
            Place::Memory(_) => return Vec::new(),
        };
        directory.map(|path| path.display().to_string()).into_iter().chain([self.url.clone()]).collect()
    }

    /// A service on it, without resources.
    ///
    /// # Panics
    /// When the database cannot be reached.
    pub async fn service(&self) -> Service {
        match &self.place {
            Place::Memory(memory) => Service::adapter(memory.clone()),
            _ => Service::connect(&self.url).await.expect("a service on the fresh database"),
        }
    }

    /// A service on it with a pool of one connection, and the pool.
    ///
    /// # Panics
    /// When the database cannot be reached.
    pub async fn service_with_one_connection(&self) -> (Service, Pool) {
        const TIMEOUT: Duration = Duration::from_millis(300);
        const POOL: &str = "a pool on the fresh database";
        match self.backend() {
            Backend::Sqlite => {
                let options: SqliteConnectOptions = self.url.parse().expect("the URL of the database");
                let options = options.create_if_missing(true).foreign_keys(true);
                let pool = SqlitePoolOptions::new().max_connections(1).acquire_timeout(TIMEOUT);
                let pool = pool.connect_with(options).await.expect(POOL);
                (Service::pool(pool.clone()), Pool::Sqlite(pool))
            }
            Backend::Postgres => {
                let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(TIMEOUT);
                let pool = pool.connect(&self.url).await.expect(POOL);
                (Service::pool(pool.clone()), Pool::Postgres(pool))
            }
            Backend::MySql => {
                let pool = MySqlPoolOptions::new().max_connections(1).acquire_timeout(TIMEOUT);
                let pool = pool.connect(&self.url).await.expect(POOL);
                (Service::pool(pool.clone()), Pool::MySql(pool))
            }
            Backend::Memory => no_sql(),
        }
    }
}

pub(crate) fn no_sql() -> ! {
    panic!("this test is for `on_each_sql_backend`: the memory has neither SQL nor connections")
}

/// A pool of one connection that a test shares with its service.
#[derive(Debug)]
pub enum Pool {
    /// Of the embedded database.
    Sqlite(SqlitePool),
    /// Of the server.
    Postgres(PgPool),
    /// Of the other server.
    MySql(MySqlPool),
}

impl Pool {
    /// Keeps the connection from the service for as long as the result lives.
    ///
    /// # Panics
    /// When the service does not give it back.
    pub async fn occupy(&self) -> impl Sized {
        const FREE: &str = "the connection is free";
        match self {
            Self::Sqlite(pool) => Occupied::Sqlite(pool.acquire().await.expect(FREE)),
            Self::Postgres(pool) => Occupied::Postgres(pool.acquire().await.expect(FREE)),
            Self::MySql(pool) => Occupied::MySql(pool.acquire().await.expect(FREE)),
        }
    }

    /// Closes it, as if the database were gone.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool) => pool.close().await,
            Self::MySql(pool) => pool.close().await,
        }
    }
}

/// A connection that a test keeps from a service.
#[allow(dead_code, reason = "held, and not used")]
#[derive(Debug)]
enum Occupied {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
    MySql(PoolConnection<MySql>),
}
