//! The columns.

use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::computed::computed;
use super::indexes::uniqueness;
use super::rule::rules;
use crate::attr;
use crate::attr::entry::Form;
use crate::attr::field::OnDelete;
use crate::attr::of_type::TypeAttribute;
use crate::attr::transition::Transition;
use crate::expand::access;
use crate::expand::tokens::index;
use crate::model::{Capability, Digits, Field, Format, Model, Role};

pub(super) fn column(field: &Field<'_>) -> TokenStream {
    let (name, json, storage) = (&field.name, &field.json.value, &field.column.value);
    let key = json_key(json);
    let ty = field.stored_type();
    let ty = quote_spanned!(ty.span()=> <#ty as __crud::Column>::TYPE);
    let mut tokens = quote!(#ty.column(#name, #key));
    if json != name {
        tokens.extend(quote!(.json(#json)));
    }
    if storage != name {
        tokens.extend(quote!(.column(#storage)));
    }
    if !field.doc.is_empty() {
        let doc = &field.doc;
        tokens.extend(quote!(.doc(#doc)));
    }
    let role = match field.role {
        Role::Plain => None,
        Role::Id => Some("Id"),
        Role::CreatedAt => Some("CreatedAt"),
        Role::UpdatedAt => Some("UpdatedAt"),
        Role::DeletedAt => Some("DeletedAt"),
        Role::IsDeleted => Some("IsDeleted"),
    };
    if let Some(role) = role {
        let role = format_ident!("{role}");
        tokens.extend(quote!(.role(__crud::Role::#role)));
    }
    tokens.extend(field.given.then(|| quote!(.given())));
    tokens.extend(capability("filterable", field.filterable));
    tokens.extend(capability("sortable", field.sortable));
    tokens.extend(flags(field));
    tokens.extend(field.of_type.as_ref().map(|attribute| of_type(field, attribute)));
    if field.owner.is_some() || field.tenant.is_some() || field.in_scope {
        tokens.extend(quote!(.from_principal()));
    }
    if let Some(rule) = &field.visible {
        let rule = access::access(&rule.value);
        tokens.extend(quote!(.visible(#rule)));
    }
    tokens.extend(storage_options(field));
    tokens.extend(field.computed.as_ref().map(computed));
    tokens.extend(transitions(field));
    tokens.extend(rules(field));
    tokens
}

/// The options of the attribute that the field's type defines: the compiler calls the type's `const` methods.
fn of_type(field: &Field<'_>, TypeAttribute { name, options }: &TypeAttribute) -> TokenStream {
    let (ty, written) = (at(field.ty.inner.to_token_stream(), name.span()), attr::name(name));
    let of_type = quote_spanned!(name.span()=> <#ty as __crud::ColumnAttribute>);
    let check = quote_spanned!(name.span()=> const _: () = __crud::checked_attribute(#of_type::NAME, #written););
    // A statement for each option, so that the compiler underlines the one whose value it refuses.
    let mut statements = quote_spanned!(name.span()=> let __crud_options = #of_type::OPTIONS;);
    for (option, value) in options {
        let options = Ident::new("__crud_options", name.span().located_at(option.span()));
        let arguments = match value {
            Form::Flag => TokenStream::new(),
            Form::Assign(_, value) => value.clone(),
            Form::List(_, values) => quote_spanned!(option.span()=> &[#values]),
        };
        statements.extend(quote_spanned!(option.span()=> let __crud_options = #options.#option(#arguments);));
    }
    let optional = never_set(field, &written);
    quote_spanned! {name.span()=>
        .options({
            #check
            #optional
            const __CRUD_OPTIONS: &#of_type::Options = &{
                #statements
                __crud_options
            };
            __CRUD_OPTIONS
        })
    }
}

/// The check that the type of a required field is one that bodies can set.
fn never_set(field: &Field<'_>, attribute: &str) -> Option<TokenStream> {
    let is_filled = field.ty.optional || field.default.is_some() || field.database_default.is_some();
    let ty = field.ty.inner;
    let message = format!("no body sets a field with `{attribute}`: expected `{}: Option<…>`", field.name);
    let settable = quote_spanned!(ty.span()=> !<#ty as __crud::Column>::READ_ONLY);
    (!is_filled).then(|| quote_spanned!(ty.span()=> const _: () = __crud::check_requirement(#settable, #message);))
}

/// Tokens with another span: the compiler underlines that place.
fn at(tokens: TokenStream, place: Span) -> TokenStream {
    let moved = |mut tree: TokenTree| {
        if let TokenTree::Group(group) = &tree {
            tree = Group::new(group.delimiter(), at(group.stream(), place)).into();
        }
        tree.set_span(tree.span().located_at(place));
        tree
    };
    tokens.into_iter().map(moved).collect()
}

fn capability(method: &str, capability: Capability) -> TokenStream {
    let method = match capability {
        Capability::No => return TokenStream::new(),
        Capability::Yes => format_ident!("{method}"),
        Capability::IfComparable => format_ident!("{method}_if_comparable"),
    };
    quote!(.#method())
}

fn flags(field: &Field<'_>) -> TokenStream {
    let flags = [
        (field.exposure.read_only.is_some(), "read_only"),
        (field.exposure.write_only.is_some(), "write_only"),
        (field.exposure.hidden.is_some(), "hidden"),
        (field.exposure.immutable.is_some(), "immutable"),
        (field.deprecated, "deprecated"),
        (field.indexed, "indexed"),
    ];
    let methods = flags.into_iter().filter(|(on, _)| *on).map(|(_, method)| format_ident!("{method}"));
    quote!(#(.#methods())*)
}

fn storage_options(field: &Field<'_>) -> TokenStream {
    let mut tokens = TokenStream::new();
    if let Some(unique) = field.unique {
        let among = uniqueness(unique.among);
        let folded = unique.case_insensitive.map(|_| quote!(.case_insensitive()));
        tokens.extend(quote!(.unique(#among) #folded));
    }
    let values = [("default", &field.default), ("backfill", &field.backfill)];
    for (method, written) in values.into_iter().filter_map(|(method, value)| Some((method, value.as_ref()?))) {
        let (method, value, ty) = (format_ident!("{method}"), &written.value, field.ty.written);
        let into = quote_spanned!(ty.span()=> <#ty as __crud::Column>::into_value);
        let value = quote_spanned!(written.span.start=> __crud::IntoColumn::into_column(#value));
        tokens.extend(quote!(.#method(|| #into(#value))));
    }
    if field.database_default.is_some() {
        tokens.extend(quote!(.database_default()));
    }
    if let Some(renamed) = &field.renamed_from {
        let old = &renamed.value;
        tokens.extend(quote!(.renamed_from(#old)));
    }
    if let Some(reference) = &field.references {
        let (target, span) = (&reference.target.value, reference.target.span.start);
        let target = if reference.users {
            quote_spanned!(span=> __crud::users())
        } else {
            quote_spanned!(span=> <#target as __crud::Resource>::DESCRIPTOR)
        };
        let on_delete = match reference.on_delete {
            OnDelete::Restrict => quote!(Restrict),
            OnDelete::Cascade => quote!(Cascade),
            OnDelete::SetNull => quote!(SetNull),
        };
        let any = reference.any.then(|| quote!(.references_any()));
        let unconstrained = reference.unconstrained.then(|| quote!(.unconstrained()));
        let relation = reference.relation.as_ref().map(|relation| {
            let name = &relation.value;
            let method = if reference.expand { quote!(expandable) } else { quote!(relation) };
            quote!(.#method(#name))
        });
        let named = reference.named.as_ref().map(|name| quote!(.named(#name)));
        let by = reference.by.iter().map(|column| index(*column));
        let by = (!reference.by.is_empty()).then(|| quote!(.by(&[#(#by),*])));
        tokens.extend(
            quote!(.references(|| #target, __crud::OnDelete::#on_delete) #by #any #unconstrained #relation #named),
        );
    }
    if let Some(digits) = &field.digits {
        let Digits { precision, scale } = digits.value;
        tokens.extend(quote!(.digits(#precision, #scale)));
    }
    if let Some(sql_type) = &field.sql_type {
        let sql_type = &sql_type.value;
        tokens.extend(quote!(.sql_type(#sql_type)));
    }
    if let Some(format) = &field.format {
        let format = match format {
            Format::Pattern(pattern) => quote!(Pattern(#pattern)),
            Format::Unix => quote!(Unix),
            Format::UnixMillis => quote!(UnixMillis),
            Format::Lowercase => quote!(Lowercase),
            Format::Uppercase => quote!(Uppercase),
            Format::Simple => quote!(Simple),
            Format::Bytes => quote!(Bytes),
            Format::Number => quote!(Number),
        };
        tokens.extend(quote!(.format(__crud::StoredFormat::#format)));
    }
    tokens
}

/// The function that returns a variant of a field's type as a value.
pub(super) fn state(field: &Field<'_>, variant: &Ident) -> TokenStream {
    let ty = field.ty.inner;
    let value = quote_spanned!(variant.span()=> <#ty>::#variant);
    let into = quote_spanned!(ty.span()=> <#ty as __crud::Column>::into_value);
    quote!(|| #into(#value))
}

fn transitions(field: &Field<'_>) -> Option<TokenStream> {
    let state = |variant: &Ident| state(field, variant);
    // A type known by name is no enum, which is reported already.
    let transitions = field.transitions.as_ref().filter(|_| field.ty.known.is_none())?;
    let all = transitions.list.iter().map(|Transition { name, from, to, access }| {
        let name = attr::name(name);
        let path = format!("/{{id}}/{name}");
        let (from, to) = (from.iter().map(state), state(to));
        let access = access.as_ref().map(|access| {
            let access = access::access(access);
            quote!(.access(#access))
        });
        quote!(__crud::Transition::new(#name, #path, &[#(#from),*], #to) #access)
    });
    let initial = transitions.initial.iter().map(state);
    let initial = (!transitions.initial.is_empty()).then(|| quote!(.initial(&[#(#initial),*])));
    Some(quote!(.transitions(&[#(#all),*]) #initial))
}

/// The column of `is_deleted`, where no field declares it.
pub(super) fn undeclared_state(model: &Model<'_>) -> Option<TokenStream> {
    let json = model.soft_delete.as_ref()?.undeclared_state.as_ref()?;
    let key = json_key(json);
    Some(quote!(__crud::ColumnDescriptor::is_deleted(#json, #key)))
}

/// A name as a JSON key with the colon, quoted and escaped (RFC 8259 section 7).
fn json_key(name: &str) -> String {
    use std::fmt::Write;
    let mut key = String::with_capacity(name.len() + 3);
    key.push('"');
    for c in name.chars() {
        match c {
            '"' => key.push_str("\\\""),
            '\\' => key.push_str("\\\\"),
            c if c < ' ' => {
                // Writing to a String cannot fail.
                let _ = write!(key, "\\u{:04x}", u32::from(c));
            }
            c => key.push(c),
        }
    }
    key.push_str("\":");
    key
}

#[cfg(test)]
mod tests {
    use super::json_key;

    #[test]
    fn keys_are_escaped() {
        assert_eq!(json_key("price"), "\"price\":");
        assert_eq!(json_key("a\"b\\c\nd"), "\"a\\\"b\\\\c\\u000ad\":");
    }
}
