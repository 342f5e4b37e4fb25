//! The Rust programs of the README, the book and the documentation of runtime and core, run with a database in memory or
//! with the one that they are about: for each route whose rule is not `public`, a stranger gets 401, unless the program
//! says `without_auth()`.
//!
//! `build.rs` writes the programs as modules, in which services are recorded instead of served.

use std::cell::RefCell;
use std::fmt::Debug;
use std::future::{Ready, ready};
use std::pin::Pin;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use crud_runtime::access::AccessTable;
use crud_runtime::auth::{Auth, AuthBuilder};
use crud_runtime::config::IntoService;
use crud_runtime::testing::Test;
use crud_runtime::{Background, Result, Service};
use crud_tests::{Backend, Cluster, Database};
use reqwest::Method;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// The secret of programs that read theirs from the environment.
pub(crate) const SECRET: &str = "a secret of at least thirty-two bytes";

thread_local! {
    /// The services of the program that runs.
    static SERVED: RefCell<Vec<Served>> = const { RefCell::new(Vec::new()) };
    /// The databases that the program finds; with none, its own is in memory.
    static FOUND: RefCell<Vec<Database>> = const { RefCell::new(Vec::new()) };
}

/// A program of the documentation.
struct Program {
    name: &'static str,
    /// The databases that it finds. It connects to the first one.
    databases: &'static [Backend],
    /// The statements that make the tables of the first database.
    statements: &'static str,
    run: fn(),
}

impl Program {
    /// Runs the program on a new thread; returns its services and their databases, or `None` when it panics.
    fn run(&self) -> Option<(Vec<Served>, Vec<Database>)> {
        let run = || {
            let databases: Vec<Database> = self.databases.iter().map(|backend| backend.fresh()).collect();
            if let Some(first) = databases.first().filter(|_| !self.statements.is_empty()) {
                // A file is there once a service has opened it.
                drop(block_on(first.service()));
                block_on(first.execute(self.statements));
            }
            FOUND.set(databases);
            (self.run)();
            (SERVED.take(), FOUND.take())
        };
        std::thread::scope(|scope| scope.spawn(run).join()).ok()
    }

    fn needs_a_missing_server(&self) -> bool {
        self.databases.contains(&Backend::Postgres) && !Cluster::is_possible()
    }
}

/// The URL of the last database that the program finds.
pub(crate) fn last_url() -> String {
    FOUND.with_borrow(|found| found.last().expect("a database").url().to_owned())
}

/// The directory of the program's migrations, beside its SQLite database.
pub(crate) fn directory() -> String {
    let file = FOUND.with_borrow(|found| found.first().expect("a database").url().replace("sqlite://", ""));
    let directory = format!("{file}.migrations");
    std::fs::create_dir_all(&directory).expect("the directory");
    directory
}

/// A service that a program made.
struct Served {
    table: AccessTable,
    client: Client,
}

enum Client {
    Router(Router),
    Test(Box<Test>),
}

impl Client {
    /// The status of a request without a token.
    async fn status(&self, method: Method, path: String) -> u16 {
        match self {
            Self::Router(router) => {
                let request = Request::builder().method(method).uri(path).header("content-type", "application/json");
                let response = router.clone().oneshot(request.body(Body::from("{}")).expect("a request")).await;
                response.expect("a response").status().as_u16()
            }
            // Some answers do not end.
            Self::Test(test) => test.request(method, path).open().await.status(),
        }
    }
}

fn record(table: AccessTable, client: Client) {
    SERVED.with_borrow_mut(|served| served.push(Served { table, client }));
}

/// Methods that programs call instead of those that use a database, a socket or the environment.
pub(crate) trait Recorded: Sized {
    async fn in_memory(_: &str) -> Result<Self>;
    async fn serve_to_strangers(self, _: &str) -> Result<()>;
    async fn recorded_test(self) -> Result<Test>;
    fn into_recorded_router(self) -> Result<Router>;
    fn into_recorded_parts(self) -> Result<(Router, Background)>;
}

impl Recorded for Service {
    async fn in_memory(_: &str) -> Result<Self> {
        let found = FOUND.with_borrow(|found| found.first().map(|database| database.url().to_owned()));
        Self::connect(found.as_deref().unwrap_or("sqlite::memory:")).await
    }

    async fn serve_to_strangers(self, _: &str) -> Result<()> {
        self.migrate().await?.into_recorded_router().map(drop)
    }

    async fn recorded_test(self) -> Result<Test> {
        let table = self.model()?.access_table();
        let test = self.test().await?;
        record(table, Client::Test(Box::new(test.clone())));
        Ok(test)
    }

    fn into_recorded_router(self) -> Result<Router> {
        Ok(self.into_recorded_parts()?.0)
    }

