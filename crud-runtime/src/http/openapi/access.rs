//! Access: the security requirement of an operation, and its 401 and 403 responses.

use serde_json::{Map, Value, json};

use super::auth::{SCHEME, TOKEN};
use super::{DocumentedResource, describe, response};
use crate::http::access_table::AccessTable;
use crate::model::access::Access;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Code;

/// Adds an operation's security requirement, where the service has authentication.
pub(crate) fn restrict(resource: &DocumentedResource<'_>, operation: Operation, value: &mut Value) {
    let descriptor = resource.options.descriptor;
    let rules = descriptor.access;
    if !resource.secured || descriptor.is_open(operation) {
        return;
    }
    let creates = matches!(operation, Operation::Create | Operation::BatchCreate);
    let determined = creates && (descriptor.owner.is_some() || !descriptor.scopes.is_empty());
    let is_restricted = descriptor.restricts_some_requests(operation) || determined;
    if rules.admit(operation, None) && descriptor.tenant.is_none() {
        value["security"] = json!([{}, { SCHEME: [] }]);
        add_problems(value, &forbidden(descriptor, is_restricted));
        return;
    }
    let requirements: Vec<String> =
        rules.required(operation).filter(|access| !access.admits(None)).filter_map(requirement).collect();
    secure(value, &requirements);
    add_problems(value, &forbidden(descriptor, is_restricted));
}

/// Adds the security requirement of a route of the program with this access, of a resource or of none.
pub(crate) fn secure_by(value: &mut Value, access: Access, resource: Option<&Descriptor>) {
    if !access.admits(None) {
        secure(value, &requirement(access).into_iter().collect::<Vec<_>>());
    }
    if resource.is_some_and(|resource| resource.tenant.is_some()) {
        add_problems(value, &[Code::TenantRequired]);
    }
}

/// Documents the access of a transition that states its own. A body with fields needs that of an update too.
pub(crate) fn restrict_transition(resource: &DocumentedResource<'_>, own: Access, value: &mut Value) {
    if !resource.secured {
        return;
    }
    if own.admits(None) {
        value["security"] = json!([{}, { SCHEME: [] }]);
    } else {
        secure(value, &requirement(own).into_iter().collect::<Vec<_>>());
    }
    add_problems(value, &forbidden(resource.options.descriptor, true));
}

/// States the rule of each operation, as `access(…)` writes it: the extension `x-access`.
pub(crate) fn state(paths: &mut Map<String, Value>, table: &AccessTable) {
    for route in table.routes() {
        let method = route.method.to_lowercase();
        let operations = paths.get_mut(&route.path).and_then(Value::as_object_mut);
        if let Some(operation) = operations.and_then(|operations| operations.get_mut(&method)) {
            operation["x-access"] = route.access.as_str().into();
        }
    }
}

/// Adds the requirement of a token, with these roles and permissions.
pub(crate) fn secure(value: &mut Value, requirements: &[String]) {
    if !requirements.is_empty() {
        let said = value["description"].as_str().unwrap_or_default();
        let description = format!("{said}\n\nRequires {}.", requirements.join(" and "));
        describe(value, description.trim());
    }
    value["security"] = json!([{ SCHEME: [] }]);
    let denied: &[Code] = if requirements.is_empty() { &[] } else { &[Code::PermissionDenied] };
    add_problems(value, denied);
}

/// Adds the requirement of this role to a list of the records of all resources: of the principal's tenant alone, where a
/// resource has tenants.
pub(crate) fn secure_log(value: &mut Value, role: &str, resources: &[DocumentedResource<'_>]) {
    secure(value, &[format!("the role `{role}`")]);
    if resources.iter().any(|resource| resource.options.descriptor.tenant.is_some()) {
        add_problems(value, &[Code::TenantRequired]);
    }
}

/// Adds the problems of a token, and those of a principal that lacks the access.
fn add_problems(value: &mut Value, forbidden: &[Code]) {
    if let Some(responses) = value["responses"].as_object_mut() {
        response::add_problems(responses, &[&TOKEN, forbidden].concat());
    }
}

/// The problems of a principal without access to some records, in a resource that can have tenants.
fn forbidden(descriptor: &Descriptor, is_restricted: bool) -> Vec<Code> {
    let denied = is_restricted.then_some(Code::PermissionDenied);
    denied.into_iter().chain(descriptor.tenant.map(|_| Code::TenantRequired)).collect()
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
