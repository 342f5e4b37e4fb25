//! [`Backend`]: the databases that the suite runs on, and [`Database`]: a fresh one for each test.
//!
//! Everything database-specific in the harness is here and in `direct_sql`: a new back end is a variant of [`Backend`]
//! and its arm in each `match`.

use std::env;
use std::fs;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::Write;
use std::path::PathBuf;
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
use crate::direct_sql::mysql_options;
use crate::mariadb::{self, MariaDb};
use crate::mongodb::{self, MongoDb};
use crate::require::{REQUIRE, required_backends};

/// Environment variable: back ends to test, instead of all of them.
const ONLY: &str = "CRUD_TEST_ONLY";

/// The name of an SQLite database's file.
const SQLITE_FILE: &str = "test.db";

/// A kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// An embedded database in a file.
    Sqlite,
    /// A PostgreSQL server that the tests start.
    Postgres,
    /// A MariaDB server that the tests start, or the `MySQL` server that `CRUD_TEST_MYSQL` names.
    MySql,
    /// A server that speaks MongoDB's wire protocol: the one of `tests/mongodb` or a `mongod`, which the tests start, or
    /// the one that `CRUD_TEST_MONGODB` names.
    MongoDb,
    /// Memory, through the adapter of `examples/own-adapter`.
    Memory,
}

impl Backend {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Sqlite, Self::Postgres, Self::MySql, Self::MongoDb, Self::Memory];

    /// The name in `CRUD_TEST_REQUIRE` and in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::MySql => "mysql",
            Self::MongoDb => "mongodb",
            Self::Memory => "memory",
        }
    }

    /// Whether tests can send it SQL directly.
    pub const fn speaks_sql(self) -> bool {
        !matches!(self, Self::MongoDb | Self::Memory)
    }

    /// Whether another process can reach it by a URL.
    pub const fn has_url(self) -> bool {
        !matches!(self, Self::Memory)
    }

    /// Whether it has transactions of several calls.
    pub const fn is_interactive(self) -> bool {
        matches!(self, Self::Sqlite | Self::Postgres | Self::MySql | Self::Memory)
    }

    /// Whether changes of several records are atomic there.
    ///
    /// # Panics
    /// When its server does not start.
    pub fn has_transactions(self) -> bool {
        self != Self::MongoDb || MongoDb::get().has_transactions()
    }

    /// Whether it is a server with concurrent writers.
    pub const fn is_server(self) -> bool {
        matches!(self, Self::Postgres | Self::MySql | Self::MongoDb)
    }

    /// Number of records in a long list: fewer where the tests' server reads every document of a collection for each
    /// part of one.
    pub const fn long_list(self) -> u32 {
        if matches!(self, Self::MongoDb) { 3_500 } else { 100_000 }
    }

    /// Reason why it cannot be tested on this machine; `None` if it can.
    fn unavailable(self) -> Option<&'static str> {
        match self {
            Self::Sqlite | Self::Memory => None,
            Self::Postgres => (!Cluster::is_possible()).then_some(cluster::UNAVAILABLE),
            Self::MySql => (!MariaDb::is_possible()).then_some(mariadb::UNAVAILABLE),
            Self::MongoDb => (!MongoDb::is_possible()).then_some(mongodb::UNAVAILABLE),
        }
    }

    /// The back ends that can be tested here; reports them once on the process's standard error, which the test runner
    /// does not capture.
    ///
    /// # Panics
    /// When a back end of `CRUD_TEST_REQUIRE` is missing, or a variable names an unknown back end.
    pub fn available() -> Vec<Self> {
        static REPORT: Once = Once::new();
        for backend in required_backends() {
            let (name, missing) = (backend.name(), backend.unavailable());
            assert!(missing.is_none(), "{REQUIRE} names {name}, but {}", missing.unwrap_or_default());
        }
        let only = env::var(ONLY).unwrap_or_default();
        let only = only.split(',').map(str::trim).filter(|name| !name.is_empty());
        let only: Vec<_> = only.map(|name| Self::named(ONLY, name)).collect();
        let wanted = Self::ALL.into_iter().filter(|backend| only.is_empty() || only.contains(backend));
        let (missing, available): (Vec<_>, Vec<_>) = wanted.partition(|backend| backend.unavailable().is_some());
        REPORT.call_once(|| {
            let names: Vec<_> = available.iter().map(|backend| backend.name()).collect();
            let mut report = vec![format!("back ends under test: {}", names.join(", "))];
            report.extend(missing.iter().map(|b| format!("not {}: {}", b.name(), b.unavailable().unwrap_or_default())));
            // A failure to write the report must not fail a test.
            writeln!(std::io::stderr(), "{}", report.join("\n")).ok();
        });
        available
    }

    /// The back end of this name, which an environment variable has.
    ///
    /// # Panics
    /// When the name is unknown.
    pub(crate) fn named(variable: &str, name: &str) -> Self {
        let found = Self::ALL.into_iter().find(|backend| backend.name() == name);
        found.unwrap_or_else(|| panic!("{variable} names an unknown back end: {name}"))
    }

    /// Creates an empty database.
    ///
    /// # Panics
    /// When it cannot be created.
    pub fn fresh(self) -> Database {
        match self {
            Self::Sqlite => Database::in_file(Location::Directory),
            Self::Postgres => Database::in_cluster(&Cluster::get()),
            Self::MySql => {
                let name = MariaDb::get().create();
                Database { url: MariaDb::get().url(&name), location: Location::MariaDb(name) }
            }
            Self::MongoDb => {
                let name = MongoDb::get().create();
                Database { url: MongoDb::get().url(&name), location: Location::MongoDb(name) }
            }
            Self::Memory => Database { url: String::new(), location: Location::Memory(Memory::new()) },
        }
    }
}

