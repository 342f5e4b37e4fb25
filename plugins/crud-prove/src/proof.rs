//! [`Proof`]: sends every kind of request as every principal, and compares the answers with the rules.

use std::fmt;
use std::time::{Duration, Instant};

use chrono::{SubsecRound, TimeDelta, Utc};
use crud_runtime::Service;
use crud_runtime::testing::Test;

use crate::callers::{Calling, callers};
use crate::report::{Findings, Report, page};
use crate::rules::{Caller, Reading, Rules};
use crate::ways::ask::{Ask, COLUMNS};
use crate::ways::{read, routes, write};
use crate::world::{World, generate};

/// Default time limit of a proof.
const USUAL: Duration = Duration::from_mins(10);

/// A proof of a service's access rules: see the [crate](crate).
pub struct Proof {
    service: Service,
    is_quick: bool,
    limit: Duration,
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Proof").field("is_quick", &self.is_quick).finish_non_exhaustive()
    }
}

impl Proof {
    /// Prepares the proof of a service. The proof writes generated records, so the database must be empty and used by
    /// no other program.
    pub const fn new(service: Service) -> Self {
        Self { service, is_quick: false, limit: USUAL }
    }

    /// Sets the time limit; ten minutes if never called. After it, no further requests are made, and the report lists
    /// what was left out.
    #[must_use]
    pub fn within(self, limit: Duration) -> Self {
        Self { limit, ..self }
    }

    /// Uses fewer principals: one for each role, and one stranger.
    #[must_use]
    pub fn quick(self) -> Self {
        Self { is_quick: true, ..self }
    }

    /// Generates records, sends the requests, and compares the answers with the rules.
    ///
    /// # Errors
    /// Errors of [`Service::test`](crud_runtime::Service::test), and when the database fails.
    pub async fn run(self) -> crud_runtime::Result<Report> {
        let begun = Instant::now();
        let test = self.service.test().await?;
        test.clock().set(Utc::now().trunc_subsecs(0));
        let world = generate(&test).await?;
        // The clock moves on, so that generated times are in the past.
        test.clock().set(test.clock().now() + TimeDelta::minutes(1));
        let calling = callers(&test, &world, self.is_quick).await;
        let findings = Findings::default();
        world.without_records.iter().for_each(|line| findings.unreached(line.clone()));
        let until = begun + self.limit;
        Run { test: &test, world: &world, calling: &calling, findings: &findings, until }.everything().await;
        Ok(report(&world, &calling, findings, begun))
    }
}

struct Run<'r> {
    test: &'r Test,
    world: &'r World,
    calling: &'r [Calling],
    findings: &'r Findings,
    /// The instant at which the time limit is reached.
    until: Instant,
}

impl Run<'_> {
    async fn everything(&self) {
        if self.test.model().has_principals() {
            routes(self.test, &Caller::nobody(), self.findings).await;
        } else {
            let words = "the service has no authentication: no access rule is asked, only what is hidden from everyone";
            self.findings.unreached(words.to_owned());
        }
        // Ways restore the records that they change. Only the program's own code may leave other changes.
        let numbers = || (0..self.calling.len()).flat_map(|it| (0..self.world.served.len()).map(move |of| (it, of)));
        for (number, resource) in numbers() {
            if self.has_time(number, resource, "reads") {
                read(&self.ask(number, resource)).await;
            }
        }
        for (number, resource) in numbers() {
            if self.has_time(number, resource, "changes") {
                write(&self.ask(number, resource)).await;
            }
        }
    }

    /// Whether there is time left. If not, the report lists `what` as left out.
    fn has_time(&self, number: usize, resource: usize, what: &str) -> bool {
        let is_left = Instant::now() < self.until;
        if !is_left {
            let (caller, of) = (&self.calling[number].caller.name, self.world.served[resource].descriptor.name);
            self.findings.unreached(format!("{what} of {of} by {caller}: the time of the proof is over"));
        }
        is_left
    }

    fn ask(&self, number: usize, resource: usize) -> Ask<'_> {
        let Self { test, world, findings, .. } = *self;
        let Calling { caller, client } = &self.calling[number];
        let model = test.model();
        let rules = Rules { default: model.default_access(), are_enforced: model.has_principals() };
        let reading = Reading { rules, world, now: test.clock().now() };
        Ask { test, world, reading, findings, caller, number, client, resource }
    }
}

fn report(world: &World, calling: &[Calling], findings: Findings, begun: Instant) -> Report {
    let found = findings.into_found();
    let titles: Vec<String> =
        world.served.iter().map(|it| format!("{}, `{}`", it.descriptor.name, it.prefix)).collect();
    let names: Vec<String> = calling.iter().map(|it| it.caller.name.clone()).collect();
    let mut differences = found.differences;
    differences.sort();
    Report {
        differences,
        unreached: found.unreached.into_iter().collect(),
        requests: found.requests,
        time: begun.elapsed(),
        table: page(&found.cells, &titles, &names, &COLUMNS),
    }
}
