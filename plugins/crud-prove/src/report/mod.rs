//! [`Report`]: the [`Difference`]s, the requests that were left out, and the table.

mod difference;
mod findings;
mod table;

use std::fmt;
use std::time::Duration;

pub use difference::Difference;
pub(crate) use findings::Findings;
pub(crate) use table::{CellPosition, page};

/// The result of a proof. Its text is what `crud prove` prints.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Report {
    /// The differences between the answers and the rules; empty if the service follows its rules.
    pub differences: Vec<Difference>,
    /// Requests that were not made or that prove nothing, each with the reason.
    pub unreached: Vec<String>,
    /// Number of requests.
    pub requests: u64,
    /// The time that the proof took.
    pub time: Duration,
    pub(crate) table: String,
}

impl Report {
    /// The table of what each principal may do, in Markdown. It is equal for equal rules, so a repository can track its
    /// changes.
    pub fn table(&self) -> &str {
        &self.table
    }

    /// Panics with the differences, if there are any. For tests.
    ///
    /// # Panics
    /// When an answer differs from the rules.
    #[track_caller]
    pub fn expect_no_difference(&self) {
        assert!(self.differences.is_empty(), "{self}");
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (found, requests) = (self.differences.len(), self.requests);
        let seconds = self.time.as_secs_f32();
        match found {
            0 => writeln!(f, "Every answer is what the rules say: {requests} requests in {seconds:.1} s.")?,
            1 => writeln!(f, "1 answer is not what the rules say, of {requests} requests in {seconds:.1} s:")?,
            _ => writeln!(f, "{found} answers are not what the rules say, of {requests} requests in {seconds:.1} s:")?,
        }
        for Difference { way, sentence, curl } in &self.differences {
            writeln!(f, "\n{way}: {sentence}\n  {curl}")?;
        }
        if !self.unreached.is_empty() {
            writeln!(f, "\nNot reached:")?;
        }
        self.unreached.iter().try_for_each(|line| writeln!(f, "- {line}"))
    }
}
