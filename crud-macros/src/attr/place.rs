//! The places where keys stand, and what is known at each.

use crate::symbol::{self, Symbol};

/// A place where keys stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    /// The module of the runtime that shows editors the keys of this place.
    pub(crate) editor_module: Option<&'static str>,
    /// What is known here.
    pub(crate) known: &'static [Symbol],
    /// What is known at a place that is easily mistaken for this one, and what that place is called.
    pub(crate) elsewhere: Option<(&'static [Symbol], &'static str)>,
}

impl Place {
    const fn new(editor_module: &'static str, known: &'static [Symbol]) -> Self {
        Self { editor_module: Some(editor_module), known, elsewhere: None }
    }

    const fn not(mut self, known: &'static [Symbol], name: &'static str) -> Self {
        self.elsewhere = Some((known, name));
        self
    }

    /// serde's keys, of which editors know by themselves.
    pub(crate) const fn serde(known: &'static [Symbol]) -> Self {
        Self { editor_module: None, known, elsewhere: None }
    }
}

pub(crate) const CONTAINER: Place = Place::new("container", symbol::CONTAINER).not(symbol::FIELD, "a field");
pub(crate) const FIELD: Place = Place::new("field", symbol::FIELD).not(symbol::CONTAINER, "the struct");
pub(crate) const ENUM: Place = Place::new("enumeration", symbol::ENUM).not(symbol::VARIANT, "a variant");
pub(crate) const VARIANT: Place = Place::new("variant", symbol::VARIANT).not(symbol::ENUM, "the enum");
pub(crate) const PAGINATION: Place = Place::new("pagination", symbol::IN_PAGINATION);
pub(crate) const SOFT_DELETE: Place = Place::new("soft_delete", symbol::IN_SOFT_DELETE);
pub(crate) const BATCH: Place = Place::new("batch", symbol::IN_BATCH);
pub(crate) const AUDIT: Place = Place::new("audit", symbol::IN_AUDIT);
pub(crate) const INDEX: Place = Place::new("index", symbol::IN_INDEX);
pub(crate) const OWNER: Place = Place::new("owner", symbol::IN_OWNER);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn editors_know_every_key() {
        let runtime = include_str!("../../../crud-runtime/src/model/completion.rs");
        for place in [CONTAINER, FIELD, ENUM, VARIANT, PAGINATION, SOFT_DELETE, BATCH, AUDIT, INDEX, OWNER] {
            let module = place.editor_module.expect("a module");
            let start = runtime.find(&format!("pub mod {module} {{")).expect("the module is there");
            let (body, _) = runtime[start..].split_once("\n}\n").expect("the module ends");
            for symbol in place.known.iter().filter(|symbol| **symbol != symbol::CRATE) {
                assert!(body.contains(&format!("        {};\n", symbol.name)), "{module} lacks {}", symbol.name);
            }
        }
    }
}
