//! Values of the program, and counters.

use std::any::TypeId;
use std::sync::Arc;

use super::builder::Service;

/// # Extensions
///
/// Values of the program for its hooks, handlers and jobs, and counters.
impl Service {
    /// Adds a value of the program for its hooks, handlers and jobs, such as a mailer. They find it by its type:
    /// [`App::extension`](crate::App::extension), [`Context::extension`](crate::routing::Context::extension),
    /// [`HookContext::extension`](crate::hooks::HookContext::extension).
    pub fn extension<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        self.extensions.insert(TypeId::of::<T>(), Arc::new(value));
        self
    }

    /// Gives the service the table of [`Tx::next_number`](crate::Tx::next_number). Services with hooks or jobs have it.
    pub fn counters(mut self) -> Self {
        self.has_counters = true;
        self
    }
}
