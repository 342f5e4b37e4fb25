//! Words of databases, drivers and panics, which no answer may contain.

/// Each is a leak in an error's text. Lower case; the comparison ignores case.
const WORDS: [&str; 25] = [
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
    "/home/",
    "/tmp/",
    "/usr/",
];

/// Beginning of a position in a source, before the line's number. A parameter that ends like a file may be named in an error.
const POSITION: &str = ".rs:";

/// The first leak in `text`.
pub(crate) fn find<'a>(text: &str, secrets: &'a [String]) -> Option<&'a str> {
    let text = text.to_lowercase();
    let secret = secrets.iter().map(String::as_str).find(|secret| text.contains(&secret.to_lowercase()));
    let has_position = || text.split(POSITION).skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    secret.or_else(|| WORDS.into_iter().find(|word| text.contains(word))).or_else(|| has_position().then_some(POSITION))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn position_in_a_source_is_a_leak_and_a_name_is_none() {
        assert_eq!(find("at src/store/get.rs:12:5", &[]), Some(POSITION));
        assert_eq!(find("limit.RS: is not a parameter", &[]), None);
    }
}
