//! [`Galera`]: a cluster of three MariaDB nodes, started by this process and ended with it.

use std::env;
use std::fs;
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use sqlx::{AssertSqlSafe, Connection, MySqlConnection};
use tempfile::TempDir;

use crate::address::free_address;
use crate::backend::{Backend, Database};
use crate::cluster::unprivileged;
use crate::mariadb::program;
use crate::network::Network;
use crate::require::skip;
use crate::wait::wait_on_thread;

/// Environment variable: how many rounds each race of the suite has; without it, no cluster is started.
const ROUNDS: &str = "CRUD_TEST_GALERA";

/// Paths at which distributions install the replication library.
const LIBRARIES: [&str; 3] =
    ["/usr/lib/galera/libgalera_smm.so", "/usr/lib64/galera-4/libgalera_smm.so", "/usr/lib64/galera/libgalera_smm.so"];

const NODES: usize = 3;

/// Statement that a node refuses until it has joined, and answers once it has what the others had committed before.
const CAUGHT_UP: &str = "SET SESSION wsrep_sync_wait = 1; SELECT 1 FROM mysql.global_priv LIMIT 1";

/// Runs a node until standard input ends, which is when the process that holds its write end has ended in any way. The
/// position that a killed node was at comes from its tables.
const SUPERVISOR: &str = r#"server=$1 node=$2; shift 2
"$server" "$@" --wsrep-recover --log-error="$node/recovery" >/dev/null 2>&1 </dev/null
position=$(sed -n 's/.*Recovered position: *//p' "$node/recovery" | grep -v '^00000000-' | tail -n 1)
"$server" "$@" ${position:+"--wsrep-start-position=$position"} >>"$node/log" 2>&1 </dev/null &
child=$!
cat >/dev/null
kill -KILL "$child"
wait "$child""#;

/// Removes a directory when standard input has ended, and so have the nodes in it.
const REMOVAL: &str = r#"cat >/dev/null; for attempt in 1 2 3 4 5; do sleep 0.2; rm -rf "$1" 2>/dev/null; done"#;

/// A running cluster; it ends when this is dropped.
#[derive(Debug)]
pub struct Galera {
    nodes: Vec<Node>,
    /// The network of the nodes, if they are not all on the loopback interface.
    network: Option<Arc<Network>>,
    /// The write end of the standard input of the directory's removal.
    _removal: ChildStdin,
}

#[derive(Debug)]
struct Node {
    directory: PathBuf,
    library: &'static str,
    port: u16,
    state_port: u16,
    members: String,
    address: String,
    /// The network that the node is a host of, and its number there.
    host: Option<(Arc<Network>, usize)>,
    /// The node runs until the write end of its supervisor's standard input is dropped.
    supervisor: Mutex<Option<Child>>,
}

impl Galera {
    /// Number of rounds of the races, if the suite is to run on this machine; otherwise its absence is reported.
    ///
    /// # Panics
    /// When `CRUD_TEST_REQUIRE` names `galera` and it cannot run, or the number of rounds is none.
    pub fn rounds() -> Option<usize> {
        let Ok(rounds) = env::var(ROUNDS) else {
            skip("galera", "CRUD_TEST_GALERA, the number of rounds, is not set");
            return None;
        };
        if library().is_none() || program("mariadbd").is_none() || program("mariadb-install-db").is_none() {
            skip("galera", "mariadbd, mariadb-install-db and libgalera_smm.so are not all installed");
            return None;
        }
        Some(rounds.parse().expect("CRUD_TEST_GALERA is a number of rounds"))
    }

    /// Starts three nodes with an empty database.
    ///
    /// # Panics
    /// When they do not start.
    pub fn start() -> Self {
        Self::start_on(None)
    }

    /// Starts three nodes on hosts of a network, which can be [cut off](Self::cut). Their last view survives a crash, as
    /// is Galera's default. `None`, and the reason is reported, where this process cannot create network namespaces.
    ///
    /// # Panics
    /// When they do not start.
    pub fn start_on_network() -> Option<Self> {
        let network = Network::of(NODES);
        if network.is_none() {
            skip("network", "network namespaces need root, ip and setpriv");
        }
        network.map(|network| Self::start_on(Some(Arc::new(network))))
    }

