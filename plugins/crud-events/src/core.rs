//! [`Core`]: the parts of the plugin that its routes, tasks and webhooks share.

use std::sync::Arc;

use crate::log::Log;
use crate::view::Views;

/// The log with its numbers, and the views of subscribers. Cheap to clone.
#[derive(Debug, Clone, Default)]
#[allow(dead_code, reason = "the parts of the crate that read it follow")]
pub(crate) struct Core {
    pub(crate) log: Arc<Log>,
    pub(crate) views: Arc<Views>,
}
