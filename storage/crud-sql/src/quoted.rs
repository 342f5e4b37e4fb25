//! Quoted texts and names in SQL.

/// Length of the quoted text or name that SQL begins with, through its closing quote; the whole length where that is
/// missing. A quote within is doubled, or is escaped by a backslash where `backslashes` are escapes.
pub(crate) fn quoted_length(sql: &str, quote: char, backslashes: bool) -> usize {
    let mut characters = sql.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character == '\\' && backslashes {
            characters.next();
        } else if character == quote && characters.next_if(|(_, next)| *next == quote).is_none() {
            return at + quote.len_utf8();
        }
    }
    sql.len()
}

#[cfg(test)]
mod tests {
    use super::quoted_length;

    #[test]
    fn quoted_text_ends_with_a_single_quote() {
        for (sql, backslashes, expected) in [
            ("'a' b", false, "'a'"),
            ("'a''b'c", false, "'a''b'"),
            (r"'a\'b'", false, r"'a\'"),
            (r"'a\'b'c", true, r"'a\'b'"),
            (r"'\\'b", true, r"'\\'"),
            ("`–``", false, "`–``"),
        ] {
            assert_eq!(&sql[..quoted_length(sql, sql.chars().next().unwrap(), backslashes)], expected, "{sql}");
        }
    }
}
