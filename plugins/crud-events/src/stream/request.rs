//! [`EventsRequest`]: a request for events, and its answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crud_runtime::axum::Json;
use crud_runtime::axum::http::request::Parts;
use crud_runtime::axum::http::{HeaderMap, header};
use crud_runtime::axum::response::{IntoResponse, Response};
use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::{Code, FieldError, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::Context;
use crud_runtime::{RecordView, ViewConditions};
use serde_json::{Value, json};

use super::live::{CHECK, Live, Sender};
use super::position::Position;
use super::subscription::{NamedView, Subscription};
use crate::core::Core;

/// Longest wait of a poll, in seconds.
const WAIT: u64 = 30;

/// A request for events, without the requested views.
pub(super) struct EventsRequest {
    pub(super) core: Core,
    pub(super) ctx: Context,
    pub(super) head: Box<Parts>,
    pub(super) principal: Option<Principal>,
}

/// The parameters of all requests for events.
#[derive(Debug, Default)]
pub(super) struct Parameters {
    pub(super) after: Option<String>,
    pub(super) wait: Option<String>,
}

impl EventsRequest {
    /// Checks the credentials of a request, or of its ticket.
    ///
    /// # Errors
    /// 401 and 403 for credentials that are refused.
    pub(super) async fn new(core: Core, ctx: Context, head: Parts) -> Result<Self, Problem> {
        let head = Box::new(core.streams.redeemed(&core, head).await?);
        let principal = ctx.principal_of(&head).await?;
        Ok(Self { core, ctx, head, principal })
    }

    /// The records of a resource that the sender sees.
    ///
    /// # Errors
    /// The errors of [`Context::view`].
    pub(super) fn view(
        &self,
        resource: &'static Descriptor,
        conditions: ViewConditions<'_>,
    ) -> Result<RecordView, Problem> {
        self.ctx.view(resource, self.principal.as_ref(), conditions)
    }

    /// The answer: a stream for clients that accept one, otherwise JSON.
    ///
    /// # Errors
    /// `history_gone` for JSON after a number that is not kept; `too_many_requests`; errors of the database.
    pub(super) async fn answer(self, views: Vec<NamedView>, parameters: Parameters) -> Result<Response, Problem> {
        let is_stream = accepts_stream(&self.head.headers);
        let wait = wait(parameters.wait.as_deref())?;
        let position = Position::of(&self.head.headers, parameters.after.as_deref())?;
        let after = match position {
            Position::Now => Some(None),
            Position::Foreign => None,
            Position::After(after) => self.core.log.has_all_after(after).await?.then_some(Some(after)),
        };
        if after.is_none() && !is_stream {
            let detail =
                "the events after this id are not kept, or it is none of this database: list the records again";
            return Err(Problem::new(Code::HistoryGone, detail));
        }
        let permit = self.core.streams.limits.open(&self.ctx, self.principal.as_ref())?;
        let follower = self.core.log.follow();
        self.core.run_for_streams();
        let reader = (&self.core.streams.hub, &self.core.views);
        let mut subscription = Subscription::new(reader, (views, self.principal.as_ref()), after.flatten()).await?;
        let stopping = Box::pin(self.ctx.stopping());
        let head = self.ctx.model().has_principals().then(|| Box::new(self.ctx.detached(*self.head)));
        let sender = Sender { views: self.core.views.clone(), head, principal: self.principal };
        if !is_stream {
            return poll(subscription, wait, sender, stopping).await;
        }
        let first = if after.is_none() { subscription.reset(0)? } else { Vec::new() };
        Ok(Live { subscription, sender, first, stopping, _open: (permit, follower) }.into_response())
    }
}

/// Answers with the events that are there, or waits up to `wait` for some.
async fn poll(
    mut subscription: Subscription,
    wait: Duration,
    sender: Sender,
    stopping: impl Future<Output = ()> + Send,
) -> Result<Response, Problem> {
    let (began, mut stopping) = (Instant::now(), std::pin::pin!(stopping));
    loop {
        let mut frames = subscription.next_ready().await?;
        // A wait is longer than rights may be outdated.
        if !frames.is_empty() && began.elapsed() >= CHECK && !sender.has_same_rights().await? {
            frames = subscription.reset(0)?;
        }
        if subscription.is_of_earlier_log() {
            frames = subscription.reset(0)?;
        }
        let left = wait.saturating_sub(began.elapsed());
        if !frames.is_empty() || left.is_zero() {
            let data: Result<Vec<Value>, _> = frames.iter().map(|frame| serde_json::from_slice(&frame.json)).collect();
            let data = data.map_err(Problem::internal)?;
            let answer = json!({ "data": data, "after": subscription.position().to_string() });
            return Ok(([(header::CACHE_CONTROL, "no-store")], Json(answer)).into_response());
        }
        let is_stopping = tokio::select! {
            () = subscription.wait(left) => false,
            () = &mut stopping => true,
        };
        if is_stopping {
            return Err(Problem::new(Code::Unavailable, "the service stops"));
        }
    }
}

fn wait(text: Option<&str>) -> Result<Duration, Problem> {
    let Some(text) = text else { return Ok(Duration::ZERO) };
    let seconds = text.parse::<u64>().ok().filter(|seconds| *seconds <= WAIT);
    let detail = format!("must be a number of seconds, at most {WAIT}");
    let refused = || Problem::validation([FieldError::parameter("wait", "value", detail)]);
    seconds.map(Duration::from_secs).ok_or_else(refused)
}

/// Whether a client accepts a stream.
fn accepts_stream(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|accept| accept.to_str().ok());
    accepted
        .flat_map(|accept| accept.split(','))
        .any(|kind| kind.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("text/event-stream")))
}

/// A single view, without a name.
pub(super) fn alone(view: RecordView) -> Vec<NamedView> {
    vec![NamedView { name: None, view }]
}

/// A view with the name of its subscription.
pub(super) fn with_name(name: &str, view: RecordView) -> NamedView {
    NamedView { name: Some(Arc::from(name)), view }
}
