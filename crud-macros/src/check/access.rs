//! Whose rows, and who sees a field: what does not go together with that.

use crate::ctxt::Ctxt;
use crate::model::{Field, Model, Role};
use crate::ty::Known;

/// Checks the fields with `owner` and `visible`.
pub(super) fn check(model: &Model<'_>, cx: &Ctxt) {
    let mut owners = model.fields.iter().filter_map(|field| Some((field, field.owner.as_ref()?)));
    if let Some((field, _)) = owners.next() {
        check_owner(field, cx);
    }
    for (_, owner) in owners {
        cx.error(owner.key, "a record has one owner: remove `owner` here or on the other field");
    }
    for (index, field) in model.fields.iter().enumerate() {
        check_visible(model, index, field, cx);
    }
}

fn check_owner(field: &Field<'_>, cx: &Ctxt) {
    let Some(owner) = &field.owner else { return };
    if field.role != Role::Plain {
        cx.error(owner.key, "a field that the service sets already cannot be the owner: give the owner its own");
        return;
    }
    let keyed = matches!(field.ty.known, Some(Known::I32 | Known::I64 | Known::Uuid | Known::Text));
    if field.ty.known.is_some() && !keyed {
        cx.error_at(field.ty.written, "an owner is the `sub` of a token: an `i64`, `i32`, `Uuid` or `String`");
    }
    let needless = [
        (field.immutable.map(Into::into), "immutable"),
        (field.read_only.map(Into::into), "read_only"),
        (field.default.as_ref().map(|default| default.span), "default"),
    ];
    for (span, name) in needless.into_iter().filter_map(|(span, name)| Some((span?, name))) {
        cx.error(span, format_args!("an owner is set by the service alone: remove `{name}`"));
    }
}

fn check_visible(model: &Model<'_>, index: usize, field: &Field<'_>, cx: &Ctxt) {
    let Some(visible) = &field.visible else { return };
    let name = &field.name;
    let span = visible.span;
    if field.role == Role::Id {
        cx.error(span, "clients address records by the key: remove `visible`");
    } else if let Some((_, other)) = field.concealed() {
        cx.error(span, format_args!("`{other}` hides the field from everybody: remove one of the two"));
    } else if model.default_sort.iter().any(|key| key.column == index) {
        cx.error(span, format_args!("the default order by `{name}` would tell its value to everybody: remove one"));
    } else if field.role == Role::Plain
        && field.owner.is_none()
        && field.read_only.is_none()
        && !field.ty.optional
        && field.default.is_none()
    {
        let message =
            "whoever does not see the field could not create a record: give it a `default = …` or make it an `Option`";
        cx.error(span, message);
    }
}
