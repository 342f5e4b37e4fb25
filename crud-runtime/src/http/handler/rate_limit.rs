//! Limits of a caller's requests: the caller of a request, the refusal, and the headers that report what is left.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::Request;
use axum::http::{Extensions, HeaderName, HeaderValue};
use axum::response::Response;
use chrono::{DateTime, Utc};

use crate::auth::network::network;
use crate::http::state::ServiceState;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::store::mounted::rate_limiter::{Quota, RateLimiter};
use crate::store::mounted::shared_limit::{SharedLimit, share};
use crate::store::tables::request_window::RequestWindow;

/// The headers (draft-ietf-httpapi-ratelimit-headers).
static POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
static REMAINING: HeaderName = HeaderName::from_static("ratelimit");

/// A caller whose requests are counted together.
#[derive(Hash)]
pub(crate) enum Caller<'a> {
    Principal(&'a str),
    /// The network of an anonymous request.
    Network(Option<IpAddr>),
}

impl<'a> Caller<'a> {
    /// A principal, whose API keys count towards the same limit, or an anonymous client at an address.
    pub(crate) fn of(principal: Option<&'a Principal>, address: impl FnOnce() -> Option<IpAddr>) -> Self {
        match principal {
            Some(principal) => Caller::Principal(principal.subject()),
            None => Caller::Network(address().map(network)),
        }
    }
}

/// The quota of a request, from the check of the limit to the response.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestQuota(Arc<Mutex<Option<Quota>>>);

impl RequestQuota {
    /// The quota of a request whose route has a limit; the request's extensions share it.
    pub(crate) fn of(request: &mut Request, has_limit: bool) -> Option<Self> {
        has_limit.then(|| request.extensions_mut().get_or_insert_default::<Self>().clone())
    }

    /// Keeps the tighter of a route's limit and its resource's.
    fn put(&self, quota: Quota) {
        let mut slot = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if slot.is_none_or(|known| quota.remaining < known.remaining || quota.is_exceeded) {
            *slot = Some(quota);
        }
    }

    /// Adds the headers to the response.
    pub(crate) fn report(&self, response: &mut Response) {
        let Some(quota) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) else { return };
        let Quota { limit, remaining, reset, .. } = quota;
        let policy = format!("\"default\";q={};w={}", limit.requests, seconds(limit.per));
        let state = format!("\"default\";r={remaining};t={}", seconds(reset));
        for (name, value) in [(&POLICY, policy), (&REMAINING, state)] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                response.headers_mut().insert(name, value);
            }
        }
    }
}

/// A time in whole seconds, rounded up.
fn seconds(time: Duration) -> u64 {
    time.as_secs().saturating_add(u64::from(time.subsec_nanos() > 0))
}

/// Counts a request in this process.
///
/// # Errors
/// `too_many_requests` beyond the limit.
pub(crate) fn check(
    limiter: &RateLimiter,
    caller: &Caller<'_>,
    now: DateTime<Utc>,
    extensions: &Extensions,
) -> Result<(), Problem> {
    judge(limiter.count(caller, now), extensions)
}

/// Counts a request through the database.
///
/// # Errors
/// `too_many_requests` beyond the limit; `unavailable` when the database does not answer.
pub(crate) async fn check_shared(
    limit: &SharedLimit,
    caller: &Caller<'_>,
    state: &ServiceState,
    extensions: &Extensions,
) -> Result<(), Problem> {
    let app = state.app();
    let take = async |wish| {
        state.purge_windows();
        RequestWindow::take(app, wish, share).await
    };
    let quota = match caller {
        Caller::Principal(subject) => limit.count(&[b"principal", subject.as_bytes()], app.now(), take).await?,
        Caller::Network(network) => {
            let network = network.map(|network| network.to_string()).unwrap_or_default();
            limit.count(&[b"network", network.as_bytes()], app.now(), take).await?
        }
    };
    judge(quota, extensions)
}

fn judge(quota: Quota, extensions: &Extensions) -> Result<(), Problem> {
    if let Some(of_request) = extensions.get::<RequestQuota>() {
        of_request.put(quota);
    }
    if !quota.is_exceeded {
        return Ok(());
    }
    let (requests, window) = (quota.limit.requests, seconds(quota.limit.per));
    let detail = format!("more than {requests} requests in {window} seconds; try again later");
    Err(Problem::new(Code::TooManyRequests, detail).retry_after(quota.reset))
}
