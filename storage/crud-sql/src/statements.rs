//! Splits a migration's file into statements, at the semicolons.

use std::ops::Range;

use super::sql_parts::{is_blank, parts_of_script};

/// Ranges of the statements in a text, without the comments between them. A semicolon ends a statement unless it is in
/// a text, a quoted name, a comment or a dollar-quoted body (`$$ … $$`). One in the body of a trigger or a procedure
/// does end the statement. `backslashes`: whether a backslash in a text escapes the next character, as in MySQL.
pub fn statements(sql: &str, backslashes: bool) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    // Start of the statement, if one has begun.
    let mut begin = None;
    let mut at = 0;
    for part in parts_of_script(sql, backslashes) {
        if part == ";" {
            all.extend(begin.take().map(|begin| begin..at));
        } else if begin.is_none() && !is_blank(part) {
            begin = Some(at);
        }
        at += part.len();
    }
    all.extend(begin.map(|begin| begin..begin + sql[begin..].trim_end().len()));
    all
}

#[cfg(test)]
mod tests {
    use super::statements;

    fn texts(sql: &str, backslashes: bool) -> Vec<&str> {
        statements(sql, backslashes).into_iter().map(|place| &sql[place]).collect()
    }

    #[test]
    fn a_semicolon_ends_a_statement_where_it_is_one() {
        for (text, expected) in [
            ("", &[][..]),
            ("-- a; b\n/* c; */ ;", &[]),
            ("SELECT 1; SELECT 2\n", &["SELECT 1", "SELECT 2"]),
            ("-- a;\nSELECT 'b;''c;' ;", &["SELECT 'b;''c;' "]),
            ("SELECT \"a;\", `b;`; -- c", &["SELECT \"a;\", `b;`"]),
            ("DO $a$ BEGIN; END $a$; SELECT $1;", &["DO $a$ BEGIN; END $a$", "SELECT $1"]),
            ("SELECT 'not ended;", &["SELECT 'not ended;"]),
            ("/*!80017 SET a = 1 */; SELECT '–';", &["/*!80017 SET a = 1 */", "SELECT '–'"]),
        ] {
            assert_eq!(texts(text, false), expected, "{text}");
        }
    }

    #[test]
    fn a_backslash_escapes_a_quote_where_it_does() {
        let text = r"SELECT 'a\'; b'; SELECT '\\'; SELECT `\`; c";
        assert_eq!(texts(text, true), [r"SELECT 'a\'; b'", r"SELECT '\\'", r"SELECT `\`", "c"]);
    }
}
