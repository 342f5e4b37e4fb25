//! [`Kills`] of a program at random moments.

use std::fmt;
use std::time::Duration;

use crud_tests::{Database, Server};

/// Kills of a program at random moments, about half of them before its end.
#[derive(Debug)]
pub(crate) struct Kills {
    /// The latest moment: earlier after a kill that came too late.
    latest: Duration,
    /// Number of rounds that are asked for, and of those that were begun.
    rounds: usize,
    begun: usize,
    /// Number of kills of a running program.
    running: usize,
}

impl Kills {
    /// Kills of a program that takes about half of `latest`, in so many rounds.
    pub(crate) fn new(latest: Duration, rounds: usize) -> Self {
        Self { latest, rounds, begun: 0, running: 0 }
    }

    /// Runs the program until it ends or is killed. Returns the moment of the kill.
    pub(crate) async fn run(&mut self, program: &str, arguments: &[&str], database: &Database) -> Duration {
        let after = self.latest.mul_f64(fastrand::f64());
        if Server::run_until_killed(program, arguments, database, after).await {
            self.running += 1;
            self.latest = self.latest * 11 / 10;
        } else {
            self.latest = self.latest * 9 / 10;
        }
        after
    }

    /// Begins a round: as many as are asked for, and more until a quarter as many kills came while the program was running.
    /// `false` when there is none.
    ///
    /// # Panics
    /// After ten times as many rounds.
    pub(crate) fn begin_round(&mut self) -> bool {
        let is_begun = self.begun < self.rounds || self.running * 4 < self.rounds;
        assert!(!is_begun || self.begun < 10 * self.rounds, "{self}");
        self.begun += usize::from(is_begun);
        is_begun
    }
}

impl fmt::Display for Kills {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "killed {} times while it was running, in {} rounds", self.running, self.begun)
    }
}
