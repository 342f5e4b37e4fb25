//! Headers that repeat a part of the body, so that proxies can route requests without reading the body.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crud_runtime::axum::http::HeaderMap;
use serde_json::Value as Json;

use crate::fault::Fault;
use crate::message::Message;

/// The header with the revision of the protocol.
pub(crate) const REVISION: &str = "MCP-Protocol-Version";
const METHOD: &str = "Mcp-Method";
const NAME: &str = "Mcp-Name";

/// The value of a header, which may be there only once: of two values, a proxy might read the other one.
pub(crate) fn one<'h>(headers: &'h HeaderMap, name: &str) -> Result<Option<&'h str>, Fault> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(Fault::header(format!("`{name}` is there twice")));
    }
    value.to_str().map(Some).map_err(|_| Fault::header(format!("`{name}` has characters beyond ASCII")))
}

/// Checks that the headers agree with the body.
pub(crate) fn check(message: &Message, headers: &HeaderMap) -> Result<(), Fault> {
    compare(METHOD, one(headers, METHOD)?.map(str::to_owned), &message.method)?;
    let called = message.params.get("name").and_then(Json::as_str).filter(|_| message.method == "tools/call");
    match called {
        Some(called) => compare(NAME, one(headers, NAME)?.map(decoded).transpose()?, called),
        None => Ok(()),
    }
}

fn compare(name: &str, header: Option<String>, body: &str) -> Result<(), Fault> {
    match header {
        None => Err(Fault::header(format!("`{name}` is missing: expected `{body}`, as the body has it"))),
        Some(header) if header != body => {
            Err(Fault::header(format!("`{name}` is `{header}`, and the body has `{body}`")))
        }
        Some(_) => Ok(()),
    }
}

/// The value of a header, decoded if it is in Base64: `=?base64?Y2Fmw6k=?=` is `café`.
fn decoded(value: &str) -> Result<String, Fault> {
    let Some(encoded) = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) else {
        return Ok(value.to_owned());
    };
    let bytes = BASE64_STANDARD.decode(encoded).ok();
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.ok_or_else(|| Fault::header(format!("`{NAME}` is not text in Base64")))
}
