//! One field: its names, and which of its attributes contradict each other.

use crud_shared::case::RenameRule;
use proc_macro2::Ident;

use super::indexes::check_among;
use super::lists::Lists;
use super::types::Requirements;
use super::{relations, roles, rules, storage_form};
use crate::attr::field::{FieldAttributes, OnDelete, References};
use crate::attr::item::RawField;
use crate::attr::{Spanned, name as unraw};
use crate::ctxt::{Ctxt, SpanRange};
use crate::model::{Digits, Field, Reference, Requirement, Role, Scope, UniqueGroup};
use crate::ty::Known;

/// Number of digits of a decimal whose field does not set it: as many as every database keeps.
const DIGITS: u32 = 18;

/// Maximum number of digits of a `Decimal` of `rust_decimal`.
const MAX_DIGITS: u32 = 28;

/// Number of digits after the point of a decimal whose field does not set it.
const SCALE: u32 = 4;

/// Properties of the fields from the struct's attributes.
pub(super) struct Parts<'p> {
    /// The indexes of the key.
    pub(super) key: &'p [usize],
    pub(super) roles: &'p [Role],
    pub(super) lists: &'p Lists,
    pub(super) uniques: &'p [UniqueGroup],
    pub(super) scopes: &'p [Spanned<Scope>],
    pub(super) is_view: bool,
    /// The fields that `by(…)` names, for each field.
    pub(super) by: &'p [Vec<usize>],
}

/// Builds a field of the model.
pub(super) fn build<'a>(
    raw: RawField<'a>,
    index: usize,
    parts: &Parts<'_>,
    rename_all: Option<RenameRule>,
    cx: &Ctxt,
) -> Field<'a> {
    let RawField { ident, vis, name, docs, doc, ty, attributes } = raw;
    roles::check_written(&attributes, cx);
    if ty.is_twice_optional() {
        cx.error_at(ty.written, "a field cannot be an `Option` of an `Option`: expected `Option<…>`");
    }
    let role = parts.roles[index];
    // A key that refers to a record is given by the client: neither the service nor storage can generate it.
    let refers = attributes.references.as_ref().is_some_and(|references| !references.unconstrained);
    let given = attributes.id_of_client || refers;
    let given = role == Role::Id && (parts.key.len() > 1 || given && ty.known != Some(Known::Text));
    let in_unique_group = parts.uniques.iter().flat_map(|group| &group.columns).any(|&column| column == index);
    let unique = attributes.unique.is_some() || attributes.tenant.is_some() || role == Role::Id || in_unique_group;
    let name_or = |given: &Option<Spanned<String>>, default: &dyn Fn() -> String| {
        given.clone().unwrap_or_else(|| Spanned::new(default(), Ident::span(ident)))
    };
    Field {
        ident,
        vis,
        docs,
        doc,
        json: name_or(&attributes.rename, &|| rename_all.map_or_else(|| name.clone(), |rule| rule.field(&name))),
        column: name_or(&attributes.column, &|| name.clone()),
        role,
        given,
        role_span: roles::written(&attributes).map(|(span, _)| span),
        filterable: parts.lists.filter.fields[index],
        sortable: parts.lists.sort.fields[index],
        unique: attributes.unique,
        indexed: attributes.index.is_some(),
        references: reference(&attributes, &name, parts, index, rename_all, cx),
        digits: digits(&attributes, cx),
        sql_type: storage_form::sql_type(&attributes, cx),
        format: storage_form::format(&attributes, ty, cx),
        implied_max_length: rules::implied_max_length(unique, &attributes.rules, ty),
        default: attributes.default,
        database_default: attributes.database_default,
        backfill: attributes.backfill,
        renamed_from: attributes.renamed_from,
        rules: attributes.rules,
        exposure: attributes.exposure,
        deprecated: attributes.deprecated.is_some(),
        owner: attributes.owner,
        tenant: attributes.tenant,
        in_scope: parts.scopes.iter().any(|scope| scope.value.path.is_none() && scope.value.column == index),
        visible: attributes.visible,
        transitions: attributes.transitions,
        computed: attributes.computed,
        of_type: attributes.of_type,
        name,
        ty,
    }
}

