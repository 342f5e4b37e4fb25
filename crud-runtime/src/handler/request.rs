//! A request in a handler's hands.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequestParts, OriginalUri, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout_at};

use super::admission;
use crate::adapter::{Adapter, AdapterError, RowSink};
use crate::body::{self, Mode};
use crate::caller::Caller;
use crate::change::Changer;
use crate::changes::Changes;
use crate::descriptor::{Batch, Descriptor, Operation};
use crate::error::{Code, FieldError, Problem};
use crate::find::{Sight, find};
use crate::mounted::Mounted;
use crate::prefer::Prefer;
use crate::query::Scope;
use crate::record;
use crate::render::JsonSink;
use crate::scalar;
use crate::state::State;
use crate::value::Value;

/// How much of a body that is too large is read and dropped, so that the client reads the answer.
const DRAINED: usize = 16 * 1024 * 1024;

/// A request for one of a resource's operations.
pub(super) struct Incoming {
    pub(super) state: State,
    pub(super) mounted: Arc<Mounted>,
    pub(super) parts: Parts,
    pub(super) caller: Caller,
    // Never locked: the mutex makes a request that handlers borrow across an await `Sync`, which bodies are not.
    body: Mutex<Body>,
    deadline: Instant,
}

impl Incoming {
    /// A request for this operation, if its sender may make it.
    pub(super) async fn admit(
        state: State,
        mounted: Arc<Mounted>,
        operation: Operation,
        request: Request,
        deadline: Instant,
    ) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let caller = admission::admit(&state, mounted.resource(), operation, &parts).await?;
        Ok(Self { state, mounted, parts, caller, body: Mutex::new(body), deadline })
    }

    pub(super) fn resource(&self) -> &'static Descriptor {
        self.mounted.resource()
    }

    pub(super) fn adapter(&self) -> &dyn Adapter {
        &**self.state.adapter()
    }

    pub(super) fn headers(&self) -> &HeaderMap {
        &self.parts.headers
    }

    pub(super) fn prefer(&self) -> Prefer {
        Prefer::of(&self.parts.headers)
    }

    /// The path as the client wrote it, mount included.
    pub(super) fn original_path(&self) -> &str {
        self.parts.extensions.get::<OriginalUri>().map_or(self.parts.uri.path(), |uri| uri.path())
    }

    /// Hands the record of a key to `sink`, if the caller sees it in this scope; whether that is so.
    pub(super) async fn find(&self, id: &Value, scope: Scope, sink: &mut dyn RowSink) -> Result<bool, Problem> {
        let sight = Sight { scope, owner: self.caller.owner.as_ref() };
        find(self.adapter(), self.resource(), id, sight, sink).await.map_err(|error| self.problem(error))
    }

    /// A record of these values that belongs to the caller, where records belong to somebody.
    pub(super) fn new_record(&self, mut changes: Changes) -> Result<Vec<Value>, Problem> {
        if let Some((column, id)) = self.caller.new_owner(self.resource())? {
            changes.set(column, id);
        }
        Ok(record::complete(self.resource(), changes))
    }

    /// Renders records as the caller sees them.
    pub(super) fn sink(&self) -> JsonSink {
        JsonSink::new(self.resource(), &self.caller.view, Vec::with_capacity(256))
    }

    /// What an adapter's error says to the client.
    pub(super) fn problem(&self, error: AdapterError) -> Problem {
        Problem::from_adapter(self.resource(), error)
    }

    /// Changes records in the name of whoever sent the request.
    pub(super) fn changer(&self) -> Changer<'_> {
        Changer { adapter: self.adapter(), resource: self.resource(), actor: self.caller.actor.as_ref() }
    }

    /// The key in the path.
    pub(super) async fn id(&mut self) -> Result<Value, Problem> {
        let params = RawPathParams::from_request_parts(&mut self.parts, &()).await;
        let column = self.resource().id_column();
        let refuse = |detail: &str| Problem::validation([FieldError::parameter("id", "type", detail)]);
        let params = params.map_err(|_| refuse("must be percent-encoded UTF-8"))?;
        // The last parameter is ours: those before it belong to whatever this is mounted under.
        let text = params.iter().last().map_or("", |(_, value)| value);
        scalar::parse(column, text).map_err(|error| refuse(error.message()))
    }

    /// The body, read against the resource.
    pub(super) async fn body(&mut self, mode: Mode) -> Result<body::Body, Problem> {
        let limit = self.state.limits().body;
        let bytes = self.json(limit).await?;
        body::parse(&self.mounted, &self.caller.view, &bytes, mode)
    }

    /// The body of a batch, and how many items it may have.
    pub(super) async fn batch(&mut self) -> Result<(Bytes, Batch), Problem> {
        let Some(batch) = self.mounted.options().batch else {
            return Err(Problem::internal(format!("{} has no batches", self.resource().name)));
        };
        let limit = self.state.limits().batch_body;
        Ok((self.json(limit).await?, batch))
    }

    /// Whether the request announces a body.
    pub(super) fn has_body(&self) -> bool {
        let headers = self.headers();
        let length = headers.get(header::CONTENT_LENGTH).map(|length| length != "0");
        length.unwrap_or_else(|| headers.contains_key(header::TRANSFER_ENCODING))
    }

    /// The bytes of a JSON body of at most this size.
    pub(super) async fn json(&mut self, limit: usize) -> Result<Bytes, Problem> {
        self.check_media_type()?;
        self.bytes(limit).await
    }

    /// `application/json`, on PATCH `application/merge-patch+json` too, in UTF-8 and not compressed.
    fn check_media_type(&self) -> Result<(), Problem> {
        let headers = self.headers();
        let merge_patch = self.parts.method == Method::PATCH;
        let refuse = |detail: String| Err(Problem::new(Code::UnsupportedMediaType, detail));
        if headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return refuse("the body must not be compressed".to_owned());
        }
        let expected = if merge_patch {
            "the body must be application/json or application/merge-patch+json"
        } else {
            "the body must be application/json"
        };
        let Some(given) = headers.get(header::CONTENT_TYPE) else {
            return refuse(format!("{expected}; the request says no Content-Type"));
        };
        if is_json(given, merge_patch) { Ok(()) } else { refuse(expected.to_owned()) }
    }

    /// The body's bytes, within the limits of size and time.
    async fn bytes(&mut self, limit: usize) -> Result<Bytes, Problem> {
        let idle = self.state.limits().body_idle;
        let too_large = || Problem::new(Code::BodyTooLarge, format!("the body must have at most {limit} bytes"));
        let declared = self.headers().get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        // A client that waits for permission reads the answer without sending the body.
        if declared.is_some_and(|length: u64| length > limit as u64) && self.headers().contains_key(header::EXPECT) {
            return Err(too_large());
        }
        let mut first = None::<Bytes>;
        let mut rest = Vec::new();
        let mut size = 0;
        while let Some(frame) = self.frame(idle).await? {
            size += frame.len();
            if size > limit {
                self.drain(idle).await;
                return Err(too_large());
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
        Ok(if rest.is_empty() { first.unwrap_or_default() } else { rest.into() })
    }

    /// The next piece of the body.
    async fn frame(&mut self, idle: Duration) -> Result<Option<Bytes>, Problem> {
        let deadline = self.deadline.min(Instant::now() + idle);
        let body = self.body.get_mut().unwrap_or_else(PoisonError::into_inner);
        loop {
            match timeout_at(deadline, body.frame()).await {
                Err(_) => return Err(Problem::new(Code::RequestTimeout, "the body arrives too slowly")),
                Ok(None) => return Ok(None),
                Ok(Some(Err(_))) => {
                    return Err(Problem::new(Code::MalformedJson, "the body ended before it was complete"));
                }
                Ok(Some(Ok(frame))) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
            }
        }
    }

    async fn drain(&mut self, idle: Duration) {
        let mut size = 0;
        while size <= DRAINED {
            match self.frame(idle).await {
                Ok(Some(frame)) => size += frame.len(),
                _ => return,
            }
        }
    }
}

/// Whether a media type is JSON in UTF-8 (RFC 8259 knows no other charset, but a client may say so).
fn is_json(value: &HeaderValue, merge_patch: bool) -> bool {
    let Ok(text) = value.to_str() else { return false };
    let mut pieces = text.split(';').map(str::trim);
    let essence = pieces.next().unwrap_or_default();
    let known = essence.eq_ignore_ascii_case("application/json")
        || (merge_patch && essence.eq_ignore_ascii_case("application/merge-patch+json"));
    known
        && pieces.all(|parameter| match parameter.split_once('=') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
                value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
            }
            _ => true,
        })
}