/// A test's database, removed when dropped.
#[derive(Debug)]
pub struct Database {
    url: String,
    location: Location,
}

/// Location of a database.
#[derive(Debug)]
enum Location {
    /// A file in this directory.
    Directory(TempDir),
    /// A file in this directory, which services use through a pool of the program.
    Pool(TempDir),
    /// A database of this name in this PostgreSQL server.
    Cluster(Arc<Cluster>, String),
    /// A database of this name in the MariaDB or MySQL server.
    MariaDb(String),
    /// A database of this name in the server that speaks MongoDB's wire protocol.
    MongoDb(String),
    /// A database of a server that belongs to the test.
    Process(Backend),
    /// Memory of this process.
    Memory(Memory),
}

impl Drop for Database {
    fn drop(&mut self) {
        // Most have none.
        fs::remove_dir_all(self.files()).ok();
        match &self.location {
            Location::Directory(_) | Location::Pool(_) | Location::Memory(_) | Location::Process(_) => {}
            Location::Cluster(cluster, name) => cluster.remove(name),
            Location::MariaDb(name) => MariaDb::get().remove(name),
            Location::MongoDb(name) => MongoDb::get().remove(name),
        }
    }
}

impl Database {
    /// Creates a database of SQLite, whose [services](Self::service) are on a pool of the program's own.
    ///
    /// # Panics
    /// When it cannot be created.
    pub fn in_sqlite_pool() -> Self {
        Self::in_file(Location::Pool)
    }

    fn in_file(location: fn(TempDir) -> Location) -> Self {
        let directory = TempDir::with_prefix("crud-").expect("a directory for the database");
        let file = directory.path().join(SQLITE_FILE);
        let url = format!("sqlite://{}", file.to_str().expect("a path in UTF-8"));
        Self { url, location: location(directory) }
    }

    /// Creates a database in a PostgreSQL server.
    ///
    /// # Panics
    /// When it cannot be created.
    pub fn in_cluster(cluster: &Arc<Cluster>) -> Self {
        let name = cluster.create();
        Self { url: cluster.url(&name), location: Location::Cluster(cluster.clone(), name) }
    }