fn reference(
    attributes: &FieldAttributes,
    name: &str,
    parts: &Parts<'_>,
    index: usize,
    rename_all: Option<RenameRule>,
    cx: &Ctxt,
) -> Option<Reference> {
    let on_delete = attributes.on_delete.as_ref();
    let References { target, users, any, unconstrained, by } = attributes.references.clone()?;
    // Errors of the fields are reported already.
    if !by.is_empty() && parts.by[index].is_empty() {
        return None;
    }
    if let Some(on_delete) = on_delete.filter(|_| unconstrained) {
        cx.error(on_delete.span, "`on_delete` is the action of a foreign key: remove it or `unconstrained`");
    }
    Some(Reference {
        target,
        users,
        // Access rules do not decide who may read the users.
        any: any || users,
        // A view has no foreign keys.
        unconstrained: unconstrained || parts.is_view,
        relation: relations::name(attributes, name, rename_all, cx).filter(|_| !users),
        named: attributes.relation.as_ref().map(unraw),
        term: relations::term(attributes, name).filter(|_| !users),
        expand: attributes.expand.is_some(),
        on_delete: on_delete.map_or(OnDelete::Restrict, |on_delete| on_delete.value),
        on_delete_span: on_delete.map(|on_delete| on_delete.span),
        by: parts.by[index].clone(),
    })
}

fn digits(attributes: &FieldAttributes, cx: &Ctxt) -> Option<Spanned<Digits>> {
    let FieldAttributes { precision, scale, .. } = attributes;
    let span = precision.as_ref().or(scale.as_ref())?.span;
    let digits = precision.as_ref().map_or(DIGITS, |precision| precision.value);
    if let Some(precision) = precision.as_ref().filter(|precision| !(1..=MAX_DIGITS).contains(&precision.value)) {
        cx.error(precision.span, "expected from 1 to 28 digits in all, such as `decimal(18, 4)`");
    } else if let Some(scale) = scale.as_ref().filter(|scale| scale.value > digits) {
        let message = format!("expected at most {digits} digits after the point, which are as many as in all");
        cx.error(scale.span, message);
    }
    let scale = scale.as_ref().map_or_else(|| SCALE.min(digits), |scale| scale.value);
    Some(Spanned::new(Digits { precision: digits, scale }, span))
}

/// Checks every field's attributes against each other, now that the roles are known. `is_created`: whether HTTP creates records.
pub(super) fn check_all(logs_restores: bool, is_created: bool, requirements: &mut Requirements<'_, '_>) {
    let (fields, cx) = (requirements.fields, requirements.cx);
    for (index, field) in fields.iter().enumerate() {
        check_exposure(field, cx);
        check_role(field, cx);
        check_backfill(field, cx);
        if is_created {
            check_settable(field, cx);
        }
        check_timestamp(index, field, requirements);
        check_digits(index, field, requirements);
        if logs_restores {
            check_cleared_reference(field, cx);
        }
    }
    refuse_second(fields, Role::CreatedAt, "created_at", cx);
    refuse_second(fields, Role::UpdatedAt, "updated_at", cx);
}

