//! [`Cluster`]: a PostgreSQL server that this process starts, and that ends with it.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

use sqlx::{Connection, PgConnection};
use tempfile::TempDir;
use tokio::time::timeout;

use crate::frozen::Frozen;
use crate::wait::wait_on_thread;

/// Message: why no PostgreSQL server can be started here.
pub(crate) const UNAVAILABLE: &str =
    "its programs are neither in /usr/lib/postgresql nor in PATH (Debian: apt-get install postgresql)";

/// The database role of every connection.
const ROLE: &str = "crud";

/// Timeout for a database to be emptied: a test may leave its server stopped or frozen.
const CLEAR_TIMEOUT: Duration = Duration::from_secs(10);

/// Settings of every server: no `fsync`, since no test cuts the power, and replicas that reconnect at once.
const SETTINGS: &str = "
listen_addresses = ''
max_connections = 300
autovacuum = off
fsync = off
wal_retrieve_retry_interval = 100ms
";

/// Settings of a server that is never restarted: nothing has to be durable.
const WITHOUT_DURABILITY: &str = "
synchronous_commit = off
full_page_writes = off
";

/// Runs a server until standard input ends, which is when the process that holds its write end has ended in any way.
/// The server may be stopped or frozen by then; its directory is removed.
const SUPERVISOR: &str = r#""$1/pg_ctl" -D "$2/data" -l "$2/log" -s -w start
cat >/dev/null
server=$(head -n 1 "$2/data/postmaster.pid") && kill -CONT "$server" $(cat "/proc/$server/task/$server/children")
"$1/pg_ctl" -D "$2/data" -m immediate -s -w stop
rm -rf "$2""#;

/// Environment variable: the directory of a server that [`Servers`](crate::Servers) has started.
pub(crate) const STARTED: &str = "CRUD_TEST_POSTGRES";

/// Ends all other connections to this database, and removes what is in it.
const CLEAR: &str = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid();
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
END $$;
CREATE SCHEMA public";

/// A running server; it ends when this is dropped.
#[derive(Debug)]
pub struct Cluster {
    programs: PathBuf,
    directory: PathBuf,
    user: Option<(u32, u32)>,
    databases: AtomicU32,
    /// Databases that can be used again: `CREATE DATABASE` copies a template of 7 MB, which takes 90 ms, and a
    /// `DROP DATABASE` 30 ms.
    empty: Mutex<Vec<String>>,
    /// The write end of the supervisor's standard input: the server runs until it is dropped.
    _stdin: Option<ChildStdin>,
}

impl Cluster {
    /// Whether PostgreSQL's programs are installed.
    pub fn is_possible() -> bool {
        programs().is_some()
    }

    /// The server that all tests of this process share.
    ///
    /// # Panics
    /// When it does not start.
    pub(crate) fn get() -> Arc<Self> {
        static CLUSTER: OnceLock<Arc<Cluster>> = OnceLock::new();
        CLUSTER
            .get_or_init(|| match env::var_os(STARTED) {
                Some(directory) => Arc::new(Self::running(directory.into())),
                None => Self::without_durability(),
            })
            .clone()
    }

    /// Starts a server without durability, which is never restarted.
    ///
    /// # Panics
    /// When it does not start.
    pub fn without_durability() -> Arc<Self> {
        Self::initialised(WITHOUT_DURABILITY)
    }

    /// Starts a server that a test may stop and start again: committed data is kept.
    ///
    /// # Panics
    /// When it does not start.
    pub fn durable() -> Arc<Self> {
        Self::initialised("")
    }

    /// Starts a durable server with the settings that it needs to [rejoin](Self::rejoin) the one that has replaced it.
    ///
    /// # Panics
    /// When it does not start.
    pub fn rewindable() -> Arc<Self> {
        Self::initialised("wal_log_hints = on\nwal_keep_size = 512MB\n")
    }

    /// The server that is running in this directory.
    fn running(directory: PathBuf) -> Self {
        let programs = programs().unwrap_or_else(|| panic!("PostgreSQL: {UNAVAILABLE}"));
        Self { programs, directory, user: None, databases: AtomicU32::new(0), empty: Mutex::default(), _stdin: None }
    }

