//! [`SessionRecord`]: the sessions of users, and [`SessionKeeper`], which stores them.

use crud_runtime::Result;
use crud_runtime::adapter::BoxFuture;
use crud_runtime::auth::{SessionObserver, UserSession};
use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use crud_runtime::query::Condition;

/// Number of characters of a `User-Agent` that are stored.
const MAX_AGENT: usize = 200;

/// A session, in the table `accounts_session`.
#[derive(Debug, Clone, Resource)]
#[crud(table = "accounts_session", internal)]
pub(crate) struct SessionRecord {
    /// The `sid` of its tokens.
    #[crud(length(max = 40))]
    pub(crate) id: String,
    /// The `sub` of its tokens.
    #[crud(index, length(max = 40))]
    pub(crate) subject: String,
    pub(crate) started_at: DateTime<Utc>,
    /// The time of its last refresh.
    pub(crate) refreshed_at: DateTime<Utc>,
    #[crud(index)]
    pub(crate) expires_at: DateTime<Utc>,
    #[crud(length(max = 50))]
    pub(crate) address: Option<String>,
    #[crud(length(max = 200))]
    pub(crate) user_agent: Option<String>,
}

impl SessionRecord {
    /// The sessions of a user, the most recently used first; at most 1,000.
    pub(crate) async fn of(app: &App, subject: &str) -> Result<Vec<Self>> {
        let recent = Self::current(app, subject).order_by(Self::FIELDS.refreshed_at.desc());
        app.store::<Self>().list(recent.limit(1000)).await
    }

    /// The session of a user with this key.
    pub(crate) async fn find(app: &App, subject: &str, id: &str) -> Result<Option<Self>> {
        app.store::<Self>().first(Self::current(app, subject).and(Self::FIELDS.id.eq(id))).await
    }

    fn current(app: &App, subject: &str) -> Condition<Self> {
        Self::FIELDS.subject.eq(subject).and(Self::FIELDS.expires_at.gt(app.now()))
    }

    /// Removes expired sessions.
    pub(crate) async fn sweep(app: &App) -> Result<u64> {
        app.store::<Self>().delete_where(Self::FIELDS.expires_at.lte(app.now())).await
    }
}

/// Stores the sessions of users: an observer of logins, refreshes and logouts.
pub(crate) struct SessionKeeper;

impl SessionKeeper {
    async fn start(session: &UserSession<'_>) -> Result<()> {
        let Some(id) = session.id else { return Ok(()) };
        let (store, now) = (session.app.store::<SessionRecord>(), session.app.now());
        let new = NewSessionRecord {
            id: id.to_owned(),
            subject: session.user.subject.clone(),
            started_at: now,
            refreshed_at: now,
            expires_at: session.expires_at,
            address: session.address.map(|address| address.to_string()),
            user_agent: session.user_agent.map(|agent| agent.chars().take(MAX_AGENT).collect()),
        };
        store.create(new).await.map(drop)
    }

    async fn refresh(session: &UserSession<'_>) -> Result<()> {
        let Some(id) = session.id else { return Ok(()) };
        let patch = SessionRecordPatch::default().refreshed_at(session.app.now()).expires_at(session.expires_at);
        session.app.store::<SessionRecord>().update_where(SessionRecord::FIELDS.id.eq(id), patch).await.map(drop)
    }
}

impl SessionObserver for SessionKeeper {
    fn started<'a>(&'a self, session: &'a UserSession<'a>) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move { Self::start(session).await.map_err(problem_of) })
    }

    fn refreshed<'a>(&'a self, session: &'a UserSession<'a>) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move { Self::refresh(session).await.map_err(problem_of) })
    }

    fn ended<'a>(&'a self, app: &'a App, id: &'a str) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let ended = app.store::<SessionRecord>().delete_where(SessionRecord::FIELDS.id.eq(id)).await;
            ended.map(drop).map_err(problem_of)
        })
    }
}

/// The error as a problem; `internal` if it is not one.
pub(crate) fn problem_of(error: crud_runtime::Error) -> Problem {
    match error {
        crud_runtime::Error::Problem(problem) => problem,
        other => Problem::internal(other),
    }
}
