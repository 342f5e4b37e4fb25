//! [`BodyReader`]: reads a request's body within the limits of size and time.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};

use crate::http::server::memory_budget::{ClientBudget, Reservation, UNCOUNTED};
use crate::model::problem::{Code, Problem};

/// The number of bytes drained from a body that is too large, so that the client reads the response. The service's own
/// server reads on after any response, so this is for programs that use another server.
const MAX_DRAINED: usize = 16 * 1024 * 1024;

/// Minimum rate of a fast body, in bytes a second: slower bodies are evicted where memory is short.
const FAST: u32 = 64 * 1024;

/// Minimum rate of a body, in bytes a second, apart from one pause.
const LEAST: u32 = 1024;

/// A body that has not been read yet.
pub(crate) struct BodyReader {
    // Never locked: the mutex makes the reader `Sync`, which bodies are not, so that handlers can borrow it across an
    // await.
    body: Mutex<Body>,
    idle: Duration,
    deadline: Instant,
    memory: ClientBudget,
    /// Minimum rate of this body, in bytes a second, apart from one pause.
    least: u32,
    /// Delay of the body behind the minimum rate, and behind [`FAST`].
    behind: [Duration; 2],
    /// Whether reading has stopped, because the client stalled or left.
    has_failed: bool,
}

/// Delay of a body behind a rate, after a wait in which this many bytes arrived.
fn behind(before: Duration, waited: Duration, bytes: usize, rate: u32) -> Duration {
    let due = Duration::from_secs(1).saturating_mul(u32::try_from(bytes).unwrap_or(u32::MAX)) / rate;
    (before + waited).saturating_sub(due)
}

impl BodyReader {
    /// A reader whose body may pause for `idle`, or be behind [`LEAST`] for as long. The body must be complete by the
    /// deadline, and counts towards the memory of requests.
    pub(crate) fn new(body: Body, idle: Duration, deadline: Instant, memory: ClientBudget) -> Self {
        let behind = [Duration::ZERO; 2];
        Self { body: Mutex::new(body), idle, deadline, memory, least: LEAST, behind, has_failed: false }
    }

    /// The reader with this minimum rate of the body, in bytes a second.
    pub(crate) fn at_least(self, rate: u32) -> Self {
        Self { least: rate.max(LEAST), ..self }
    }

    /// A reader of these bytes, with the same limits.
    pub(crate) fn of(&self, bytes: Bytes) -> Self {
        Self::new(bytes.into(), self.idle, self.deadline, self.memory.clone())
    }

    /// Takes the reader, and leaves an empty body in its place.
    pub(crate) fn take(&mut self) -> Self {
        let empty = self.of(Bytes::new());
        std::mem::replace(self, empty)
    }

    /// Limit of bytes that all requests hold together.
    pub(crate) fn memory_limit(&self) -> usize {
        self.memory.limit()
    }

    /// Memory for the part of the body that a handler keeps, as it arrives.
    pub(crate) fn reservation(&self) -> Reservation {
        self.memory.reservation()
    }

    /// The time by which the body must be complete.
    pub(crate) const fn deadline(&self) -> Instant {
        self.deadline
    }

    /// Sets another time by which the body must be complete.
    pub(crate) fn extend(&mut self, deadline: Instant) {
        self.deadline = deadline;
    }

    /// The bytes of a JSON body of at most `limit` bytes.
    ///
    /// # Errors
    /// `unsupported_media_type`, `body_too_large`, `request_timeout`; `malformed_json` when the body is incomplete;
    /// `unavailable` when requests hold too much memory.
    pub(crate) async fn json(&mut self, parts: &Parts, limit: usize) -> Result<Bytes, Problem> {
        check_media_type(parts)?;
        self.bytes(&parts.headers, limit).await
    }

    /// The bytes of a body of any media type, of at most `limit` bytes.
    ///
    /// # Errors
    /// Errors of [`json`](Self::json), except for the media type.
    pub(crate) async fn bytes(&mut self, headers: &HeaderMap, limit: usize) -> Result<Bytes, Problem> {
        let too_large = || too_large(limit);
        // A client that sends `Expect: 100-continue` reads the response without sending the body.
        if headers.contains_key(header::EXPECT) {
            check_length(headers, limit)?;
        }
        // Dropped last: the bytes are counted until they are released.
        let mut reservation = self.memory.reservation();
        let mut first = None::<Bytes>;
        let mut rest = Vec::new();
        let mut size = 0;
        while let Some(frame) = self.frame(&mut reservation).await? {
            size += frame.len();
            if size > limit {
                self.drain().await;
                return Err(too_large());
            }
            if size > UNCOUNTED
                && let Err(problem) = reservation.grow_to(size).await
            {
                drop((first, rest, reservation));
                self.drain().await;
                return Err(problem);
            }
            match &first {
                None => first = Some(frame),
                Some(start) => {
                    if rest.is_empty() {
                        rest.extend_from_slice(start);
                    }
                    rest.extend_from_slice(&frame);
                }
            }
        }
        let bytes = if rest.is_empty() { first.unwrap_or_default() } else { rest.into() };
        Ok(if size > UNCOUNTED { reservation.keep(bytes) } else { bytes })
    }

