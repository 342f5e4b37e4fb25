//! Errors of servers and proxies that have no code for a lost connection.

/// Whether a message speaks of a connection, such as `connection to the remote node … failed`. Only messages in English
/// are understood.
pub(super) fn speaks_of_connection(message: &str) -> bool {
    const WORDS: [&str; 3] = ["connect", "server closed", "unreachable"];
    let message = message.to_ascii_lowercase();
    WORDS.iter().any(|word| message.contains(word))
}
