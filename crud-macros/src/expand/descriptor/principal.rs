//! The owner, the tenant and the scopes of the records.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::attr;
use crate::attr::access::Access;
use crate::expand::access;
use crate::expand::tokens::{duration, index};
use crate::model::{Members, Model, Scope};

/// The owner of the records.
pub(super) fn owner(model: &Model<'_>) -> Option<TokenStream> {
    let (column, owner) =
        model.fields.iter().enumerate().find_map(|(column, field)| Some((column, field.owner.as_ref()?)))?;
    let (column, except) = (index(column), optional_access(owner.except.as_ref()));
    let assign = owner.assign.as_ref().map(|rule| {
        let rule = access::access(rule);
        quote!(.assign(#rule))
    });
    Some(quote!(.owner(__crud::Owner::new(#column, #except) #assign)))
}

/// The tenant of the records.
pub(super) fn tenant(model: &Model<'_>) -> Option<TokenStream> {
    let (column, tenant) =
        model.fields.iter().enumerate().find_map(|(column, field)| Some((column, field.tenant.as_ref()?)))?;
    let (column, except) = (index(column), optional_access(tenant.except.as_ref()));
    let members = model.members.as_ref().map(|Members { user, role, keep }| {
        let (user, role) = (index(*user), optional_index(*role));
        let keep = keep.as_ref().map(|keep| quote!(.keep(#keep)));
        quote!(.members(#user, #role) #keep)
    });
    Some(quote!(.tenant(__crud::Tenant::new(#column, #except) #members)))
}

fn optional_index(column: Option<usize>) -> TokenStream {
    match column {
        Some(column) => {
            let column = index(column);
            quote!(::core::option::Option::Some(#column))
        }
        None => quote!(::core::option::Option::None),
    }
}

fn optional_access(rule: Option<&Access>) -> TokenStream {
    match rule {
        Some(rule) => {
            let rule = access::access(rule);
            quote!(::core::option::Option::Some(#rule))
        }
        None => quote!(::core::option::Option::None),
    }
}

pub(super) fn scopes<'s>(method: &str, scopes: impl Iterator<Item = &'s Scope>) -> Option<TokenStream> {
    let all: Vec<TokenStream> = scopes.map(scope).collect();
    let method = format_ident!("{method}");
    (!all.is_empty()).then(|| quote!(.#method(&[#(#all),*])))
}

fn scope(scope: &Scope) -> TokenStream {
    let Scope { access: rule, except, column, path, claim, within, .. } = scope;
    let (rule, column) = (access::access(rule), index(*column));
    let except = except.as_ref().map(|rule| {
        let rule = access::access(rule);
        quote!(.except(#rule))
    });
    let path = path.as_ref().map(|path| {
        let (more, field) = (path.more.iter().map(attr::name), attr::name(&path.field));
        let path = match path.children.map(index) {
            Some(children) => quote!(of_children(#children, &[#(#more),*], #field)),
            None => quote!(of_reference(&[#(#more),*], #field)),
        };
        quote!(.path(__crud::ScopePath::#path))
    });
    let within = within.map(|(column, _, time)| {
        let (column, time) = (index(column), duration(time));
        quote!(.within(#column, #time))
    });
    quote!(__crud::ClaimScope::new(#rule, #column, #claim) #except #path #within)
}
