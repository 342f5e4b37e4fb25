//! Aggregates: the fields of groups, and of sums and extremes.

use super::lookup::{Lookup, Named};
use super::types::Requirements;
use crate::attr::aggregate::AggregateAttribute;
use crate::model::{Aggregate, Capability, Requirement};

/// Maximum number of groups where the attribute gives none.
const MAX_GROUPS: u32 = 1_000;

/// Parameters of a request that a filter of the same name would hide.
const PARAMETERS: [&str; 6] = ["group_by", "tz", "sum", "avg", "min", "max"];

/// Members of a group in answers that a key of the same name would hide.
const MEMBERS: [&str; 5] = ["count", "sum", "avg", "min", "max"];

/// The fields that an attribute names.
#[derive(Debug, Default)]
pub(super) struct NamedFields {
    group_by: Vec<Named>,
    over: Vec<Named>,
}

/// The fields that an attribute names.
pub(super) fn named(attribute: Option<&AggregateAttribute>, lookup: &Lookup<'_>) -> NamedFields {
    attribute.map_or_else(NamedFields::default, |attribute| NamedFields {
        group_by: lookup.find_all(&attribute.group_by, "group_by"),
        over: lookup.find_all(&attribute.over, "over"),
    })
}

/// Checks the fields of the aggregates, and returns the aggregates.
pub(super) fn option(
    attribute: &AggregateAttribute,
    named: &NamedFields,
    requirements: &mut Requirements<'_, '_>,
) -> Aggregate {
    let cx = requirements.cx;
    for named in &named.group_by {
        check(*named, "group_by", Requirement::Comparable, requirements);
        let json = &requirements.fields[named.index].json;
        if MEMBERS.contains(&json.value.as_str()) {
            cx.error(
                json.span,
                format_args!(
                    "a key named `{0}` would hide the `{0}` of a group: choose another with `rename = \"…\"`",
                    json.value
                ),
            );
        }
    }
    for named in &named.over {
        check(*named, "over", Requirement::Ordered, requirements);
    }
    for field in requirements.fields.iter().filter(|field| field.filterable != Capability::No) {
        let json = &field.json;
        if PARAMETERS.contains(&json.value.as_str()) {
            cx.error(
                json.span,
                format_args!(
                    "a filter named `{0}` would hide the parameter `{0}` of `aggregate`: choose another with `rename = \"…\"`",
                    json.value
                ),
            );
        }
    }
    if let Some(most) = attribute.max_groups.as_ref().filter(|most| most.value == 0) {
        cx.error(most.span, "expected a number of groups of at least `1`, such as `max_groups = 1000`");
    }
    let indexes = |named: &[Named]| named.iter().map(|named| named.index).collect();
    Aggregate {
        group_by: indexes(&named.group_by),
        over: indexes(&named.over),
        max_groups: attribute.max_groups.as_ref().map_or(MAX_GROUPS, |most| most.value),
    }
}

fn check(Named { index, span }: Named, key: &str, requirement: Requirement, requirements: &mut Requirements<'_, '_>) {
    let Some(span) = span else { return };
    let field = &requirements.fields[index];
    let name = &field.name;
    if let Some((_, attribute)) = field.exposure.concealed() {
        let message = format!("`{name}` is `{attribute}`, and an aggregate would disclose its values: remove one");
        requirements.cx.error(span, message);
    } else if field.is_of_function() {
        let message = format!("a function computes `{name}`, which storage does not know: remove it from `{key}(…)`");
        requirements.cx.error(span, message);
    } else {
        let message = format!("`{key}` needs {}: remove `{name}` here", requirement.name());
        requirements.require(index, requirement, span, message);
    }
}
