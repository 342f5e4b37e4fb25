//! [`Pattern`]: literal texts with any text between them.

use std::fmt;

/// A pattern of text: literal parts, with any text between two of them.
///
/// ```
/// use crud_runtime::query::Pattern;
///
/// assert_eq!(Pattern::like("50%"), Pattern::starts_with("50"));
/// assert_eq!(Pattern::contains("50%").parts(), ["", "50%", ""]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    parts: Vec<String>,
}

impl Pattern {
    /// A pattern in which `%` stands for any text, and every other character for itself.
    pub fn like(pattern: &str) -> Self {
        Self { parts: pattern.split('%').map(str::to_owned).collect() }
    }

    /// A pattern of the texts that contain this one, each of its characters being literal.
    pub fn contains(text: &str) -> Self {
        Self { parts: vec![String::new(), text.to_owned(), String::new()] }
    }

    /// A pattern of the texts that begin with this one, each of its characters being literal.
    pub fn starts_with(text: &str) -> Self {
        Self { parts: vec![text.to_owned(), String::new()] }
    }

    /// The literal parts, at least one: the first begins the text, and the last ends it.
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// The pattern in a language in which `any` stands for any text, and `escape` writes a literal character.
    #[doc(hidden)]
    pub fn written(&self, any: &str, escape: impl Fn(&mut String, char)) -> String {
        let mut text = String::with_capacity(self.parts.iter().map(String::len).sum::<usize>() + 8);
        for (position, part) in self.parts.iter().enumerate() {
            if position > 0 {
                text.push_str(any);
            }
            part.chars().for_each(|character| escape(&mut text, character));
        }
        text
    }
}

impl From<&str> for Pattern {
    fn from(pattern: &str) -> Self {
        Self::like(pattern)
    }
}

impl From<String> for Pattern {
    fn from(pattern: String) -> Self {
        Self::like(&pattern)
    }
}

/// Written with `%` for any text, as in `like`.
impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts.join("%"))
    }
}
