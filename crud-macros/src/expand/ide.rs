//! What rust-analyzer alone sees: the user's own tokens as paths and fields, so that keys complete and
//! hover, and a name in a list leads to its field.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use crate::ctxt::Hints;

/// The hints, for the `const` block.
pub(crate) fn expand(ident: &Ident, hints: &Hints) -> TokenStream {
    let keys = hints.keys.iter().filter(|(_, key)| is_name(key)).map(|(module, key)| {
        let module = format_ident!("{module}");
        quote!(use __crud::ide::#module::#key as _;)
    });
    let fields = &hints.fields;
    quote! {
        #[cfg(rust_analyzer)]
        const _: () = {
            #(#keys)*
            const _: fn(&#ident) = |resource| {
                #(_ = &resource.#fields;)*
            };
        };
    }
}

/// `crate` is a keyword, and so may be what is typed half.
fn is_name(ident: &Ident) -> bool {
    syn::parse_str::<Ident>(&ident.to_string()).is_ok()
}