    fn initialised(settings: &str) -> Arc<Self> {
        let programs = programs().unwrap_or_else(|| panic!("PostgreSQL: {UNAVAILABLE}"));
        let mut initdb = Command::new(programs.join("initdb"));
        initdb.args(["-U", ROLE, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]);
        Self::start_from(programs, initdb, &format!("{SETTINGS}{settings}"))
    }

    /// Starts a replica that streams from this server.
    ///
    /// # Panics
    /// When it does not start.
    pub fn replica(&self) -> Arc<Self> {
        let mut copy = self.client("pg_basebackup");
        copy.args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]);
        Self::start_from(self.programs.clone(), copy, "")
    }

    /// Starts a server in a directory that a command fills.
    fn start_from(programs: PathBuf, mut fill: Command, settings: &str) -> Arc<Self> {
        let directory = TempDir::with_prefix("crud-postgres-").expect("a directory for the server").keep();
        let user = unprivileged();
        if let Some((user, group)) = user {
            chown(&directory, Some(user), Some(group)).expect("the directory is given to the server's user");
        }
        fill.arg("-D").arg(directory.join("data"));
        assert_success(&as_user(fill, user, &directory).output().expect("the command that fills the directory starts"));
        configure(&directory, settings);

        let mut supervisor = as_user(Command::new("sh"), user, &directory);
        // A separate process group, so that signals to the test runner's group do not reach it.
        supervisor.args(["-c", SUPERVISOR, "supervisor"]).arg(&programs).arg(&directory).process_group(0);
        let supervisor = supervisor.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let stdin = supervisor.expect("the supervisor starts").stdin.take().expect("the supervisor's standard input");
        let (databases, empty) = (AtomicU32::new(0), Mutex::default());
        let cluster = Self { programs, directory, user, databases, empty, _stdin: Some(stdin) };
        cluster.wait_until_ready();
        Arc::new(cluster)
    }

    fn wait_until_ready(&self) {
        let log = || fs::read_to_string(self.directory.join("log")).unwrap_or_default();
        wait_on_thread("PostgreSQL starts", log, || {
            let status = self.client("pg_isready").output().expect("pg_isready starts").status;
            if status.success() { Ok(()) } else { Err(status) }
        });
    }

    /// Stops the server as a crash would: connections break, and the next start runs recovery.
    ///
    /// # Panics
    /// When it does not stop.
    pub fn stop(&self) {
        assert_success(&self.control("stop").args(["-m", "immediate"]).output().expect("pg_ctl starts"));
    }

    /// Starts the server again and waits until it accepts connections.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(&self) {
        // Standard output is not captured: the server inherits it, so it would not end.
        let status = self.control("start").stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.expect("pg_ctl starts").success(), "PostgreSQL starts again");
        self.wait_until_ready();
    }

    /// Makes a replica the primary.
    ///
    /// # Panics
    /// When it is none.
    pub fn promote(&self) {
        assert_success(&self.control("promote").output().expect("pg_ctl starts"));
    }

    /// Starts this stopped server as a standby of the one that replaced it as the primary: what it alone has is undone.
    ///
    /// # Panics
    /// When it cannot be rewound or does not start.
    pub fn rejoin(&self, primary: &Self) {
        let mut rewind = self.as_user(Command::new(self.programs.join("pg_rewind")));
        rewind.arg("-D").arg(self.directory.join("data")).args(["--write-recovery-conf", "--no-sync"]);
        rewind.arg(format!("--source-server=host={} user={ROLE} dbname=postgres", primary.directory.display()));
        assert_success(&rewind.output().expect("pg_rewind starts"));
        configure(&self.directory, "");
        self.start();
    }

    /// Freezes the server until the result is dropped: it accepts connections and does not respond.
    ///
    /// # Panics
    /// When the processes cannot be signalled.
    pub fn freeze(&self) -> impl Sized {
        let file = fs::read_to_string(self.directory.join("data/postmaster.pid")).expect("the server's process id");
        let server = file.lines().next().expect("the first line is the id");
        Frozen::stop(server).with_children(server)
    }

    /// A command that runs as the server's user in its directory.
    pub(crate) fn as_user(&self, command: Command) -> Command {
        as_user(command, self.user, &self.directory)
    }

    fn control(&self, action: &str) -> Command {
        let mut command = self.as_user(Command::new(self.programs.join("pg_ctl")));
        command.arg("-D").arg(self.directory.join("data")).arg("-l").arg(self.directory.join("log"));
        command.args(["-s", "-w", action]);
        command
    }

    /// Creates a database and returns its name.
    ///
    /// # Panics
    /// When the server reports an error.
    pub fn create(&self) -> String {
        if let Some(name) = self.empty.lock().unwrap_or_else(PoisonError::into_inner).pop() {
            return name;
        }
        // Other processes may create databases there at the same time.
        let name = format!("test_{}_{}", process::id(), self.databases.fetch_add(1, Ordering::Relaxed));
        assert_success(&self.client("createdb").arg(&name).output().expect("createdb starts"));
        name
    }

    /// Removes a database, even while it is in use, or empties it for another test.
    pub(crate) fn remove(&self, name: &str) {
        if self.clear(name).is_ok() {
            self.empty.lock().unwrap_or_else(PoisonError::into_inner).push(name.to_owned());
            return;
        }
        // A database that cannot be removed is removed with the server. A test may have failed while commits wait for a standby.
        let mut command = self.client("dropdb");
        command.env("PGOPTIONS", "-c synchronous_commit=local").args(["--force", "--if-exists", name]).output().ok();
    }

    /// Empties a database, in a separate thread, because the caller may be in a runtime.
    fn clear(&self, name: &str) -> sqlx::Result<()> {
        let url = self.url(name);
        let run = async move {
            let mut connection = PgConnection::connect(&url).await?;
            // Commits may wait for a standby that is not there.
            sqlx::raw_sql("SET synchronous_commit = local").execute(&mut connection).await?;
            sqlx::raw_sql(CLEAR).execute(&mut connection).await?;
            connection.close().await
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        thread::spawn(move || runtime.block_on(async { timeout(CLEAR_TIMEOUT, run).await }))
            .join()
            .expect("the database is emptied")
            .unwrap_or(Err(sqlx::Error::PoolTimedOut))
    }

    /// The URL of a database.
    pub fn url(&self, name: &str) -> String {
        format!("postgres://{ROLE}@localhost/{name}?host={}", self.directory.display())
    }

    /// The server's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.arg("-h").arg(&self.directory).args(["-U", ROLE]).env_remove("PGDATABASE").env_remove("PGPORT");
        command
    }
}

