//! [`Kills`]: a command that applies files is killed at random moments, and leaves the records of before or of after.

use std::time::Duration;

use crud_runtime::migrations::MigrationState;
use crud_tests::{Backend, Database, Server};

use super::records::Shop;
use super::releases::Release;
use super::{apply, revert};
use crate::checkout::Checkout;

/// The kills of a story.
pub(crate) struct Kills {
    backend: Backend,
    /// Number of kills of each command, while it runs.
    of_each: usize,
    /// The latest moment.
    most: Duration,
    /// Number of kills so far.
    total: usize,
    /// Number of those that left a file applied in part, or some of a release's.
    between: usize,
}

impl Kills {
    pub(crate) const fn new(backend: Backend, of_each: usize) -> Self {
        Self { backend, of_each, most: Duration::from_millis(100), total: 0, between: 0 }
    }

    /// Kills the command that applies the files of a release, whose records are the first before and the second
    /// afterwards. Where it has ended, the files are reverted and applied once more.
    pub(crate) async fn play(
        &mut self,
        checkout: &Checkout,
        release: &Release,
        files: &[String],
        database: &Database,
        [before, after]: [&Shop; 2],
    ) {
        if self.of_each == 0 || files.is_empty() {
            return;
        }
        let backend = database.backend();
        let mut reverted = before.clone();
        if let Some(change) = release.reverted {
            change(&mut reverted);
        }
        let [mut before, reverted, after] = [before, &reverted, after].map(|shop| shop.sums(backend));
        let mut killed = 0;
        while killed < self.of_each {
            let moment = self.most.mul_f64(fastrand::f64());
            let (arguments, variables) = (["migrate", "apply"], [("RELEASE", release.name)]);
            let program = checkout.program();
            let directory = checkout.path();
            let was_running =
                Server::run_in_until_killed(directory, program, &arguments, &variables, database, moment).await;
            killed += usize::from(was_running);
            self.most = if was_running { self.most * 11 / 10 } else { self.most * 9 / 10 };
            let when = format!("release {}, killed after {moment:?}", release.name);
            match applied(checkout, files, database).await {
                Some(0) => assert_eq!(before.differing(database).await, None, "{when}: not applied"),
                Some(all) if all == files.len() => {
                    assert_eq!(after.differing(database).await, None, "{when}: applied");
                    if release.reverted.is_none() {
                        break;
                    }
                    apply(checkout, release.name, database).await;
                    revert(checkout, release.name, files.len(), database).await;
                    before.clone_from(&reverted);
                }
                _ => self.between += 1,
            }
        }
        self.total += killed;
    }

    /// Prints the numbers.
    ///
    /// # Panics
    /// When kills were wanted, and too few hit a program at its work.
    pub(crate) fn report(&self, records: usize) {
        let (name, total, between) = (self.backend.name(), self.total, self.between);
        eprintln!(
            "{name}: {records} records, {total} kills, {between} of them between the files or statements of a release"
        );
        if self.of_each > 0 {
            assert!(total >= 100, "{name}: {total} kills are too few");
            // Each of its statements is a step.
            assert!(between > 0 || self.backend != Backend::MySql, "{name}: no kill was between two statements");
        }
    }
}

/// The number of these files that are applied; `None` where one is applied in part.
async fn applied(checkout: &Checkout, files: &[String], database: &Database) -> Option<usize> {
    let status = database.service().await.migrations().status(checkout.migrations()).await.expect("a status");
    let is = |state| status.iter().filter(|one| one.state == state && files.contains(&one.name)).count();
    (is(MigrationState::Interrupted) == 0).then(|| is(MigrationState::Applied))
}