    /// The next data frame of the body. While the reader waits for the client, the body's memory may be evicted.
    ///
    /// # Errors
    /// `request_timeout`, `malformed_json` when the body is incomplete; `unavailable` when that memory is evicted.
    pub(crate) async fn frame(&mut self, reservation: &mut Reservation) -> Result<Option<Bytes>, Problem> {
        let begin = Instant::now();
        let [least, fast] = self.behind;
        let deadline = self.deadline.min(begin + self.idle.saturating_sub(least));
        let mut wait = reservation.wait(begin.checked_sub(fast).unwrap_or(begin));
        self.has_failed = true;
        let frame = tokio::select! {
            biased;
            frame = timeout_at(deadline, next_frame(&mut self.body)) => frame,
            () = wait.evicted() => {
                let detail = "requests hold too much memory, and this body arrives slowest or its address holds most; try \
                              again later";
                return Err(Problem::new(Code::Unavailable, detail));
            }
        };
        let frame = frame.map_err(|_| Problem::of(Code::RequestTimeout))??;
        let (waited, size) = (begin.elapsed(), frame.as_ref().map_or(0, Bytes::len));
        self.has_failed = false;
        self.behind = [behind(least, waited, size, self.least), behind(fast, waited, size, FAST)];
        Ok(frame)
    }

    /// Reads and discards the rest of the body, within limits.
    pub(crate) async fn drain(&mut self) {
        let (mut size, mut reservation) = (0, self.memory.reservation());
        while size <= MAX_DRAINED && !self.has_failed {
            match self.frame(&mut reservation).await {
                Ok(Some(frame)) => size += frame.len(),
                _ => return,
            }
        }
    }
}

fn too_large(limit: usize) -> Problem {
    Problem::new(Code::BodyTooLarge, format!("the body must have at most {limit} bytes"))
}

/// Refuses a body whose `Content-Length` is above the limit.
///
/// # Errors
/// `body_too_large`.
pub(crate) fn check_length(headers: &HeaderMap, limit: usize) -> Result<(), Problem> {
    let declared = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if declared.is_some_and(|length: u64| length > limit as u64) { Err(too_large(limit)) } else { Ok(()) }
}

async fn next_frame(body: &mut Mutex<Body>) -> Result<Option<Bytes>, Problem> {
    let body = body.get_mut().unwrap_or_else(PoisonError::into_inner);
    loop {
        match body.frame().await {
            None => return Ok(None),
            Some(Err(_)) => return Err(Problem::new(Code::MalformedJson, "the body is incomplete")),
            Some(Ok(frame)) => {
                if let Ok(data) = frame.into_data() {
                    return Ok(Some(data));
                }
            }
        }
    }
}

/// The media types of PATCH bodies, beside `application/json`.
pub(crate) const PATCHES: &[&str] = &[
    MERGE_PATCH,
    #[cfg(feature = "json-patch")]
    JSON_PATCH,
];

/// The media type of RFC 7396.
pub(crate) const MERGE_PATCH: &str = "application/merge-patch+json";

/// The media type of RFC 6902.
#[cfg(feature = "json-patch")]
pub(crate) const JSON_PATCH: &str = "application/json-patch+json";

/// Requires `application/json`, or on PATCH one of [`PATCHES`], in UTF-8 and without content coding.
fn check_media_type(parts: &Parts) -> Result<(), Problem> {
    let headers = &parts.headers;
    let others = if parts.method == Method::PATCH { PATCHES } else { &[] };
    let refuse = |detail: String| Err(Problem::new(Code::UnsupportedMediaType, detail));
    if headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        return refuse("the body must not be compressed".to_owned());
    }
    let mut expected = "the body must be application/json".to_owned();
    for other in others {
        expected.push_str(" or ");
        expected.push_str(other);
    }
    let Some(given) = headers.get(header::CONTENT_TYPE) else {
        return refuse(format!("{expected}; the Content-Type header is missing"));
    };
    if is_json(given, others) { Ok(()) } else { refuse(expected) }
}

/// Whether a media type is JSON in UTF-8, or one of `others`. RFC 8259 has no charset parameter, but clients send it.
pub(crate) fn is_json(value: &HeaderValue, others: &[&str]) -> bool {
    let Ok(text) = value.to_str() else { return false };
    let mut pieces = text.split(';').map(str::trim);
    let essence = pieces.next().unwrap_or_default();
    let known = essence.eq_ignore_ascii_case("application/json")
        || others.iter().any(|other| essence.eq_ignore_ascii_case(other));
    known
        && pieces.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
                value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        })
}
