//! The fields that `scope` compares with claims.

use proc_macro2::{Ident, Span};

use super::lookup::Lookup;
use super::relations;
use crate::attr::children::ChildrenAttribute;
use crate::attr::item::RawField;
use crate::attr::scope::ScopeAttribute;
use crate::attr::{Spanned, name as unraw};
use crate::ctxt::Ctxt;
use crate::model::{Field, Role, Scope, ScopePath};
use crate::ty::Known;

/// The scopes with the indexes of their fields. `key`: the fields of the key.
pub(super) fn resolve(
    attributes: Vec<ScopeAttribute>,
    fields: &[RawField<'_>],
    children: &[ChildrenAttribute],
    key: &[usize],
    lookup: &Lookup<'_>,
) -> Vec<Spanned<Scope>> {
    let resolve = |attribute: ScopeAttribute| {
        let ScopeAttribute { is_write, access, except, is_any, relations, field, claim, within } = attribute;
        let span = relations.first().map_or_else(|| field.span(), Ident::span);
        let (column, path) = match relations.split_first() {
            None if is_any => {
                let message = "`any` is about records that refer to this one: expected `any(comments::author_id(me))`";
                lookup.error(field.span(), message);
                return None;
            }
            None => (lookup.find(&field)?.index, None),
            Some((first, more)) => {
                let (column, children, target) = first_step(first, is_any, fields, children, key, lookup)?;
                (column, Some(ScopePath { children, more: more.to_vec(), field, target }))
            }
        };
        let within = match within {
            Some(within) => Some((lookup.find(&within.field)?.index, within.field.span(), within.time)),
            None => None,
        };
        Some(Spanned::new(Scope { is_write, access, except, column, path, claim, within }, span))
    };
    attributes.into_iter().filter_map(resolve).collect()
}

/// Resolves the first relation of a path: the field, the index of the `has_many` list, if it is one, and the resource.
fn first_step(
    first: &Ident,
    is_any: bool,
    fields: &[RawField<'_>],
    children: &[ChildrenAttribute],
    key: &[usize],
    lookup: &Lookup<'_>,
) -> Option<(usize, Option<usize>, proc_macro2::TokenStream)> {
    let name = unraw(first);
    let position = children.iter().position(|children| unraw(&children.name) == name);
    match (position, is_any) {
        (Some(index), true) => Some((*key.first()?, Some(index), children[index].resource.value.clone())),
        (Some(_), false) => {
            lookup.error(first.span(), format_args!("`{name}` is a list of records: expected `any({name}::…)`"));
            None
        }
        (None, true) => {
            let message = format!("there is no `{name}` of `has_many`: `any` is about records that refer to this one");
            lookup.error(first.span(), message);
            None
        }
        (None, false) => {
            let column = relations::reference_of(fields, first, lookup)?;
            let target = fields[column].attributes.references.as_ref()?.target.value.clone();
            Some((column, None, target))
        }
    }
}

/// Checks that the fields can hold the claims, and the times of `within`.
pub(super) fn check(scopes: &[Spanned<Scope>], fields: &[Field<'_>], cx: &Ctxt) {
    for Spanned { value: scope, span } in scopes {
        if let Some((column, span, _)) = scope.within {
            check_time(&fields[column], span, cx);
        }
        let field = &fields[scope.column];
        let name = &field.name;
        if scope.path.is_some() {
            // The compiler checks the other resource's field.
        } else if matches!(field.role, Role::CreatedAt | Role::UpdatedAt | Role::DeletedAt | Role::IsDeleted) {
            cx.error(*span, format_args!("the service sets `{name}`: name another field"));
        } else if field.tenant.is_some() || field.owner.is_some() {
            let other = if field.owner.is_some() { "owner" } else { "tenant" };
            cx.error(
                *span,
                format_args!("`{name}` is the {other}, which restricts every principal already: name another field"),
            );
        } else if scope.claim.is_empty() && field.ty.known.is_some_and(|known| known != Known::Text) {
            cx.error(*span, format_args!("`{name}` cannot hold the text of a tenant: expected `String`"));
        } else if field.ty.known.is_some_and(|known| !holds_a_claim(known)) {
            cx.error(
                *span,
                format_args!("`{name}` cannot hold a claim: expected an integer, `String`, `Uuid` or `bool`"),
            );
        }
    }
}

fn check_time(field: &Field<'_>, span: Span, cx: &Ctxt) {
    if field.ty.known != Some(Known::DateTime) {
        cx.error(span, format_args!("`{}` is not a time: expected a field of type `DateTime<Utc>`", field.name));
    }
}

fn holds_a_claim(known: Known) -> bool {
    known.is_integer() || matches!(known, Known::Text | Known::Uuid | Known::Bool)
}
