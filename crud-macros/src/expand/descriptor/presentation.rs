//! The presentation in pages for people.

use proc_macro2::TokenStream;
use quote::quote;

use crate::expand::tokens::index;
use crate::model::Presentation;

/// `.presentation(…)`.
pub(super) fn presentation(presentation: &Presentation) -> TokenStream {
    let title = presentation.title.map(|title| {
        let title = index(title);
        quote!(.title(#title))
    });
    let list = presentation.list.iter().map(|&column| index(column));
    let list = (!presentation.list.is_empty()).then(|| quote!(.list(&[#(#list),*])));
    let group = presentation.group.as_ref().map(|group| quote!(.group(#group)));
    let hidden = presentation.hidden.then(|| quote!(.hidden()));
    let read_only = presentation.read_only.then(|| quote!(.read_only()));
    quote!(.presentation(__crud::Presentation::new() #title #list #group #hidden #read_only))
}
