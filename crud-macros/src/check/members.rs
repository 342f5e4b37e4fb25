//! The fields that `tenant(members(…))` names.

use proc_macro2::Ident;

use super::lookup::Lookup;
use crate::attr::Spanned;
use crate::attr::field::OnDelete;
use crate::attr::item::RawField;
use crate::ctxt::Ctxt;
use crate::model::{Field, Members, UniqueGroup};
use crate::ty::Known;

/// The fields of a membership, with the spans of their names.
pub(super) struct NamedMembers {
    user: Spanned<usize>,
    role: Option<Spanned<usize>>,
    keep: Option<Spanned<String>>,
}

impl NamedMembers {
    /// The fields by their indexes.
    pub(super) fn fields(&self) -> Members {
        Members {
            user: self.user.value,
            role: self.role.as_ref().map(|role| role.value),
            keep: self.keep.as_ref().map(|keep| keep.value.clone()),
        }
    }
}

/// The fields of a membership, where the tenant names them.
pub(super) fn resolve(fields: &[RawField<'_>], lookup: &Lookup<'_>) -> Option<NamedMembers> {
    let members = fields.iter().find_map(|field| field.attributes.tenant.as_ref()?.members.as_ref())?;
    // A misspelt name is reported once, by the lookup.
    let find = |ident: &Ident| lookup.find(ident).and_then(|named| Some(Spanned::new(named.index, named.span?)));
    let (user, role) = (find(&members.user), members.role.as_ref().and_then(find));
    Some(NamedMembers { user: user?, role, keep: members.keep.clone() })
}

/// Checks that the fields have users and roles, and that a user has one membership in each tenant.
pub(super) fn check(members: &NamedMembers, fields: &[Field<'_>], uniques: &[UniqueGroup], cx: &Ctxt) {
    let NamedMembers { user, role, keep } = members;
    let field = &fields[user.value];
    let (name, is_known) = (&field.name, field.ty.known.is_some());
    let is_subject = matches!(field.ty.known, Some(Known::I32 | Known::I64 | Known::Uuid | Known::Text));
    let is_single = |group: &UniqueGroup| match group.columns.as_slice() {
        [column] => *column == user.value,
        [one, other] => {
            let is_tenant = |column: &usize| fields[*column].tenant.is_some();
            *one == user.value && is_tenant(other) || *other == user.value && is_tenant(one)
        }
        _ => false,
    };
    if field.tenant.is_some() || field.ty.optional || is_known && !is_subject {
        cx.error(user.span, "a member must be `i64`, `i32`, `Uuid` or `String`: it is the `sub` of a token");
    } else if field.unique.is_none() && !uniques.iter().any(is_single) {
        cx.error(user.span, format_args!("a user has one membership in each tenant: put `unique` on `{name}`"));
    }
    let Some(role) = role else { return };
    let field = &fields[role.value];
    let is_text = matches!(field.ty.known, None | Some(Known::Text | Known::TextList));
    if !is_text || field.tenant.is_some() || role.value == user.value {
        cx.error(
            role.span,
            "a role must be `String`, an enum or `Vec<String>`: expected the field of the member's role",
        );
    } else if let Some(keep) = keep.as_ref().filter(|_| field.ty.known == Some(Known::TextList)) {
        cx.error(keep.span, "`keep` needs a member to have one role: expected a role that is `String` or an enum");
    }
    let user = fields[user.value].references.as_ref().filter(|reference| reference.on_delete == OnDelete::Cascade);
    if let Some((reference, _)) = user.zip(keep.as_ref()) {
        let span = reference.on_delete_span.unwrap_or(reference.target.span);
        cx.error(
            span,
            "a user who goes would take the last member with them: expected `on_delete(restrict)` beside `keep`",
        );
    }
}
