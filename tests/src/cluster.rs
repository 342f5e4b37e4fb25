//! [`Cluster`]: a PostgreSQL server of this process's own, gone when the process is.

use std::env;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// Why there is no server to test on, where that is so.
pub(crate) const MISSING: &str = "its programs are neither in /usr/lib/postgresql nor in PATH";

/// The role that everything is done in.
const ROLE: &str = "crud";

/// How long a server may take to start.
const START: Duration = Duration::from_mins(1);

/// Runs a server until standard input ends, which it does when the process that wrote to it is gone, however
/// it went. Then nothing is to be kept.
const KEEPER: &str = r#""$1/postgres" -D "$2/data" -k "$2" -c listen_addresses= -c fsync=off -c synchronous_commit=off \
    -c full_page_writes=off -c max_connections=300 -c autovacuum=off >"$2/log" 2>&1 </dev/null &
server=$!
cat >/dev/null
kill -QUIT "$server"
wait "$server"
rm -rf "$2""#;

/// A running server, for as long as this lives.
#[derive(Debug)]
pub struct Cluster {
    programs: PathBuf,
    directory: PathBuf,
    databases: AtomicU32,
    /// What the server lives as long as.
    _life: ChildStdin,
}

impl Cluster {
    /// Whether there is what a server can be started from.
    pub fn is_possible() -> bool {
        programs().is_some()
    }

    /// The server of this process.
    ///
    /// # Panics
    /// When it does not start.
    pub(crate) fn get() -> &'static Self {
        static CLUSTER: OnceLock<Cluster> = OnceLock::new();
        CLUSTER.get_or_init(Self::start)
    }

    /// Starts a server: the keeper's options make it forget what it did when the machine fails, and tidy up
    /// nothing by itself.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start() -> Self {
        let programs = programs().unwrap_or_else(|| panic!("PostgreSQL: {MISSING}"));
        let directory = TempDir::with_prefix("crud-postgres-").expect("a directory for the server").keep();
        let user = unprivileged();
        if let Some((user, group)) = user {
            chown(&directory, Some(user), Some(group)).expect("the directory is given to the server's user");
        }
        let as_user = |mut command: Command| {
            if let Some((user, group)) = user {
                command.uid(user).gid(group);
            }
            command.current_dir(&directory).env_remove("PGOPTIONS").env_remove("PGDATA");
            command
        };
        let mut initdb = as_user(Command::new(programs.join("initdb")));
        initdb.arg("-D").arg(directory.join("data")).args(["-U", ROLE, "-A", "trust", "-E", "UTF8"]);
        succeeded(&initdb.args(["--locale=C.UTF-8", "--no-sync"]).output().expect("initdb starts"));

        let mut keeper = as_user(Command::new("sh"));
        // A group of its own, which the signals to a test runner's do not reach.
        keeper.args(["-c", KEEPER, "keeper"]).arg(&programs).arg(&directory).process_group(0);
        let mut keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let keeper: &mut Child = keeper.as_mut().expect("the server's keeper starts");
        let life = keeper.stdin.take().expect("the keeper reads");
        let cluster = Self { programs, directory, databases: AtomicU32::new(0), _life: life };
        let begin = Instant::now();
        while !cluster.client("pg_isready").output().expect("pg_isready starts").status.success() {
            let log = || fs::read_to_string(cluster.directory.join("log")).unwrap_or_default();
            assert!(begin.elapsed() < START, "PostgreSQL does not start: {}", log());
            sleep(Duration::from_millis(50));
        }
        cluster
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

/// The directory of PostgreSQL's programs, of the latest version that is there.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let version = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let latest = versions.map(|entry| entry.path()).max_by_key(version);
    let path = env::var_os("PATH").unwrap_or_default();
    let candidates = latest.map(|path| path.join("bin")).into_iter().chain(env::split_paths(&path));
    let runs = |path: &Path| fs::metadata(path).is_ok_and(|file| file.is_file() && file.permissions().mode() & 1 == 1);
    candidates.into_iter().find(|path| ["initdb", "postgres", "createdb"].iter().all(|name| runs(&path.join(name))))
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
