//! [`ListHeaders`]: headers that a plugin adds to lists.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::model::descriptor::Descriptor;

/// A header of the lists of some resources.
#[derive(Clone)]
pub(crate) struct ListHeader {
    pub(crate) name: HeaderName,
    /// The header's description in the document.
    pub(crate) about: &'static str,
    /// Whether lists of a resource have the header.
    pub(crate) is_of: Arc<dyn Fn(&'static Descriptor) -> bool + Send + Sync>,
    /// The value for lists whose records may be this old.
    pub(crate) value: Arc<dyn Fn(Duration) -> Option<HeaderValue> + Send + Sync>,
}

impl fmt::Debug for ListHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ListHeader").field("name", &self.name).finish_non_exhaustive()
    }
}

impl ListHeader {
    /// The name as documents write it: `Events-After`.
    pub(crate) fn title(&self) -> String {
        let words = self.name.as_str().split('-').map(|word| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_uppercase() + rest
        });
        words.collect::<Vec<_>>().join("-")
    }
}

/// Headers that are added to lists. Their values are made before the records are read.
#[derive(Clone, Default)]
pub(crate) struct ListHeaders {
    pub(crate) all: Vec<ListHeader>,
    /// The maximum age of the records: the lag that replicas may have.
    pub(crate) age: Duration,
}

impl ListHeaders {
    /// The headers of a list. This is called before its records are read.
    pub(crate) fn before(&self, resource: &'static Descriptor) -> Vec<(HeaderName, HeaderValue)> {
        let of_resource = self.all.iter().filter(|header| (header.is_of)(resource));
        of_resource.filter_map(|header| Some((header.name.clone(), (header.value)(self.age)?))).collect()
    }

    /// Adds the headers to the answer.
    pub(crate) fn add(found: Vec<(HeaderName, HeaderValue)>, headers: &mut HeaderMap) {
        headers.extend(found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_write_names_of_headers_in_capitals() {
        let (name, about) = (HeaderName::from_static("events-after"), "");
        let header = ListHeader { name, about, is_of: Arc::new(|_| true), value: Arc::new(|_| None) };
        assert_eq!(header.title(), "Events-After");
    }
}
