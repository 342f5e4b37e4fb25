//! The parts of an index that its definition alone says.

use super::quotes::in_backticks;
use crate::column_names::bracketed_length;
use crate::quoted::quoted_length;

/// The condition in the definition of a partial index.
pub(super) fn condition(definition: &str) -> String {
    definition.rsplit_once(" WHERE ").map_or(String::new(), |(_, condition)| in_backticks(condition))
}

/// The list of an index in its definition: the text in the first parentheses.
pub(super) fn in_parentheses(definition: &str) -> &str {
    let (mut place, mut begin, mut depth) = (0, 0, 0);
    while let Some(first) = definition[place..].chars().next() {
        let rest = &definition[place..];
        match first {
            '(' => {
                depth += 1;
                begin = if depth == 1 { place + 1 } else { begin };
            }
            ')' if depth <= 1 => return &definition[begin..place],
            ')' => depth -= 1,
            _ => {}
        }
        place += match first {
            '\'' | '"' | '`' => quoted_length(rest, first, false),
            '[' => bracketed_length(rest),
            other => other.len_utf8(),
        };
    }
    ""
}
