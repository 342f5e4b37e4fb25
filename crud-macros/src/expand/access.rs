//! `access`, `owner` and `visible`: who may do what.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::attr::access::{Access, Grant, Scope};

/// The option of the descriptor. The general grants stand first, because a later one overrides an earlier one.
pub(super) fn expand(grants: &[Grant]) -> TokenStream {
    let grant = |scope: Scope| grants.iter().find(move |grant| grant.scope.value == scope);
    let all = match grant(Scope::All).map(|grant| access(&grant.access)) {
        Some(all) => quote!(__crud::AccessRules::everything(#all)),
        None => quote!(__crud::AccessRules::UNSTATED),
    };
    let groups = [Scope::Read, Scope::Write].into_iter().filter_map(grant);
    let operations = grants.iter().filter(|grant| matches!(grant.scope.value, Scope::One(_)));
    let setters = groups.chain(operations).map(|grant| {
        let (setter, access) = (format_ident!("{}", grant.scope.value.name()), access(&grant.access));
        quote!(.#setter(#access))
    });
    quote!(.access(#all #(#setters)*))
}

/// The expression of an access rule.
pub(super) fn access(rule: &Access) -> TokenStream {
    match rule {
        Access::Public => quote!(__crud::Access::Public),
        Access::Authenticated => quote!(__crud::Access::Authenticated),
        Access::Role(name) => quote!(__crud::Access::Role(#name)),
        Access::Permission(name) => quote!(__crud::Access::Permission(#name)),
        Access::Any(rules) => {
            let rules = rules.iter().map(access);
            quote!(__crud::Access::Any(&[#(#rules),*]))
        }
        Access::All(rules) => {
            let rules = rules.iter().map(access);
            quote!(__crud::Access::All(&[#(#rules),*]))
        }
    }
}
