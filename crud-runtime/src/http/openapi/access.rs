//! Access: the security requirement of an operation, and its 401 and 403 responses.

use serde_json::{Value, json};

use super::auth::SCHEME;
use super::{DocumentedResource, describe, response};
use crate::model::access::Access;
use crate::model::descriptor::Operation;
use crate::model::problem::Code;

/// Adds an operation's security requirement, where the service has authentication.
pub(super) fn restrict(resource: &DocumentedResource<'_>, operation: Operation, value: &mut Value) {
    let descriptor = resource.options.descriptor;
    let rules = descriptor.access;
    if !resource.secured || descriptor.is_open(operation) {
        return;
    }
    let creates = matches!(operation, Operation::Create | Operation::BatchCreate);
    let determined = creates && (descriptor.owner.is_some() || !descriptor.scopes.is_empty());
    let forbidden = descriptor.restricts_some_requests(operation) || determined;
    if rules.admit(operation, None) && descriptor.tenant.is_none() {
        value["security"] = json!([{}, { SCHEME: [] }]);
        add_problems(value, forbidden);
        return;
    }
    let requirements: Vec<String> =
        rules.required(operation).filter(|access| !access.admits(None)).filter_map(requirement).collect();
    secure(value, &requirements);
    if forbidden || descriptor.tenant.is_some() {
        add_problems(value, true);
    }
}

/// Adds the security requirement of a route with this access.
pub(super) fn secure_by(value: &mut Value, access: Access) {
    if !access.admits(None) {
        secure(value, &requirement(access).into_iter().collect::<Vec<_>>());
    }
}

/// The same for the route of a transition that states its access. A body with fields needs that of an update too.
pub(super) fn restrict_transition(resource: &DocumentedResource<'_>, own: Access, value: &mut Value) {
    if !resource.secured {
        return;
    }
    if own.admits(None) {
        value["security"] = json!([{}, { SCHEME: [] }]);
    } else {
        secure(value, &requirement(own).into_iter().collect::<Vec<_>>());
    }
    add_problems(value, true);
}

/// Adds the requirement of a token, with these roles and permissions.
pub(super) fn secure(value: &mut Value, requirements: &[String]) {
    if !requirements.is_empty() {
        let said = value["description"].as_str().unwrap_or_default();
        let description = format!("{said}\n\nRequires {}.", requirements.join(" and "));
        describe(value, description.trim());
    }
    value["security"] = json!([{ SCHEME: [] }]);
    add_problems(value, !requirements.is_empty());
}

/// Adds the 401 response, and 403 where `forbidden`.
fn add_problems(value: &mut Value, forbidden: bool) {
    let problems: &[Code] =
        if forbidden { &[Code::AuthenticationFailed, Code::PermissionDenied] } else { &[Code::AuthenticationFailed] };
    if let Some(responses) = value["responses"].as_object_mut() {
        responses.extend(response::with_problems([], problems));
        responses.sort_keys();
    }
}

/// The requirement of a rule beyond a valid token, in words.
fn requirement(access: Access) -> Option<String> {
    let several = |rules: &[Access], glue: &str| {
        let requirements: Vec<String> = rules.iter().filter_map(|rule| requirement(*rule)).collect();
        (!requirements.is_empty()).then(|| requirements.join(glue))
    };
    match access {
        Access::Public | Access::Authenticated => None,
        Access::Role(role) => Some(format!("the role `{role}`")),
        Access::Permission(permission) => Some(format!("the permission `{permission}`")),
        // Any valid token satisfies one of the rules.
        Access::Any(rules) if rules.iter().any(|rule| requirement(*rule).is_none()) => None,
        Access::Any(rules) => several(rules, " or "),
        Access::All(rules) => several(rules, " and "),
    }
}
