//! `owner`, `tenant` and `visible`: checks for attributes that contradict them.

use crate::ctxt::Ctxt;
use crate::model::{Field, Role, SortKey};
use crate::ty::Known;

/// Checks the fields with `owner`, `tenant` and `visible`. `is_created`: whether HTTP creates records.
pub(super) fn check(fields: &[Field<'_>], default_sort: &[SortKey], is_view: bool, is_created: bool, cx: &Ctxt) {
    let mut owners = fields.iter().filter_map(|field| Some((field, field.owner.as_ref()?)));
    if let Some((field, owner)) = owners.next() {
        check_owner(field, cx);
        if is_view && owner.assign.is_some() {
            cx.error(
                owner.key,
                "`assign` is for creates, and a view is only read: expected `owner` or `owner(except(…))`",
            );
        }
    }
    for (_, owner) in owners {
        cx.error(owner.key, "a resource can have one `owner`: remove this or the other");
    }
    let mut tenants = fields.iter().filter_map(|field| Some((field, field.tenant.as_ref()?)));
    if let Some((field, _)) = tenants.next() {
        check_tenant(field, cx);
    }
    for (_, tenant) in tenants {
        cx.error(tenant.key, "a resource can have one `tenant`: remove this or the other");
    }
    for (index, field) in fields.iter().enumerate() {
        check_visible(field, default_sort.iter().any(|key| key.column == index), is_created, cx);
    }
}

fn check_owner(field: &Field<'_>, cx: &Ctxt) {
    let Some(owner) = &field.owner else { return };
    if field.role != Role::Plain {
        cx.error(owner.key, "the service already sets this field: put `owner` on another field");
        return;
    }
    let keyed = matches!(field.ty.known, Some(Known::I32 | Known::I64 | Known::Uuid | Known::Text));
    if field.ty.known.is_some() && !keyed {
        cx.error_at(field.ty.written, "an owner must be `i64`, `i32`, `Uuid` or `String`: it is the `sub` of a token");
    }
    refuse_needless(field, "the service sets the owner", cx);
}

fn check_tenant(field: &Field<'_>, cx: &Ctxt) {
    let Some(tenant) = &field.tenant else { return };
    if field.role != Role::Plain || field.owner.is_some() {
        cx.error(tenant.key, "the service already sets this field: put `tenant` on another field");
        return;
    }
    let is_key = matches!(field.ty.known, Some(Known::I32 | Known::I64 | Known::Uuid | Known::Text));
    if field.ty.optional || field.ty.known.is_some() && !is_key {
        cx.error_at(field.ty.written, "a tenant must be `i64`, `i32`, `Uuid` or `String`: it is a claim of a token");
    }
    refuse_needless(field, "the service sets the tenant", cx);
}

/// Reports attributes of a field that the service sets from the principal.
fn refuse_needless(field: &Field<'_>, reason: &str, cx: &Ctxt) {
    let needless = [
        (field.exposure.immutable.map(Into::into), "immutable"),
        (field.exposure.read_only.map(Into::into), "read_only"),
        (field.default.as_ref().map(|default| default.span), "default"),
        (field.database_default.map(Into::into), "default(database)"),
    ];
    for (span, name) in needless.into_iter().filter_map(|(span, name)| Some((span?, name))) {
        cx.error(span, format_args!("{reason}: remove `{name}`"));
    }
}

fn check_visible(field: &Field<'_>, in_default_sort: bool, is_created: bool, cx: &Ctxt) {
    let Some(visible) = &field.visible else { return };
    let (name, span) = (&field.name, visible.span);
    let is_plain = field.role == Role::Plain
        && field.owner.is_none()
        && field.tenant.is_none()
        && field.computed.is_none()
        && field.exposure.read_only.is_none();
    if field.role == Role::Id {
        cx.error(span, "clients address records by the key: remove `visible`");
    } else if let Some((_, other)) = field.exposure.concealed() {
        cx.error(span, format_args!("`{other}` keeps the field from every client: remove it or `visible`"));
    } else if in_default_sort {
        cx.error(span, format_args!("the default order by `{name}` would disclose its value: remove one"));
    } else if is_plain
        && is_created
        && !field.ty.optional
        && field.default.is_none()
        && field.database_default.is_none()
    {
        let message =
            "clients that may not see the field could not create a record: add `default(…)` or make it an `Option`";
        cx.error(span, message);
    }
}
