//! The parts of a table and of an index that the statement which created it says alone: SQLite keeps its text, and no pragma
//! shows collations, CHECK constraints and the conditions of partial indexes.
//!
//! Names in the text are read and written in backticks. SQLite reads an unknown double-quoted name as a text, unless the
//! connection has that off: a column that was renamed meanwhile would be read as its name. A name in backticks is never a text
//! (<https://www.sqlite.org/quirks.html#double_quoted_string_literals_are_accepted>).

use crate::catalogue::table::Check;
use crate::sql_parts::{is_blank, parts, text, unquoted};

/// SQL with its double-quoted identifiers in backticks: a table may have been made when they were in double quotes, or
/// elsewhere.
pub(in crate::sqlite) fn in_backticks(sql: &str) -> String {
    let part = |part: &str| match unquoted(part).filter(|_| part.starts_with('"')) {
        Some(name) => format!("`{}`", name.replace('`', "``")),
        None => part.to_owned(),
    };
    parts(sql).map(part).collect()
}

/// Whether a statement makes a STRICT table, as those of a service are.
#[cfg(feature = "migrations")]
pub(in crate::sqlite) fn is_strict(definition: &str) -> bool {
    definition.trim_end().to_ascii_uppercase().ends_with("STRICT")
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
    for part in parts(text) {
        match part {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(place);
        }
        place += part.len();
    }
    None
}

/// The part of a table's definition after its name.
#[cfg(feature = "migrations")]
pub(in crate::sqlite) fn body(definition: &str) -> Option<&str> {
    let rest = definition.strip_prefix("CREATE TABLE ")?;
    let name = parts(rest).next()?;
    Some(rest[name.len()..].trim_start())
}

/// The collation of a column, in capitals, where it is not `BINARY`.
pub(super) fn collation(definition: &str, column: &str) -> Option<String> {
    let lines = lines(definition);
    let words = lines.iter().find(|line| line.first().is_some_and(|first| name(first).eq_ignore_ascii_case(column)))?;
    let place = words.iter().position(|word| word.eq_ignore_ascii_case("COLLATE"))?;
    let name = name(words.get(place + 1)?).to_ascii_uppercase();
    (name != "BINARY").then_some(name)
}

/// A name without its quotes, of which SQLite takes those of a text too.
fn name(written: &str) -> String {
    unquoted(written).or_else(|| text(written)).unwrap_or_else(|| written.to_owned())
}

/// The words of each line of a table's definition, those in parentheses apart.
fn lines(definition: &str) -> Vec<Vec<&str>> {
    let (mut lines, mut depth) = (vec![Vec::new()], 0);
    for part in parts(definition).filter(|part| !is_blank(part)) {
        match part {
            "(" => depth += 1,
            ")" if depth == 1 => break,
            ")" => depth -= 1,
            "," if depth == 1 => lines.push(Vec::new()),
            word if depth == 1 => lines.last_mut().into_iter().for_each(|line| line.push(word)),
            _ => {}
        }
    }
    lines
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