    fn into_recorded_parts(self) -> Result<(Router, Background)> {
        let table = self.model()?.access_table();
        let (router, background) = self.into_parts()?;
        record(table, Client::Router(router.clone()));
        Ok((router, background))
    }
}

/// The place of `axum::serve` in a program that serves nothing.
pub(crate) fn unserved<L, R>(_: L, _: R) -> Unserved {
    Unserved(ready(Ok(())))
}

/// A server that has stopped.
pub(crate) struct Unserved(Ready<std::io::Result<()>>);

impl Unserved {
    pub(crate) fn with_graceful_shutdown(self, _: impl Future<Output = ()>) -> Ready<std::io::Result<()>> {
        self.0
    }
}

pub(crate) fn auth() -> Auth {
    Auth::builder().secret(SECRET).build().expect("the authentication")
}

/// The service that a function of a program completes.
pub(crate) fn service() -> Service {
    block_on(Service::connect("sqlite::memory:")).expect("a service").auth(auth())
}

/// The place of a pool in a program whose service is in memory.
pub(crate) fn no_pool() -> crud_runtime::sqlx::SqlitePool {
    let _runtime = runtime().enter();
    crud_runtime::sqlx::SqlitePool::connect_lazy("sqlite::memory:").expect("a pool that is not used")
}

/// Replacement of `config::run` with an empty configuration.
pub(crate) async fn run<S: IntoService>(build: impl FnOnce(Service) -> S) -> Result<()> {
    build(Service::connect("sqlite::memory:").await?).into_service()?.serve_to_strangers("").await
}

pub(crate) async fn run_with_auth<S: IntoService>(build: impl FnOnce(Service) -> S, auth: AuthBuilder) -> Result<()> {
    let auth = auth.secret(SECRET).build().expect("the authentication");
    run(|service| Ok(build(service).into_service()?.auth(auth))).await
}

/// The runtime of functions, which lasts as long as their services.
fn runtime() -> &'static Runtime {
    static RUNTIME: std::sync::OnceLock<Runtime> = std::sync::OnceLock::new();
    RUNTIME.get_or_init(|| Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime"))
}

pub(crate) fn block_on<T>(future: impl Future<Output = T>) -> T {
    // The runtime's part is compiled for each output, and not for each program.
    let future: Pin<Box<dyn Future<Output = T> + '_>> = Box::pin(future);
    runtime().block_on(future)
}

/// Takes what a function of a program gives.
pub(crate) fn finish(given: impl Given) {
    given.take();
}

pub(crate) trait Given {
    fn take(self);
}

impl Given for () {
    fn take(self) {}
}

impl Given for Router {
    fn take(self) {}
}

impl Given for Service {
    fn take(self) {
        block_on(self.serve_to_strangers("")).expect("the service starts");
    }
}

impl<T: Given, E: Debug> Given for std::result::Result<T, E> {
    fn take(self) {
        self.expect("the program runs").take();
    }
}

/// The routes of a service that answer a stranger otherwise than they say.
async fn mistakes(served: &Served) -> Vec<String> {
    let mut mistakes = Vec::new();
    for route in served.table.routes().iter().filter(|route| route.body.is_none()) {
        let (path, query) = route.path.split_once('?').unwrap_or((&route.path, ""));
        let path: Vec<&str> = path.split('/').map(|part| if part.starts_with('{') { "1" } else { part }).collect();
        let path = format!("{}?{query}", path.join("/"));
        let status = served.client.status(route.method.parse().expect("a method"), path).await;
        let is_waived = route.stated_by == "without_auth";
        if !route.is_open && status != 401 || is_waived && status == 401 {
            mistakes.push(format!("{} {}: {status}, {}", route.method, route.path, route.access));
        }
    }
    mistakes
}

#[test]
fn stranger_of_each_documented_program_gets_401_unless_it_is_public() {
    let (mut services, mut closed, mut wrong) = (0, 0, Vec::new());
    for program in PROGRAMS {
        let name = program.name;
        if program.needs_a_missing_server() {
            eprintln!("{name}: SKIPPED: it needs PostgreSQL");
            continue;
        }
        // A program that does not start panics with its error.
        let Some((served, _databases)) = program.run() else {
            wrong.push(format!("{name}: does not run"));
            continue;
        };
        for served in served {
            services += 1;
            closed += served.table.routes().iter().filter(|route| !route.is_open).count();
            wrong.extend(block_on(mistakes(&served)).into_iter().map(|mistake| format!("{name}: {mistake}")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    println!("{} programs, {services} services, {closed} routes that refuse strangers", PROGRAMS.len());
    assert!(services > 50 && closed > 100, "{services} services with {closed} closed routes are too few");
}
