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
    Limit { word: STEP, is_upper: false, shown: "step", attribute: "" },
];

/// Direction in which a limit moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moved {
    Narrower,
    Wider,
    /// Some former values are refused, and some new ones are admitted.
    Aside,
}

/// Name of the limit that admits the multiples of a step.
const STEP: &str = "multipleOf";

impl Limit {
    /// The move of the limit from one schema to another; `None` if it stays.
    pub(super) fn moved(&self, old: &Json, new: &Json) -> Option<Moved> {
        let [was, is] = [old, new].map(|schema| schema.get(self.word).and_then(Json::as_f64));
        match (was, is) {
            (None, Some(_)) => Some(Moved::Narrower),
            (Some(_), None) => Some(Moved::Wider),
            (Some(was), Some(is)) if self.word == STEP => step_moved(was, is),
            (Some(was), Some(is)) if was < is => Some(if self.is_upper { Moved::Wider } else { Moved::Narrower }),
            (Some(was), Some(is)) if was > is => Some(if self.is_upper { Moved::Narrower } else { Moved::Wider }),
            _ => None,
        }
    }
}

/// The move of a step: a step that divides the former one admits all former values.
fn step_moved(was: f64, is: f64) -> Option<Moved> {
    let divides = |part: f64, whole: f64| (whole / part - (whole / part).round()).abs() < 1e-9;
    match (divides(is, was), divides(was, is)) {
        (true, true) => None,
        (true, false) => Some(Moved::Wider),
        (false, true) => Some(Moved::Narrower),
        (false, false) => Some(Moved::Aside),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_step_is_wider_where_it_divides_the_former_one() {
        let limit = LIMITS.iter().find(|limit| limit.word == STEP).expect("a step");
        let moved = |was: f64, is: f64| limit.moved(&json!({ STEP: was }), &json!({ STEP: is }));
        assert_eq!(moved(4.0, 2.0), Some(Moved::Wider));
        assert_eq!(moved(2.0, 4.0), Some(Moved::Narrower));
        assert_eq!(moved(4.0, 3.0), Some(Moved::Aside));
        assert_eq!(moved(0.3, 0.1), Some(Moved::Wider));
        assert_eq!(moved(0.1, 0.1), None);
    }
}
