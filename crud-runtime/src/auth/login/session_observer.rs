//! [`SessionObserver`]: code that follows the sessions of the service's own users.

use std::fmt;
use std::net::IpAddr;
use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};
use serde_json::Value as Json;

use crate::auth::User;
use crate::model::problem::Problem;
use crate::storage::future::BoxFuture;
use crate::store::app::App;

/// Follows the sessions of the service's own users: each login, refresh and logout, by the service's routes and by those of
/// the program. [`ExtensionOptions::session_observer`](crate::ExtensionOptions::session_observer) adds one.
///
/// ```
/// use crud_runtime::adapter::BoxFuture;
/// use crud_runtime::auth::{SessionObserver, UserSession};
/// use crud_runtime::error::{Code, Problem};
///
/// /// Admits users with a number of their telephone alone.
/// struct WithTelephone;
///
/// impl SessionObserver for WithTelephone {
///     fn admit<'a>(&'a self, session: &'a UserSession<'a>) -> BoxFuture<'a, Result<(), Problem>> {
///         let has_number = session.user.claims.contains_key("telephone");
///         let refused = || Problem::new(Code::PermissionDenied, "the user has no number");
///         Box::pin(std::future::ready(has_number.then_some(()).ok_or_else(refused)))
///     }
/// }
/// ```
pub trait SessionObserver: Send + Sync + 'static {
    /// Admits a login whose password is proved, before it has tokens; a problem refuses it. A second factor is asked
    /// for here. A login [without a password](crate::routing::Context::log_in_as) does not call this.
    fn admit<'a>(&'a self, _session: &'a UserSession<'a>) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Notes a session that has started; a problem ends it.
    fn started<'a>(&'a self, _session: &'a UserSession<'a>) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Notes a session that has new tokens.
    fn refreshed<'a>(&'a self, _session: &'a UserSession<'a>) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Notes that the session with this id was logged out.
    fn ended<'a>(&'a self, _app: &'a App, _id: &'a str) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// A session of one of the service's own users, for a [`SessionObserver`].
///
/// ```
/// use crud_runtime::auth::UserSession;
///
/// fn place(session: &UserSession<'_>) -> String {
///     session.address.map_or_else(|| "somewhere".to_owned(), |address| address.to_string())
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct UserSession<'s> {
    /// The handle to the service's storage.
    pub app: &'s App,
    /// The `sid` of the session's tokens, where [sessions are stored](crate::auth::AuthBuilder::logout). None before
    /// the session starts.
    pub id: Option<&'s str>,
    /// The user, with the claims of the session's tokens.
    pub user: &'s User,
    /// The tenant of the session's tokens, where users belong to several.
    pub tenant: Option<&'s Json>,
    /// The latest time at which the session can be refreshed.
    pub expires_at: DateTime<Utc>,
    /// The client's address, where the server knows it.
    pub address: Option<IpAddr>,
    /// The header `User-Agent` of the request, where there is one.
    pub user_agent: Option<&'s str>,
}

/// The client of a login or a refresh.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Client<'c> {
    pub(crate) address: Option<IpAddr>,
    pub(crate) user_agent: Option<&'c str>,
}

/// A session of which observers are notified.
#[derive(Debug)]
pub(in crate::auth) struct SessionOf<'s> {
    pub(in crate::auth) id: Option<&'s str>,
    pub(in crate::auth) user: &'s User,
    pub(in crate::auth) tenant: Option<&'s Json>,
    pub(in crate::auth) expires_at: DateTime<Utc>,
    pub(in crate::auth) client: Client<'s>,
}

/// The observers of a service, which are set when it starts.
#[derive(Default)]
pub(crate) struct SessionObservers(OnceLock<(App, Vec<Arc<dyn SessionObserver>>)>);

impl fmt::Debug for SessionObservers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionObservers").finish_non_exhaustive()
    }
}

/// A moment of a session.
#[derive(Debug, Clone, Copy)]
pub(in crate::auth) enum Moment {
    Admission,
    Start,
    Refresh,
}

impl SessionObservers {
    /// Sets the observers and the storage that they work with; later calls change nothing.
    pub(crate) fn set(&self, app: &App, observers: &[Arc<dyn SessionObserver>]) {
        if !observers.is_empty() {
            drop(self.0.set((app.clone(), observers.to_vec())));
        }
    }

    /// Notifies each observer of a moment of a session.
    pub(in crate::auth) async fn tell(&self, moment: Moment, of: SessionOf<'_>) -> Result<(), Problem> {
        let Some((app, observers)) = self.0.get() else { return Ok(()) };
        let SessionOf { id, user, tenant, expires_at, client: Client { address, user_agent } } = of;
        let session = UserSession { app, id, user, tenant, expires_at, address, user_agent };
        for observer in observers {
            match moment {
                Moment::Admission => observer.admit(&session).await?,
                Moment::Start => observer.started(&session).await?,
                Moment::Refresh => observer.refreshed(&session).await?,
            }
        }
        Ok(())
    }

    /// Notifies each observer that a session was logged out.
    pub(in crate::auth) async fn tell_end(&self, id: &str) -> Result<(), Problem> {
        let Some((app, observers)) = self.0.get() else { return Ok(()) };
        for observer in observers {
            observer.ended(app, id).await?;
        }
        Ok(())
    }
}