/// Checks among which records each field is unique.
pub(super) fn check_uniques(fields: &[Field<'_>], has_soft_delete: bool, has_tenant: bool, cx: &Ctxt) {
    for unique in fields.iter().filter_map(|field| field.unique) {
        check_among(unique.among, unique.span, has_soft_delete, has_tenant, |span, message| cx.error(span, message));
    }
}

fn check_timestamp(index: usize, field: &Field<'_>, requirements: &mut Requirements<'_, '_>) {
    let role = match field.role {
        Role::CreatedAt => "created_at",
        Role::UpdatedAt => "updated_at",
        // The deletion timestamp is checked with soft delete.
        Role::Plain | Role::Id | Role::DeletedAt | Role::IsDeleted => return,
    };
    let span = SpanRange::covering(field.ty.written);
    let message = format!("`{role}` must be `DateTime<Utc>` or `NaiveDateTime`");
    if field.ty.optional {
        requirements.cx.error(span, message);
    } else {
        requirements.require(index, Requirement::Timestamp, span, message);
    }
}

/// Refuses `on_delete(set_null)` on an audited resource whose updates restore records: clearing a reference is an
/// update.
fn check_cleared_reference(field: &Field<'_>, cx: &Ctxt) {
    let reference = field.references.as_ref().filter(|reference| reference.on_delete == OnDelete::SetNull);
    let Some(span) = reference.and_then(|reference| reference.on_delete_span) else { return };
    cx.error(
        span,
        "`set_null` is an update in the audit log, and `auto_restore_on_update` would restore the record: write \
         `on_delete(restrict)`",
    );
}

fn check_digits(index: usize, field: &Field<'_>, requirements: &mut Requirements<'_, '_>) {
    if let Some(digits) = &field.digits {
        let message = "`decimal` needs a field of type `Decimal`: remove this".to_owned();
        requirements.require(index, Requirement::Decimal, digits.span, message);
    }
}

fn refuse_second(fields: &[Field<'_>], role: Role, name: &str, cx: &Ctxt) {
    for field in fields.iter().filter(|field| field.role == role).skip(1) {
        let span = field.role_span.unwrap_or_else(|| field.ident.span());
        cx.error(span, format_args!("a resource can have one `{name}`: remove this or the other"));
    }
}

fn check_exposure(field: &Field<'_>, cx: &Ctxt) {
    let exposure = field.exposure;
    if exposure.hidden.is_some() {
        let included =
            [(exposure.read_only, "read_only"), (exposure.write_only, "write_only"), (exposure.immutable, "immutable")];
        for (span, name) in included.into_iter().filter_map(|(span, name)| Some((span?, name))) {
            cx.error(span, format_args!("`hidden` includes `{name}`: remove `{name}`"));
        }
    } else if let (Some(_), Some(span)) = (exposure.read_only, exposure.write_only) {
        cx.error(span, "`read_only` with `write_only` means `hidden`: write `hidden` instead");
    } else if let (Some(_), Some(span)) = (exposure.read_only, exposure.immutable) {
        cx.error(span, "`read_only` includes `immutable`: remove `immutable`");
    }
}

fn check_role(field: &Field<'_>, cx: &Ctxt) {
    match field.role {
        Role::Plain => {}
        Role::Id => check_key(field, cx),
        Role::CreatedAt => check_set_by_service(field, "created_at", cx),
        Role::UpdatedAt => check_set_by_service(field, "updated_at", cx),
        Role::DeletedAt | Role::IsDeleted => check_set_by_service(field, &field.name, cx),
    }
}

fn check_key(field: &Field<'_>, cx: &Ctxt) {
    if let Some((span, name)) = field.exposure.concealed() {
        cx.error(span, format_args!("clients address records by the key: remove `{name}`"));
    }
    if let Some(span) = field.exposure.read_only.or(field.exposure.immutable) {
        cx.error(span, "a key never changes: remove this");
    }
    if let Some(default) = &field.default {
        cx.error(default.span, "a key cannot have a default: remove this");
    }
    if let Some(span) =
        field.database_default.filter(|_| !field.given && field.ty.known.is_some_and(Known::is_assigned_by_storage))
    {
        cx.error(span, "storage assigns an integer key: remove `default(database)`");
    }
    if let Some(backfill) = &field.backfill {
        cx.error(backfill.span, "one value cannot fill in keys, which differ: remove `backfill`");
    }
    if field.is_assigned()
        && let Some(rule) = field.rules.first()
    {
        cx.error(rule.span, "the service assigns this key, so there is no input to validate: remove this");
    }
}

fn check_set_by_service(field: &Field<'_>, role: &str, cx: &Ctxt) {
    let needless = [
        (field.default.as_ref().map(|default| default.span), "`default`"),
        (field.database_default.map(Into::into), "`default(database)`"),
        (field.exposure.immutable.map(Into::into), "`immutable`"),
        (field.rules.first().map(|rule| rule.span), "the validation"),
    ];
    for (span, name) in needless.into_iter().filter_map(|(span, name)| Some((span?, name))) {
        cx.error(span, format_args!("the service sets `{role}`: remove {name}"));
    }
    if let Some(span) = field.exposure.write_only {
        cx.error(span, format_args!("the service sets `{role}`: expected `hidden`, found `write_only`"));
    }
}

fn check_backfill(field: &Field<'_>, cx: &Ctxt) {
    let Some(backfill) = field.backfill.as_ref().filter(|_| field.role != Role::Id) else { return };
    if field.role == Role::IsDeleted {
        cx.error(backfill.span, "this field has no column: remove `backfill`");
    } else if field.ty.optional {
        let message = "existing records have null in a nullable field: remove `backfill`, or the `Option`";
        cx.error(backfill.span, message);
    } else if field.database_default.is_some() {
        cx.error(backfill.span, "the database fills in the records that exist too: remove `backfill`");
    }
}

fn check_settable(field: &Field<'_>, cx: &Ctxt) {
    let exposure = field.exposure;
    let Some(span) = exposure.hidden.or(exposure.read_only) else { return };
    let is_filled = field.default.is_some() || field.database_default.is_some();
    if field.role == Role::Plain && !field.ty.optional && !is_filled {
        let name = if exposure.hidden.is_some() { "hidden" } else { "read_only" };
        let message = format!(
            "a create over HTTP cannot set a `{name}` field: add `default(…)`, make it an `Option`, or leave `create` to the program by `operations(except(create))`"
        );
        cx.error(span, message);
    }
}
