//! Spans of which no two overlap.

use proc_macro2::TokenStream;
use quote::quote;

use super::column::state;
use crate::expand::tokens::index;
use crate::model::{Exclusive, Model};

pub(super) fn exclusives(model: &Model<'_>) -> Option<TokenStream> {
    let all = model.exclusives.iter().map(|Exclusive { columns, start, end, inclusive, when }| {
        let (columns, start, end) = (columns.iter().map(|&column| index(column)), index(*start), index(*end));
        let inclusive = inclusive.then(|| quote!(.inclusive()));
        // A type known by name is no enum, which is reported already.
        let when = when.as_ref().filter(|(column, _)| model.fields[*column].ty.known.is_none());
        let when = when.map(|(column, variants)| {
            let values = variants.iter().map(|variant| state(&model.fields[*column], variant));
            let column = index(*column);
            quote!(.when(#column, &[#(#values),*]))
        });
        quote!(__crud::Exclusive::new(&[#(#columns),*], #start, #end) #inclusive #when)
    });
    (!model.exclusives.is_empty()).then(|| quote!(.exclusives(&[#(#all),*])))
}
