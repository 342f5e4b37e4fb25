//! Parts of SQL: names, texts, words, comments and signs.

use super::quoted::quoted_length;

/// An iterator over the parts of SQL. The parts together are the whole text.
#[derive(Debug)]
pub struct Parts<'a> {
    rest: &'a str,
    backslashes: bool,
    brackets: bool,
}

/// The parts of an expression or a statement that a database returns. A name may be in brackets, as in SQLite.
pub(crate) const fn parts(sql: &str) -> Parts<'_> {
    Parts { rest: sql, backslashes: false, brackets: true }
}

/// The parts of a script. `backslashes`: whether a backslash in a text escapes the next character, as in MySQL.
pub const fn parts_of_script(sql: &str, backslashes: bool) -> Parts<'_> {
    Parts { rest: sql, backslashes, brackets: false }
}

impl<'a> Iterator for Parts<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let first = self.rest.chars().next()?;
        let (part, rest) = self.rest.split_at(self.length(first));
        self.rest = rest;
        Some(part)
    }
}

impl Parts<'_> {
    /// Length of the next part, which begins with this character.
    fn length(&self, first: char) -> usize {
        let rest = self.rest;
        match first {
            '\'' | '"' => quoted_length(rest, first, self.backslashes),
            '`' => quoted_length(rest, first, false),
            '[' if self.brackets => rest.find(']').map_or(rest.len(), |end| end + 1),
            '$' => body(rest).unwrap_or_else(|| word(rest)),
            '-' | '/' => comment(rest).unwrap_or(1),
            other if is_of_word(other) => word(rest),
            other => other.len_utf8(),
        }
    }
}

/// Whether a part is white space or a comment.
pub fn is_blank(part: &str) -> bool {
    part.starts_with(char::is_whitespace) || comment(part).is_some()
}

/// Whether a part is a word: a name without quotes, a keyword or a number.
pub(crate) fn is_word(part: &str) -> bool {
    part.starts_with(is_of_word)
}

/// The name in a part, if that is a quoted name.
pub fn unquoted(part: &str) -> Option<String> {
    let within = |open: char, close: char| part.strip_prefix(open)?.strip_suffix(close);
    match part.chars().next()? {
        quote @ ('"' | '`') => {
            within(quote, quote).map(|name| name.replace(&quote.to_string().repeat(2), &quote.to_string()))
        }
        '[' => within('[', ']').map(str::to_owned),
        _ => None,
    }
}

/// The text in a part, if that is a quoted text.
pub(crate) fn text(part: &str) -> Option<String> {
    Some(part.strip_prefix('\'')?.strip_suffix('\'')?.replace("''", "'"))
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

fn word(text: &str) -> usize {
    text.find(|character| !is_of_word(character)).unwrap_or(text.len())
}

/// Length of the comment at the start of a text. `#` is not one: it begins a comment in MySQL alone, and is an operator
/// elsewhere.
fn comment(text: &str) -> Option<usize> {
    if text.starts_with("--") {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    // MySQL executes these comments.
    let is_run = text.starts_with("/*!") || text.starts_with("/*M!");
    (text.starts_with("/*") && !is_run).then(|| text.find("*/").map_or(text.len(), |end| end + 2))
}

/// Length of the dollar-quoted text (`$tag$ … $tag$`) of PostgreSQL at the start of a text.
fn body(text: &str) -> Option<usize> {
    let tag_end = 1 + text[1..].find('$')?;
    let tag = &text[..=tag_end];
    let is_tag = tag[1..tag_end].chars().all(|character| character.is_alphanumeric() || character == '_');
    let end = text[tag.len()..].find(tag)?;
    is_tag.then_some(2 * tag.len() + end)
}
