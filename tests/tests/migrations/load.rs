//! [`Load`]: requests of two versions of a program, while a database changes below them.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use crud_tests::fixtures::id;
use crud_tests::{Client, wait_until};
use serde_json::Value;

/// The bodies of the record of a number, by the old version and by the new one: two views of the same values.
#[derive(Clone, Copy)]
pub(crate) struct Bodies {
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

/// Requests until they are stopped, and those that failed.
pub(crate) struct Load {
    bodies: Bodies,
    stop: AtomicBool,
    rounds: AtomicUsize,
}

impl Load {
    pub(crate) const fn new(bodies: Bodies) -> Self {
        Self { bodies, stop: AtomicBool::new(false), rounds: AtomicUsize::new(0) }
    }

    /// Creates, changes and reads customers by a server until it is stopped, and reads each acknowledged write by other
    /// servers; the failures.
    pub(crate) async fn run(&self, server: Server<'_>, others: &[Server<'_>]) -> Vec<String> {
        let mut failures = Vec::new();
        let Server { api, is_old } = server;
        let mut number = 0;
        while !self.stop.load(Ordering::Relaxed) {
            number += 1;
            let created = api.post("/customers", &self.bodies.of(is_old, number)).await;
            if created.status() != 201 {
                failures.push(format!("create: {created}"));
                continue;
            }
            let path = format!("/customers/{}", id(created.json()));
            let body = self.bodies.of(is_old, number + 1);
            for answer in [
                api.patch(&path, &body).await,
                api.get(&path).await,
                api.get("/customers?limit=5").await,
                api.put(&path, &body).await,
            ] {
                if !(200..300).contains(&answer.status()) {
                    failures.push(format!("{path}: {answer}"));
                }
            }
            for other in others {
                let read = other.api.get(&path).await;
                let expected = self.bodies.of(other.is_old, number + 1);
                let mut expected = expected.as_object().expect("an object").iter();
                if read.status() != 200 || expected.any(|(name, value)| read.json()[name] != *value) {
                    failures.push(format!("{path}, of another version: {read}"));
                }
            }
            self.rounds.fetch_add(1, Ordering::Relaxed);
        }
        failures
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
