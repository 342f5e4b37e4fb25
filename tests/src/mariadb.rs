//! [`MariaDb`]: a MariaDB or MySQL server, started by this process and ended with it, or an external one.

use std::env;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread;

use sqlx::{AssertSqlSafe, Connection, MySqlConnection, Row};
use tempfile::TempDir;

use crate::backend::{Backend, Database};
use crate::cluster::unprivileged;
use crate::direct_sql::mysql_connection;
use crate::frozen::Frozen;
use crate::galera::Galera;
use crate::wait::wait_on_thread;

/// Message: why there is no server to test on.
pub(crate) const UNAVAILABLE: &str = "neither are mariadbd and mariadb-install-db in PATH or /usr/sbin (Debian: apt-get install mariadb-server), nor does \
    CRUD_TEST_MYSQL name a server";

/// Environment variable: the URL, without a database, of a running server to create the tests' databases in, or `galera`
/// for a node of a cluster that the tests start.
const RUNNING: &str = "CRUD_TEST_MYSQL";

/// Environment variable: the names, separated by commas, of databases of the [running](RUNNING) server that tests use one
/// after another and leave without tables: of a server that takes long to create one, such as vtgate.
const KEPT: &str = "CRUD_TEST_MYSQL_DATABASES";

/// Environment variable: the directory of a MariaDB server that [`Servers`](crate::Servers) has started.
pub(crate) const STARTED: &str = "CRUD_TEST_MARIADB";

/// Runs a server until standard input ends, which is when the process that holds its write end has ended in any way.
/// Its directory is removed.
const SUPERVISOR: &str = r#""$1" --no-defaults --datadir="$2/data" --socket="$2/socket" --pid-file="$2/pid" --skip-networking \
    --tmpdir="$2" --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 --innodb-flush-method=nosync --debug-no-sync \
    --skip-log-bin --max-connections=300 --max-prepared-stmt-count=100000 >"$2/log" 2>&1 </dev/null &
server=$!
cat >/dev/null
kill -KILL "$server"
wait "$server"
rm -rf "$2""#;

/// A running server.
#[derive(Debug)]
pub(crate) struct MariaDb {
    /// The URL up to the database's name, which these parameters follow.
    url: String,
    parameters: String,
    databases: AtomicU32,
    /// Names of kept databases that are free; none of a server that creates databases.
    kept: Option<Mutex<Vec<String>>>,
    directory: Option<PathBuf>,
    /// The cluster that it is a node of.
    _cluster: Option<Galera>,
    /// The write end of the supervisor's standard input: the server runs until it is dropped.
    _stdin: Option<ChildStdin>,
}

impl MariaDb {
    /// Whether a server is named by the environment or can be started.
    pub(crate) fn is_possible() -> bool {
        env::var_os(RUNNING).is_some() || (program("mariadbd").is_some() && program("mariadb-install-db").is_some())
    }

