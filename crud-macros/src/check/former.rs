//! Former names of a struct, and the tables and prefixes that it keeps from them.

use crud_shared::plural;
use syn::ext::IdentExt;
use syn::parse::Parser;

use super::names;
use crate::attr::Spanned;
use crate::attr::renamed_from::FormerAttribute;
use crate::ctxt::Ctxt;
use crate::model::Former;

/// The former names, the latest first. A name without `table` has the table of the name before it; the oldest name has
/// its plural.
pub(super) fn all(attributes: &[FormerAttribute], cx: &Ctxt) -> Vec<Former> {
    let mut formers: Vec<Former> = Vec::new();
    for FormerAttribute { name, table } in attributes.iter().rev() {
        refuse_malformed(name, cx);
        let kept = formers.last().map_or_else(|| plural::of_type(&name.value), |older| older.table.clone());
        formers.push(Former { name: name.value.clone(), table: names::table(table.as_ref(), &kept, cx) });
    }
    formers.reverse();
    formers
}

/// Refuses names that do not differ from the present one, or from each other.
pub(super) fn check(attributes: &[FormerAttribute], formers: &[Former], name: &str, table: &str, cx: &Ctxt) {
    for (index, (attribute, former)) in attributes.iter().zip(formers).enumerate() {
        if former.name == name && former.table == table {
            let message =
                "this is the name that the struct has: expected the one that it had, or remove `renamed_from`";
            cx.error(attribute.name.span, message);
        } else if formers[..index].iter().any(|other| other.name == former.name && other.table == former.table) {
            cx.error(attribute.name.span, format_args!("`{}` is a former name already: remove one", former.name));
        }
    }
}

/// The default table: the table of the latest former name, or the plural.
pub(super) fn table<'a>(formers: &'a [Former], plural: &'a str) -> &'a str {
    formers.first().map_or(plural, |former| &former.table)
}

/// The word of the default prefix: the plural of the oldest name.
pub(super) fn prefix(formers: &[Former], plural: &str) -> String {
    formers.last().map_or_else(|| plural.to_owned(), |former| plural::of_type(&former.name))
}

fn refuse_malformed(name: &Spanned<String>, cx: &Ctxt) {
    let text = &name.value;
    let is_identifier = syn::Ident::parse_any.parse_str(text).is_ok();
    if !(is_identifier && text.starts_with(char::is_uppercase)) {
        cx.error(
            name.span,
            "expected the name that the struct had, such as `renamed_from = \"Order\"`; its table is the plural, or \
             `renamed_from(\"Order\", table = \"shop_orders\")`",
        );
    }
}
