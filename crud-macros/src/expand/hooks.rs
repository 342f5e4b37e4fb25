//! `static __CRUD_HOOKS`: the functions that `hooks` names.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};

use crate::attr::hooks::HooksAttribute;
use crate::model::Model;

/// The static with the hooks, if there are any.
pub(super) fn expand(model: &Model<'_>) -> Option<TokenStream> {
    let HooksAttribute { validate, before, after, committed } = model.hooks.as_ref()?;
    let ident = model.ident;
    let shims = [("validate", validate), ("before", before), ("after", after), ("committed", committed)];
    let shims = shims.into_iter().filter_map(|(name, hook)| {
        let hook = hook.as_ref()?;
        let (path, span) = (&hook.value, hook.span.start);
        // An error about the function's signature stands at its path.
        let shim = format_ident!("{name}", span = span);
        let arguments = if name == "validate" { quote!(__crud_a) } else { quote!(__crud_a, __crud_b) };
        let call = quote_spanned!(span=> __crud::ErasedHooks::<#ident>::#shim(#path, #arguments));
        let name = format_ident!("{name}");
        Some(quote!(.#name(|#arguments| #call)))
    });
    Some(quote!(static __CRUD_HOOKS: __crud::Hooks = __crud::Hooks::new() #(#shims)*;))
}
