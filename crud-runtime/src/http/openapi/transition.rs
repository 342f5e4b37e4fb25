//! The routes of transitions, and states in words.

use crate::model::descriptor::{ColumnDescriptor, Transition};

/// The transitions of a state in words; empty where the field is not a state.
pub(crate) fn note(column: &ColumnDescriptor) -> String {
    let transitions = column.transitions.iter();
    let lines: Vec<_> = transitions.map(|transition| format!("`{}` {}", transition.name, states(transition))).collect();
    if lines.is_empty() { String::new() } else { format!("Changes by transitions: {}.", lines.join(", ")) }
}

pub(crate) fn states(transition: &Transition) -> String {
    let from: Vec<_> = transition.from.iter().map(|from| format!("`{}`", from())).collect();
    format!("from {} to `{}`", from.join(" or "), (transition.to)())
}
