//! Server processes: starting them, and reading their cost from the operating system.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, ChildStderr, Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail};
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::Pid;

use crate::server::{LISTENING, ServerKind};

/// Resident memory in MiB. The limits of containers count both.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Memory {
    pub(crate) private: f64,
    /// Pages of files: the program's, and those that SQLite maps.
    pub(crate) mapped: f64,
}

/// A running server process; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    address: String,
    clock: ClockId,
}

impl Process {
    /// Starts this program again as a server, and waits until it listens.
    pub(crate) fn spawn(kind: ServerKind, url: &str, log: bool) -> anyhow::Result<Self> {
        if let ServerKind::Peer(peer) = kind {
            return Self::spawn_peer(|address| peer.serve(url, address));
        }
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .arg(kind.name())
            .arg(url)
            .args(["--log", if log { "on" } else { "off" }])
            // The server ends with its standard input, so it never outlives this process.
            .stdin(Stdio::piped())
            // The log is written to `/dev/null`.
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .context("cannot start a server")?;
        let stderr = child.stderr.take().context("the server has no standard error")?;
        let pid = Pid::from_raw(child.id().try_into()?);
        let clock = clock_getcpuclockid(pid).context("cannot read the server's CPU clock")?;
        let address = wait_for_address(stderr)?;
        Ok(Self { child, address, clock })
    }

    /// Starts another program at a free port, and waits until it accepts connections.
    fn spawn_peer(command: impl Fn(&str) -> anyhow::Result<Command>) -> anyhow::Result<Self> {
        // The port is free again when the listener is dropped.
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?.to_string();
        let child = command(&address)?.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let clock = clock_getcpuclockid(Pid::from_raw(child.id().try_into()?))?;
        // Dropped, it ends the program too.
        let process = Self { child, address, clock };
        for _ in 0..100 {
            if TcpStream::connect(&process.address).is_ok() {
                return Ok(process);
            }
            thread::sleep(Duration::from_millis(100));
        }
        bail!("the program did not listen within ten seconds")
    }

    /// The address that the server listens on.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// The CPU time of all threads so far, user and kernel.
    pub(crate) fn cpu_time(&self) -> anyhow::Result<Duration> {
        Ok(clock_gettime(self.clock)?.into())
    }

    /// The peak resident memory since the last [`reset_peak`](Self::reset_peak), in bytes.
    pub(crate) fn peak_memory(&self) -> anyhow::Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM in /proc")?;
        let kibibytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok(kibibytes * 1024)
    }

    /// The resident memory now.
    pub(crate) fn memory(&self) -> anyhow::Result<Memory> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let mebibytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).context("no such line in /proc")?;
            let kibibytes: f64 = line.trim().trim_end_matches(" kB").parse()?;
            anyhow::Ok(kibibytes / 1024.0)
        };
        Ok(Memory { private: mebibytes("RssAnon:")?, mapped: mebibytes("RssFile:")? })
    }

    /// Resets the peak resident memory.
    pub(crate) fn reset_peak(&self) -> anyhow::Result<()> {
        Ok(fs::write(format!("/proc/{}/clear_refs", self.child.id()), "5")?)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // No response is awaited any more, and the database is temporary.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads the address that a server prints first; forwards its later lines to this process's standard error.
fn wait_for_address(stderr: ChildStderr) -> anyhow::Result<String> {
    let mut lines = BufReader::new(stderr).lines();
    let mut seen = String::new();
    for line in lines.by_ref() {
        let line = line?;
        if let Some(address) = line.strip_prefix(LISTENING) {
            let address = address.to_owned();
            std::thread::spawn(move || lines.map_while(Result::ok).for_each(|line| eprintln!("{line}")));
            return Ok(address);
        }
        seen.push_str(&line);
        seen.push('\n');
    }
    bail!("a server ended before it listened:\n{seen}")
}
