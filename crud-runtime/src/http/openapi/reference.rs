//! References to components.

use serde_json::{Value, json};

/// A reference to a component, such as `schemas/Product`.
pub(crate) fn reference(component: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{component}/{name}") })
}
