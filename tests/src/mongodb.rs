//! [`MongoDb`]: a server that speaks MongoDB's wire protocol, started by this process and ended with it, or an external
//! one.

use std::env;
use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{self, Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, OnceLock};
use std::thread;

use ::mongodb::Client;
use crud_runtime::adapter::{Adapter, MongoDbAdapter};
use tempfile::TempDir;
use tokio::runtime::Runtime;

use crate::address::free_address;
use crate::backend::{Backend, Database};
use crate::wait::wait_on_thread;

/// Message: why there is no server to test on.
pub(crate) const UNAVAILABLE: &str = "neither is the server of tests/mongodb built (`tests/mongodb/build`), nor is \
    mongod in PATH, nor does CRUD_TEST_MONGODB name a server";

/// Environment variable: the URL, without a database, of a running server to create the tests' databases in.
pub(crate) const RUNNING: &str = "CRUD_TEST_MONGODB";

/// Path of the server that `tests/mongodb/build` builds, in cargo's target directory.
const BUILT: &str = "mongodb/mongodb-server";

/// Runs a server until standard input ends, which is when the process that holds its write end has ended in any way.
/// Its directory is removed.
const SUPERVISOR: &str = r#"directory="$1"
shift
"$@" >"$directory/log" 2>&1 </dev/null &
server=$!
cat >/dev/null
kill -KILL "$server"
wait "$server"
rm -rf "$directory""#;

/// A running server.
#[derive(Debug)]
pub(crate) struct MongoDb {
    /// The URL up to the database's name, which these parameters follow.
    url: String,
    parameters: String,
    databases: AtomicU32,
    directory: Option<PathBuf>,
    /// The write end of the supervisor's standard input: the server runs until it is dropped.
    _stdin: Option<ChildStdin>,
}

impl MongoDb {
    /// Whether a server is named by the environment or can be started.
    pub(crate) fn is_possible() -> bool {
        env::var_os(RUNNING).is_some() || program().is_some()
    }

    /// The server that all tests of this process share.
    ///
    /// # Panics
    /// When it does not start.
    pub(crate) fn get() -> &'static Self {
        static SERVER: OnceLock<MongoDb> = OnceLock::new();
        SERVER.get_or_init(|| match env::var(RUNNING) {
            Ok(url) => Self::running(&url),
            Err(_) => Self::start(),
        })
    }

    fn running(url: &str) -> Self {
        let (url, parameters) = url.split_once('?').unwrap_or((url, ""));
        let parameters = if parameters.is_empty() { String::new() } else { format!("?{parameters}") };
        Self {
            url: url.trim_end_matches('/').to_owned(),
            parameters,
            databases: AtomicU32::new(0),
            directory: None,
            _stdin: None,
        }
    }

    fn start() -> Self {
        let program = program().unwrap_or_else(|| panic!("MongoDB: {UNAVAILABLE}"));
        let directory = TempDir::with_prefix("crud-mongodb-").expect("a directory for the server").keep();
        let data = directory.join("data");
        fs::create_dir(&data).expect("a directory for the data");
        let address = free_address();
        let mut supervisor = Command::new("sh");
        supervisor.args(["-c", SUPERVISOR, "supervisor"]).arg(&directory).args(command(&program, address, &data));
        // A separate process group, so that signals to the test runner's group do not reach it.
        let supervisor = supervisor.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let stdin =
            supervisor.spawn().expect("the supervisor starts").stdin.take().expect("the supervisor's standard input");
        wait_until_listening(address, || fs::read_to_string(directory.join("log")).unwrap_or_default());
        Self {
            url: format!("mongodb://{address}"),
            parameters: String::new(),
            databases: AtomicU32::new(0),
            directory: Some(directory),
            _stdin: Some(stdin),
        }
    }

    /// Whether it is a replica set or a sharded cluster, which have transactions.
    pub(crate) fn has_transactions(&self) -> bool {
        static TRANSACTIONS: OnceLock<bool> = OnceLock::new();
        *TRANSACTIONS.get_or_init(|| {
            let url = self.url("test");
            let connect = async move { MongoDbAdapter::connect(&url).await.expect("the server answers") };
            let adapter = thread::spawn(|| RUNTIME.block_on(connect)).join().expect("the server answers");
            adapter.capabilities().transactions
        })
    }

    /// The name of a database that no other test has. The server creates it with its first document.
    pub(crate) fn create(&self) -> String {
        // Other processes may create databases there at the same time.
        format!("test_{}_{}", process::id(), self.databases.fetch_add(1, Ordering::Relaxed))
    }

    /// Removes a database.
    pub(crate) fn remove(&self, name: &str) {
        let url = self.url(name);
        let name = name.to_owned();
        let drop = async move { Client::with_uri_str(url).await?.database(&name).drop().await };
        // A database that cannot be removed is removed with the server. The caller may be in a runtime.
        thread::spawn(move || RUNTIME.block_on(drop).ok()).join().ok();
    }

    /// The URL of a database.
    pub(crate) fn url(&self, name: &str) -> String {
        format!("{}/{name}{}", self.url, self.parameters)
    }

    /// The server's directory, if this process started it.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }
}

