//! [`Case`]: one test on one back end. It has a time limit, its seconds are recorded, and a failure names the command
//! that runs it alone.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::pin::Pin;
use std::process;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use crate::backend::{Backend, Database};
use crate::others;

/// Environment variable: the time limit of a case in seconds.
const LIMIT: &str = "CRUD_TEST_LIMIT";

/// Time limit of a case, in seconds: some twenty times the longest of the default part on an idle machine.
const DEFAULT_LIMIT: u64 = 180;

/// Additional time before a test that blocks its thread is ended, with its whole process, compared with an asynchronous
/// test.
const GRACE: Duration = Duration::from_secs(10);

/// Environment variable: the file that gets a line for each case, `suite test backend seconds` with tabs between.
const TIMES: &str = "CRUD_TEST_TIMES";

/// A running test on a back end.
#[derive(Debug)]
pub(crate) struct Case {
    test: String,
    backend: Backend,
    limit: Duration,
    begin: Instant,
    server_log: Option<PathBuf>,
    /// The watch ends when this is dropped.
    _watch: Sender<()>,
}

impl Case {
    /// Begins the case of this thread's test.
    pub(crate) fn begin(backend: Backend) -> Self {
        let seconds = env::var(LIMIT).ok().map(|text| text.parse().expect("CRUD_TEST_LIMIT is a number of seconds"));
        let limit = Duration::from_secs(seconds.unwrap_or(DEFAULT_LIMIT));
        let test = thread::current().name().unwrap_or("main").to_owned();
        let (watch, ended) = mpsc::channel();
        let name = format!("{test} on {}", backend.name());
        thread::spawn(move || {
            if ended.recv_timeout(limit + GRACE) == Err(RecvTimeoutError::Timeout) {
                // A blocked thread cannot be stopped: the other tests of this process are lost with it.
                writeln!(std::io::stderr(), "TIMEOUT: {name} has run for more than {limit:?}").ok();
                process::exit(101);
            }
        });
        Self { test, backend, limit, begin: Instant::now(), server_log: None, _watch: watch }
    }

    /// Adds the last lines of the database's server to a failure's report.
    pub(crate) fn on(mut self, database: &Database) -> Self {
        self.server_log = database.server_log();
        self
    }

    /// Runs an asynchronous test.
    ///
    /// # Panics
    /// When the test does, or reaches the time limit.
    pub(crate) fn run(&self, runtime: &Runtime, test: impl Future<Output = ()>) {
        // The runtime's part is compiled once, and not for each test: it was an eighth of the suites' code.
        self.run_boxed(runtime, Box::pin(test));
    }

    fn run_boxed(&self, runtime: &Runtime, test: Pin<Box<dyn Future<Output = ()> + '_>>) {
        let ended = runtime.block_on(async { timeout(self.limit, test).await });
        assert!(ended.is_ok(), "timeout: {} on {} has run for {:?}", self.test, self.backend.name(), self.limit);
    }

    /// Appends the case to the file of [`TIMES`].
    fn record(&self) {
        let Some(path) = env::var_os(TIMES) else { return };
        let (test, backend, seconds) = (&self.test, self.backend.name(), self.begin.elapsed().as_secs_f64());
        let (package, suite) = (package(), suite());
        let suite = if package == "crud-tests" { suite } else { format!("{package}/{suite}") };
        let line = format!("{suite}\t{test}\t{backend}\t{seconds:.3}\n");
        let file = OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the case is recorded");
    }

    /// Prints how to run the case alone, and the last lines of its server.
    fn report(&self) {
        let (package, backend, test) = (package(), self.backend.name(), &self.test);
        eprintln!("failed on {backend} after {:?}; this case alone:", self.begin.elapsed());
        eprintln!(
            "  {}CRUD_TEST_ONLY={backend} cargo test --all-features -p {package} --test {} -- --exact {test}",
            others::setting(),
            suite()
        );
        if let Some(log) = self.server_log.as_ref().and_then(|path| std::fs::read_to_string(path).ok()) {
            let lines: Vec<_> = log.lines().collect();
            eprintln!("the last lines of its server, which other tests use too:");
            lines[lines.len().saturating_sub(8)..].iter().for_each(|line| eprintln!("  {line}"));
        }
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        if thread::panicking() {
            self.report();
        } else {
            self.record();
        }
    }
}

/// The runtime of a case.
pub(crate) fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

/// The package that is tested, as cargo says it to the tests that it runs.
pub(crate) fn package() -> String {
    env::var("CARGO_PKG_NAME").unwrap_or_else(|_| "crud-tests".to_owned())
}

/// The name of this test binary, as cargo's `--test` has it.
pub(crate) fn suite() -> String {
    let program = env::current_exe().unwrap_or_default();
    let name = program.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    name.rsplit_once('-').map_or(name.clone(), |(suite, _)| suite.to_owned())
}
