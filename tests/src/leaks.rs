//! Words of databases, drivers and panics, which no answer may contain.

/// Each is a leak in an error's text. Lower case; the comparison ignores case.
const WORDS: [&str; 26] = [
    "sqlite",
    "sqlx",
    "postgres",
    "mysql",
    "mariadb",
    "mongo",
    "constraint failed",
    "foreign key",
    "no such table",
    "no such column",
    "syntax error",
    "datatype mismatch",
    "database is locked",
    "pool timed out",
    "select ",
    "insert into",
    "update \"",
    "delete from",
    "returning ",
    "panicked",
    "unwrap",
    "rust_backtrace",
    ".rs:",
    "/home/",
    "/tmp/",
    "/usr/",
];

/// The first leak in `text`.
pub(crate) fn find<'a>(text: &str, secrets: &'a [String]) -> Option<&'a str> {
    let text = text.to_lowercase();
    let secret = secrets.iter().map(String::as_str).find(|secret| text.contains(&secret.to_lowercase()));
    secret.or_else(|| WORDS.into_iter().find(|word| text.contains(word)))
}
