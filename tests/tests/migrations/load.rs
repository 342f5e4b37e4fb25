//! [`Load`]: requests of two versions of a program, while a database changes below them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crud_tests::fixtures::id;
use crud_tests::{Client, wait_until};
use serde_json::Value;

/// The bodies of the record of a number, by the old version and by the new one: two views of the same values.
#[derive(Clone, Copy)]
pub(crate) struct Bodies {
    /// Path of the records.
    pub(crate) list: &'static str,
    pub(crate) old: fn(usize) -> Value,
    pub(crate) new: fn(usize) -> Value,
}

impl Bodies {
    fn of(self, is_old: bool, number: usize) -> Value {
        if is_old { (self.old)(number) } else { (self.new)(number) }
    }
}

/// A server of either version.
#[derive(Clone, Copy)]
pub(crate) struct Server<'a> {
    api: &'a Client,
    is_old: bool,
}

impl<'a> Server<'a> {
    pub(crate) const fn of(api: &'a Client, is_old: bool) -> Self {
        Self { api, is_old }
    }
}

/// The next number of a record.
static NUMBERS: AtomicUsize = AtomicUsize::new(1);

/// Requests until they are stopped, and those that failed.
pub(crate) struct Load {
    bodies: Bodies,
    stop: AtomicBool,
    rounds: AtomicUsize,
    /// Paths of the records whose last write was acknowledged, with the number of their values.
    written: Mutex<Vec<(String, usize)>>,
}

impl Load {
    pub(crate) const fn new(bodies: Bodies) -> Self {
        Self { bodies, stop: AtomicBool::new(false), rounds: AtomicUsize::new(0), written: Mutex::new(Vec::new()) }
    }

    /// Creates, changes and reads records by a server until it is stopped, and reads each acknowledged write by other
    /// servers; the failures.
    pub(crate) async fn run(&self, server: Server<'_>, others: &[Server<'_>]) -> Vec<String> {
        let mut failures = Vec::new();
        let Server { api, is_old } = server;
        while !self.stop.load(Ordering::Relaxed) {
            // Values may be unique: each round has two numbers that no other one has.
            let number = NUMBERS.fetch_add(2, Ordering::Relaxed);
            let created = api.post(self.bodies.list, &self.bodies.of(is_old, number)).await;
            if created.status() != 201 {
                failures.push(format!("create: {created}"));
                continue;
            }
            let path = format!("{}/{}", self.bodies.list, id(created.json()));
            let body = self.bodies.of(is_old, number + 1);
            let answers = [
                api.patch(&path, &body).await,
                api.get(&path).await,
                api.get(format!("{}?limit=5", self.bodies.list)).await,
                api.put(&path, &body).await,
            ];
            let failed = answers.iter().filter(|answer| !(200..300).contains(&answer.status()));
            let before = failures.len();
            failures.extend(failed.map(|answer| format!("{path}: {answer}")));
            if failures.len() == before {
                self.written.lock().expect("no writer fails").push((path.clone(), number + 1));
            }
            for other in others {
                failures.extend(self.read(*other, &path, number + 1).await);
            }
            self.rounds.fetch_add(1, Ordering::Relaxed);
        }
        failures
    }

    /// Reads every acknowledged write by each of these servers; the failures.
    pub(crate) async fn read_all(&self, servers: &[Server<'_>]) -> Vec<String> {
        let written = self.written.lock().expect("no writer fails").clone();
        assert!(!written.is_empty(), "nothing was written");
        let mut failures = Vec::new();
        for (path, number) in &written {
            for server in servers {
                failures.extend(self.read(*server, path, *number).await);
            }
        }
        failures
    }

    /// Reads the record of a number by a server; the failure, if it does not have its values.
    async fn read(&self, server: Server<'_>, path: &str, number: usize) -> Option<String> {
        let read = server.api.get(path).await;
        let expected = self.bodies.of(server.is_old, number);
        let mut expected = expected.as_object().expect("an object").iter();
        let is_other = read.status() != 200 || expected.any(|(name, value)| read.json()[name] != *value);
        is_other.then(|| format!("{path}, of another server: {read}"))
    }

    /// Waits for this many further rounds.
    pub(crate) async fn more(&self, rounds: usize) {
        let goal = self.rounds.load(Ordering::Relaxed) + rounds;
        wait_until("requests go on", async || self.rounds.load(Ordering::Relaxed) >= goal).await;
    }

    pub(crate) fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}
