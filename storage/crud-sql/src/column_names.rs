//! Names of columns in the text of expressions.

use super::sql_parts::{is_word, parts, unquoted};

/// Endings of the text before the name of a type or of a collation.
const BEFORE_OTHERS: [&str; 3] = ["::", " as", " collate"];

/// Keywords of expressions: a column with such a name is always quoted.
const WORDS: [&str; 15] =
    ["and", "as", "asc", "case", "collate", "desc", "else", "end", "from", "is", "not", "null", "or", "then", "when"];

/// Names in an expression, or in a list of expressions, that may be columns, without quotes: `a` and `b c` of
/// `lower(a), COALESCE("b c", 'd')::text`.
pub(crate) fn column_names(expression: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut place = 0;
    for part in parts(expression) {
        let (before, after) = (&expression[..place], &expression[place + part.len()..]);
        place += part.len();
        let name = unquoted(part).or_else(|| is_name(part).then(|| part.to_owned()));
        names.extend(name.filter(|_| !is_of_other(before) && !after.trim_start().starts_with('(')));
    }
    names
}

/// Whether a part is an unquoted name, and neither a number nor a keyword.
fn is_name(part: &str) -> bool {
    is_word(part)
        && !part.starts_with(|first: char| first.is_ascii_digit())
        && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(part))
}

/// Whether a name after this text is that of a type or of a collation.
fn is_of_other(before: &str) -> bool {
    let before = before.trim_end();
    BEFORE_OTHERS.iter().any(|end| {
        let begin = before.len().checked_sub(end.len());
        begin.and_then(|begin| before.get(begin..)).is_some_and(|found| found.eq_ignore_ascii_case(end))
    })
}

#[cfg(test)]
mod tests {
    use super::column_names;

    #[test]
    fn names_are_those_of_columns() {
        for (expression, expected) in [
            ("customer, lower((email)::text)", &["customer", "email"][..]),
            (r#"lower("the (odd) ""name"""::character(4))"#, &[r#"the (odd) "name""#]),
            ("lower(`a``b`), [c d]", &["a`b", "c d"]),
            ("COALESCE(nick, 'name, ''code'''::text, 12)", &["nick"]),
            ("CAST(day AS text) COLLATE NOCASE DESC", &["day"]),
            ("date (day)", &["day"]),
            ("größe", &["größe"]),
            ("'not closed", &[]),
            ("", &[]),
        ] {
            assert_eq!(column_names(expression), expected, "{expression}");
        }
    }
}
