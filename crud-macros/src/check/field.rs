//! One field: its names, its role, and which of its attributes go together.

use proc_macro2::{Ident, Span};
use syn::{Attribute, Expr, ExprLit, Lit, Meta};

use super::types::want;
use crate::attr::At;
use crate::attr::container::name as unraw;
use crate::attr::field::{FieldAttributes, OnDelete};
use crate::case::RenameRule;
use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Capability, Field, Model, Reference, Role, Wanted};
use crate::ty::FieldType;

/// The field of a model.
pub(super) fn build<'a>(
    field: &'a syn::Field,
    ident: &'a Ident,
    attrs: FieldAttributes,
    rename_all: Option<RenameRule>,
    cx: &Ctxt,
) -> Field<'a> {
    let name = unraw(ident);
    let ty = FieldType::new(&field.ty);
    let (role, role_span) = role(&attrs, cx);
    let renamed = || At::new(rename_all.map_or_else(|| name.clone(), |rule| rule.field(&name)), ident.span());
    if ty.is_twice_optional() {
        cx.error_at(ty.written, "a field can be null or not: write `Option` once");
    }
    if let Some((_, default)) = &field.default {
        cx.error_at(default, "a field's default is an attribute: `#[crud(default = …)]`");
    }
    Field {
        ident,
        vis: &field.vis,
        docs: field.attrs.iter().filter(|attribute| attribute.path().is_ident("doc")).collect(),
        doc: doc_text(&field.attrs),
        json: attrs.rename.clone().unwrap_or_else(renamed),
        column: attrs.column.clone().unwrap_or_else(|| At::new(name.clone(), ident.span())),
        name,
        role,
        role_span,
        filterable: Capability::No,
        sortable: Capability::No,
        filter_flag: attrs.filter,
        sort_flag: attrs.sort,
        unique: attrs.unique.is_some(),
        unique_active: attrs.unique.and_then(|unique| unique.active),
        indexed: attrs.index.is_some(),
        references: reference(&attrs, ty, cx),
        digits: digits(&attrs, cx),
        digits_span: attrs.precision.as_ref().or(attrs.scale.as_ref()).map(|digits| digits.span),
        default: attrs.default,
        rules: attrs.rules,
        read_only: attrs.read_only,
        write_only: attrs.write_only,
        hidden: attrs.hidden,
        immutable: attrs.immutable,
        owner: attrs.owner,
        visible: attrs.visible,
        ty,
    }
}

/// The text of the doc comments, each line without the space that `///` leaves before it.
pub(crate) fn doc_text(attributes: &[Attribute]) -> String {
    let line = |attribute: &Attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    };
    let text: Vec<String> = attributes.iter().filter_map(line).collect();
    let lines: Vec<&str> =
        text.iter().flat_map(|text| text.split('\n')).map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n").trim().to_owned()
}

fn role(attrs: &FieldAttributes, cx: &Ctxt) -> (Role, Option<Span>) {
    let roles = [(attrs.id, Role::Id), (attrs.created_at, Role::CreatedAt), (attrs.updated_at, Role::UpdatedAt)];
    let mut roles = roles.into_iter().filter_map(|(span, role)| Some((span?, role)));
    let first = roles.next();
    for (span, _) in roles {
        cx.error(span, "a field has one role: `id`, `created_at` or `updated_at`");
    }
    first.map_or((Role::Plain, None), |(span, role)| (role, Some(span)))
}

fn reference(attrs: &FieldAttributes, ty: FieldType<'_>, cx: &Ctxt) -> Option<Reference> {
    let on_delete = attrs.on_delete.as_ref();
    let Some(target) = attrs.references.clone() else {
        if let Some(on_delete) = on_delete {
            cx.error(on_delete.span, "`on_delete` needs a reference: `references = Category, on_delete = …`");
        }
        return None;
    };
    if let Some(on_delete) = on_delete.filter(|on_delete| on_delete.value == OnDelete::SetNull && !ty.optional) {
        cx.error(on_delete.span, "`set_null` needs a field that can be null: `Option<…>`");
    }
    Some(Reference {
        target,
        on_delete: on_delete.map_or(OnDelete::Restrict, |on_delete| on_delete.value),
        on_delete_span: on_delete.map(|on_delete| on_delete.span),
    })
}

fn digits(attrs: &FieldAttributes, cx: &Ctxt) -> Option<(u32, u32)> {
    attrs.precision.as_ref().or(attrs.scale.as_ref())?;
    let precision = attrs.precision.as_ref().map_or(18, |precision| precision.value);
    let scale = attrs.scale.as_ref().map_or_else(|| 4.min(precision), |scale| scale.value);
    if let Some(precision) = attrs.precision.as_ref().filter(|precision| !(1..=18).contains(&precision.value)) {
        cx.error(precision.span, "a decimal has between 1 and 18 digits: `precision = 18`");
    } else if let Some(scale) = attrs.scale.as_ref().filter(|scale| scale.value > precision) {
        cx.error(scale.span, format_args!("`scale` is more than `precision`: write `scale = {precision}` or less"));
    }
    Some((precision, scale))
}

