//! [`Live`]: a stream of Server-Sent Events.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{BufMut, Bytes, BytesMut};
use crud_runtime::axum::body::Body;
use crud_runtime::axum::http::request::Parts;
use crud_runtime::axum::http::{HeaderName, HeaderValue, header};
use crud_runtime::axum::response::Response;
use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use futures_util::stream;

use super::frame::Frame;
use super::limits::Permit;
use super::subscription::Subscription;
use crate::log::Follower;
use crate::view::Views;

/// Interval between two checks that the sender's credentials still give the same rights.
pub(super) const CHECK: Duration = Duration::from_secs(5);

/// Delay before a retry when the database fails, and the time after which the stream ends then.
const AGAIN: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(30);

/// Longest silence of a stream. Proxies close connections that are silent for a minute.
const SILENCE: Duration = Duration::from_secs(15);

/// Delay before a browser reconnects, in milliseconds.
const RETRY: u32 = 2_000;

/// The sender of a stream.
pub(super) struct Sender {
    pub(super) views: Arc<Views>,
    /// The head of the request, with the credentials; `None` if the service has no principals.
    pub(super) head: Option<Box<Parts>>,
    pub(super) principal: Option<Principal>,
}

/// A stream of events.
pub(super) struct Live {
    pub(super) subscription: Subscription,
    pub(super) sender: Sender,
    /// Frames to send first.
    pub(super) first: Vec<Frame>,
    pub(super) stopping: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// The permit of the stream, and its registration as a follower of the log. Both end with the stream.
    pub(super) _open: (Permit, Follower),
}

struct State {
    live: Live,
    checked: Instant,
    sent: Instant,
    has_begun: bool,
    has_caught_up: bool,
    is_over: bool,
    /// The time of the first failure, while the database fails.
    failing: Option<Instant>,
}

/// A reason why a stream stops.
enum Stop {
    /// The sender is refused, or the stream is too far behind.
    Ended,
    /// The sender's rights have changed, or the numbers of the log went back.
    Renewed,
    /// The database fails, so the sender's rights are unknown. The check is repeated.
    Failed,
}

impl From<Problem> for Stop {
    fn from(_: Problem) -> Self {
        Self::Failed
    }
}

impl Sender {
    /// Whether the credentials still give the same principal, with the same rights.
    ///
    /// # Errors
    /// 401 and 403 for credentials that are refused now; errors of the database.
    pub(super) async fn has_same_rights(&self) -> Result<bool, Problem> {
        let Some(head) = &self.head else { return Ok(true) };
        Ok(self.views.state()?.principal_of(head).await? == self.principal)
    }

    /// Checks that the sender has the same rights.
    async fn check(&self) -> Result<(), Stop> {
        if self.views.state().is_err() {
            return Err(Stop::Ended);
        }
        match self.has_same_rights().await {
            Ok(true) => Ok(()),
            Ok(false) => Err(Stop::Renewed),
            Err(problem) if problem.code().status().is_server_error() => Err(Stop::Failed),
            Err(_) => Err(Stop::Ended),
        }
    }
}

impl Live {
    /// The response, whose body is the stream.
    pub(super) fn into_response(self) -> Response {
        let now = Instant::now();
        let state = State {
            live: self,
            checked: now,
            sent: now,
            has_begun: false,
            has_caught_up: false,
            is_over: false,
            failing: None,
        };
        let chunks = stream::unfold(state, |mut state| async move {
            let bytes = state.next().await?;
            Some((Ok::<_, Infallible>(bytes), state))
        });
        let mut response = Response::new(Body::from_stream(chunks));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
        response
    }
}

impl State {
    /// The next bytes; `None` at the end of the stream.
    async fn next(&mut self) -> Option<Bytes> {
        if !std::mem::replace(&mut self.has_begun, true) {
            let mut out = BytesMut::from(format!(": open\nretry: {RETRY}\n\n").as_bytes());
            for frame in std::mem::take(&mut self.live.first) {
                frame.write(&mut out);
            }
            // The position comes after the frames: a client that is cut off in between gets them again.
            self.write_position(&mut out);
            return Some(out.freeze());
        }
        if self.is_over || self.live.subscription.is_over() {
            return None;
        }
        loop {
            let wait = match self.ready().await {
                Ok(Some(bytes)) => return Some(bytes),
                Ok(None) => CHECK,
                Err(Stop::Ended) => return None,
                Err(Stop::Renewed) => return self.end(),
                Err(Stop::Failed) if self.has_failed_for(PATIENCE) => return None,
                Err(Stop::Failed) => AGAIN,
            };
            tokio::select! {
                biased;
                () = &mut self.live.stopping => return None,
                () = self.live.subscription.wait(wait) => {}
            }
        }
    }

    /// The next bytes, if there are some already. While the check of the sender fails, none are sent.
    async fn ready(&mut self) -> Result<Option<Bytes>, Stop> {
        if self.checked.elapsed() >= CHECK || self.failing.is_some() {
            // Boxed, so that a waiting stream takes no memory for it.
            Box::pin(self.live.sender.check()).await?;
            self.checked = Instant::now();
        }
        if self.live.subscription.is_of_earlier_log() {
            return Err(Stop::Renewed);
        }
        if self.live.subscription.is_cut() {
            return Err(Stop::Ended);
        }
        let frames = self.live.subscription.next_ready().await?;
        self.failing = None;
        if !frames.is_empty() {
            let mut out = BytesMut::with_capacity(frames.iter().map(|frame| frame.json.len() + 64).sum());
            for frame in frames {
                frame.write(&mut out);
            }
            return Ok(Some(self.sent(out)));
        }
        // The first position without events tells a client that resumes that it has caught up.
        let has_caught_up = std::mem::replace(&mut self.has_caught_up, true);
        if has_caught_up && self.sent.elapsed() < SILENCE {
            return Ok(None);
        }
        let mut out = BytesMut::from(&b":\n"[..]);
        self.write_position(&mut out);
        Ok(Some(self.sent(out)))
    }

    /// The last bytes for a sender whose rights have changed, or of a log that was replaced: a `reset`, after which the
    /// client lists its records again.
    fn end(&mut self) -> Option<Bytes> {
        self.is_over = true;
        let mut out = BytesMut::new();
        for frame in self.live.subscription.reset(0).ok()? {
            frame.write(&mut out);
        }
        Some(self.sent(out))
    }

    /// Records a failure. Returns whether the first one since the last success is older than `time`.
    fn has_failed_for(&mut self, time: Duration) -> bool {
        self.failing.get_or_insert_with(Instant::now).elapsed() > time
    }

    /// Writes the number after which the client would resume, without an event.
    fn write_position(&self, out: &mut BytesMut) {
        out.put_slice(format!("id: {}\n\n", self.live.subscription.position()).as_bytes());
    }

    fn sent(&mut self, out: BytesMut) -> Bytes {
        self.sent = Instant::now();
        out.freeze()
    }
}
