//! The routes of transitions, and states in words.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::{DocumentedResource, reference, response, wording};
use crate::http::openapi::request::optional_body;
use crate::model::descriptor::{ColumnDescriptor, Transition};
use crate::model::problem::Code;

/// `POST {prefix}/{id}/publish`.
pub(super) fn operation(
    resource: &DocumentedResource<'_>,
    column: &ColumnDescriptor,
    transition: &Transition,
) -> Value {
    let DocumentedResource { options, names, .. } = resource;
    let record = reference("schemas", &names.record());
    let minimal = &["ETag", "Preference-Applied"];
    let problems = [
        &resource.conflicts(true)[..],
        &[Code::NotFound, Code::IllegalTransition, Code::PreconditionFailed, Code::ConstraintFailed],
    ]
    .concat();
    let summary = format!("{} {}", wording::words(transition.name), wording::with_article(options.descriptor.name));
    let description = format!(
        "Changes `{}` {}, and the fields in the body with it. {}",
        column.json,
        states(transition),
        "From another state it is an illegal transition."
    );
    json!({
        "tags": options.tags,
        "summary": wording::sentence(&summary),
        "description": description,
        "operationId": names.transition_operation_id(transition.name),
        "parameters": [reference("parameters", "IfMatch"), reference("parameters", "PreferChange")],
        "requestBody": optional_body("Other fields to change.", &["application/json"], &names.patch()),
        "responses": response::with_database_problems(
            [
                (StatusCode::OK, response::json_body("The record in its new state.", &record, &["ETag"])),
                (StatusCode::NO_CONTENT, response::empty("The record is in its new state.", minimal)),
            ],
            &[&response::BODY[..], &problems].concat(),
        ),
    })
}

/// The transitions of a state in words; empty where the field is not a state.
pub(super) fn note(column: &ColumnDescriptor) -> String {
    let transitions = column.transitions.iter();
    let lines: Vec<_> = transitions.map(|transition| format!("`{}` {}", transition.name, states(transition))).collect();
    if lines.is_empty() { String::new() } else { format!("Changes by transitions: {}.", lines.join(", ")) }
}

fn states(transition: &Transition) -> String {
    let from: Vec<_> = transition.from.iter().map(|from| format!("`{}`", from())).collect();
    format!("from {} to `{}`", from.join(" or "), (transition.to)())
}
