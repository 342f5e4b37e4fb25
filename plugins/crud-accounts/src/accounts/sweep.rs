//! [`Sweep`]: the removal of expired rows.

use crud_runtime::prelude::App;
use crud_runtime::{BoxError, Job};
use serde::{Deserialize, Serialize};

use super::factor::challenge::Challenge;
use super::invitation::Invitation;
use super::letter_token::LetterToken;
use super::session_record::SessionRecord;
use super::slot::Slot;

/// Removes expired tokens, invitations, sessions, challenges and slots, every hour.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Sweep {}

impl Job for Sweep {
    const KIND: &str = "accounts_sweep";

    async fn run(self, app: App) -> Result<(), BoxError> {
        let removed = [
            LetterToken::sweep(&app).await?,
            Invitation::sweep(&app).await?,
            SessionRecord::sweep(&app).await?,
            Challenge::sweep(&app).await?,
            Slot::sweep(&app).await?,
        ];
        tracing::debug!(removed = removed.iter().sum::<u64>(), "what was over is removed");
        Ok(())
    }
}
