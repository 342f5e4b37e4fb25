//! [`Mounted`]: a resource as a running service has it.

use super::resource_options::ResourceOptions;
use crate::model::descriptor::Descriptor;
use crate::model::validation::Patterns;
use crate::storage::error::{Error, Result};

/// A resource with the deployer's choices and what is computed once from both.
#[derive(Debug)]
pub(crate) struct Mounted {
    options: ResourceOptions,
    patterns: Patterns,
}

impl Mounted {
    /// Prepares a resource.
    ///
    /// # Errors
    /// [`Error::Setup`] when a pattern does not compile.
    pub(crate) fn new(options: ResourceOptions) -> Result<Self> {
        let resource = options.descriptor;
        let patterns =
            Patterns::compile(resource).map_err(|error| Error::Setup(format!("{}: {error}", resource.name)))?;
        Ok(Self { options, patterns })
    }

    /// What the derive knows of it.
    pub(crate) fn resource(&self) -> &'static Descriptor {
        self.options.descriptor
    }

    /// What the deployer chose.
    pub(crate) fn options(&self) -> &ResourceOptions {
        &self.options
    }

    /// Its compiled patterns.
    pub(crate) fn patterns(&self) -> &Patterns {
        &self.patterns
    }
}
