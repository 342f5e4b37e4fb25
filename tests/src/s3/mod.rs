//! [`S3`]: a server that speaks S3, started by this process and ended with it, or an external one.

mod proxy;

use std::env;
use std::fs;
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio, id};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use tempfile::TempDir;

pub use self::proxy::{Fault, S3Proxy, Step};
use crate::address::free_address;
use crate::require::skip;
use crate::wait::wait_on_thread;

/// Environment variable: the program `s3s-fs`, or `http://KEY:SECRET@HOST:PORT/BUCKET` of a running server.
const NAMED: &str = "CRUD_TEST_S3";

/// Path of the program that `.ci/install/s3` installs, in cargo's target directory.
const INSTALLED: &str = "ci/s3/bin/s3s-fs";

/// The key and the secret of a started server.
const CREDENTIALS: (&str, &str) = ("a-key-of-the-tests", "a-secret-of-the-tests");

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
pub struct S3 {
    endpoint: String,
    credentials: (String, String),
    /// The bucket of an external server; a started one has a bucket for each call.
    bucket: Option<String>,
    buckets: AtomicU32,
    directory: Option<PathBuf>,
    /// The write end of the supervisor's standard input: the server runs until it is dropped.
    _stdin: Option<ChildStdin>,
}

/// A place in a server that no other test has.
#[derive(Debug, Clone)]
pub struct Bucket {
    /// URL of the server, such as `http://127.0.0.1:9000`; its requests are path-style.
    pub endpoint: String,
    /// Name of the bucket.
    pub name: String,
    /// Prefix of the place's keys, which is needed in a bucket that tests share; ends with `/`.
    pub prefix: String,
    /// Id of the access key.
    pub access_key: String,
    /// The access key's secret.
    pub secret_key: String,
    /// Directory of the objects, where this process has started the server: the key of each is its path.
    pub directory: Option<PathBuf>,
}

impl S3 {
    /// The server that all tests of this process share; `None` where there is none, which is reported.
    ///
    /// # Panics
    /// When it does not start, and when there is none although `CRUD_TEST_REQUIRE` names `s3`.
    pub fn get() -> Option<&'static Self> {
        static SERVER: OnceLock<Option<S3>> = OnceLock::new();
        let server = SERVER.get_or_init(|| match env::var(NAMED) {
            Ok(named) if named.contains("://") => Some(Self::running(&named)),
            Ok(program) => Some(Self::start(Path::new(&program))),
            Err(_) => installed().map(|program| Self::start(&program)),
        });
        if server.is_none() {
            skip("s3", "there is no server: `.ci/install/s3` installs one, or CRUD_TEST_S3 names it");
        }
        server.as_ref()
    }

    /// The server of `http://KEY:SECRET@HOST:PORT/BUCKET`.
    fn running(url: &str) -> Self {
        let url = reqwest::Url::parse(url).unwrap_or_else(|error| panic!("{NAMED}: {error}"));
        let bucket = url.path().trim_matches('/').to_owned();
        assert!(!bucket.is_empty(), "{NAMED} names no bucket: expected `http://KEY:SECRET@HOST:PORT/BUCKET`");
        Self {
            endpoint: url.origin().ascii_serialization(),
            credentials: (url.username().to_owned(), url.password().unwrap_or_default().to_owned()),
            bucket: Some(bucket),
            buckets: AtomicU32::new(0),
            directory: None,
            _stdin: None,
        }
    }

    fn start(program: &Path) -> Self {
        let directory = TempDir::with_prefix("crud-s3-").expect("a directory for the server").keep();
        let data = directory.join("data");
        fs::create_dir(&data).expect("a directory for the objects");
        let address = free_address();
        let mut supervisor = Command::new("sh");
        supervisor.args(["-c", SUPERVISOR, "supervisor"]).arg(&directory).arg(program);
        supervisor.args(["--host", "127.0.0.1", "--port", &address.port().to_string()]);
        supervisor.args(["--access-key", CREDENTIALS.0, "--secret-key", CREDENTIALS.1]).arg(&data);
        // A separate process group, so that signals to the test runner's group do not reach it.
        let supervisor = supervisor.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let stdin =
            supervisor.spawn().expect("the supervisor starts").stdin.take().expect("the supervisor's standard input");
        let log = || fs::read_to_string(directory.join("log")).unwrap_or_default();
        wait_on_thread("the S3 server starts", log, || TcpStream::connect(address).map(drop));
        Self {
            endpoint: format!("http://{address}"),
            credentials: (CREDENTIALS.0.to_owned(), CREDENTIALS.1.to_owned()),
            bucket: None,
            buckets: AtomicU32::new(0),
            directory: Some(data),
            _stdin: Some(stdin),
        }
    }

    /// An empty place: a bucket of a started server, or a prefix in the bucket of an external one.
    ///
    /// # Panics
    /// When the bucket cannot be created.
    pub fn bucket(&self) -> Bucket {
        let number = self.buckets.fetch_add(1, Ordering::Relaxed);
        let own = format!("test-{}-{number}", id());
        let (name, prefix) = match &self.bucket {
            Some(shared) => (shared.clone(), format!("{own}/")),
            None => (own, String::new()),
        };
        // The server's buckets are the directories of its data.
        let directory = self.directory.as_ref().map(|data| data.join(&name));
        if let Some(directory) = &directory {
            fs::create_dir(directory).expect("a bucket");
        }
        let (access_key, secret_key) = self.credentials.clone();
        Bucket { endpoint: self.endpoint.clone(), name, prefix, access_key, secret_key, directory }
    }
}

impl Bucket {
    /// The URL of the place by an endpoint, such as that of a [proxy](S3Proxy): `http://KEY:SECRET@HOST:PORT/BUCKET/PREFIX`.
    ///
    /// # Panics
    /// When the endpoint is no URL.
    pub fn url(&self, endpoint: &str) -> String {
        let (scheme, host) = endpoint.split_once("://").expect("an endpoint with its scheme");
        let Self { access_key, secret_key, name, prefix, .. } = self;
        format!("{scheme}://{access_key}:{secret_key}@{host}/{name}/{prefix}").trim_end_matches('/').to_owned()
    }
}

/// The program that `.ci/install/s3` has installed.
fn installed() -> Option<PathBuf> {
    // This test is in a directory of the target directory.
    let test = env::current_exe().unwrap_or_default();
    test.ancestors().skip(1).map(|directory| directory.join(INSTALLED)).find(|path| path.is_file())
}
