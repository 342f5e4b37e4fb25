//! Names of columns in the text of expressions.

use super::sql_parts::{is_word, parts, unquoted};

/// Ends of a text after which a name is one of a type or of a collation.
const BEFORE_OTHERS: [&str; 3] = ["::", " as", " collate"];

/// Words of expressions, which are names in quotes alone.
const WORDS: [&str; 15] =
    ["and", "as", "asc", "case", "collate", "desc", "else", "end", "from", "is", "not", "null", "or", "then", "when"];

/// The names in an expression or a list of some that may be columns, without quotes: `a` and `b c` of
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

/// Whether a part is a name without quotes, and neither a number nor a word of expressions.
fn is_name(part: &str) -> bool {
    is_word(part)
        && !part.starts_with(|first: char| first.is_ascii_digit())
        && !WORDS.iter().any(|word| word.eq_ignore_ascii_case(part))
}

/// Whether the name after this text is one of a type or of a collation.
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
