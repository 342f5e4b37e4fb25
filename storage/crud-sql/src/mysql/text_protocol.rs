//! Statements with their values in the text, for vtgate, which turns the values into variables again before it plans:
//!
//! ```sql
//! SELECT `id` FROM `devices` WHERE `serial` = ? AND `shop_id` = ?
//! SELECT `id` FROM `devices` WHERE `serial` = 'it''s' AND `shop_id` = 7
//! ```
//!
//! vtgate ends a text only at a quote: in a value, quotes are doubled. So are backslashes, which escape the next
//! character. Bytes are hexadecimal.

use std::fmt::Write as _;

use super::argument::Argument;
use crate::schema::ddl::hexadecimal;
use crate::sql_parts::parts_of_script;

/// The placeholder of a value.
const PLACEHOLDER: &str = "?";

/// A statement with its values in place of the placeholders, of which there must be as many.
pub(super) fn with_values(text: &str, arguments: &[Argument]) -> String {
    if arguments.is_empty() {
        return text.to_owned();
    }
    let mut result = String::with_capacity(text.len() + 16 * arguments.len());
    let mut arguments = arguments.iter();
    for part in parts_of_script(text, true) {
        match arguments.as_slice().first().filter(|_| part == PLACEHOLDER) {
            Some(argument) => {
                push(&mut result, argument);
                arguments.next();
            }
            None => result.push_str(part),
        }
    }
    result
}

/// Appends a value as a literal.
fn push(text: &mut String, argument: &Argument) {
    // Writing to a String cannot fail.
    let _ = match argument {
        Argument::Null => write!(text, "NULL"),
        Argument::Int(value) => write!(text, "{value}"),
        // The exponent makes the literal a float and not a decimal.
        Argument::Float(value) => write!(text, "{value:e}"),
        Argument::Decimal(value) => write!(text, "{value}"),
        Argument::Text(value) => {
            push_text(text, value);
            Ok(())
        }
        Argument::Bytes(value) => write!(text, "X'{}'", hexadecimal(value)),
        Argument::DateTime(value) => write!(text, "TIMESTAMP'{}'", value.format("%Y-%m-%d %H:%M:%S%.6f")),
        Argument::Date(value) => write!(text, "DATE'{}'", value.format("%Y-%m-%d")),
        Argument::Time(value) => write!(text, "'{}'", value.format("%H:%M:%S%.6f")),
    };
}

fn push_text(text: &mut String, value: &str) {
    text.push('\'');
    for character in value.chars() {
        if matches!(character, '\'' | '\\') {
            text.push(character);
        }
        text.push(character);
    }
    text.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &str) -> Argument {
        Argument::Text(value.to_owned())
    }

    #[test]
    fn values_are_in_the_places_of_their_placeholders() {
        let arguments =
            [Argument::Int(-7), text("a?b"), Argument::Null, Argument::Float(0.1), Argument::Bytes(vec![0, 255])];
        assert_eq!(
            with_values("SELECT `a?`, '?' FROM b WHERE c = ? AND d IN (?, ?) AND e > ? AND f = ?", &arguments),
            "SELECT `a?`, '?' FROM b WHERE c = -7 AND d IN ('a?b', NULL) AND e > 1e-1 AND f = X'00FF'"
        );
    }

    #[test]
    fn no_value_ends_its_text() {
        for value in ["'", "\\", "\\'", "'; DROP TABLE a; --", "a\\", "''", "\\\\'", "\u{0}\n\u{1a}", "é'–"] {
            let statement = with_values("SELECT ?", &[text(value)]);
            // Read by vtgate's rules, the rest is one text.
            let parts: Vec<&str> = parts_of_script(&statement["SELECT ".len()..], true).collect();
            assert_eq!(parts.len(), 1, "{statement}");
        }
    }
}
