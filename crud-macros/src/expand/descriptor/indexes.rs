//! Unique groups, and indexes.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::attr::field::Among;
use crate::expand::tokens::index;
use crate::model::{PartialIndex, UniqueGroup};

pub(super) fn uniques(groups: &[UniqueGroup]) -> Option<TokenStream> {
    let all = groups.iter().map(|UniqueGroup { columns, among, case_insensitive }| {
        let (columns, among) = (columns.iter().map(|&column| index(column)), uniqueness(*among));
        let folded = case_insensitive.iter().map(|column| index(column.value));
        let folded = (!case_insensitive.is_empty()).then(|| quote!(.case_insensitive(&[#(#folded),*])));
        quote!(__crud::UniqueGroup::new(&[#(#columns),*], #among) #folded)
    });
    (!groups.is_empty()).then(|| quote!(.uniques(&[#(#all),*])))
}

pub(super) fn uniqueness(among: Among) -> TokenStream {
    match among {
        Among::All => quote!(__crud::Uniqueness::All),
        Among::Active => quote!(__crud::Uniqueness::Active),
        Among::Global => quote!(__crud::Uniqueness::Global),
    }
}

pub(super) fn partial_indexes(indexes: &[PartialIndex]) -> Option<TokenStream> {
    let all = indexes.iter().map(|PartialIndex { columns, some }| {
        let (columns, some) = (columns.iter().map(|&column| index(column)), index(*some));
        quote!(__crud::PartialIndex::new(&[#(#columns),*], #some))
    });
    (!indexes.is_empty()).then(|| quote!(.partial_indexes(&[#(#all),*])))
}

pub(super) fn groups(method: &str, groups: &[Vec<usize>]) -> TokenStream {
    if groups.is_empty() {
        return TokenStream::new();
    }
    let method = format_ident!("{method}");
    let groups = groups.iter().map(|group| {
        let indices = group.iter().map(|&column| index(column));
        quote!(&[#(#indices),*])
    });
    quote!(.#method(&[#(#groups),*]))
}
