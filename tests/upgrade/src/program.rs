//! The program of upgrades: notes with a log, keys and cursors, users with sessions, and jobs that send letters.

use std::time::Duration;

use crud_runtime::auth::{Auth, AuthBuilder};
use crud_runtime::prelude::*;
use crud_runtime::{App, BoxError, Job};
use serde::{Deserialize, Serialize};

/// A note, of each change of which a letter is sent: an hour later where it begins with `later`.
#[derive(Debug, Clone, Resource)]
#[crud(audit, idempotency, pagination(cursor), hooks(after(sent)))]
pub(crate) struct Note {
    id: i64,
    #[crud(length(max = 100))]
    text: String,
}

/// A letter that was sent.
#[derive(Debug, Clone, Resource)]
#[crud(pagination(default_limit = 100))]
pub(crate) struct Letter {
    id: i64,
    text: String,
}

async fn sent(change: &Changed<'_, Note>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let text = change.record().text.clone();
    let is_later = text.starts_with("later");
    let job = Send { text };
    if is_later {
        let hour = ctx.now() + TimeDelta::hours(1);
        ctx.enqueue(job.run_at(hour)).await?;
    } else {
        ctx.enqueue(job).await?;
    }
    Ok(())
}

#[derive(Serialize, Deserialize)]
struct Send {
    text: String,
}

impl Job for Send {
    const KIND: &str = "letter";

    async fn run(self, app: App) -> Result<(), BoxError> {
        app.store::<Letter>().create(NewLetter { text: self.text }).await?;
        Ok(())
    }
}

/// The service with its resources.
pub(crate) fn resources(service: Service) -> Service {
    service.resource::<Note>().resource::<Letter>().job::<Send>().access(|access| access.users_role("admin"))
}

/// Its authentication. Refresh tokens outlive the dumps.
pub(crate) fn auth() -> AuthBuilder {
    Auth::builder().logout().refresh_token_lifetime(Duration::from_hours(24 * 36_500))
}
