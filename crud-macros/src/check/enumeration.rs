//! An enum's model: unit variants, each with a distinct text, and at most one variant for every other text.

use proc_macro2::Span;
use quote::ToTokens;
use syn::{DeriveInput, Fields, Ident, Type, Variant};

use super::krate;
use crate::attr::entry::literal_of;
use crate::attr::variant::{EnumAttributes, VariantAttributes};
use crate::attr::{Literal, name as unraw};
use crate::ctxt::{Ctxt, SpanRange};
use crate::model::EnumModel;

/// The model of an enum.
pub(crate) fn model<'a>(input: &'a DeriveInput, attributes: EnumAttributes<'a>, cx: &Ctxt) -> EnumModel<'a> {
    if !input.generics.params.is_empty() {
        let message = format!("a field type cannot have generics: expected `enum {}`", input.ident);
        cx.error_at(&input.generics, message);
    }
    if attributes.variants.as_ref().is_some_and(Vec::is_empty) {
        cx.error(input.ident.span(), "a field type needs at least one value: add a variant");
    }
    let mut variants: Vec<(&Ident, String)> = Vec::new();
    let mut open = None;
    let mut labels: Vec<Option<String>> = Vec::new();
    let (ordered, display) = (attributes.ordered, attributes.display);
    let stored = attributes.stored;
    let codes =
        stored.map(|stored| codes(attributes.variants.as_deref().unwrap_or_default(), stored, ordered.is_some(), cx));
    for raw in attributes.variants.into_iter().flatten() {
        let ident = &raw.variant.ident;
        if let Some(span) = raw.other {
            check_other(raw.variant, span, open, cx);
            if let Some(renamed) = raw.rename {
                cx.error(
                    renamed.span,
                    "the variant of every other text has no text that could be renamed: remove `rename`",
                );
            }
            if let Some(label) = raw.label {
                cx.error(label.span, "the variant of every other text is each text itself: remove `label`");
            }
            open = Some(ident);
            continue;
        }
        if !matches!(raw.variant.fields, Fields::Unit) {
            cx.error_at(&raw.variant.fields, format_args!("a variant cannot have fields: expected `{ident}`"));
        }
        let span = raw.rename.as_ref().map_or_else(|| ident.span().into(), |renamed| renamed.span);
        let by_rule = || attributes.rename_all.map_or_else(|| unraw(ident), |rule| rule.variant(&unraw(ident)));
        let text = raw.rename.map_or_else(by_rule, |renamed| renamed.value);
        if text.is_empty() || text.contains('\0') {
            cx.error(span, "a variant's text cannot be empty or contain NUL: expected `rename = \"text\"`");
        } else if let Some((other, _)) = variants.iter().find(|(_, other)| *other == text) {
            let message =
                format!("the text `{text}` is already that of `{other}`: choose another with `rename = \"…\"`");
            cx.error(span, message);
        }
        if let Some(label) = raw.label.as_ref().filter(|label| label.value.trim().is_empty()) {
            cx.error(label.span, "a label cannot be empty: expected `label = \"In progress\"`");
        }
        labels.push(raw.label.map(|label| label.value));
        variants.push((ident, text));
    }
    if let (Some(span), Some(_)) = (ordered, open) {
        cx.error(span, "the variant of every other text has no place in an order: remove `ordered` or `other`");
    }
    let has_labels = labels.iter().any(Option::is_some);
    let labels = labels.into_iter().zip(&variants).map(|(label, (_, text))| label.unwrap_or_else(|| text.clone()));
    let labels: Vec<String> = labels.collect();
    EnumModel {
        krate: krate(attributes.krate.as_ref()),
        ident: &input.ident,
        vis: &input.vis,
        variants,
        labels: has_labels.then_some(labels),
        ordered: ordered.is_some(),
        codes,
        display,
        other: open,
    }
}

/// The number of each variant. A variant without a number is reported; with `ordered`, so is a number out of order.
fn codes(variants: &[VariantAttributes<'_>], stored: SpanRange, is_ordered: bool, cx: &Ctxt) -> Vec<i64> {
    let mut codes: Vec<i64> = Vec::new();
    for VariantAttributes { variant, other, .. } in variants {
        let ident = &variant.ident;
        if other.is_some() {
            cx.error(stored, "the variant of every other text has no number: remove `stored` or `other`");
            continue;
        }
        let number = variant.discriminant.as_ref().and_then(|(_, value)| literal_of(&value.to_token_stream()));
        let Some(Literal::Int(code)) =
            number.filter(|number| matches!(number, Literal::Int(code) if i32::try_from(*code).is_ok()))
        else {
            let next = codes.last().map_or(1, |last| last.saturating_add(1));
            let message =
                format!("`stored(integer)` needs a number of 32 bits for each variant: expected `{ident} = {next}`");
            cx.error(ident.span(), message);
            codes.push(next);
            continue;
        };
        if is_ordered && codes.last().is_some_and(|last| *last >= code) {
            let message = "with `ordered`, the numbers of the variants ascend: expected a greater one than before";
            cx.error(ident.span(), message);
        }
        codes.push(code);
    }
    codes
}

/// Checks a variant with `other`: it is the only one, and holds one `String`.
fn check_other(variant: &Variant, span: Span, open: Option<&Ident>, cx: &Ctxt) {
    let ident = &variant.ident;
    if let Some(open) = open {
        cx.error(span, format_args!("`{open}` is the variant of every other text already: remove `other`"));
    }
    let is_string = |ty: &Type| match ty {
        Type::Path(path) => path.path.segments.last().is_some_and(|segment| segment.ident == "String"),
        _ => false,
    };
    match &variant.fields {
        Fields::Unnamed(fields) if fields.unnamed.len() == 1 && is_string(&fields.unnamed[0].ty) => {}
        Fields::Unit => cx.error(ident.span(), format_args!("expected `{ident}(String)`, which keeps the text")),
        fields => cx.error_at(fields, format_args!("expected `{ident}(String)`, which keeps the text")),
    }
}
