//! The parts of a table and of an index that the statement which created it says alone: SQLite keeps its text, and no pragma
//! shows collations, CHECK constraints and the conditions of partial indexes.
//!
//! Names in the text are read and written in backticks. SQLite reads an unknown double-quoted name as a text, unless the
//! connection has that off: a column that was renamed meanwhile would be read as its name. A name in backticks is never a text
//! (<https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted>).

use crate::catalogue::table::Check;
use crate::column_names::bracketed_length;
use crate::quoted::quoted_length;

/// SQL with its double-quoted identifiers in backticks: a table may have been made when they were in double quotes, or
/// elsewhere.
pub(in crate::sqlite) fn in_backticks(sql: &str) -> String {
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
pub(in crate::sqlite) fn unquoted(name: &str) -> String {
    let within = |open: char, close: char| name.strip_prefix(open).and_then(|name| name.strip_suffix(close));
    match name.chars().next() {
        Some(quote @ ('"' | '`' | '\'')) => within(quote, quote)
            .map_or_else(|| name.to_owned(), |inner| inner.replace(&quote.to_string().repeat(2), &quote.to_string())),
        Some('[') => within('[', ']').unwrap_or(name).to_owned(),
        _ => name.to_owned(),
    }
}

/// Whether a statement makes a STRICT table, as those of a service are.
#[cfg(feature = "migrations")]
pub(in crate::sqlite) fn is_strict(definition: &str) -> bool {
    definition.trim_end().to_ascii_uppercase().ends_with("STRICT")
}

/// Whether SQLite remembers the largest key that it has assigned to records of a table.
#[cfg(feature = "migrations")]
pub(in crate::sqlite) fn counts_keys(definition: &str) -> bool {
    definition.contains("AUTOINCREMENT")
}

/// The CHECK constraints of a table's definition, whose names are in backticks, that have names.
pub(super) fn checks(definition: &str) -> Vec<Check> {
    let constraints = definition.split("CONSTRAINT `").skip(1);
    let check = |rest: &str| {
        let (name, rest) = rest.split_once("` CHECK (")?;
        Some(Check { name: name.replace("``", "`"), condition: rest[..closed(rest)?].to_owned() })
    };
    constraints.filter_map(check).collect()
}

/// Length of the text before the parenthesis that closes one before it.
fn closed(text: &str) -> Option<usize> {
    let (mut place, mut depth) = (0, 1);
    while let Some(first) = text[place..].chars().next() {
        match first {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(place);
        }
        place += match first {
            '\'' | '"' | '`' => quoted_length(&text[place..], first, false),
            '[' => bracketed_length(&text[place..]),
            other => other.len_utf8(),
        };
    }
    None
}

/// The part of a table's definition after its name.
#[cfg(feature = "migrations")]
pub(in crate::sqlite) fn body(definition: &str) -> Option<&str> {
    let rest = definition.strip_prefix("CREATE TABLE ")?;
    let mut characters = rest.char_indices().peekable();
    let (_, first) = characters.next()?;
    let close = match first {
        '"' | '`' | '\'' => first,
        '[' => ']',
        _ => return rest.find(|c: char| c == '(' || c.is_whitespace()).map(|end| rest[end..].trim_start()),
    };
    while let Some((index, character)) = characters.next() {
        if character == close {
            // A doubled quote is a part of the name.
            if characters.next_if(|(_, next)| *next == close && close != ']').is_none() {
                return Some(rest[index + close.len_utf8()..].trim_start());
            }
        }
    }
    None
}

/// The collation of a column, in capitals, where it is not `BINARY`.
pub(super) fn collation(definition: &str, column: &str) -> Option<String> {
    let words = lines(definition).find(|line| line.first().is_some_and(|name| is_named(name, column)))?;
    let place = words.iter().position(|word| word.eq_ignore_ascii_case("COLLATE"))?;
    let name = unquoted(words.get(place + 1)?).to_ascii_uppercase();
    (name != "BINARY").then_some(name)
}

fn is_named(written: &str, column: &str) -> bool {
    unquoted(written).eq_ignore_ascii_case(column)
}

/// The words of each line of a table's definition, those in parentheses apart.
fn lines(definition: &str) -> impl Iterator<Item = Vec<&str>> {
    let (mut lines, mut words) = (Vec::new(), Vec::new());
    let (mut depth, mut rest) = (0_usize, definition);
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let end = match first {
            '\'' | '"' | '`' => quoted_length(rest, first, false),
            '[' => rest.find(']').map_or(rest.len(), |end| end + 1),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (part, after) = rest.split_at(end);
        match first {
            '(' => {
                depth += 1;
                if depth == 1 {
                    words.clear();
                }
            }
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 1 => lines.push(std::mem::take(&mut words)),
            c if c.is_whitespace() => {}
            '-' | '/' if end > 1 => {}
            _ if depth == 1 => words.push(part),
            _ => {}
        }
        rest = after;
        if depth == 0 && first == ')' {
            break;
        }
    }
    lines.push(words);
    lines.into_iter()
}

/// The condition in the definition of a partial index.
pub(super) fn condition(definition: &str) -> String {
    let begin = definition.to_ascii_uppercase().rfind(" WHERE ");
    begin.map_or_else(String::new, |begin| in_backticks(definition[begin + " WHERE ".len()..].trim()))
}

/// The list of an index in its definition: the text in the first parentheses.
pub(super) fn in_parentheses(definition: &str) -> &str {
    let Some(begin) = definition.find('(') else { return "" };
    let list = &definition[begin + 1..];
    closed(list).map_or("", |length| &list[..length])
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn collation_of_a_column_is_read_from_the_definition() {
        let definition = "CREATE TABLE `people` (\n  `id` INTEGER PRIMARY KEY, -- COLLATE NOCASE,\n  [full name] \
                          NVARCHAR(20, 1) COLLATE NOCASE NOT NULL, email TEXT DEFAULT ('a, email COLLATE NOCASE') \
                          COLLATE binary, code TEXT CHECK (code COLLATE NOCASE <> ''), note TEXT collate \"rtrim\", \
                          UNIQUE (email COLLATE NOCASE))";
        let of = |column| collation(definition, column);
        assert_eq!(of("Full Name").as_deref(), Some("NOCASE"));
        assert_eq!(of("note").as_deref(), Some("RTRIM"));
        assert_eq!(["id", "email", "code", "other"].map(of), [None, None, None, None]);
    }

    #[cfg(feature = "migrations")]
    #[test]
    fn a_definition_follows_the_name() {
        for name in ["books", "\"books\"", "[books]", "`a``b`", "\"a\"\"b(\""] {
            assert_eq!(body(&format!("CREATE TABLE {name} (a)")), Some("(a)"), "{name}");
        }
        assert_eq!(body("CREATE TABLE books(a)"), Some("(a)"));
    }

    #[test]
    fn a_condition_ends_with_its_parenthesis() {
        let definition =
            "CREATE TABLE `a` (`b` TEXT CONSTRAINT `check_b` CHECK ((`b` IS NULL OR `b` IN ('it''s)', 'c'))))";
        let found = checks(definition);
        assert_eq!((found.len(), found[0].name.as_str()), (1, "check_b"));
        assert_eq!(found[0].condition, "(`b` IS NULL OR `b` IN ('it''s)', 'c'))");
    }
}
