//! CHECK constraints in the definition of a table.

use super::ddl::identifier;
use crate::driver::Driver;

/// The condition of the CHECK constraint of this name, in a table's definition.
pub(crate) fn condition<D: Driver>(definition: &str, name: &str) -> Option<String> {
    let (_, rest) = definition.split_once(&format!("CONSTRAINT {} CHECK (", identifier::<D>(name)))?;
    let mut depth = 1;
    let mut quote = None;
    for (index, character) in rest.char_indices() {
        match (quote, character) {
            // A doubled quote ends the text and begins another.
            (Some(open), _) if character == open => quote = None,
            (None, '\'' | '"' | '`') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(rest[..index].to_owned());
        }
    }
    None
}
