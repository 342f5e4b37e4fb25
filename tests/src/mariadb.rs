//! [`Server`]: a MariaDB or MySQL server of this process's own, gone when the process is.

use std::env;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection, MySqlConnection};
use tempfile::TempDir;

use crate::cluster::unprivileged;

/// Why there is no server to test on, where that is so.
pub(crate) const MISSING: &str =
    "neither are mariadbd and mariadb-install-db in PATH or /usr/sbin, nor does CRUD_TEST_MYSQL name a server";

/// The URL of a server that runs already, without a database: the tests make theirs there.
const RUNNING: &str = "CRUD_TEST_MYSQL";

/// How long a server may take to start.
const START: Duration = Duration::from_mins(1);

/// Runs a server until standard input ends, which it does when the process that wrote to it is gone, however
/// it went. Then nothing is to be kept.
const KEEPER: &str = r#""$1" --no-defaults --datadir="$2/data" --socket="$2/socket" --pid-file="$2/pid" --skip-networking \
    --tmpdir="$2" --innodb-flush-log-at-trx-commit=0 --innodb-doublewrite=0 --innodb-flush-method=nosync --debug-no-sync \
    --skip-log-bin --max-connections=300 --max-prepared-stmt-count=100000 >"$2/log" 2>&1 </dev/null &
server=$!
cat >/dev/null
kill -KILL "$server"
wait "$server"
rm -rf "$2""#;

/// A running server.
#[derive(Debug)]
pub(crate) struct Server {
    /// Its URL, which a database and then these parameters follow.
    url: String,
    parameters: String,
    databases: AtomicU32,
    directory: Option<PathBuf>,
    /// What the server lives as long as.
    _life: Option<ChildStdin>,
}

impl Server {
    /// Whether there is one, or what it can be started from.
    pub(crate) fn is_possible() -> bool {
        env::var_os(RUNNING).is_some() || (program("mariadbd").is_some() && program("mariadb-install-db").is_some())
    }

    /// The server of this process.
    ///
    /// # Panics
    /// When it does not start.
    pub(crate) fn get() -> &'static Self {
        static SERVER: OnceLock<Server> = OnceLock::new();
        SERVER.get_or_init(|| match env::var(RUNNING) {
            Ok(url) => Self {
                url: url.trim_end_matches('/').to_owned(),
                parameters: String::new(),
                // Others may use it too.
                databases: AtomicU32::new(std::process::id().wrapping_mul(1_000)),
                directory: None,
                _life: None,
            },
            Err(_) => Self::start(),
        })
    }

    fn start() -> Self {
        let find = |name| program(name).unwrap_or_else(|| panic!("MariaDB: {MISSING}"));
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
        assert!(installed.status.success(), "MariaDB refuses: {}", String::from_utf8_lossy(&installed.stdout));

        let mut keeper = as_user(Command::new("sh"));
        // A group of its own, which the signals to a test runner's do not reach.
        keeper.args(["-c", KEEPER, "keeper"]).arg(find("mariadbd")).arg(&directory).process_group(0);
        let keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let life = keeper.expect("the server's keeper starts").stdin.take().expect("the keeper reads");
        let server = Self {
            url: "mysql://root@localhost".to_owned(),
            parameters: format!("?socket={}", directory.join("socket").display()),
            databases: AtomicU32::new(0),
            directory: Some(directory.clone()),
            _life: Some(life),
        };
        let begin = Instant::now();
        while let Err(error) = server.execute("SELECT 1".to_owned()) {
            let log = || fs::read_to_string(directory.join("log")).unwrap_or_default();
            assert!(begin.elapsed() < START, "MariaDB does not start: {error}: {}", log());
            thread::sleep(Duration::from_millis(50));
        }
        server
    }

    /// Makes a database; its name.
    ///
    /// # Panics
    /// When the server refuses.
    pub(crate) fn create(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.execute(format!("CREATE DATABASE `{name}`")).expect("a database for the test");
        name
    }

    /// Removes a database.
    pub(crate) fn remove(&self, name: &str) {
        // One that stays goes with the server.
        self.execute(format!("DROP DATABASE IF EXISTS `{name}`")).ok();
    }

    /// The URL of a database.
    pub(crate) fn url(&self, name: &str) -> String {
        format!("{}/{name}{}", self.url, self.parameters)
    }

    /// Where the server is, if it is this process's own.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// Runs a statement, in a thread of its own: those who ask may be in a runtime.
    fn execute(&self, sql: String) -> sqlx::Result<()> {
        let url = self.url("");
        let run = async move {
            let mut connection = MySqlConnection::connect(&url).await?;
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await?;
            connection.close().await
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        thread::spawn(move || runtime.block_on(run)).join().expect("the statement is run")
    }
}

/// The path of a program that is installed.
fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let candidates = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    candidates.map(|directory| directory.join(name)).find(|path| path.is_file())
}
