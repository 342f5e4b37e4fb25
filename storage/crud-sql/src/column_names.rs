//! Names of columns in the text of expressions.

use super::quoted::quoted_length;

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
    while let Some(first) = expression[place..].chars().next() {
        let (before, rest) = expression.split_at(place);
        let length = match first {
            '\'' | '"' | '`' => quoted_length(rest, first, false),
            '[' => bracketed_length(rest),
            _ if is_of_name(first) => rest.find(|character| !is_of_name(character)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        place += length;
        let name = match first {
            '"' | '`' => Some(unquoted(token, first)),
            '[' => token.strip_prefix('[').and_then(|name| name.strip_suffix(']')).map(str::to_owned),
            _ if is_of_name(first) && !first.is_ascii_digit() && !is_word(token) => Some(token.to_owned()),
            _ => None,
        };
        names.extend(name.filter(|_| !is_of_other(before) && !after.trim_start().starts_with('(')));
    }
    names
}

/// Length of the name in brackets that SQL begins with, as SQLite allows.
pub(crate) fn bracketed_length(sql: &str) -> usize {
    sql.find(']').map_or(sql.len(), |end| end + 1)
}

fn is_of_name(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

fn is_word(token: &str) -> bool {
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(token))
}

/// Whether the name after this text is one of a type or of a collation.
fn is_of_other(before: &str) -> bool {
    let before = before.trim_end();
    BEFORE_OTHERS.iter().any(|end| {
        let begin = before.len().checked_sub(end.len());
        begin.and_then(|begin| before.get(begin..)).is_some_and(|found| found.eq_ignore_ascii_case(end))
    })
}

/// A name without these quotes around it.
fn unquoted(name: &str, quote: char) -> String {
    let inner = name.strip_prefix(quote).and_then(|name| name.strip_suffix(quote)).unwrap_or(name);
    inner.replace(&quote.to_string().repeat(2), &quote.to_string())
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