    fn start_on(network: Option<Arc<Network>>) -> Self {
        let directory = TempDir::with_prefix("crud-galera-").expect("a directory for the cluster").keep();
        give(&directory);
        let mut removal = Command::new("sh");
        removal.args(["-c", REMOVAL, "removal"]).arg(&directory).process_group(0).stdin(Stdio::piped());
        let removal = removal.spawn().expect("a shell").stdin.take().expect("its standard input");

        let library = library().expect("libgalera_smm.so");
        let ports: Vec<[u16; 2]> = (0..NODES).map(|_| free_ports()).collect();
        let address = |node| network.as_ref().map_or_else(|| "127.0.0.1".to_owned(), |_| Network::address(node));
        let member = |(node, [port, _]): (usize, &[u16; 2])| format!("{}:{port}", address(node));
        let members: Vec<String> = ports.iter().enumerate().map(member).collect();
        let nodes = ports.iter().enumerate().map(|(number, [port, state_port])| {
            let node = directory.join(format!("node{number}"));
            fs::create_dir(&node).expect("a directory for the node");
            give(&node);
            let supervisor = Mutex::default();
            let (port, state_port, members) = (*port, *state_port, members.join(","));
            let host = network.as_ref().map(|network| (network.clone(), number));
            let address = address(number);
            Node { directory: node, library, port, state_port, members, address, host, supervisor }
        });
        let nodes = nodes.collect();
        let cluster = Self { nodes, network, _removal: removal };
        let [first, others @ ..] = cluster.nodes.as_slice() else { panic!("a cluster has nodes") };
        first.install();
        first.start(true);
        first.execute("CREATE DATABASE test").expect("the database is created");
        // The others begin as copies of this state, so that none of them has to transfer it.
        first.shut_down();
        for node in others {
            run(as_user(Command::new("cp")).arg("-r").arg(first.data()).arg(node.data()));
        }
        first.start(true);
        for node in others {
            node.start(false);
        }
        cluster
    }

    /// The database on a node.
    pub fn database(&self, node: usize) -> Database {
        Database::at(self.url(node), Backend::MySql)
    }

    /// The URL of the database on a node.
    pub fn url(&self, node: usize) -> String {
        self.nodes[node].url("test")
    }

    /// Kills a node.
    pub fn kill(&self, node: usize) {
        self.nodes[node].kill();
    }

    /// Starts a node that was killed; it catches up with the others.
    ///
    /// # Panics
    /// When it does not join.
    pub fn restart(&self, node: usize) {
        self.nodes[node].start(false);
    }

    /// Runs a statement on a node.
    ///
    /// # Panics
    /// When the node refuses it.
    pub(crate) fn execute(&self, node: usize, sql: &str) {
        self.nodes[node].execute(sql).expect("the statement runs");
    }

    /// Removes everything from the database, on all nodes.
    ///
    /// # Panics
    /// When a node is not ready.
    pub fn empty(&self) {
        self.execute(0, "DROP DATABASE test");
        self.execute(0, "CREATE DATABASE test");
        (1..NODES).for_each(|node| self.catch_up(node));
    }

    /// Starts nodes that were killed; each may need the others to join.
    ///
    /// # Panics
    /// When they do not join.
    pub fn restart_all(&self, nodes: &[usize]) {
        for node in nodes {
            self.nodes[*node].launch(false);
        }
        for node in nodes {
            self.nodes[*node].wait_until_joined();
        }
    }

    /// Cuts a node off from the others.
    ///
    /// # Panics
    /// When the nodes are not on a network.
    pub fn cut(&self, node: usize) {
        self.network.as_ref().expect("a network").set_joined(node, false);
    }

    /// Joins a node that was cut off.
    ///
    /// # Panics
    /// When the nodes are not on a network.
    pub fn heal(&self, node: usize) {
        self.network.as_ref().expect("a network").set_joined(node, true);
    }

    /// Waits until a node has what the others have committed.
    ///
    /// # Panics
    /// When it has not joined.
    pub fn catch_up(&self, node: usize) {
        self.nodes[node].execute(CAUGHT_UP).expect("the node catches up");
    }
}

impl Node {
    fn url(&self, database: &str) -> String {
        format!("mysql://root@localhost/{database}?socket={}", self.directory.join("socket").display())
    }

    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    fn install(&self) {
        let mut install = as_user(Command::new(program("mariadb-install-db").expect("mariadb-install-db")));
        install.arg("--no-defaults").arg(format!("--datadir={}", self.data().display())).current_dir(&self.directory);
        install.args(["--auth-root-authentication-method=normal", "--skip-test-db", "--skip-name-resolve"]);
        run(install.arg("--innodb-log-file-size=16M"));
    }

