//! `GET /auth/sessions` and `DELETE /auth/sessions/{id}`: the sessions of the caller.

use crud_runtime::access::Access;
use crud_runtime::axum::Json;
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Path, Routes, delete, get};
use crud_runtime::{Error, Result, Schema};
use serde::Serialize;
use utoipa::ToSchema;

use super::described;
use crate::accounts::session_record::SessionRecord;

/// A session of the caller.
#[derive(Serialize, ToSchema)]
struct AccountSession {
    /// The key of the session.
    id: String,
    /// The time of its login.
    started_at: String,
    /// The time of its last new token.
    refreshed_at: String,
    /// The address of the client that logged in.
    address: Option<String>,
    /// The browser or program that logged in.
    user_agent: Option<String>,
    /// Whether it is the session of this request.
    current: bool,
}

/// A session in the path.
#[derive(Schema)]
struct SessionPath {
    /// The key of the session.
    #[crud(length(max = 40))]
    id: String,
}

pub(super) fn routes(auth: &str) -> Routes {
    let description = "The sessions of the caller, the last used first.";
    let list = described(get(list), "listSessions", "List the caller's sessions", description);
    let description = "Ends a session of the caller: its tokens are refused from the next request on.";
    let end = described(delete(end), "endSession", "End a session", description).problems([Code::NotFound]);
    Routes::new()
        .route(format!("{auth}/sessions"), list.access(Access::Authenticated))
        .route(format!("{auth}/sessions/{{id}}"), end.access(Access::Authenticated))
}

fn subject(ctx: &Context) -> Result<String> {
    let missing = || Error::Problem(Problem::of(Code::AuthenticationFailed));
    Ok(ctx.principal().ok_or_else(missing)?.subject().to_owned())
}

async fn list(ctx: Context) -> Result<Json<Vec<AccountSession>>> {
    let current = ctx.session_id().await?;
    let time = |time: DateTime<Utc>| time.to_rfc3339();
    let found = SessionRecord::of(&ctx.app().unscoped(), &subject(&ctx)?).await?;
    let sessions = found.into_iter().map(|session| AccountSession {
        current: current.as_deref() == Some(session.id.as_str()),
        id: session.id,
        started_at: time(session.started_at),
        refreshed_at: time(session.refreshed_at),
        address: session.address,
        user_agent: session.user_agent,
    });
    Ok(Json(sessions.collect()))
}

async fn end(ctx: Context, path: Path<SessionPath>) -> Result<()> {
    let (app, subject) = (ctx.app().unscoped(), subject(&ctx)?);
    let own = SessionRecord::find(&app, &subject, &path.id).await?;
    let missing = || Error::Problem(Problem::new(Code::NotFound, "the session is not found"));
    revoke(&ctx, &own.ok_or_else(missing)?.id).await
}

/// Ends every session of a user.
pub(super) async fn end_all(ctx: &Context, subject: &str) -> Result<()> {
    let app = ctx.app().unscoped();
    loop {
        let sessions = SessionRecord::of(&app, subject).await?;
        if sessions.is_empty() {
            return Ok(());
        }
        for session in sessions {
            revoke(ctx, &session.id).await?;
        }
    }
}

async fn revoke(ctx: &Context, id: &str) -> Result<()> {
    let auth = ctx.auth()?;
    if auth.has_logout() {
        auth.revoke(id).await?;
    }
    ctx.app().unscoped().store::<SessionRecord>().delete_where(SessionRecord::FIELDS.id.eq(id)).await.map(drop)
}
