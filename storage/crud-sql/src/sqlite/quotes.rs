//! Quoting of identifiers: in backticks.
//!
//! SQLite reads an unknown double-quoted name as a text, unless the connection has that off: a column that was renamed
//! meanwhile would be read as its name. A name in backticks is never a text
//! (<https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted>).

use crate::quoted::quoted_length;

/// SQL with its double-quoted identifiers in backticks: a table may have been made when they were in double quotes, or
/// elsewhere.
pub(super) fn in_backticks(sql: &str) -> String {
    let mut result = String::with_capacity(sql.len());
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '\'' | '"' | '`' => quoted_length(rest, first, false),
            other => other.len_utf8(),
        };
        let (part, after) = rest.split_at(end);
        match part.strip_prefix('"').and_then(|name| name.strip_suffix('"')) {
            Some(name) => {
                let name = name.replace("\"\"", "\"").replace('`', "``");
                result.extend(["`", &name, "`"]);
            }
            None => result.push_str(part),
        }
        rest = after;
    }
    result
}

/// An identifier without its quotes, of any kind.
pub(super) fn unquoted(name: &str) -> String {
    let within = |open: char, close: char| name.strip_prefix(open).and_then(|name| name.strip_suffix(close));
    match name.chars().next() {
        Some(quote @ ('"' | '`' | '\'')) => within(quote, quote)
            .map_or_else(|| name.to_owned(), |inner| inner.replace(&quote.to_string().repeat(2), &quote.to_string())),
        Some('[') => within('[', ']').unwrap_or(name).to_owned(),
        _ => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::in_backticks;

    #[test]
    fn identifiers_are_in_backticks_and_texts_stay() {
        for (sql, expected) in [
            (r#"CHECK ("a" IN ('"b"', 'it''s "c"'))"#, "CHECK (`a` IN ('\"b\"', 'it''s \"c\"'))"),
            (r#""a""b`c" = `d"e`"#, "`a\"b``c` = `d\"e`"),
            (r#"a = "not closed"#, r#"a = "not closed"#),
        ] {
            assert_eq!(in_backticks(sql), expected);
        }
    }
}
