//! [`Chunked`]: a body that is read chunk by chunk while it is sent.

use axum::body::{Body, Bytes};
use futures_util::{StreamExt, stream};

use crate::http::layer::request_id;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;

/// Reads a body chunk by chunk.
pub(crate) trait Chunked: Send + Sized + 'static {
    /// The resource whose records it reads.
    fn resource(&self) -> &'static Descriptor;

    /// The next chunk, and whether another follows.
    fn chunk(&mut self) -> impl Future<Output = Result<(Bytes, bool), AdapterError>> + Send;

    /// The body that begins with this chunk. The rest is read when it is sent: not for the head alone.
    fn into_body(self, first: Bytes, more: bool) -> Body {
        if !more {
            return Body::from(first);
        }
        // Its task has ended when the rest is read.
        let request_id = request_id::current();
        let rest = stream::try_unfold((Some(self), request_id), |(reader, request_id)| async {
            let Some(mut reader) = reader else { return Ok(None) };
            // The response's head is sent. An error can only abort the stream, so that the client does not take a part
            // for the whole.
            let (chunk, more) = reader.chunk().await.inspect_err(|error| {
                let resource = reader.resource().name;
                let request_id = request_id.as_deref();
                tracing::error!(request_id, error = %error, resource, "a stream of records was aborted");
            })?;
            Ok::<_, AdapterError>(Some((chunk, (more.then_some(reader), request_id))))
        });
        Body::from_stream(stream::iter([Ok(first)]).chain(rest))
    }
}
