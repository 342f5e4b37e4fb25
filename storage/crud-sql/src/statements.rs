//! The statements of a migration's file, told apart by their semicolons.

use std::ops::Range;

use super::quoted::quoted_length;

/// Ranges of the statements in a text, without comments between them. A semicolon in a text, a quoted name, a comment
/// or a body of PostgreSQL's (`$$ … $$`) ends none; one in the body of a trigger or a procedure does. `backslashes`: whether
/// one in a text escapes what follows, as in MySQL.
pub fn statements(sql: &str, backslashes: bool) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    // Where the statement begins, if it has.
    let mut begin = None;
    let mut at = 0;
    while let Some(character) = sql[at..].chars().next() {
        let rest = &sql[at..];
        let skipped = comment(rest);
        if skipped > 0 {
            at += skipped;
            continue;
        }
        if character == ';' {
            all.extend(begin.take().map(|begin| begin..at));
        } else if begin.is_none() && !character.is_whitespace() {
            begin = Some(at);
        }
        at += match character {
            '\'' | '"' => quoted_length(rest, character, backslashes),
            '`' => quoted_length(rest, character, false),
            '$' => body(rest).unwrap_or(1),
            other => other.len_utf8(),
        };
    }
    all.extend(begin.map(|begin| begin..begin + sql[begin..].trim_end().len()));
    all
}

/// Length of the comment that a text begins with, or 0. `#` begins one in MySQL alone, and is an operator elsewhere: it is
/// left in its statement.
fn comment(text: &str) -> usize {
    if text.starts_with("--") {
        return text.find('\n').unwrap_or(text.len());
    }
    // MySQL runs these comments.
    if !text.starts_with("/*") || text.starts_with("/*!") || text.starts_with("/*M!") {
        return 0;
    }
    text.find("*/").map_or(text.len(), |end| end + 2)
}

/// Length of the dollar-quoted text of PostgreSQL that a text begins with: `$tag$ … $tag$`.
fn body(text: &str) -> Option<usize> {
    let tag_end = 1 + text[1..].find('$')?;
    let tag = &text[..=tag_end];
    let is_tag = tag[1..tag_end].chars().all(|character| character.is_alphanumeric() || character == '_');
    let end = text[tag.len()..].find(tag)?;
    is_tag.then_some(2 * tag.len() + end)
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
