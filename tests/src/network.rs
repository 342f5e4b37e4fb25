//! [`Network`]: hosts of network namespaces, which a bridge joins until one of them is cut off.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::cluster::{program, unprivileged};

/// Number of the networks of this process.
static NETWORKS: AtomicU32 = AtomicU32::new(0);

/// Creates the namespaces, prints a line, and removes them when standard input ends, which is when the process that holds
/// its write end has ended in any way.
const SUPERVISOR: &str = r#"switch=$1-switch; shift
set -e
ip netns add "$switch"
ip -n "$switch" link add bridge type bridge
ip -n "$switch" link set bridge up
number=0
for host in "$@"; do
  number=$((number + 1))
  ip netns add "$host"
  ip link add uplink netns "$host" type veth peer name "port$number" netns "$switch"
  ip -n "$host" link set lo up
  ip -n "$host" address add "10.77.0.$number/24" dev uplink
  ip -n "$host" link set uplink up
  ip -n "$switch" link set "port$number" master bridge up
done
echo ready
cat >/dev/null
for namespace in "$switch" "$@"; do ip netns delete "$namespace" || true; done"#;

/// Hosts on one Ethernet; they are removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Network {
    name: String,
    /// The write end of the supervisor's standard input.
    _stdin: ChildStdin,
}

impl Network {
    /// Creates so many hosts; `None` where this process may not, or lacks the programs for it.
    ///
    /// # Panics
    /// When the supervisor's standard streams are missing.
    pub(crate) fn of(hosts: usize) -> Option<Self> {
        program("setpriv")?;
        unprivileged()?;
        // The namespaces of the network before are removed while this one is created.
        let number = NETWORKS.fetch_add(1, Ordering::Relaxed);
        let name = format!("crud{}-{number}", std::process::id());
        let mut supervisor = Command::new("sh");
        supervisor.args(["-c", SUPERVISOR, "supervisor", &name]);
        supervisor.args((0..hosts).map(|host| format!("{name}-{host}"))).process_group(0);
        let supervisor = supervisor.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut supervisor = supervisor.ok()?;
        let stdin = supervisor.stdin.take().expect("the supervisor's standard input");
        let mut line = String::new();
        BufReader::new(supervisor.stdout.take().expect("its standard output")).read_line(&mut line).ok()?;
        (line == "ready\n").then_some(Self { name, _stdin: stdin })
    }

    /// The address of a host.
    pub(crate) fn address(host: usize) -> String {
        format!("10.77.0.{}", host + 1)
    }

    /// A command that runs this shell script on a host, as the servers' user.
    ///
    /// # Panics
    /// When this process is not root's.
    pub(crate) fn shell(&self, host: usize) -> Command {
        let (user, group) = unprivileged().expect("a user of the servers");
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &format!("{}-{host}", self.name), "setpriv"]);
        command.args([format!("--reuid={user}"), format!("--regid={group}")]).args(["--clear-groups", "sh"]);
        command
    }

    /// Cuts a host off, or joins it again.
    ///
    /// # Panics
    /// When its port cannot be set.
    pub(crate) fn set_joined(&self, host: usize, joined: bool) {
        let mut command = Command::new("ip");
        command.args(["-n", &format!("{}-switch", self.name), "link", "set", &format!("port{}", host + 1)]);
        let status = command.arg(if joined { "up" } else { "down" }).status().expect("ip starts");
        assert!(status.success(), "the port of host {host} is set");
    }
}
