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
use crud_runtime::prelude::*;
use futures_util::stream;

use super::frame::Frame;
use super::limits::Permit;
use super::subscription::Subscription;
use crate::log::Follower;
use crate::view::Views;

/// Interval between two looks at whether the sender still is who it was.
const CHECK: Duration = Duration::from_secs(5);

/// Longest silence of a stream: proxies close connections that are silent for a minute.
const SILENCE: Duration = Duration::from_secs(15);

/// The time after which a browser connects again, in milliseconds.
const RETRY: u32 = 2_000;

/// The sender of a stream.
pub(super) struct Sender {
    pub(super) views: Arc<Views>,
    /// The head with the credentials; none where the service has no principals.
    pub(super) head: Option<Box<Parts>>,
    pub(super) principal: Option<Principal>,
}

/// A stream of events.
pub(super) struct Live {
    pub(super) subscription: Subscription,
    pub(super) sender: Sender,
    /// What is sent first.
    pub(super) first: Vec<Frame>,
    pub(super) stopping: Pin<Box<dyn Future<Output = ()> + Send>>,
    /// What ends with the stream: its place among the others, and the interest in the log.
    pub(super) _open: (Permit, Follower),
}

struct State {
    live: Live,
    checked: Instant,
    sent: Instant,
    has_begun: bool,
}

impl Sender {
    /// Whether the credentials are those of the same principal, with the same rights.
    async fn is_same(&self) -> bool {
        let Some(head) = &self.head else { return true };
        let Ok(state) = self.views.state() else { return false };
        state.principal_of(head).await.is_ok_and(|now| now == self.principal)
    }
}

impl Live {
    /// The response.
    pub(super) fn into_response(self) -> Response {
        let now = Instant::now();
        let state = State { live: self, checked: now, sent: now, has_begun: false };
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
    /// The next bytes; none where the stream ends.
    async fn next(&mut self) -> Option<Bytes> {
        if !std::mem::replace(&mut self.has_begun, true) {
            let mut out = BytesMut::from(format!(": open\nretry: {RETRY}\n\n").as_bytes());
            for frame in std::mem::take(&mut self.live.first) {
                frame.write(&mut out);
            }
            // After them: a client that is cut off in between resumes before them.
            self.write_position(&mut out);
            return Some(out.freeze());
        }
        loop {
            if self.checked.elapsed() >= CHECK {
                self.checked = Instant::now();
                if !self.live.sender.is_same().await {
                    return None;
                }
            }
            // An error of the database ends the stream: its client connects again, and resumes.
            let frames = self.live.subscription.next_ready().await.ok()?;
            if !frames.is_empty() {
                let mut out = BytesMut::with_capacity(frames.iter().map(|frame| frame.json.len() + 64).sum());
                for frame in frames {
                    frame.write(&mut out);
                }
                return Some(self.sent(out));
            }
            if self.sent.elapsed() >= SILENCE {
                let mut out = BytesMut::from(&b":\n"[..]);
                self.write_position(&mut out);
                return Some(self.sent(out));
            }
            tokio::select! {
                biased;
                () = &mut self.live.stopping => return None,
                () = self.live.subscription.wait(CHECK) => {}
            }
        }
    }

    /// Writes the number after which the client resumes, without an event.
    fn write_position(&self, out: &mut BytesMut) {
        out.put_slice(format!("id: {}\n\n", self.live.subscription.position()).as_bytes());
    }

    fn sent(&mut self, out: BytesMut) -> Bytes {
        self.sent = Instant::now();
        out.freeze()
    }
}
