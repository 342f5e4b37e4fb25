//! [`ResourceOptions`]: a service's options for one resource.

use crate::model::descriptor::{Batch, Count, Descriptor, Pagination, RateLimit};
use crate::model::validation::TEXT_LIMIT;

/// The options of a resource in a service: the struct's attributes, with overrides.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Resource)]
/// # #[crud(pagination)]
/// # struct Product { id: i64 }
/// # async fn build() -> crud_runtime::Result<()> {
/// let service = Service::connect("sqlite::memory:")
///     .await?
///     .resource_with::<Product>(|o| o.prefix("/v1/products").tags(["Catalogue"]).max_limit(50));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct ResourceOptions {
    pub(crate) descriptor: &'static Descriptor,
    pub(crate) prefix: String,
    pub(crate) tags: Vec<String>,
    /// The name of the resource's schemas and operations in the document, in place of the struct's.
    pub(crate) api_name: Option<String>,
    pub(crate) pagination: Option<Pagination>,
    pub(crate) batch: Option<Batch>,
    pub(crate) rate_limit: Option<RateLimit>,
    /// Maximum number of characters in a text whose field does not bound it.
    pub(crate) text_limit: usize,
    /// Whether the resource is only a table, without operations.
    pub(crate) is_table: bool,
}

impl ResourceOptions {
    /// The options from the struct's attributes.
    pub fn new(descriptor: &'static Descriptor) -> Self {
        Self {
            descriptor,
            prefix: descriptor.prefix.to_owned(),
            tags: descriptor.tags.iter().map(|&tag| tag.to_owned()).collect(),
            api_name: descriptor.api_name.map(str::to_owned),
            pagination: descriptor.pagination,
            batch: descriptor.batch,
            rate_limit: descriptor.rate_limit,
            text_limit: TEXT_LIMIT,
            is_table: false,
        }
    }

    /// Sets the path prefix: one or more segments, such as `/v1/products`.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the tags that group the operations in the OpenAPI document.
    pub fn tags<T: Into<String>>(mut self, tags: impl IntoIterator<Item = T>) -> Self {
        self.tags = tags.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the name of the resource's schemas and operations in the OpenAPI document, in place of the attribute `api_name`.
    pub fn api_name(mut self, name: impl Into<String>) -> Self {
        self.api_name = Some(name.into());
        self
    }

    /// Sets the page size of requests without `limit`, and turns pagination on.
    pub fn default_limit(mut self, limit: u32) -> Self {
        self.pagination_mut().default_limit = limit;
        self
    }

    /// Sets the largest page size, and turns pagination on.
    pub fn max_limit(mut self, limit: u32) -> Self {
        let pagination = self.pagination_mut();
        pagination.max_limit = limit;
        pagination.default_limit = pagination.default_limit.min(limit);
        self
    }

    /// Sets how precisely lists count their records, and turns pagination on.
    pub fn count(mut self, count: Count) -> Self {
        self.pagination_mut().count = count;
        self
    }

    /// Sets the largest number of items in a batch; ignored if the resource has no batches.
    pub fn max_batch_size(mut self, size: u32) -> Self {
        if let Some(batch) = &mut self.batch {
            batch.max_size = size;
        }
        self
    }

    /// Sets how many requests a caller may send to the resource's routes in a window of time, in place of the attribute
    /// `rate_limit`; `None` lifts the limit.
    pub fn rate_limit(mut self, limit: impl Into<Option<RateLimit>>) -> Self {
        self.rate_limit = limit.into();
        self
    }

    /// The last part of the prefix: `books` of `/v1/books`.
    #[cfg(feature = "config")]
    pub(crate) fn path_name(&self) -> &str {
        self.prefix.rsplit('/').next().unwrap_or_default()
    }

    /// Whether a name is the last part of the prefix, or the resource's own.
    #[cfg(feature = "config")]
    pub(crate) fn is_called(&self, name: &str) -> bool {
        self.path_name() == name || self.descriptor.name.eq_ignore_ascii_case(name)
    }

    fn pagination_mut(&mut self) -> &mut Pagination {
        self.pagination.get_or_insert(Pagination::new(20, 100))
    }
}