/// Environment variable: the built server plays transactions for all tests.
const TRANSACTIONS: &str = "CRUD_TEST_MONGODB_TRANSACTIONS";

/// A server whose process a test kills and starts again.
#[derive(Debug)]
pub struct MongoDbProcess {
    command: Vec<String>,
    _directory: TempDir,
    address: SocketAddr,
    process: Child,
}

impl Drop for MongoDbProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

impl MongoDbProcess {
    /// Starts a server; `None` where none can be started, or MongoDB is not tested.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start() -> Option<Self> {
        Self::start_with(&[])
    }

    /// Starts a server that plays transactions; `None` where the server of `tests/mongodb` is not built, or MongoDB is not
    /// tested.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start_with_transactions() -> Option<Self> {
        built()?;
        Self::start_with(&["transactions"])
    }

    fn start_with(arguments: &[&str]) -> Option<Self> {
        if !Backend::available().contains(&Backend::MongoDb) {
            return None;
        }
        let program = if arguments.is_empty() { program() } else { built() }?;
        let (address, directory) =
            (free_address(), TempDir::with_prefix("crud-mongodb-").expect("a directory for the server"));
        let mut command = command(&program, address, directory.path());
        command.extend(arguments.iter().map(|&argument| argument.to_owned()));
        let process = spawn(&command, address);
        Some(Self { command, _directory: directory, address, process })
    }

    /// Kills the process, by SIGKILL.
    ///
    /// # Panics
    /// When it cannot be killed.
    pub fn kill(&mut self) {
        self.process.kill().expect("the server is killed");
        self.process.wait().expect("the server has ended");
    }

    /// Starts the process again, on the same data and address.
    ///
    /// # Panics
    /// When it does not start.
    pub fn restart(&mut self) {
        self.process = spawn(&self.command, self.address);
    }

    /// An empty database in it.
    pub fn database(&self) -> Database {
        Database::at(format!("mongodb://{}/test", self.address), Backend::MongoDb)
    }
}

fn spawn(command: &[String], address: SocketAddr) -> Child {
    let process = Command::new(&command[0]).args(&command[1..]).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let process = process.expect("the server starts");
    wait_until_listening(address, || "the server's log is not kept".to_owned());
    process
}

/// Runs the harness's own requests, whose clients live longer than a test's runtime.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
});

/// The program of the server: `mongod`, or else the built one.
fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let mongod = env::split_paths(&path).map(|directory| directory.join("mongod")).find(|path| path.is_file());
    mongod.filter(|_| env::var_os(TRANSACTIONS).is_none()).or_else(built)
}

/// The program that `tests/mongodb/build` has built.
fn built() -> Option<PathBuf> {
    // This test is in a directory of the target directory.
    let test = env::current_exe().unwrap_or_default();
    test.ancestors().skip(1).map(|directory| directory.join(BUILT)).find(|path| path.is_file())
}

/// The command that serves this data on an address.
fn command(program: &Path, address: SocketAddr, data: &Path) -> Vec<String> {
    let text = |path: &Path| path.to_str().expect("a path in UTF-8").to_owned();
    if program.ends_with("mongod") {
        let (host, port) = (address.ip().to_string(), address.port().to_string());
        let arguments = ["--bind_ip".to_owned(), host, "--port".to_owned(), port, "--dbpath".to_owned(), text(data)];
        return [text(program)].into_iter().chain(arguments).collect();
    }
    let mut command = vec![text(program), address.to_string(), text(data)];
    if env::var_os(TRANSACTIONS).is_some() {
        command.push("transactions".to_owned());
    }
    command
}

/// Waits until the server accepts connections.
///
/// # Panics
/// When it does not in time.
fn wait_until_listening(address: SocketAddr, log: impl Fn() -> String) {
    wait_on_thread("MongoDB starts", log, || TcpStream::connect(address).map(drop));
}
