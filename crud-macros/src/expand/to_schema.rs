//! `derive(ToSchema)`: the schemas of the struct and its input types, by utoipa's `ToSchema` where the runtime has it.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Names;
use crate::model::Model;

/// The implementations, for the `const` block.
pub(super) fn expand(model: &Model<'_>) -> Option<TokenStream> {
    if !model.to_schema {
        return None;
    }
    let Names { new, patch, .. } = Names::for_struct(model.ident);
    let record = described(model, model.ident, "", "record_type");
    let inputs = (!model.is_read_only()).then(|| {
        let create = described(model, &new, "Create", "create_type");
        let update = described(model, &patch, "Patch", "patch_type");
        quote!(#create #update)
    });
    Some(quote!(__crud::documented! { #record #inputs }))
}

/// A type with its name and its schema. The schema has the name that the service's document has for it, unless another
/// resource has that name too.
fn described(model: &Model<'_>, ty: &Ident, suffix: &str, function: &str) -> TokenStream {
    let (ident, function) = (model.ident, format_ident!("{function}"));
    let name = format!("{}{suffix}", model.name);
    quote!(#ty, #name, __crud::#function(<#ident as __crud::Resource>::DESCRIPTOR);)
}