/// Appends settings to those of a server. The last setting of a name applies, so these override what was copied from
/// another server.
fn configure(directory: &Path, settings: &str) {
    let file = OpenOptions::new().append(true).open(directory.join("data/postgresql.conf"));
    let settings = format!("{settings}unix_socket_directories = '{}'\n", directory.display());
    file.and_then(|mut file| file.write_all(settings.as_bytes())).expect("the server is configured");
}

/// A command that runs as this user in this directory, without PostgreSQL's environment variables.
fn as_user(mut command: Command, user: Option<(u32, u32)>, directory: &Path) -> Command {
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    command.current_dir(directory).env_remove("PGOPTIONS").env_remove("PGDATA");
    command
}

/// The directory of PostgreSQL's programs, those of the latest version installed.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let latest = versions.map(|entry| entry.path()).max_by_key(version);
    let path = env::var_os("PATH").unwrap_or_default();
    let candidates = latest.map(|path| path.join("bin")).into_iter().chain(env::split_paths(&path));
    candidates.into_iter().find(|path| ["initdb", "pg_ctl", "createdb"].iter().all(|name| runs(&path.join(name))))
}

/// The path of a program in `PATH` or `/usr/sbin`.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    directories.map(|directory| directory.join(name)).find(|path| runs(path))
}

/// Whether a file is a program that every user can run.
fn runs(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 1 == 1)
}

/// An unprivileged user and group for a server, if this process runs as root: databases refuse to run as root.
pub(crate) fn unprivileged() -> Option<(u32, u32)> {
    let id = |arguments: &[&str]| -> Option<u32> {
        let output = Command::new("id").args(arguments).output().ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()?.trim().parse().ok()
    };
    if id(&["-u"]) != Some(0) {
        return None;
    }
    ["postgres", "mysql", "nobody"].into_iter().find_map(|name| Some((id(&["-u", name])?, id(&["-g", name])?)))
}

fn assert_success(output: &Output) {
    assert!(output.status.success(), "PostgreSQL reports an error: {}", String::from_utf8_lossy(&output.stderr));
}
