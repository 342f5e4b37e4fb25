//! The rules of a column's values.

use proc_macro2::{Literal as LiteralToken, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use crate::attr::Literal;
use crate::attr::field::Rule;
use crate::expand::tokens::index;
use crate::model::Field;

pub(super) fn rules(field: &Field<'_>) -> TokenStream {
    let implied = field.implied_max_length.map(max_length);
    let mut rules = field.rules.iter().map(|rule| rule_tokens(&rule.value, field)).chain(implied).peekable();
    if rules.peek().is_none() {
        return TokenStream::new();
    }
    quote!(.rules(&[#(__crud::Rule::#rules),*]))
}

fn max_length(length: usize) -> TokenStream {
    let length = index(length);
    quote!(MaxLength(#length))
}

fn rule_tokens(rule: &Rule, field: &Field<'_>) -> TokenStream {
    match rule {
        Rule::Min(bound) => {
            let bound = literal(&bound.value);
            quote!(Min(#bound))
        }
        Rule::Max(bound) => {
            let bound = literal(&bound.value);
            quote!(Max(#bound))
        }
        Rule::MinLength(length) => {
            let length = index(length.value);
            quote!(MinLength(#length))
        }
        Rule::MaxLength(length) => max_length(length.value),
        Rule::AnyLength => quote!(AnyLength),
        Rule::Pattern(pattern) => {
            let pattern = &pattern.value;
            quote!(Pattern(#pattern))
        }
        Rule::Email => quote!(Email),
        Rule::Url => quote!(Url),
        Rule::OneOf(values) => {
            let values = values.iter().map(|value| literal(&value.value));
            quote!(OneOf(&[#(#values),*]))
        }
        Rule::Custom(path) => {
            let (function, ty) = (&path.value, field.ty.inner);
            // The closure lets a `fn(&str)` check a `String`.
            let check = quote_spanned!(path.span.start=> |__crud_value: &#ty| #function(__crud_value));
            let from = quote_spanned!(ty.span()=> <#ty as __crud::Column>::from_value);
            quote!(Custom(|__crud_value| __crud::check_custom(#from(__crud_value), #check)))
        }
    }
}

fn literal(literal: &Literal) -> TokenStream {
    match literal {
        Literal::Int(value) => {
            let value = LiteralToken::i64_unsuffixed(*value);
            quote!(__crud::Literal::Int(#value))
        }
        Literal::Float(value) => {
            let value = LiteralToken::f64_unsuffixed(*value);
            quote!(__crud::Literal::Float(#value))
        }
        Literal::Text(value) => quote!(__crud::Literal::Text(#value)),
    }
}