    /// The database on several servers, by a URL that names them all.
    ///
    /// # Panics
    /// When it is not PostgreSQL's.
    #[must_use]
    pub fn in_all(&self, clusters: &[&Cluster]) -> Self {
        let urls: Vec<String> = clusters.iter().map(|cluster| self.url_in(cluster)).collect();
        let hosts: Vec<&str> = urls.iter().filter_map(|url| Some(url.split_once("?host=")?.1)).collect();
        let base = urls[0].split('?').next().unwrap_or_default();
        Self::at(format!("{base}?host={}", hosts.join(",")), Backend::Postgres)
    }

    /// A database beside this one, whose texts are in the order of American English; none before PostgreSQL 15, where no
    /// database can have the order of a language that the system lacks. It ends with its server.
    ///
    /// # Panics
    /// When this is not PostgreSQL's, or the server reports an error.
    pub async fn in_english(&self) -> Option<Self> {
        let Location::Cluster(cluster, name) = &self.location else {
            panic!("only PostgreSQL has such databases here")
        };
        let version = self.texts("SELECT current_setting('server_version_num')").await.concat();
        if version.parse::<u32>().expect("the number of a version") < 150_000 {
            return None;
        }
        let name = format!("{name}_english");
        self.execute(&format!("DROP DATABASE IF EXISTS \"{name}\" WITH (FORCE)")).await;
        let english = "TEMPLATE template0 LOCALE_PROVIDER icu ICU_LOCALE 'en-US'";
        self.execute(&format!("CREATE DATABASE \"{name}\" {english}")).await;
        Some(Self::at(cluster.url(&name), Backend::Postgres))
    }

    /// A database of a server that belongs to the test.
    pub(crate) const fn at(url: String, backend: Backend) -> Self {
        Self { url, location: Location::Process(backend) }
    }

    /// The URL of the database's copy in a replica.
    ///
    /// # Panics
    /// When the database is not in PostgreSQL.
    pub fn url_in(&self, replica: &Cluster) -> String {
        let Location::Cluster(_, name) = &self.location else { panic!("only PostgreSQL has replicas here") };
        replica.url(name)
    }

    /// The back end.
    pub const fn backend(&self) -> Backend {
        match self.location {
            Location::Directory(_) | Location::Pool(_) => Backend::Sqlite,
            Location::Cluster(..) => Backend::Postgres,
            Location::MariaDb(_) => Backend::MySql,
            Location::MongoDb(_) => Backend::MongoDb,
            Location::Process(backend) => backend,
            Location::Memory(_) => Backend::Memory,
        }
    }

    /// The URL for `Service::connect` and `DATABASE_URL`; empty unless the back end [has URLs](Backend::has_url).
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The URL of a database in PostgreSQL for programs that connect to every host of one: without the host before the socket's.
    pub fn socket_url(&self) -> String {
        self.url.replacen("@localhost/", "@/", 1)
    }

    /// Texts that no answer may contain.
    pub fn secrets(&self) -> Vec<String> {
        let directory = match &self.location {
            Location::Directory(directory) | Location::Pool(directory) => Some(directory.path()),
            Location::Cluster(cluster, _) => Some(cluster.directory()),
            Location::MariaDb(_) => MariaDb::get().directory(),
            Location::MongoDb(_) => MongoDb::get().directory(),
            Location::Memory(_) | Location::Process(_) => return Vec::new(),
        };
        directory.map(|path| path.display().to_string()).into_iter().chain([self.url.clone()]).collect()
    }

    /// The file of an SQLite database.
    ///
    /// # Panics
    /// When it is not SQLite's.
    pub(crate) fn file(&self) -> PathBuf {
        let (Location::Directory(directory) | Location::Pool(directory)) = &self.location else {
            panic!("only SQLite has files")
        };
        directory.path().join(SQLITE_FILE)
    }

