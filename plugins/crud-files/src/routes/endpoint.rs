//! [`Endpoint`]: a field with the plugin.

use std::sync::Arc;

use crate::field::FileField;
use crate::file_service::FileService;

/// A field with the plugin, as the handlers of a route have it.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) files: FileService,
    pub(crate) field: Arc<FileField>,
}
