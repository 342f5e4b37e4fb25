//! [`Revision`]: revisions of the protocol, and checks of their requests.

use crud_runtime::axum::http::HeaderMap;
use serde_json::Value as Json;

use crate::fault::Fault;
use crate::headers;
use crate::message::Message;

/// The revision without a handshake: each request states its revision and its client.
pub(crate) const STATELESS: &str = "2026-07-28";

/// The revisions whose clients begin with `initialize`, the newest first.
pub(crate) const EARLIER: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// Revision of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Revision {
    /// 2026-07-28: a request says its revision and its client.
    Stateless,
    /// An earlier revision. The server does not use its optional sessions.
    Earlier,
}

impl Revision {
    /// The revision of a request. Checks that the headers agree with the body.
    ///
    /// # Errors
    /// An unsupported revision, missing metadata, headers that differ from the body.
    pub(crate) fn of(message: &Message, headers: &HeaderMap) -> Result<Self, Fault> {
        let header = headers::one(headers, headers::REVISION)?;
        match (message.meta("protocolVersion"), header) {
            (None, None) if message.method != "server/discover" => Ok(Self::Earlier),
            (None, Some(header)) if EARLIER.contains(&header) => Ok(Self::Earlier),
            (None, Some(header)) if header != STATELESS => Err(Fault::revision(header, &[STATELESS])),
            (None, _) => Err(Fault::metadata("`_meta` has no `io.modelcontextprotocol/protocolVersion`")),
            (Some(Json::String(stated)), header) => Self::stated(message, stated, header, headers),
            (Some(_), _) => Err(Fault::metadata("`io.modelcontextprotocol/protocolVersion` is not a string")),
        }
    }

    fn stated(message: &Message, stated: &str, header: Option<&str>, headers: &HeaderMap) -> Result<Self, Fault> {
        if header != Some(stated) {
            let found = header.map_or_else(|| "is missing".to_owned(), |header| format!("is `{header}`"));
            return Err(Fault::header(format!("`{}` {found}: the body has `{stated}`", headers::REVISION)));
        }
        if stated != STATELESS {
            return Err(Fault::revision(stated, &[STATELESS]));
        }
        if !message.meta("clientCapabilities").is_some_and(Json::is_object) {
            return Err(Fault::metadata("`_meta` has no object `io.modelcontextprotocol/clientCapabilities`"));
        }
        headers::check(message, headers)?;
        Ok(Self::Stateless)
    }
}
