//! An enum's model: unit variants, each with a text of its own.

use syn::{Data, DeriveInput, Fields, Ident};

use super::krate;
use crate::attr::container::name as unraw;
use crate::attr::variant::{self, EnumAttributes};
use crate::ctxt::Ctxt;
use crate::model::EnumModel;

/// The model of an enum.
pub(crate) fn model<'a>(input: &'a DeriveInput, attributes: &EnumAttributes, cx: &Ctxt) -> EnumModel<'a> {
    let mut variants: Vec<(&Ident, String)> = Vec::new();
    if !input.generics.params.is_empty() {
        cx.error_at(&input.generics, format_args!("a field type has no generics: `enum {}`", input.ident));
    }
    let Data::Enum(data) = &input.data else {
        let message =
            "`ResourceEnum` is for an enum of unit variants; for another type, implement `crud_runtime::Column`";
        cx.error(input.ident.span(), message);
        return EnumModel { krate: krate(attributes.krate.as_ref()), ident: &input.ident, variants };
    };
    if data.variants.is_empty() {
        cx.error(input.ident.span(), "a field type has at least one value: add a variant");
    }
    for variant in &data.variants {
        if !matches!(variant.fields, Fields::Unit) {
            cx.error_at(&variant.fields, format_args!("a variant has no fields: write `{}` alone", variant.ident));
        }
        let renamed = variant::of_variant(&variant.attrs, cx).rename;
        let name = unraw(&variant.ident);
        let span = renamed.as_ref().map_or_else(|| variant.ident.span().into(), |renamed| renamed.span);
        let by_rule = || attributes.rename_all.map_or_else(|| name.clone(), |rule| rule.variant(&name));
        let text = renamed.map_or_else(by_rule, |renamed| renamed.value);
        if text.is_empty() || text.contains('\0') {
            cx.error(span, "a variant's text has at least one character and no NUL: `rename = \"text\"`");
        } else if let Some((other, _)) = variants.iter().find(|(_, other)| *other == text) {
            cx.error(
                span,
                format_args!("the text `{text}` is `{other}`'s already: choose another with `rename = \"…\"`"),
            );
        }
        variants.push((&variant.ident, text));
    }
    EnumModel { krate: krate(attributes.krate.as_ref()), ident: &input.ident, variants }
}
