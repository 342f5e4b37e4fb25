//! The completion that editors offer of the attributes' keys.
//!
//! The runtime has each key as an item, in a module for its place. An expansion uses the keys that it read as paths into
//! these modules, and the names in lists as fields, with the spans of the user's tokens and for rust-analyzer alone: keys
//! complete and hover, and a name in a list leads to its field.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use crate::ctxt::Hints;
use crate::key::{AttributePlace, PLACES, Spec};

/// The hints, for the `const` block.
pub(crate) fn hints(ident: &Ident, hints: &Hints) -> TokenStream {
    let keys = hints.keys.iter().filter(|(_, key)| is_identifier(&key.to_string())).map(|(module, key)| {
        let module = format_ident!("{module}");
        quote!(use __crud::completion::#module::#key as _;)
    });
    let fields = hints.fields.iter().filter(|field| is_identifier(&field.to_string()));
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

/// The modules of the runtime, each key as an item.
pub(crate) fn modules() -> TokenStream {
    PLACES.iter().filter_map(|place| module(place)).collect()
}

fn module(place: &AttributePlace) -> Option<TokenStream> {
    let (name, doc) = place.completion?;
    let name = format_ident!("{name}");
    let keys = place.keys.iter().filter(|spec| is_identifier(spec.name)).map(|Spec { name, form, meaning, .. }| {
        let (doc, name) = (format!("{form}: {}", meaning.trim()), Ident::new(name, Span::call_site()));
        quote! {
            #[doc = #doc]
            #[allow(non_upper_case_globals)]
            pub const #name: () = ();
        }
    });
    Some(quote! {
        #[doc = #doc]
        pub mod #name {
            #(#keys)*
        }
    })
}

/// Whether a key, or a name in a list, is an identifier. The keyword `crate` is not, and a half-typed name may be a
/// keyword.
fn is_identifier(name: &str) -> bool {
    syn::parse_str::<Ident>(name).is_ok()
}
