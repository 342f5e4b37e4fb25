//! Limits of values.

use serde_json::Value as Json;

/// A limit of a schema.
pub(super) struct Limit {
    pub(super) word: &'static str,
    /// Whether a greater limit admits more.
    is_upper: bool,
    /// The name in messages.
    pub(super) shown: &'static str,
    /// The attribute that states the limit.
    pub(super) attribute: &'static str,
}

/// The limits of JSON Schema.
pub(super) const LIMITS: [Limit; 11] = [
    Limit { word: "minimum", is_upper: false, shown: "least value", attribute: "range(min = …)" },
    Limit { word: "maximum", is_upper: true, shown: "greatest value", attribute: "range(max = …)" },
    Limit { word: "exclusiveMinimum", is_upper: false, shown: "lower bound", attribute: "range(min = …)" },
    Limit { word: "exclusiveMaximum", is_upper: true, shown: "upper bound", attribute: "range(max = …)" },
    Limit { word: "minLength", is_upper: false, shown: "least length", attribute: "length(min = …)" },
    Limit { word: "maxLength", is_upper: true, shown: "greatest length", attribute: "length(max = …)" },
    Limit { word: "minItems", is_upper: false, shown: "least number of items", attribute: "length(min = …)" },
    Limit { word: "maxItems", is_upper: true, shown: "greatest number of items", attribute: "length(max = …)" },
    Limit { word: "minProperties", is_upper: false, shown: "least number of members", attribute: "" },
    Limit { word: "maxProperties", is_upper: true, shown: "greatest number of members", attribute: "" },
    Limit { word: "multipleOf", is_upper: false, shown: "step", attribute: "" },
];

/// Direction in which a limit moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    Narrower,
    Wider,
}

impl Limit {
    /// The move of the limit from one schema to another; `None` if it stays.
    pub(super) fn moved(&self, old: &Json, new: &Json) -> Option<Moved> {
        let [was, is] = [old, new].map(|schema| schema.get(self.word).and_then(Json::as_f64));
        match (was, is) {
            (None, Some(_)) => Some(Moved::Narrower),
            (Some(_), None) => Some(Moved::Wider),
            (Some(was), Some(is)) if was < is => Some(if self.is_upper { Moved::Wider } else { Moved::Narrower }),
            (Some(was), Some(is)) if was > is => Some(if self.is_upper { Moved::Narrower } else { Moved::Wider }),
            _ => None,
        }
    }
}
