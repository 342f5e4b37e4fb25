//! [`SearchTerms`]: the words of a full-text search.

use std::fmt;

use crate::model::column_error::ColumnError;

/// The longest text of a search by HTTP, in characters.
pub const MAX_TEXT: usize = 200;

/// Maximum number of words in a search by HTTP.
pub const MAX_WORDS: usize = 10;

/// The characters between words: white space, punctuation and symbols (the general categories Z, P, S and C of Unicode, as
/// far as texts use them), each range with its ends. Everything else is part of a word: letters, digits, and the marks on
/// letters.
pub const SEPARATORS: [(char, char); 63] = [
    ('\u{0}', '/'),
    (':', '@'),
    ('[', '`'),
    ('{', '\u{A9}'),
    ('\u{AB}', '\u{B1}'),
    ('\u{B4}', '\u{B4}'),
    ('\u{B6}', '\u{B8}'),
    ('\u{BB}', '\u{BB}'),
    ('\u{BF}', '\u{BF}'),
    ('\u{D7}', '\u{D7}'),
    ('\u{F7}', '\u{F7}'),
    ('\u{2C2}', '\u{2C5}'),
    ('\u{2D2}', '\u{2DF}'),
    ('\u{37E}', '\u{37E}'),
    ('\u{387}', '\u{387}'),
    ('\u{55A}', '\u{55F}'),
    ('\u{589}', '\u{58F}'),
    ('\u{5BE}', '\u{5BE}'),
    ('\u{5C0}', '\u{5C0}'),
    ('\u{5C3}', '\u{5C3}'),
    ('\u{5F3}', '\u{60F}'),
    ('\u{61B}', '\u{61F}'),
    ('\u{66A}', '\u{66D}'),
    ('\u{6D4}', '\u{6D4}'),
    ('\u{700}', '\u{70F}'),
    ('\u{964}', '\u{965}'),
    ('\u{970}', '\u{970}'),
    ('\u{DF4}', '\u{DF4}'),
    ('\u{E3F}', '\u{E3F}'),
    ('\u{E4F}', '\u{E4F}'),
    ('\u{E5A}', '\u{E5B}'),
    ('\u{F04}', '\u{F14}'),
    ('\u{104A}', '\u{104F}'),
    ('\u{10FB}', '\u{10FB}'),
    ('\u{1360}', '\u{1368}'),
    ('\u{166D}', '\u{166E}'),
    ('\u{1680}', '\u{1680}'),
    ('\u{17D4}', '\u{17D6}'),
    ('\u{17D8}', '\u{17DB}'),
    ('\u{1800}', '\u{180A}'),
    ('\u{1FBD}', '\u{1FBD}'),
    ('\u{1FBF}', '\u{1FC1}'),
    ('\u{1FFD}', '\u{206F}'),
    ('\u{20A0}', '\u{20C0}'),
    ('\u{2190}', '\u{245F}'),
    ('\u{2500}', '\u{2775}'),
    ('\u{2794}', '\u{2BFF}'),
    ('\u{2E00}', '\u{2E2E}'),
    ('\u{2E30}', '\u{3004}'),
    ('\u{3008}', '\u{3020}'),
    ('\u{3030}', '\u{3030}'),
    ('\u{303D}', '\u{303F}'),
    ('\u{30A0}', '\u{30A0}'),
    ('\u{30FB}', '\u{30FB}'),
    ('\u{E000}', '\u{F8FF}'),
    ('\u{FE10}', '\u{FE19}'),
    ('\u{FE30}', '\u{FE6B}'),
    ('\u{FEFF}', '\u{FF0F}'),
    ('\u{FF1A}', '\u{FF20}'),
    ('\u{FF3B}', '\u{FF40}'),
    ('\u{FF5B}', '\u{FF65}'),
    ('\u{FFE0}', '\u{FFFD}'),
    ('\u{1F10D}', '\u{1FBCA}'),
];

/// Whether a character stands between words.
pub fn is_separator(character: char) -> bool {
    SEPARATORS.iter().any(|(first, last)| (*first..=*last).contains(&character))
}

/// The words of a full-text search, at least one. For the last one, a word that begins with it is enough.
///
/// ```
/// use crud_runtime::query::SearchTerms;
///
/// let words = SearchTerms::of("desk, LAMP").expect("words");
/// assert_eq!(words.as_slice(), ["desk", "LAMP"]);
/// assert!(words.are_in(["A lamp", "for the desk"]));
/// assert!(words.are_in(["desk lamps"]) && !words.are_in(["desks, lamps"]));
/// assert_eq!(SearchTerms::of(" -- "), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchTerms {
    words: Vec<String>,
}

impl SearchTerms {
    /// The words of a text, if it has any.
    pub fn of(text: &str) -> Option<Self> {
        let words: Vec<String> = split(text).map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self { words })
    }

    /// The words of a text from a request.
    ///
    /// # Errors
    /// When the text has no word, or too many.
    #[doc(hidden)]
    pub fn parse(text: &str) -> Result<Self, ColumnError> {
        if text.chars().count() > MAX_TEXT {
            return Err(ColumnError::new(format!("must have at most {MAX_TEXT} characters")));
        }
        let words = Self::of(text).ok_or_else(|| ColumnError::new("must have a word: letters or digits"))?;
        if words.words.len() > MAX_WORDS {
            return Err(ColumnError::new(format!("must have at most {MAX_WORDS} words")));
        }
        Ok(words)
    }

    /// The words, in the order of the text; at least one.
    pub fn as_slice(&self) -> &[String] {
        &self.words
    }

    /// Whether texts contain the words: each as a whole word, the last at least as the beginning of one; case is
    /// ignored.
    pub fn are_in<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> bool {
        let held: Vec<String> = texts.into_iter().flat_map(split).map(str::to_lowercase).collect();
        let Some((last, others)) = self.words.split_last() else { return false };
        let last = last.to_lowercase();
        held.iter().any(|word| word.starts_with(&last)) && others.iter().all(|word| held.contains(&word.to_lowercase()))
    }
}

fn split(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_separator).filter(|word| !word.is_empty())
}

/// The words, with spaces between them.
impl fmt::Display for SearchTerms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_are_ascending_and_no_letters() {
        for pair in SEPARATORS.windows(2) {
            assert!(pair[0].0 <= pair[0].1 && pair[0].1 < pair[1].0, "{pair:?}");
        }
        let letters = SEPARATORS.iter().flat_map(|(first, last)| *first..=*last).filter(|c| c.is_alphanumeric());
        // Circled and squared letters are symbols.
        let letters: Vec<char> = letters.filter(|c| !('\u{1F10D}'..).contains(c)).collect();
        assert_eq!(letters, Vec::<char>::new());
    }

    #[test]
    fn punctuation_of_the_common_scripts_separates_words() {
        let text = "desk_lamp—«été», 12.5 日本語。ラジオ・テレビ हिन्दी। شارع؟";
        let words = ["desk", "lamp", "été", "12", "5", "日本語", "ラジオ", "テレビ", "हिन्दी", "شارع"];
        assert_eq!(SearchTerms::of(text).map(|words| words.words), Some(words.map(str::to_owned).to_vec()));
    }

    #[test]
    fn a_text_of_a_request_is_bounded() {
        let of = |text: &str| SearchTerms::parse(text).map(|words| words.words.len());
        assert_eq!(of(&"a ".repeat(10)), Ok(10));
        assert!(of(&"a ".repeat(11)).is_err() && of(&"a".repeat(201)).is_err());
        assert_eq!(of(&"é".repeat(200)), Ok(1));
        assert!(of("").is_err() && of("  \"*\" ").is_err());
    }
}
