//! [`SearchTerm`]: a word of a search, and whether an index has it.

/// A word of a search that the index has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchTerm<'a> {
    pub(crate) word: &'a str,
    /// Whether words that begin with this text match, too.
    pub(crate) prefix: bool,
}

/// Whether all databases treat the character as a letter or digit: ASCII letters and digits, and letters of scripts
/// that use no combining marks.
pub(crate) fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(
            character,
            '\u{C0}'..='\u{24F}'
                | '\u{386}'..='\u{3FF}'
                | '\u{400}'..='\u{481}'
                | '\u{48A}'..='\u{52F}'
                | '\u{5D0}'..='\u{5EA}'
                | '\u{620}'..='\u{64A}'
                | '\u{1E00}'..='\u{1EFF}'
                | '\u{3041}'..='\u{3096}'
                | '\u{30A1}'..='\u{30FA}'
                | '\u{4E00}'..='\u{9FA5}'
                | '\u{AC00}'..='\u{D7A3}'
        ) && character.is_alphanumeric()
}
