//! [`Cluster`]: a PostgreSQL server of this process's own, gone when the process is.

use std::env;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Why there is no server to test on, where that is so.
pub(crate) const MISSING: &str = "its programs are neither in /usr/lib/postgresql nor in PATH";

/// The role that everything is done in.
const ROLE: &str = "crud";

/// How long a server may take to start.
const START: Duration = Duration::from_mins(1);

/// What every server is told: no power cut needs to be survived. Replicas do not wait to come back.
const SETTINGS: &str = "
listen_addresses = ''
max_connections = 300
autovacuum = off
fsync = off
wal_retrieve_retry_interval = 100ms
";

/// What one is told that nobody stops: nothing needs to be survived.
const FORGETFUL: &str = "
synchronous_commit = off
full_page_writes = off
";

/// Runs a server until standard input ends, which it does when the process that wrote to it is gone, however
/// it went. The server may have been stopped by then, or be frozen. Nothing is to be kept.
const KEEPER: &str = r#""$1/pg_ctl" -D "$2/data" -l "$2/log" -s -w start
cat >/dev/null
server=$(head -n 1 "$2/data/postmaster.pid") && kill -CONT "$server" $(cat "/proc/$server/task/$server/children")
"$1/pg_ctl" -D "$2/data" -m immediate -s -w stop
rm -rf "$2""#;

/// A running server, for as long as this lives.
#[derive(Debug)]
pub struct Cluster {
    programs: PathBuf,
    directory: PathBuf,
    user: Option<(u32, u32)>,
    databases: AtomicU32,
    /// What the server lives as long as.
    _life: ChildStdin,
}

impl Cluster {
    /// Whether there is what a server can be started from.
    pub fn is_possible() -> bool {
        programs().is_some()
    }

    /// The server of this process, for all its tests.
    ///
    /// # Panics
    /// When it does not start.
    pub(crate) fn get() -> Arc<Self> {
        static CLUSTER: OnceLock<Arc<Cluster>> = OnceLock::new();
        CLUSTER.get_or_init(Self::forgetful).clone()
    }

    /// A server that forgets what it did when the machine fails, and tidies up nothing by itself.
    ///
    /// # Panics
    /// When it does not start.
    pub fn forgetful() -> Arc<Self> {
        Self::initialised(FORGETFUL)
    }

    /// A server of one test's own, which it may stop and start: what was committed is there again.
    ///
    /// # Panics
    /// When it does not start.
    pub fn own() -> Arc<Self> {
        Self::initialised("")
    }

    fn initialised(settings: &str) -> Arc<Self> {
        let programs = programs().unwrap_or_else(|| panic!("PostgreSQL: {MISSING}"));
        let mut initdb = Command::new(programs.join("initdb"));
        initdb.args(["-U", ROLE, "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]);
        Self::start_from(programs, initdb, &format!("{SETTINGS}{settings}"))
    }

    /// A new server that streams from this one.
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
        succeeded(&as_user(fill, user, &directory).output().expect("the command that fills the directory starts"));
        // The last word counts, over what a replica has from its primary too.
        let file = OpenOptions::new().append(true).open(directory.join("data/postgresql.conf"));
        let settings = format!("{settings}unix_socket_directories = '{}'\n", directory.display());
        file.and_then(|mut file| file.write_all(settings.as_bytes())).expect("the server is told");

        let mut keeper = as_user(Command::new("sh"), user, &directory);
        // A group of its own, which the signals to a test runner's do not reach.
        keeper.args(["-c", KEEPER, "keeper"]).arg(&programs).arg(&directory).process_group(0);
        let keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let life = keeper.expect("the server's keeper starts").stdin.take().expect("the keeper reads");
        let cluster = Self { programs, directory, user, databases: AtomicU32::new(0), _life: life };
        cluster.wait_until_ready();
        Arc::new(cluster)
    }

    fn wait_until_ready(&self) {
        let begin = Instant::now();
        while !self.client("pg_isready").output().expect("pg_isready starts").status.success() {
            let log = || fs::read_to_string(self.directory.join("log")).unwrap_or_default();
            assert!(begin.elapsed() < START, "PostgreSQL does not start: {}", log());
            sleep(Duration::from_millis(50));
        }
    }

    /// Stops the server as a crash would: connections break off, and it has to recover when it starts.
    ///
    /// # Panics
    /// When it does not stop.
    pub fn stop(&self) {
        succeeded(&self.control("stop").args(["-m", "immediate"]).output().expect("pg_ctl starts"));
    }

    /// Starts the server again, and waits until it serves.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(&self) {
        // What it prints goes to a file: its end would not come as long as the server lives.
        let status = self.control("start").stdout(Stdio::null()).stderr(Stdio::null()).status();
        assert!(status.expect("pg_ctl starts").success(), "PostgreSQL starts again");
        self.wait_until_ready();
    }

