//! Errors that triggers raise, such as by `RAISE EXCEPTION`: rules of the program that owns the table.

use super::TARGET;
use crate::model::adapter_error::AdapterError;

/// The refusal of a change. The trigger's message is only logged: it may contain what the caller must not see.
pub(crate) fn raised(message: &str) -> AdapterError {
    tracing::info!(target: TARGET, reason = message, "a trigger refuses a change");
    AdapterError::Constraint { column: None }
}
