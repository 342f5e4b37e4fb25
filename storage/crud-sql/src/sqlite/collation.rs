//! Collations of columns, which no pragma shows: they are read from the definition of the table.

use super::quotes::unquoted;
use crate::quoted::quoted_length;

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

#[cfg(test)]
mod tests {
    use super::collation;

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
}