    /// Lets the server hang for as long as the result lives: it takes connections and does not say a word.
    ///
    /// # Panics
    /// When the system has no signals for that.
    pub fn freeze(&self) -> impl Sized {
        let file = fs::read_to_string(self.directory.join("data/postmaster.pid")).expect("the server's process id");
        let server = file.lines().next().expect("the first line is the id").to_owned();
        let children = fs::read_to_string(format!("/proc/{server}/task/{server}/children")).expect("its children");
        let frozen = Frozen(children.split_whitespace().map(str::to_owned).chain([server]).collect());
        frozen.signal("STOP");
        frozen
    }

    /// A command that the server's user runs in its directory.
    pub(crate) fn as_user(&self, command: Command) -> Command {
        as_user(command, self.user, &self.directory)
    }

    fn control(&self, action: &str) -> Command {
        let mut command = self.as_user(Command::new(self.programs.join("pg_ctl")));
        command.arg("-D").arg(self.directory.join("data")).arg("-l").arg(self.directory.join("log"));
        command.args(["-s", "-w", action]);
        command
    }

    /// Makes a database; its name.
    ///
    /// # Panics
    /// When the server refuses.
    pub fn create(&self) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        succeeded(&self.client("createdb").arg(&name).output().expect("createdb starts"));
        name
    }

    /// Removes a database, whoever still uses it.
    pub(crate) fn remove(&self, name: &str) {
        // One that stays goes with the server.
        self.client("dropdb").args(["--force", "--if-exists", name]).output().ok();
    }

    /// The URL of a database.
    pub fn url(&self, name: &str) -> String {
        format!("postgres://{ROLE}@localhost/{name}?host={}", self.directory.display())
    }

    /// Where the server is.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.arg("-h").arg(&self.directory).args(["-U", ROLE]).env_remove("PGDATABASE").env_remove("PGPORT");
        command
    }
}

/// Processes that are stopped, and go on when this is dropped.
#[derive(Debug)]
struct Frozen(Vec<String>);

impl Frozen {
    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name]).args(&self.0).status().expect("a kill command");
        assert!(sent.success(), "the signal is sent");
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        self.signal("CONT");
    }
}

/// A command that a server's user runs in its directory, with nothing said past its arguments.
fn as_user(mut command: Command, user: Option<(u32, u32)>, directory: &Path) -> Command {
    if let Some((user, group)) = user {
        command.uid(user).gid(group);
    }
    command.current_dir(directory).env_remove("PGOPTIONS").env_remove("PGDATA");
    command
}

/// The directory of PostgreSQL's programs, of the latest version that is there.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let latest = versions.map(|entry| entry.path()).max_by_key(version);
    let path = env::var_os("PATH").unwrap_or_default();
    let candidates = latest.map(|path| path.join("bin")).into_iter().chain(env::split_paths(&path));
    candidates.into_iter().find(|path| ["initdb", "pg_ctl", "createdb"].iter().all(|name| runs(&path.join(name))))
}

/// The file of a program, where there is one in `PATH` or in the system's own directory.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let directories = env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    directories.map(|directory| directory.join(name)).find(|path| runs(path))
}

/// Whether a file is a program that everybody can run.
fn runs(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 1 == 1)
}

/// The user and group for a server, where this process is root's, whom databases do not serve.
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

fn succeeded(output: &Output) {
    assert!(output.status.success(), "PostgreSQL refuses: {}", String::from_utf8_lossy(&output.stderr));
}
