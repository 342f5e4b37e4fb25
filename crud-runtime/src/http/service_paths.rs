//! [`ServicePaths`]: the paths of the service's own routes.

use std::borrow::Cow;

use crate::storage::error::{Error, Result};

/// The routes below the path of sessions.
const OF_SESSIONS: [&str; 6] = ["/login", "/logout", "/password", "/refresh", "/tenant", "/users"];

/// The paths of the service's own routes that cannot be moved.
const FIXED: [&str; 6] = ["/_service", "/docs", "/openapi.json", "/audit-logs", "/metrics", "/favicon.ico"];

/// The paths of the service's own routes, which [`ServerOptions::paths`](crate::ServerOptions::paths) sets for an
/// application that needs some of them for its own routes.
///
/// Each path can be moved, or left out by `None`; then the application may use it.
///
/// ```
/// use crud_runtime::ServicePaths;
/// # use crud_runtime::prelude::*;
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// let paths = ServicePaths::new().home(None).health("/healthz").profile("/me").auth("/session");
/// let service = Service::connect("sqlite::memory:").await?.server(|server| server.paths(paths));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServicePaths {
    pub(crate) home: Option<&'static str>,
    pub(crate) health: Option<&'static str>,
    pub(crate) ready: Option<&'static str>,
    profile: Option<&'static str>,
    /// The path that logins, refreshes and users are below.
    pub(crate) auth: Option<&'static str>,
}

impl Default for ServicePaths {
    fn default() -> Self {
        Self::new()
    }
}

impl ServicePaths {
    /// The paths of a service that is an application by itself.
    pub const fn new() -> Self {
        Self {
            home: Some("/"),
            health: Some("/health"),
            ready: Some("/ready"),
            profile: Some("/profile"),
            auth: Some("/auth"),
        }
    }

    crud_core::builder_setters! {
        /// Sets the path of the service's title and its resources; `/` if never called.
        #[must_use]
        home(path: impl Into<Option<&'static str>>) => home = path.into();

        /// Sets the path at which the process answers; `/health` if never called.
        #[must_use]
        health(path: impl Into<Option<&'static str>>) => health = path.into();

        /// Sets the path at which the database answers; `/ready` if never called.
        #[must_use]
        ready(path: impl Into<Option<&'static str>>) => ready = path.into();

        /// Sets the path of the authenticated user; `/profile` if never called.
        #[must_use]
        profile(path: impl Into<Option<&'static str>>) => profile = path.into();

        /// Sets the path that logins, refreshes and users are below; `/auth` if never called. Without it, no route issues
        /// tokens: the program does.
        #[must_use]
        auth(path: impl Into<Option<&'static str>>) => auth = path.into();
    }

    /// The path of a route whose default is this one; `None` where it is left out.
    pub(crate) fn place<'p>(&self, default: &'p str) -> Option<Cow<'p, str>> {
        if default == "/profile" {
            return self.profile.map(Cow::Borrowed);
        }
        match default.strip_prefix("/auth/") {
            None => Some(Cow::Borrowed(default)),
            Some(_) if self.auth == Some("/auth") => Some(Cow::Borrowed(default)),
            Some(route) => self.auth.map(|auth| Cow::Owned(format!("{auth}/{route}"))),
        }
    }

    /// Whether a plugin may have a route at a path: one below the path of sessions that is not the service's own there.
    pub(crate) fn admits_plugin(&self, path: &str) -> bool {
        let below = self.auth.and_then(|auth| path.strip_prefix(auth)).filter(|rest| rest.starts_with('/'));
        below.is_some_and(|rest| !OF_SESSIONS.iter().any(|own| is_below(rest, own) || rest == *own))
    }

    /// The paths that no resource's prefix may begin with, each with the name of the method that moves it, if one does.
    pub(crate) fn reserved(&self) -> impl Iterator<Item = (&'static str, Option<&'static str>)> + use<> {
        let own = self.own().filter(|(_, path)| *path != "/").map(|(name, path)| (path, Some(name)));
        FIXED.into_iter().map(|path| (path, None)).chain(own)
    }

    /// The paths, each with the name of the method that moves it.
    fn own(&self) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
        let own = [
            ("home", self.home),
            ("health", self.health),
            ("ready", self.ready),
            ("profile", self.profile),
            ("auth", self.auth),
        ];
        own.into_iter().filter_map(|(name, path)| Some((name, path?)))
    }

    /// Checks that the paths are valid and distinct.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first that is not.
    pub(crate) fn check(&self) -> Result<()> {
        let own: Vec<_> = self.own().collect();
        for (index, (name, path)) in own.iter().enumerate() {
            let is_root = *name == "home" && *path == "/";
            if !is_root && !is_path(path) {
                return Err(Error::Setup(format!(
                    "the path of `{name}`, `{path}`, must be like `/health` or `/internal/health`: letters, digits, `-`, \
                     `.`, `_`, `~`"
                )));
            }
            let others = own[..index].iter().map(|(_, other)| *other);
            let collides = |other: &&str| match *name {
                "auth" => is_one_of_sessions(path, other),
                _ => path == other || FIXED.contains(other) && is_below(path, other),
            };
            if let Some(other) = others.chain(FIXED).find(collides) {
                return Err(Error::Setup(format!("the path of `{name}`, `{path}`, collides with `{other}`")));
            }
        }
        Ok(())
    }
}

fn is_path(path: &str) -> bool {
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && ![".", ".."].contains(&segment)
            && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    path.strip_prefix('/').is_some_and(|path| path.split('/').all(is_segment))
}

fn is_below(path: &str, other: &str) -> bool {
    path.strip_prefix(other).is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a path is that of sessions or of one of their routes, or a fixed path with the path of sessions below it.
fn is_one_of_sessions(auth: &str, other: &str) -> bool {
    let is_route = |rest: &str| {
        rest.is_empty()
            || OF_SESSIONS
                .iter()
                .any(|route| rest.strip_prefix(route).is_some_and(|end| end.is_empty() || end.starts_with('/')))
    };
    other.strip_prefix(auth).is_some_and(is_route) || FIXED.contains(&other) && is_below(auth, other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_distinct_and_written_as_prefixes_are() {
        let paths = ServicePaths::new;
        for legal in [
            paths(),
            paths().home(None).health(None).ready(None).profile(None).auth(None),
            paths().home("/index").health("/internal/health").ready("/internal/ready"),
            paths().auth("/account").profile("/account/me"),
        ] {
            assert!(legal.check().is_ok(), "{legal:?}");
        }
        for illegal in [
            paths().health("/"),
            paths().health("health"),
            paths().health("/a b"),
            paths().health("/{id}"),
            paths().health("/../x"),
            paths().health("/ready"),
            paths().ready("/docs/x"),
            paths().home("/metrics"),
            paths().profile("/auth/login"),
            paths().profile("/auth/users/me"),
            paths().auth("/_service/auth"),
        ] {
            assert!(illegal.check().is_err(), "{illegal:?}");
        }
    }
}