/// What goes together on each field, now that the roles are known.
pub(super) fn check_all(model: &mut Model<'_>, cx: &Ctxt) {
    for index in 0..model.fields.len() {
        let field = &model.fields[index];
        check_visibility(field, cx);
        check_role(field, cx);
        check_settable(field, cx);
        check_timestamp(model, index, cx);
        check_digits(model, index, cx);
        check_audited_reference(model, index, cx);
    }
    refuse_second(model, Role::CreatedAt, "created_at", cx);
    refuse_second(model, Role::UpdatedAt, "updated_at", cx);
}

fn check_timestamp(model: &mut Model<'_>, index: usize, cx: &Ctxt) {
    let field = &model.fields[index];
    let role = match field.role {
        Role::CreatedAt => "created_at",
        Role::UpdatedAt => "updated_at",
        // That of a soft delete is checked where it gets its role.
        Role::Plain | Role::Id | Role::DeletedAt | Role::IsDeleted => return,
    };
    let span = SpanRange::of(field.ty.written);
    let message = format!("`{role}` is a `DateTime<Utc>`: write that");
    if field.ty.optional {
        cx.error(span, message);
    } else {
        want(model, index, Wanted::Timestamp, span, message, cx);
    }
}

/// What the database does by itself, no log of the service has.
fn check_audited_reference(model: &Model<'_>, index: usize, cx: &Ctxt) {
    let Some(reference) = model.fields[index].references.as_ref().filter(|_| model.audit.is_some()) else { return };
    let (what, span) = match (reference.on_delete, reference.on_delete_span) {
        (OnDelete::Cascade, Some(span)) => ("cascade", span),
        (OnDelete::SetNull, Some(span)) => ("set_null", span),
        _ => return,
    };
    let message = format!(
        "`{what}` would change records without a word in the audit log: write `on_delete = restrict`, or remove `audit`"
    );
    cx.error(span, message);
}

fn check_digits(model: &mut Model<'_>, index: usize, cx: &Ctxt) {
    if let Some(span) = model.fields[index].digits_span {
        let message = "`precision` and `scale` are for a field of type `Decimal`: remove this".to_owned();
        want(model, index, Wanted::Decimal, span, message, cx);
    }
}

fn refuse_second(model: &Model<'_>, role: Role, name: &str, cx: &Ctxt) {
    for field in model.fields.iter().filter(|field| field.role == role).skip(1) {
        let span = field.role_span.unwrap_or_else(|| field.ident.span());
        cx.error(span, format_args!("a resource has one `{name}`: remove this or the other"));
    }
}

fn check_visibility(field: &Field<'_>, cx: &Ctxt) {
    let others = [(field.read_only, "read_only"), (field.write_only, "write_only"), (field.immutable, "immutable")];
    if field.hidden.is_some() {
        for (span, name) in others.into_iter().filter_map(|(span, name)| Some((span?, name))) {
            cx.error(span, format_args!("`hidden` says more than `{name}`: write `hidden` alone"));
        }
    } else if let (Some(_), Some(span)) = (field.read_only, field.write_only) {
        cx.error(span, "a field that is neither accepted nor returned is `hidden`: write that instead");
    } else if let (Some(_), Some(span)) = (field.read_only, field.immutable) {
        cx.error(span, "`read_only` says more than `immutable`: write `read_only` alone");
    }
}

fn check_role(field: &Field<'_>, cx: &Ctxt) {
    match field.role {
        Role::Plain => {}
        Role::Id => check_key(field, cx),
        Role::CreatedAt => check_stamp(field, "created_at", cx),
        Role::UpdatedAt => check_stamp(field, "updated_at", cx),
        Role::DeletedAt | Role::IsDeleted => check_stamp(field, &field.name, cx),
    }
}

fn check_key(field: &Field<'_>, cx: &Ctxt) {
    if let Some((span, name)) = field.concealed() {
        cx.error(span, format_args!("clients address records by the key: remove `{name}`"));
    }
    if let Some(span) = field.read_only.or(field.immutable) {
        cx.error(span, "a key never changes anyway: remove this");
    }
    if let Some(default) = &field.default {
        cx.error(default.span, "a key has no default: remove this");
    }
    if field.is_assigned()
        && let Some(rule) = field.rules.first()
    {
        cx.error(rule.span, "this key is assigned by the service, so there is nothing to validate: remove this");
    }
}

fn check_stamp(field: &Field<'_>, role: &str, cx: &Ctxt) {
    let needless = [
        (field.default.as_ref().map(|default| default.span), "`default`"),
        (field.immutable.map(Into::into), "`immutable`"),
        (field.rules.first().map(|rule| rule.span), "validation"),
    ];
    for (span, name) in needless.into_iter().filter_map(|(span, name)| Some((span?, name))) {
        cx.error(span, format_args!("`{role}` is set by the service and needs no {name}: remove this"));
    }
    if let Some(span) = field.write_only {
        cx.error(span, format_args!("`{role}` is set by the service, so that nobody writes it: write `hidden`"));
    }
}

fn check_settable(field: &Field<'_>, cx: &Ctxt) {
    let Some(span) = field.hidden.or(field.read_only) else { return };
    if field.role == Role::Plain && !field.ty.optional && field.default.is_none() {
        let name = if field.hidden.is_some() { "hidden" } else { "read_only" };
        let message =
            format!("no create over HTTP could set a `{name}` field: give it a `default = …` or make it an `Option`");
        cx.error(span, message);
    }
}