    /// The server that all tests of this process share.
    ///
    /// # Panics
    /// When it does not start.
    pub(crate) fn get() -> &'static Self {
        static SERVER: OnceLock<MariaDb> = OnceLock::new();
        SERVER.get_or_init(|| match env::var(RUNNING) {
            Ok(name) if name == "galera" => Self::node(),
            Ok(url) => Self::running(&url),
            Err(_) => match env::var_os(STARTED) {
                Some(directory) => Self::started(directory.into(), None),
                None => Self::start(),
            },
        })
    }

    fn running(url: &str) -> Self {
        Self {
            url: url.trim_end_matches('/').to_owned(),
            parameters: String::new(),
            databases: AtomicU32::new(0),
            kept: env::var(KEPT).ok().map(|names| Mutex::new(names.split(',').map(str::to_owned).collect())),
            directory: None,
            _cluster: None,
            _stdin: None,
        }
    }

    /// The server in this directory, which has its socket.
    fn started(directory: PathBuf, stdin: Option<ChildStdin>) -> Self {
        Self {
            url: "mysql://root@localhost".to_owned(),
            parameters: format!("?socket={}", directory.join("socket").display()),
            databases: AtomicU32::new(0),
            kept: None,
            directory: Some(directory),
            _cluster: None,
            _stdin: stdin,
        }
    }

    /// The first node of a cluster, which gives keys one after another, as tests expect: they write to it alone.
    fn node() -> Self {
        let cluster = Galera::start();
        for setting in
            ["wsrep_auto_increment_control = OFF", "auto_increment_increment = 1", "auto_increment_offset = 1"]
        {
            cluster.execute(0, &format!("SET GLOBAL {setting}"));
        }
        let url = cluster.url(0);
        let (base, parameters) = url.split_once("/test").expect("the URL of a database");
        Self {
            url: base.to_owned(),
            parameters: parameters.to_owned(),
            databases: AtomicU32::new(0),
            kept: None,
            directory: None,
            _cluster: Some(cluster),
            _stdin: None,
        }
    }

    fn start() -> Self {
        let find = |name| program(name).unwrap_or_else(|| panic!("MariaDB: {UNAVAILABLE}"));
        let directory = TempDir::with_prefix("crud-mariadb-").expect("a directory for the server").keep();
        let user = unprivileged();
        if let Some((user, group)) = user {
            chown(&directory, Some(user), Some(group)).expect("the directory is given to the server's user");
        }
        let as_user = |mut command: Command| {
            if let Some((user, group)) = user {
                command.uid(user).gid(group);
            }
            command.current_dir(&directory);
            command
        };
        let mut install = as_user(Command::new(find("mariadb-install-db")));
        install.arg("--no-defaults").arg(format!("--datadir={}", directory.join("data").display()));
        let installed = install
            .args(["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"])
            .output()
            .expect("mariadb-install-db starts");
        assert!(installed.status.success(), "MariaDB reports an error: {}", String::from_utf8_lossy(&installed.stdout));

        let mut supervisor = as_user(Command::new("sh"));
        // A separate process group, so that signals to the test runner's group do not reach it.
        supervisor.args(["-c", SUPERVISOR, "supervisor"]).arg(find("mariadbd")).arg(&directory).process_group(0);
        let supervisor = supervisor.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let stdin = supervisor.expect("the supervisor starts").stdin.take().expect("the supervisor's standard input");
        let server = Self::started(directory.clone(), Some(stdin));
        let log = || fs::read_to_string(directory.join("log")).unwrap_or_default();
        wait_on_thread("MariaDB starts", log, || server.execute("SELECT 1".to_owned()));
        server
    }

    /// Creates a database and returns its name.
    ///
    /// # Panics
    /// When the server reports an error.
    pub(crate) fn create(&self) -> String {
        if let Some(kept) = &self.kept {
            let mut free = None;
            wait_on_thread("a kept database is free", String::new, || {
                free = kept.lock().unwrap_or_else(PoisonError::into_inner).pop();
                free.as_ref().map(drop).ok_or("none is free")
            });
            return free.expect("a kept database");
        }
        // Other processes may create databases there at the same time.
        let name = format!("test_{}_{}", process::id(), self.databases.fetch_add(1, Ordering::Relaxed));
        self.execute(format!("CREATE DATABASE `{name}`")).expect("a database for the test");
        name
    }

    /// Removes a database.
    pub(crate) fn remove(&self, name: &str) {
        if let Some(kept) = &self.kept {
            self.empty(name).expect("the tables of the test are removed");
            kept.lock().unwrap_or_else(PoisonError::into_inner).push(name.to_owned());
            return;
        }
        // A database that cannot be removed is removed with the server.
        self.execute(format!("DROP DATABASE IF EXISTS `{name}`")).ok();
    }

    /// Removes the views and tables of a database.
    fn empty(&self, name: &str) -> sqlx::Result<()> {
        const FOUND: &str =
            "SELECT table_type, table_name FROM information_schema.tables WHERE table_schema = DATABASE()";
        self.on_thread(name, async |connection| {
            let found = sqlx::query(FOUND).fetch_all(&mut *connection).await?;
            let mut statements = vec!["SET SESSION foreign_key_checks = 0".to_owned()];
            for row in &found {
                let (kind, table): (String, String) = (row.try_get_unchecked(0)?, row.try_get_unchecked(1)?);
                let kind = if kind == "VIEW" { "VIEW" } else { "TABLE" };
                statements.push(format!("DROP {kind} `{table}`"));
            }
            for statement in statements {
                sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut *connection).await?;
            }
            Ok(())
        })
    }

    /// The URL of a database.
    pub(crate) fn url(&self, name: &str) -> String {
        format!("{}/{name}{}", self.url, self.parameters)
    }

    /// The server's directory, if this process started it.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Runs a statement.
    fn execute(&self, sql: String) -> sqlx::Result<()> {
        self.on_thread("", async move |connection| {
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(connection).await.map(drop)
        })
    }

    /// Runs statements on a database in a separate thread, because the caller may be in a runtime.
    fn on_thread(
        &self,
        database: &str,
        run: impl AsyncFnOnce(&mut MySqlConnection) -> sqlx::Result<()> + Send,
    ) -> sqlx::Result<()> {
        let url = self.url(database);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        // The runtime is dropped there too.
        let on_thread = move || {
            runtime.block_on(async {
                let mut connection = mysql_connection(&url).await?;
                run(&mut connection).await?;
                connection.close().await
            })
        };
        thread::scope(|scope| scope.spawn(on_thread).join()).expect("the statements are run")
    }
}

/// A server that a test freezes.
#[derive(Debug)]
pub struct MariaDbProcess(MariaDb);

impl MariaDbProcess {
    /// Starts a server; `None` where none can be started, or MariaDB is not tested.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start() -> Option<Self> {
        let is_possible = program("mariadbd").is_some() && program("mariadb-install-db").is_some();
        if !is_possible || !Backend::available().contains(&Backend::MySql) {
            return None;
        }
        Some(Self(MariaDb::start()))
    }

    /// An empty database in it.
    ///
    /// # Panics
    /// When the server reports an error.
    pub fn database(&self) -> Database {
        Database::at(self.0.url(&self.0.create()), Backend::MySql)
    }

    /// Freezes the server until the result is dropped: it accepts connections and does not respond.
    ///
    /// # Panics
    /// When the process cannot be signalled.
    pub fn freeze(&self) -> impl Sized {
        let directory = self.0.directory().expect("the directory of a server that was started");
        let process = fs::read_to_string(directory.join("pid")).expect("the server's process id");
        Frozen::stop(process.trim())
    }
}

/// The path of an installed program.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let candidates = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    candidates.map(|directory| directory.join(name)).find(|path| path.is_file())
}