    /// The directory for files of the records, where a program on the database keeps some.
    pub(crate) fn files(&self) -> PathBuf {
        if let Location::Directory(directory) | Location::Pool(directory) = &self.location {
            return directory.path().join("files");
        }
        let name = BuildHasherDefault::<DefaultHasher>::default().hash_one(&self.url);
        env::temp_dir().join(format!("crud-files-{name:x}"))
    }

    /// The log of the database's server.
    pub(crate) fn server_log(&self) -> Option<PathBuf> {
        let directory = match &self.location {
            Location::Cluster(cluster, _) => Some(cluster.directory()),
            Location::MariaDb(_) => MariaDb::get().directory(),
            Location::MongoDb(_) => MongoDb::get().directory(),
            Location::Directory(_) | Location::Pool(_) | Location::Memory(_) | Location::Process(_) => None,
        };
        directory.map(|path| path.join("log"))
    }

    /// A service on the database, without resources.
    ///
    /// # Panics
    /// When the database cannot be reached.
    pub async fn service(&self) -> Service {
        match &self.location {
            Location::Memory(memory) => Service::from_adapter(memory.clone()),
            Location::Pool(_) => {
                let options: SqliteConnectOptions = self.url.parse().expect("the URL of the database");
                let pool = SqlitePool::connect_with(options.create_if_missing(true).foreign_keys(true)).await;
                Service::from_pool(pool.expect("a pool on the fresh database"))
            }
            _ => Service::connect(&self.url).await.expect("a service on the fresh database"),
        }
    }

    /// A service on a pool of one connection, and the pool.
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
                (Service::from_pool(pool.clone()), Pool::Sqlite(pool))
            }
            Backend::Postgres => {
                let pool = PgPoolOptions::new().max_connections(1).acquire_timeout(TIMEOUT);
                let pool = pool.connect(&self.url).await.expect(POOL);
                (Service::from_pool(pool.clone()), Pool::Postgres(pool))
            }
            Backend::MySql => {
                let pool = MySqlPoolOptions::new().max_connections(1).acquire_timeout(TIMEOUT);
                let pool = pool.connect_with(mysql_options(&self.url).expect(POOL)).await.expect(POOL);
                (Service::from_pool(pool.clone()), Pool::MySql(pool))
            }
            Backend::MongoDb | Backend::Memory => no_sql(),
        }
    }
}

pub(crate) fn no_sql() -> ! {
    panic!("run this test by `on_each_sql_backend`: the back end has no SQL")
}

/// A pool of one connection that a test shares with its service.
#[derive(Debug)]
pub enum Pool {
    /// SQLite.
    Sqlite(SqlitePool),
    /// PostgreSQL.
    Postgres(PgPool),
    /// MySQL or MariaDB.
    MySql(MySqlPool),
}

impl Pool {
    /// Holds the connection, so that the service has none, until the result is dropped.
    ///
    /// # Panics
    /// When the connection is not returned to the pool in time.
    pub async fn occupy(&self) -> impl Sized {
        const FREE: &str = "the connection is free";
        match self {
            Self::Sqlite(pool) => Occupied::Sqlite(pool.acquire().await.expect(FREE)),
            Self::Postgres(pool) => Occupied::Postgres(pool.acquire().await.expect(FREE)),
            Self::MySql(pool) => Occupied::MySql(pool.acquire().await.expect(FREE)),
        }
    }

    /// Closes the pool, as if the database were unreachable.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(pool) => pool.close().await,
            Self::Postgres(pool) => pool.close().await,
            Self::MySql(pool) => pool.close().await,
        }
    }
}

/// A pool connection that a test holds.
#[allow(dead_code, reason = "held, not used")]
#[derive(Debug)]
enum Occupied {
    Sqlite(PoolConnection<Sqlite>),
    Postgres(PoolConnection<Postgres>),
    MySql(PoolConnection<MySql>),
}
