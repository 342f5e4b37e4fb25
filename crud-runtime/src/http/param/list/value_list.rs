//! The values of `__in` and `__nin`: comma-separated, in double quotes where they contain commas.

use crate::model::column_error::ColumnError;

/// Maximum number of values in `__in` and `__nin`.
pub(super) const MAX_LIST: usize = 100;

/// Splits the values of a repeated list, each by itself.
///
/// # Errors
/// Errors of [`split_list`], whose limit is for all of them.
pub(super) fn split_lists(texts: &[&str]) -> Result<Vec<String>, ColumnError> {
    let mut values = Vec::new();
    for text in texts {
        values.append(&mut split_list(text)?);
    }
    if values.len() > MAX_LIST { Err(too_long()) } else { Ok(values) }
}

fn too_long() -> ColumnError {
    ColumnError::new(format!("must have at most {MAX_LIST} values"))
}

/// Splits a list at commas. A quoted value may contain commas, and doubles the quotes it contains.
///
/// # Errors
/// When a quote is not closed, more text follows a closed one, or the list is longer than [`MAX_LIST`].
pub(super) fn split_list(text: &str) -> Result<Vec<String>, ColumnError> {
    let mut values = Vec::new();
    let mut rest = text;
    loop {
        let value;
        (value, rest) = match rest.strip_prefix('"') {
            Some(quoted) => unquote(quoted)?,
            None => {
                let end = rest.find(',').unwrap_or(rest.len());
                (rest[..end].to_owned(), &rest[end..])
            }
        };
        values.push(value);
        match rest.strip_prefix(',') {
            Some(next) => rest = next,
            None if rest.is_empty() => break,
            None => return Err(ColumnError::new("must have a comma after a quoted value")),
        }
    }
    if values.len() > MAX_LIST {
        return Err(too_long());
    }
    Ok(values)
}

/// The value before the closing quote, and the text after the quote.
fn unquote(text: &str) -> Result<(String, &str), ColumnError> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let end = rest.find('"').ok_or_else(|| ColumnError::new("has a quote that is not closed"))?;
        value.push_str(&rest[..end]);
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                value.push('"');
                rest = after;
            }
            None => return Ok((value, rest)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split_list;

    #[test]
    fn lists_split_at_commas_outside_quotes() {
        assert_eq!(split_list("a,b").unwrap(), ["a", "b"]);
        assert_eq!(split_list("").unwrap(), [""]);
        assert_eq!(split_list("a,,b,").unwrap(), ["a", "", "b", ""]);
        assert_eq!(split_list(r#""a,b",c,"d""e""#).unwrap(), ["a,b", "c", "d\"e"]);
        assert_eq!(split_list(r#"a"b"#).unwrap(), ["a\"b"]);
        assert!(split_list(r#""a"#).is_err());
        assert!(split_list(r#""a"b"#).is_err());
    }
}
