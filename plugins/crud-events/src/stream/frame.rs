//! [`Frame`]: an event as it is sent.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use crud_runtime::error::Problem;
use serde_json::json;

use crate::view::Told;

/// An event as JSON, with its type.
#[derive(Debug, Clone)]
pub(super) struct Frame {
    pub(super) id: i64,
    pub(super) kind: Arc<str>,
    pub(super) json: Bytes,
}

impl Frame {
    /// # Errors
    /// None: the types are those of JSON.
    pub(super) fn new(told: &Told) -> Result<Self, Problem> {
        let (id, kind, json) = match told {
            Told::Event(id, event) => (*id, event.kind.as_str(), serde_json::to_vec(event)),
            Told::Reset(id) => (*id, "reset", serde_json::to_vec(&json!({ "id": id.to_string(), "type": "reset" }))),
        };
        Ok(Self { id, kind: kind.into(), json: json.map_err(Problem::internal)?.into() })
    }

    /// Appends the event as Server-Sent Events have it. JSON has no line breaks outside of texts, which escape them.
    pub(super) fn write(&self, out: &mut BytesMut) {
        out.put_slice(format!("id: {}\nevent: {}\ndata: ", self.id, self.kind).as_bytes());
        out.put_slice(&self.json);
        out.put_slice(b"\n\n");
    }
}
