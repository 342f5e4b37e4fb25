//! Who may do what.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::attr::access::{Access, Grant};

/// The option of the descriptor: the general grants first, so that the more specific ones win.
pub(super) fn expand(grants: &[Grant]) -> TokenStream {
    let of = |name: &'static str| grants.iter().find(move |grant| grant.operation.value == name);
    let all = of("all").map_or_else(|| quote!(__crud::Access::Authenticated), |grant| access(&grant.access));
    let groups = ["read", "write"].into_iter().filter_map(of).map(|grant| {
        let (group, access) = (format_ident!("{}", grant.operation.value), access(&grant.access));
        quote!(.#group(#access))
    });
    let operations = grants.iter().filter(|grant| !["all", "read", "write"].contains(&grant.operation.value));
    let operations = operations.map(|grant| {
        let (operation, access) = (format_ident!("{}", grant.operation.value), access(&grant.access));
        quote!(.#operation(#access))
    });
    quote!(.access(__crud::AccessRules::everything(#all) #(#groups)* #(#operations)*))
}

/// One rule.
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
