//! [`Agent`]: the MCP client that calls on behalf of a user.

use crud_runtime::prelude::Principal;
use crud_runtime::routing::{Context, Records};
use serde_json::Value as Json;

use crate::message::Message;

/// Greatest length of a name in logs, in characters.
const LONGEST_NAME: usize = 40;

/// The client of a request, by the name that it states.
#[derive(Debug, Clone)]
pub(crate) struct Agent(String);

impl Agent {
    /// The client of a request. It is `unnamed` in earlier revisions, where only `initialize` states the name.
    pub(crate) fn of(message: &Message) -> Self {
        let name = message.meta("clientInfo").and_then(|info| info.get("name")).and_then(Json::as_str);
        Self(plain(name.unwrap_or_default()))
    }

    /// The user with the agent as delegate: `mcp:claude-code of ann`, or with a key `mcp:claude-code by key:ci of ann`.
    pub(crate) fn for_user(&self, user: &Principal) -> Principal {
        let Self(name) = self;
        match user.delegate() {
            None => user.clone().via(format!("mcp:{name}")),
            Some(key) => user.clone().via(format!("mcp:{name} by {key}")),
        }
    }

    /// The records with the user's access, and with the agent in the audit log.
    pub(crate) fn records(&self, ctx: &Context, records: Records) -> Records {
        match ctx.principal() {
            Some(user) => records.on_behalf_of(self.for_user(user)),
            None => records,
        }
    }
}

/// The name with `-` for characters that names do not have.
fn plain(name: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let plain = name.chars().take(LONGEST_NAME).map(|letter| if is_plain(letter) { letter } else { '-' });
    let plain: String = plain.collect();
    if plain.is_empty() { "unnamed".to_owned() } else { plain }
}
