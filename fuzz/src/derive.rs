//! The target of the derives.

use crud_fuzz_derive::{resource, resource_enum, schema};
use proc_macro2::TokenStream;

/// An item: each derive expands to items, be they the code or its mistakes.
pub(crate) fn derive(input: &[u8]) {
    // The compiler's own parser bounds how deep an item is nested; this one, which runs outside it, does not.
    const DEEP: usize = 100;
    let Ok(text) = str::from_utf8(input) else { return };
    if text.bytes().filter(|byte| b"([{<&*!-".contains(byte)).count() > DEEP {
        return;
    }
    let Ok(tokens) = text.parse::<TokenStream>() else { return };
    for derive in [resource, schema, resource_enum] {
        let expansion = derive(tokens.clone());
        let parsed = syn::parse2::<syn::File>(expansion.clone());
        // A default is any expression, which the compiler parses where it stands, and reports what is wrong with it there. A
        // bare `Trait +` is a type to syn alone.
        let is_ours = !text.contains("default") && !text.contains('+');
        assert!(
            parsed.is_ok() || !is_ours,
            "{} of {text}: {expansion}",
            parsed.err().map_or_else(String::new, |e| e.to_string())
        );
    }
}
