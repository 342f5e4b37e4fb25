//! The fields that `scope` compares with claims.

use super::lookup::Lookup;
use crate::attr::Spanned;
use crate::attr::scope::ScopeAttribute;
use crate::ctxt::Ctxt;
use crate::model::{Field, Role, Scope};
use crate::ty::Known;

/// The scopes with the indexes of their fields.
pub(super) fn resolve(attributes: Vec<ScopeAttribute>, lookup: &Lookup<'_>) -> Vec<Spanned<Scope>> {
    let resolve = |attribute: ScopeAttribute| {
        let ScopeAttribute { access, field, claim } = attribute;
        let column = lookup.find(&field)?.index;
        Some(Spanned::new(Scope { access, column, claim }, field.span()))
    };
    attributes.into_iter().filter_map(resolve).collect()
}

/// Checks that the fields can hold claims.
pub(super) fn check(scopes: &[Spanned<Scope>], fields: &[Field<'_>], cx: &Ctxt) {
    for Spanned { value: scope, span } in scopes {
        let field = &fields[scope.column];
        let name = &field.name;
        if matches!(field.role, Role::CreatedAt | Role::UpdatedAt | Role::DeletedAt | Role::IsDeleted) {
            cx.error(*span, format_args!("the service sets `{name}`: name another field"));
        } else if field.tenant.is_some() || field.owner.is_some() {
            let other = if field.owner.is_some() { "owner" } else { "tenant" };
            cx.error(
                *span,
                format_args!("`{name}` is the {other}, which restricts every principal already: name another field"),
            );
        } else if field.ty.known.is_some_and(|known| !holds_a_claim(known)) {
            cx.error(
                *span,
                format_args!("`{name}` cannot hold a claim: expected an integer, `String`, `Uuid` or `bool`"),
            );
        }
    }
}

fn holds_a_claim(known: Known) -> bool {
    known.is_integer() || matches!(known, Known::Text | Known::Uuid | Known::Bool)
}
