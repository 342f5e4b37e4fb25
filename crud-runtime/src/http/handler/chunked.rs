//! [`Chunked`]: a body that is read chunk by chunk while it is sent.

use axum::body::{Body, Bytes};
use axum::http::Method;
use futures_util::{StreamExt, stream};

use super::request::ResourceRequest;
use crate::model::adapter_error::AdapterError;

/// Reads a body chunk by chunk.
pub(super) trait Chunked: Send + Sized + 'static {
    fn request(&self) -> &ResourceRequest;

    /// The next chunk, and whether another follows.
    fn chunk(&mut self) -> impl Future<Output = Result<(Bytes, bool), AdapterError>> + Send;

    /// The body that begins with this chunk.
    fn into_body(self, first: Bytes, more: bool) -> Body {
        if !more {
            return Body::from(first);
        }
        if self.request().parts.method == Method::HEAD {
            // The length of the stream is unknown.
            return Body::from_stream(stream::empty::<Result<Bytes, AdapterError>>());
        }
        let rest = stream::try_unfold(Some(self), |reader| async {
            let Some(mut reader) = reader else { return Ok(None) };
            // The response's head is sent. An error can only abort the stream, so that the client does not take a part
            // for the whole.
            let (chunk, more) = reader.chunk().await.inspect_err(|error| {
                let resource = reader.request().resource().name;
                tracing::error!(error = %error, resource, "a stream of records was aborted");
            })?;
            Ok::<_, AdapterError>(Some((chunk, more.then_some(reader))))
        });
        Body::from_stream(stream::iter([Ok(first)]).chain(rest))
    }
}
