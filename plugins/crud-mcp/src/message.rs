//! [`Message`]: a request or notification of JSON-RPC 2.0.

use serde_json::{Map, Value as Json};

use crate::fault::Fault;

/// A request, or a notification, which is a request without an id.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) id: Option<Json>,
    pub(crate) method: String,
    pub(crate) params: Map<String, Json>,
}

/// An error with the id of its request, or null if the id could not be read.
pub(crate) type Unread = Box<(Json, Fault)>;

impl Message {
    /// Parses a body.
    ///
    /// # Errors
    /// A body that is not JSON, a batch, or an object that is not a request.
    pub(crate) fn parse(body: &[u8]) -> Result<Self, Unread> {
        let unread = |id: Json, fault: Fault| Box::new((id, fault));
        let json: Json = serde_json::from_slice(body)
            .map_err(|error| unread(Json::Null, Fault::parse(format!("the body is not JSON: {error}"))))?;
        let Json::Object(mut members) = json else {
            let message = "expected one request, an object: batches are not supported";
            return Err(unread(Json::Null, Fault::request(message)));
        };
        let id = members.remove("id");
        let known = id.clone().filter(is_id);
        Self::of(id, members).map_err(|fault| unread(known.unwrap_or_default(), fault))
    }

    fn of(id: Option<Json>, mut members: Map<String, Json>) -> Result<Self, Fault> {
        if members.get("jsonrpc") != Some(&Json::from("2.0")) {
            return Err(Fault::request("`jsonrpc` is not `\"2.0\"`"));
        }
        if id.as_ref().is_some_and(|id| !is_id(id)) {
            return Err(Fault::request("`id` is not a string or an integer"));
        }
        let Some(Json::String(method)) = members.remove("method") else {
            return Err(Fault::request("`method` is not a string"));
        };
        match members.remove("params") {
            None => Ok(Self { id, method, params: Map::new() }),
            Some(Json::Object(params)) => Ok(Self { id, method, params }),
            Some(_) => Err(Fault::request("`params` is not an object")),
        }
    }

    /// A member of `_meta` in the parameters, by its name without the protocol's prefix.
    pub(crate) fn meta(&self, name: &str) -> Option<&Json> {
        self.params.get("_meta")?.get(format!("io.modelcontextprotocol/{name}"))
    }
}

fn is_id(id: &Json) -> bool {
    id.is_string() || id.is_i64() || id.is_u64()
}
