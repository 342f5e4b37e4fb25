//! [`Server`]: a service in a separate process.

use std::cell::RefCell;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::net::SocketAddr;
use std::ops::Deref;
use std::path::Path;
use std::process::{ExitStatus, Stdio};
use std::thread::panicking;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::process::{Child, Command};

use crate::address::free_address;
use crate::backend::Database;
use crate::client::Client;
use crate::wait::{event, pause, wait_until};

/// A running program that listens on `BIND` and uses the database of `DATABASE_URL`.
#[derive(Debug)]
pub struct Server {
    child: Child,
    client: Client,
    address: SocketAddr,
    /// File with the program's standard error.
    errors: File,
}

impl Server {
    /// Starts a program and waits until it accepts connections.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start(program: &str, database: &Database) -> Self {
        Self::start_with(program, &[], &[], database).await
    }

    /// Starts a program with arguments and environment variables.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start_with(
        program: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
        database: &Database,
    ) -> Self {
        Self::start_in(Path::new("."), program, arguments, variables, database).await
    }

    /// Starts a program in a directory.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start_in(
        directory: &Path,
        program: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
        database: &Database,
    ) -> Self {
        let mut command = command(program, database);
        command.current_dir(directory).args(arguments).envs(variables.iter().copied());
        Self::launch(command, database).await
    }

    /// Starts a program whose log is written to a file.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn start_with_log(program: &str, variables: &[(&str, &str)], database: &Database, log: File) -> Self {
        let mut command = command(program, database);
        command.envs(variables.iter().copied()).stdout(log);
        Self::launch(command, database).await
    }

    async fn launch(mut command: Command, database: &Database) -> Self {
        let address = free_address();
        command.env("BIND", address.to_string());
        let errors = tempfile::tempfile().expect("a file for errors");
        command.stderr(errors.try_clone().expect("a handle"));
        let child = RefCell::new(command.spawn().expect("the program starts"));
        wait_until("the program accepts connections", async || {
            let state = child.borrow_mut().try_wait().expect("the program's state");
            assert_eq!(state, None, "the program ends before it accepts connections");
            TcpStream::connect(address).await.is_ok()
        })
        .await;
        let client = Client::new(format!("http://{address}"), database.secrets());
        Self { child: child.into_inner(), client, address, errors }
    }

    /// Runs a program to its end; returns its status and what it printed.
    ///
    /// # Panics
    /// When it does not start or does not end.
    pub async fn run(program: &str, arguments: &[&str], database: &Database) -> (ExitStatus, String) {
        Self::run_in(Path::new("."), program, arguments, &[], database).await
    }

    /// Runs a program to its end in a directory; returns its status and what it printed.
    ///
    /// # Panics
    /// When it does not start or does not end.
    pub async fn run_in(
        directory: &Path,
        program: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
        database: &Database,
    ) -> (ExitStatus, String) {
        let mut command = command(program, database);
        command.current_dir(directory).args(arguments).envs(variables.iter().copied());
        let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output();
        let output = event("the program ends", output).await.expect("it starts");
        let printed = [output.stdout, output.stderr].concat();
        (output.status, String::from_utf8_lossy(&printed).into_owned())
    }

    /// Kills a program some time after its start; whether it was still running.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn run_until_killed(program: &str, arguments: &[&str], database: &Database, after: Duration) -> bool {
        Self::run_in_until_killed(Path::new("."), program, arguments, &[], database, after).await
    }

    /// Kills a program once a condition holds; whether it was still running.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn run_until(
        program: &str,
        arguments: &[&str],
        database: &Database,
        condition: impl AsyncFn() -> bool,
    ) -> bool {
        let mut child = command(program, database).args(arguments).spawn().expect("it starts");
        while child.try_wait().expect("its state").is_none() {
            if condition().await {
                let was_running = child.try_wait().expect("its state").is_none();
                child.kill().await.expect("it is killed");
                return was_running;
            }
            pause("the program gets on", Duration::from_micros(500)).await;
        }
        false
    }

    /// Kills a program some time after its start in a directory; whether it was still running.
    ///
    /// # Panics
    /// When it does not start.
    pub async fn run_in_until_killed(
        directory: &Path,
        program: &str,
        arguments: &[&str],
        variables: &[(&str, &str)],
        database: &Database,
        after: Duration,
    ) -> bool {
        let mut command = command(program, database);
        command.current_dir(directory).args(arguments).envs(variables.iter().copied());
        let mut child = command.spawn().expect("it starts");
        pause("a process may be killed at any moment", after).await;
        let was_running = child.try_wait().expect("its state").is_none();
        child.kill().await.expect("it is killed");
        was_running
    }

    /// The process's id.
    ///
    /// # Panics
    /// When it has ended.
    pub fn id(&self) -> u32 {
        self.child.id().expect("the process is there")
    }

    /// The address that the program listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The process's peak resident memory in KiB; `None` where the system does not report it.
    pub fn peak_memory(&self) -> Option<u64> {
        self.memory("VmHWM:")
    }

    /// The process's resident memory in KiB; `None` where the system does not report it.
    pub fn resident_memory(&self) -> Option<u64> {
        self.memory("VmRSS:")
    }

    /// Waits until the process has nothing to do: it takes no time of a processor.
    ///
    /// # Panics
    /// When it is busy for longer than any event takes.
    pub async fn idle(&self) {
        wait_until("the process is idle", async || {
            let before = self.processor_time();
            pause("a busy process takes more time in this time", Duration::from_millis(200)).await;
            self.processor_time() == before
        })
        .await;
    }

    /// The time of processors that the process has taken, in hundredths of a second; `None` where the system does not
    /// report it.
    fn processor_time(&self) -> Option<u64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()?)).ok()?;
        // The fields after the program's name, which is in parentheses, begin with the third.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
        Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
    }

    fn memory(&self, line: &str) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()?)).ok()?;
        let size = status.lines().find_map(|status| status.strip_prefix(line))?;
        size.trim().strip_suffix(" kB")?.parse().ok()
    }

    /// Sends the process a signal by name, such as `TERM`.
    ///
    /// # Panics
    /// When the signal cannot be sent.
    pub async fn signal(&self, name: &str) {
        let id = self.child.id().expect("the process is there").to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status().await.expect("a kill command");
        assert!(sent.success(), "the signal is sent");
    }

    /// Waits until the process has ended.
    ///
    /// # Panics
    /// When it does not end.
    pub async fn ended(&mut self) -> ExitStatus {
        event("the process ends", self.child.wait()).await.expect("its status")
    }
}

impl Deref for Server {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// Shows what became of the program of a test that fails.
impl Drop for Server {
    fn drop(&mut self) {
        if panicking() {
            let mut errors = String::new();
            let read = self.errors.seek(SeekFrom::Start(0)).and_then(|_| self.errors.read_to_string(&mut errors));
            eprintln!("the program: {:?}; its errors: {read:?} {errors}", self.child.try_wait());
        }
    }
}

fn command(program: &str, database: &Database) -> Command {
    let mut command = Command::new(program);
    // Each database has its own files: those of another are refused.
    command.env("DATABASE_URL", database.url()).env("FILES_STORE", database.files());
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.kill_on_drop(true);
    command
}
