//! [`Pooler`]: pgbouncer before a server, gone when the process is.

use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::backend::Database;
use crate::cluster::{Cluster, program};

/// Runs it until standard input ends, which it does when the process that wrote to it is gone.
const KEEPER: &str = r#""$1" -q "$2/pgbouncer.ini" </dev/null &
pooler=$!
cat >/dev/null
kill -INT "$pooler""#;

/// The port in the name of its socket.
const PORT: u16 = 6432;

/// A pgbouncer in transaction mode.
#[derive(Debug)]
pub struct Pooler {
    /// What it lives as long as.
    _life: ChildStdin,
}

impl Pooler {
    /// Whether this machine has one that keeps prepared statements, which it does from version 1.21 on; says so
    /// where it has not, past the test runner's capture.
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
            // A report that cannot be written is no reason to fail a test.
            writeln!(std::io::stderr(), "not behind pgbouncer: there is none of version 1.21 or later").ok();
        }
        possible
    }

    /// Starts one before a server, with these further settings.
    ///
    /// # Panics
    /// When it does not start.
    pub fn start(cluster: &Cluster, settings: &str) -> Self {
        let directory = cluster.directory();
        let place = directory.display();
        let configuration = format!(
            "[databases]\n* = host={place} user=crud\n[pgbouncer]\nauth_type = any\nlisten_addr =\n\
             listen_port = {PORT}\nunix_socket_dir = {place}\nlogfile = {place}/pgbouncer.log\n\
             pool_mode = transaction\nmax_client_conn = 1000\nmax_prepared_statements = 300\n\
             ignore_startup_parameters = options\n{settings}\n"
        );
        fs::write(directory.join("pgbouncer.ini"), configuration).expect("the pooler is told");
        let program = program("pgbouncer").expect("a program");
        let mut keeper = cluster.as_user(Command::new("sh"));
        keeper.args(["-c", KEEPER, "keeper"]).arg(program).arg(directory).process_group(0);
        let keeper = keeper.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let life = keeper.expect("the pooler's keeper starts").stdin.take().expect("the keeper reads");
        let begin = Instant::now();
        while !directory.join(format!(".s.PGSQL.{PORT}")).exists() {
            assert!(begin.elapsed() < Duration::from_secs(10), "the pooler does not start");
            sleep(Duration::from_millis(20));
        }
        Self { _life: life }
    }

    /// The URL of a database behind it.
    pub fn url(&self, database: &Database) -> String {
        format!("{}&port={PORT}", database.url())
    }
}
