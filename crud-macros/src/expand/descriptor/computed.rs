//! Computed fields.

use proc_macro2::TokenStream;
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use crate::attr::computed::{Computed, Expressions};
use crate::model::Model;

/// The computation of the fields that functions compute.
pub(super) fn computing(model: &Model<'_>) -> Option<TokenStream> {
    let ident = model.ident;
    let values: Vec<_> = model
        .fields
        .iter()
        .filter_map(|field| {
            let function = field.computed.as_ref()?.function()?;
            let (path, ty) = (&function.value, field.ty.written);
            let into = quote_spanned!(ty.span()=> <#ty as __crud::Column>::into_value);
            // A function pointer, so that the compiler compares the whole signature and underlines the path.
            let signature = quote_spanned!(function.span.start=> fn(&#ident, &__crud::RequestContext<'_>) -> #ty);
            let function =
                quote_spanned!(function.span.start=> { let __crud_function: #signature = #path; __crud_function });
            Some(quote!(#into(#function(&__crud_record, __crud_request))))
        })
        .collect();
    (!values.is_empty()).then(|| {
        quote! {
            .computing(|__crud_row, __crud_request| {
                let __crud_record = <#ident as __crud::Resource>::from_row(__crud_row)?;
                __crud::Ok(__crud::record_values([#(#values),*]))
            })
        }
    })
}

/// The computation of a field.
pub(super) fn computed(computed: &Computed) -> TokenStream {
    let Some(Expressions { sql, sqlite, postgres, mysql }) = computed.expressions() else {
        return quote!(.computed(__crud::Computed::by_function()));
    };
    // `sql` comes last: it fills in for the databases without an expression.
    let texts = [("sqlite", sqlite), ("postgres", postgres), ("mysql", mysql), ("sql", sql)];
    let texts = texts.into_iter().filter_map(|(database, sql)| {
        let (method, sql) = (format_ident!("{database}"), &sql.as_ref()?.value);
        Some(quote!(.#method(#sql)))
    });
    quote!(.computed(__crud::Computed::new() #(#texts)*))
}
