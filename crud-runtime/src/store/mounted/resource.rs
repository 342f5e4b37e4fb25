//! [`MountedResource`]: a resource in a running service.

use super::options::ResourceOptions;
use super::rate_limiter::RateLimiter;
use crate::model::descriptor::Descriptor;
use crate::model::validation::Patterns;
use crate::storage::error::{Error, Result};

/// A resource with its options, compiled patterns and the count of requests.
#[derive(Debug)]
pub(crate) struct MountedResource {
    options: ResourceOptions,
    patterns: Patterns,
    rate_limiter: Option<RateLimiter>,
}

impl MountedResource {
    /// Compiles a resource's patterns.
    ///
    /// # Errors
    /// [`Error::Setup`] when a pattern does not compile.
    pub(crate) fn new(options: ResourceOptions) -> Result<Self> {
        let resource = options.descriptor;
        let patterns =
            Patterns::compile(resource).map_err(|error| Error::Setup(format!("{}: {error}", resource.name)))?;
        let patterns = patterns.with_text_limit(options.text_limit);
        let rate_limiter = options.rate_limit.map(|limit| RateLimiter::new(limit, &options.prefix));
        Ok(Self { options, patterns, rate_limiter })
    }

    /// Mounts a derived resource, whose patterns the derive has compiled.
    ///
    /// # Panics
    /// With a hand-written descriptor whose pattern does not compile.
    pub(crate) fn of_derived(options: ResourceOptions) -> Self {
        Self::new(options).expect("the derive's patterns compile")
    }

    /// The descriptor from the derive.
    pub(crate) fn resource(&self) -> &'static Descriptor {
        self.options.descriptor
    }

    /// The service's options.
    pub(crate) fn options(&self) -> &ResourceOptions {
        &self.options
    }

    /// The count of each caller's requests, where they are limited.
    pub(crate) const fn rate_limiter(&self) -> Option<&RateLimiter> {
        self.rate_limiter.as_ref()
    }

    /// The compiled patterns of the fields.
    pub(crate) fn patterns(&self) -> &Patterns {
        &self.patterns
    }
}
