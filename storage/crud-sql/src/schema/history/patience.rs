//! [`Patience`]: the attempts of a migration whose statements wait for locks.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use crate::TARGET;

/// Time within which a migration is tried again: a report or a backup that reads a table ends within it.
const LIMIT: Duration = Duration::from_mins(5);

/// The first pause, in which what waited behind the statement goes on; each is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// The attempts of a migration whose statements wait for locks.
///
/// A statement that changes a table waits for the transactions that use it, and everything else waits behind that statement.
/// It therefore waits for a moment only, and is tried again.
pub(super) struct Patience {
    end: Instant,
    pause: Duration,
}

impl Patience {
    /// The attempts of a migration that begins now.
    pub(super) fn new() -> Self {
        Self { end: Instant::now() + LIMIT, pause: FIRST_PAUSE }
    }

    /// Waits for the next attempt; returns `false` when there is none.
    pub(super) async fn wait(&mut self, version: i64) -> bool {
        if Instant::now() >= self.end {
            return false;
        }
        if self.pause == FIRST_PAUSE {
            let minutes = LIMIT.as_secs() / 60;
            tracing::warn!(
                target: TARGET,
                migration = version,
                "another transaction locks a table: tried again for {minutes} minutes"
            );
        }
        sleep(self.pause).await;
        self.pause = LONGEST_PAUSE.min(self.pause * 2);
        true
    }
}
