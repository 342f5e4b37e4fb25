//! The line of the log about a refused login, for a person on call.

use std::net::IpAddr;

use crate::response::request_id;

/// Limit of the characters of a name in the log.
const LONGEST: usize = 100;

/// Logs a refused login by its name and the client's address.
pub(super) fn log(name: &str, address: Option<IpAddr>, why: &str) {
    tracing::warn!(
        // Quoted and escaped: its text is a client's.
        user = &*bounded(name),
        address = address.map(tracing::field::display),
        request_id = request_id::current().as_deref(),
        "login refused: {why}"
    );
}

/// The beginning of a name, without characters that end a line or move a cursor.
fn bounded(name: &str) -> String {
    let beginning: String = name.chars().take(LONGEST).collect();
    let cut = if beginning.len() < name.len() { "…" } else { "" };
    format!("{}{cut}", beginning.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn name_in_the_log_is_bounded_and_escaped() {
        assert_eq!(bounded("ada"), "ada");
        assert_eq!(bounded("a\nWARN b\u{1b}[0m"), "a\\nWARN b\\u{1b}[0m");
        assert_eq!(bounded(&"é".repeat(1_000)).chars().count(), 101);
    }
}
