//! Limits of a caller's requests: the caller of a request, the refusal, and the headers that report what is left.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::Request;
use axum::http::{Extensions, HeaderName, HeaderValue};
use axum::response::Response;
use chrono::{DateTime, Utc};

use crate::auth::network::network;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::store::mounted::rate_limiter::{Quota, RateLimiter};

/// The headers (draft-ietf-httpapi-ratelimit-headers).
static POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
static REMAINING: HeaderName = HeaderName::from_static("ratelimit");

/// A caller whose requests are counted together.
#[derive(Hash)]
enum Caller<'a> {
    Principal(&'a str),
    /// The network of an anonymous request.
    Network(Option<IpAddr>),
}

/// The quota of a request, from the check of the limit to the response.
#[derive(Debug, Clone, Default)]
pub(crate) struct RequestQuota(Arc<Mutex<Option<Quota>>>);

impl RequestQuota {
    /// The quota of a request whose route has a limit, which its extensions share.
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

/// Counts a request of a principal, or of an anonymous client at an address.
///
/// # Errors
/// `too_many_requests` beyond the limit.
pub(crate) fn check(
    limiter: &RateLimiter,
    principal: Option<&Principal>,
    address: Option<IpAddr>,
    now: DateTime<Utc>,
    extensions: &Extensions,
) -> Result<(), Problem> {
    let caller = match principal {
        Some(principal) => Caller::Principal(principal.subject()),
        None => Caller::Network(address.map(network)),
    };
    let quota = limiter.count(&caller, now);
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
