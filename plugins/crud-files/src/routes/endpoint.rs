//! [`Endpoint`]: a field with the plugin's state.

use std::sync::Arc;

use crate::field::FileField;
use crate::file_service::FileService;

/// A field with the plugin's state, for the handlers of its routes.
#[derive(Debug, Clone)]
pub(crate) struct Endpoint {
    pub(crate) files: FileService,
    pub(crate) field: Arc<FileField>,
}
