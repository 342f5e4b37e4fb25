//! [`InFlight`]: a request and its response, in flight on a connection.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes, HttpBody};
use hyper::body::{Frame, SizeHint};

use super::connection_state::ConnectionState;
use super::request_body::BodyLength;

/// A request in flight, until it is dropped.
#[derive(Debug)]
pub(crate) struct InFlight(Arc<ConnectionState>);

impl InFlight {
    pub(crate) fn begin(connection: Arc<ConnectionState>, body: BodyLength) -> Self {
        connection.begin(body);
        Self(connection)
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The body of a response: the request is in flight until hyper drops it, after its last frame.
#[derive(Debug)]
pub(crate) struct InFlightBody {
    body: Body,
    _request: InFlight,
}

impl InFlightBody {
    pub(crate) fn new(body: Body, request: InFlight) -> Self {
        Self { body, _request: request }
    }
}

impl HttpBody for InFlightBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
