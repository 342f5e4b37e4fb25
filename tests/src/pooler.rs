//! [`Pooler`]: pgbouncer in front of a server, ended with this process.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};

use crate::backend::Database;
use crate::cluster::{Cluster, program};
use crate::require::skip;
use crate::wait::wait_on_thread;

/// Runs pgbouncer until standard input ends, which is when the process that holds its write end has ended.
const SUPERVISOR: &str = r#""$1" -q "$2/pgbouncer.ini" </dev/null &
pooler=$!
cat >/dev/null
kill -INT "$pooler""#;

/// The port number in the name of the socket.
const PORT: u16 = 6432;

/// A pgbouncer in transaction mode.
#[derive(Debug)]
pub struct Pooler {
    /// The write end of the supervisor's standard input: pgbouncer runs until it is dropped.
    _stdin: ChildStdin,
}

impl Pooler {
    /// Whether pgbouncer 1.21 or later is installed, the first that keeps prepared statements; otherwise the test is
    /// [skipped](skip).
    ///
    /// # Panics
    /// When it is not, and `CRUD_TEST_REQUIRE` names `pgbouncer`.
    pub fn is_possible() -> bool {
        let output = program("pgbouncer").and_then(|program| Command::new(program).arg("--version").output().ok());
        let printed = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
        let version = printed.split_whitespace().nth(1).and_then(|version| version.rsplit_once('.'));
        let number = |(version, _): (&str, &str)| {
            let (major, minor) = version.split_once('.')?;
            Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?))
        };
        let possible = version.and_then(number).is_some_and(|version| version >= (1, 21));
        if !possible {
            let found =
                version.map_or_else(|| "no pgbouncer".to_owned(), |(version, patch)| format!("{version}.{patch}"));
            skip(
                "pgbouncer",
                &format!("services behind it need version 1.21, which keeps prepared statements; found {found}"),
            );
        }
        possible
    }

    /// Starts pgbouncer in front of a server, with these additional settings.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(cluster: &Cluster, settings: &str) -> Self {
        let directory = cluster.directory();
        let directory_path = directory.display();
        let configuration = format!(
            "[databases]\n* = host={directory_path} user=crud\n[pgbouncer]\nauth_type = any\nlisten_addr =\n\
             listen_port = {PORT}\nunix_socket_dir = {directory_path}\nlogfile = {directory_path}/pgbouncer.log\n\
             pool_mode = transaction\nmax_client_conn = 1000\nmax_prepared_statements = 300\n\
             ignore_startup_parameters = options\n{settings}\n"
        );
        fs::write(directory.join("pgbouncer.ini"), configuration).expect("pgbouncer is configured");
        let program = program("pgbouncer").expect("pgbouncer is installed");
        let mut supervisor = cluster.as_user(Command::new("sh"));
        supervisor.args(["-c", SUPERVISOR, "supervisor"]).arg(program).arg(directory).process_group(0);
        let supervisor = supervisor.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let stdin = supervisor.expect("the supervisor starts").stdin.take().expect("the supervisor's standard input");
        let log = || fs::read_to_string(directory.join("pgbouncer.log")).unwrap_or_default();
        let socket = directory.join(format!(".s.PGSQL.{PORT}"));
        wait_on_thread("pgbouncer starts", log, || fs::metadata(&socket).map(drop));
        Self { _stdin: stdin }
    }

    /// The URL of a database through pgbouncer.
    pub fn url(&self, database: &Database) -> String {
        format!("{}&port={PORT}", database.url())
    }
}
