//! Access: the security requirement of an operation, and its 401 and 403 responses.

use super::DocumentedResource;
use super::auth::TOKEN;
use super::words::{Path, Token, Words};
use crate::http::access_table::AccessTable;
use crate::model::access::Access;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Code;

/// Adds an operation's security requirement, where the service has authentication.
pub(crate) fn restrict(resource: &DocumentedResource<'_>, operation: Operation, words: &mut Words) {
    let descriptor = resource.options.descriptor;
    let rules = descriptor.access;
    if !resource.secured || descriptor.is_open(operation) {
        return;
    }
    let creates = matches!(operation, Operation::Create | Operation::BatchCreate);
    let determined = creates && (descriptor.owner.is_some() || !descriptor.scopes.is_empty());
    let is_restricted = descriptor.restricts_some_requests(operation) || determined;
    if rules.admit(operation, None) && descriptor.tenant.is_none() {
        words.token = Token::Optional;
    } else {
        let restricting = rules.required(operation).filter(|access| !access.admits(None));
        let requirements: Vec<String> = restricting.filter_map(requirement).collect();
        secure(words, &requirements);
    }
    add_problems(words, &forbidden(descriptor, is_restricted));
}

/// Adds the security requirement of a route of the program with this access, of a resource or of none.
pub(crate) fn secure_by(words: &mut Words, access: Access, resource: Option<&Descriptor>) {
    if !access.admits(None) {
        secure(words, &requirement(access).into_iter().collect::<Vec<_>>());
    }
    if resource.is_some_and(|resource| resource.tenant.is_some()) {
        add_problems(words, &[Code::TenantRequired]);
    }
}

/// Documents the access of a transition that states its own. A body with fields needs that of an update too.
pub(crate) fn restrict_transition(resource: &DocumentedResource<'_>, own: Access, words: &mut Words) {
    if !resource.secured {
        return;
    }
    if own.admits(None) {
        words.token = Token::Optional;
    } else {
        secure(words, &requirement(own).into_iter().collect::<Vec<_>>());
    }
    add_problems(words, &forbidden(resource.options.descriptor, true));
}

/// States the rule of each operation, as `access(…)` writes it, and of each parameter by which one needs more: the extension
/// `x-access`.
pub(crate) fn state(paths: &mut [Path], table: &AccessTable) {
    for route in table.routes().iter().filter(|route| route.body.is_none()) {
        let (template, parameter) = route.path.split_once('?').unwrap_or((&route.path, ""));
        let path = paths.iter_mut().find(|path| path.template == template);
        let operations = path.into_iter().flat_map(|path| &mut path.operations);
        for (_, words) in operations.filter(|(method, _)| method.as_str() == route.method) {
            match parameter.split_once('=') {
                None => words.access = Some(route.access.clone()),
                Some((name, _)) => words.restrict_parameter(name, &route.access),
            }
        }
    }
}

/// Adds the requirement of a token, with these roles and permissions.
pub(crate) fn secure(words: &mut Words, requirements: &[String]) {
    words.token = Token::Required;
    if requirements.is_empty() {
        return add_problems(words, &[]);
    }
    let description = format!("{}\n\nRequires {}.", words.description, requirements.join(" and "));
    description.trim().clone_into(&mut words.description);
    add_problems(words, &[Code::PermissionDenied]);
}

/// Adds the requirement of this role to a list of the records of all resources: of the principal's tenant alone, where a
/// resource has tenants.
pub(crate) fn secure_log(words: &mut Words, role: &str, resources: &[DocumentedResource<'_>]) {
    secure(words, &[format!("the role `{role}`")]);
    if resources.iter().any(|resource| resource.options.descriptor.tenant.is_some()) {
        add_problems(words, &[Code::TenantRequired]);
    }
}

/// Adds the problems of a token, and those of a principal that lacks the access.
fn add_problems(words: &mut Words, forbidden: &[Code]) {
    words.problems.extend_from_slice(&TOKEN);
    words.problems.extend_from_slice(forbidden);
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
