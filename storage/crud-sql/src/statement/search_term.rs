//! [`SearchTerm`]: a word of a search, and whether an index has it.

/// A word that is asked of the index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchTerm<'a> {
    pub(crate) word: &'a str,
    /// Whether words count that begin with it.
    pub(crate) prefix: bool,
}

/// Whether every database takes the character for a letter or digit: those of ASCII, and of the scripts whose letters have
/// no marks beside them.
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
