//! Tokens of numbers and times.

use std::time::Duration;

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

/// A time, in the largest unit that it has a whole number of.
pub(super) fn duration(time: Duration) -> TokenStream {
    let seconds = time.as_secs();
    let units = [(60 * 60, quote!(from_hours)), (60, quote!(from_mins)), (1, quote!(from_secs))];
    let unit = units.into_iter().find(|(length, _)| seconds.is_multiple_of(*length));
    let (length, constructor) = unit.unwrap_or((1, quote!(from_secs)));
    let count = Literal::u64_unsuffixed(seconds / length);
    quote!(::core::time::Duration::#constructor(#count))
}

/// An index or length, without a suffix.
pub(super) fn index(index: usize) -> TokenStream {
    Literal::usize_unsuffixed(index).to_token_stream()
}
