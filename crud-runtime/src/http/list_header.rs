//! [`ListHeaders`]: headers that a plugin adds to lists.

use std::sync::Arc;
use std::time::Duration;

use axum::http::{HeaderMap, HeaderName, HeaderValue};

use crate::model::descriptor::Descriptor;

/// The value of a header for lists of a resource that may be as old as a time.
pub(crate) type HeaderOfList = Arc<dyn Fn(&'static Descriptor, Duration) -> Option<HeaderValue> + Send + Sync>;

/// Headers that are added to lists, whose values are made before the records are read.
#[derive(Clone, Default)]
pub(crate) struct ListHeaders {
    pub(crate) all: Vec<(HeaderName, HeaderOfList)>,
    /// The greatest age of the records: that of replicas.
    pub(crate) age: Duration,
}

impl ListHeaders {
    /// The headers of a list whose records are read afterwards.
    pub(crate) fn before(&self, resource: &'static Descriptor) -> Vec<(HeaderName, HeaderValue)> {
        let value = |(name, value): &(HeaderName, HeaderOfList)| Some((name.clone(), value(resource, self.age)?));
        self.all.iter().filter_map(value).collect()
    }

    /// Adds the headers to the answer.
    pub(crate) fn add(found: Vec<(HeaderName, HeaderValue)>, headers: &mut HeaderMap) {
        headers.extend(found);
    }
}