    fn start(&self, first: bool) {
        self.launch(first);
        self.wait_until_joined();
    }

    fn launch(&self, first: bool) {
        let mut command = match &self.host {
            Some((network, host)) => network.shell(*host),
            None => as_user(Command::new("sh")),
        };
        command.args(["-c", SUPERVISOR, "supervisor"]).arg(program("mariadbd").expect("mariadbd"));
        command.arg(&self.directory).arg("--no-defaults").current_dir(&self.directory);
        let path = |name: &str| self.directory.join(name).display().to_string();
        command.arg(format!("--datadir={}", path("data"))).arg(format!("--socket={}", path("socket")));
        command.arg(format!("--pid-file={}", path("pid"))).arg(format!("--tmpdir={}", path("")));
        command.args(["--skip-networking", "--innodb-flush-log-at-trx-commit=0", "--innodb-doublewrite=0"]);
        command.args(["--innodb-flush-method=nosync", "--debug-no-sync", "--innodb-log-file-size=16M"]);
        command.args([
            "--skip-log-bin",
            "--max-connections=300",
            "--max-prepared-stmt-count=100000",
            "--innodb-buffer-pool-size=64M",
        ]);
        command.args([
            "--binlog-format=ROW",
            "--innodb-autoinc-lock-mode=2",
            "--wsrep-on=ON",
            "--wsrep-slave-threads=2",
        ]);
        command.arg(format!("--wsrep-provider={}", self.library)).arg("--wsrep-sst-method=rsync");
        command.arg(format!("--wsrep-node-address={}", self.address));
        command.arg(format!("--wsrep-node-incoming-address={}", self.address));
        command.arg(format!("--wsrep-cluster-address=gcomm://{}", if first { "" } else { &self.members }));
        command.arg(format!(
            "--wsrep-provider-options=gmcast.listen_addr=tcp://{address}:{};ist.recv_addr={address}:{};\
             gcache.size=64M;pc.recovery={}",
            self.port,
            self.state_port,
            self.host.is_some(),
            address = self.address,
        ));
        // A separate process group, so that signals to the test runner's group do not reach it.
        let supervisor = command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let supervisor = supervisor.spawn().expect("the supervisor starts");
        *self.supervisor.lock().unwrap_or_else(PoisonError::into_inner) = Some(supervisor);
    }

    fn wait_until_joined(&self) {
        let log = || fs::read_to_string(self.directory.join("log")).unwrap_or_default();
        wait_on_thread("the node joins", log, || self.execute(CAUGHT_UP));
    }

    fn kill(&self) {
        if let Some(mut supervisor) = self.supervisor.lock().unwrap_or_else(PoisonError::into_inner).take() {
            drop(supervisor.stdin.take());
            supervisor.wait().expect("the supervisor ends");
        }
    }

    fn shut_down(&self) {
        self.execute("SHUTDOWN").expect("the node shuts down");
        let pid = self.directory.join("pid");
        let gone = || if pid.exists() { Err("its process is there") } else { Ok(()) };
        wait_on_thread("the node shuts down", String::new, gone);
        self.kill();
    }

    /// Runs a statement in a separate thread, because the caller may be in a runtime. A node that is not synchronised
    /// with the others refuses it.
    fn execute(&self, sql: &str) -> sqlx::Result<()> {
        let (url, sql) = (self.url(""), sql.to_owned());
        let run = async move {
            let mut connection = MySqlConnection::connect(&url).await?;
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await?;
            connection.close().await
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        thread::spawn(move || runtime.block_on(run)).join().expect("the statement is run")
    }
}

fn library() -> Option<&'static str> {
    LIBRARIES.into_iter().find(|path| Path::new(path).is_file())
}

fn free_ports() -> [u16; 2] {
    [free_address().port(), free_address().port()]
}

/// Gives a path to the servers' user.
fn give(path: &Path) {
    if let Some((user, group)) = unprivileged() {
        chown(path, Some(user), Some(group)).expect("the path is given to the server's user");
    }
}

fn as_user(mut command: Command) -> Command {
    if let Some((user, group)) = unprivileged() {
        command.uid(user).gid(group);
    }
    command
}

fn run(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().expect("the command starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
