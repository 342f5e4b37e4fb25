//! Access: the security requirement of an operation, and its 401 and 403 responses.

use axum::http::Method;

use super::program::Program;
use crate::http::access::table::AccessTable;
use crate::http::description::auth::TOKEN;
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::operation_doc::{OperationDoc, Path, Token, template_of};
use crate::http::description::security::Security;
use crate::http::description::value_schema::value_schema;
use crate::http::operation::links;
use crate::http::operation::route::OperationRoute;
use crate::http::param::header::tenant;
use crate::http::routing::rule::RouteRule;
use crate::model::access::{Access, AccessRules, Enforcement};
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::Code;

/// Adds the security requirement of a resource's route, where the service has authentication.
pub(crate) fn restrict(resource: &DocumentedResource<'_>, route: &OperationRoute, words: &mut OperationDoc) {
    let (descriptor, operation) = (resource.options.descriptor, route.operation);
    if let Some(many) = route.links.filter(|_| resource.service.secured) {
        return restrict_all(&links::needed(many, descriptor, &route.method), resource.enforcement, words);
    }
    let own = route.transition.and_then(|(_, transition)| transition.access);
    let rules = &resource.access;
    if !resource.service.secured || own.is_none() && descriptor.is_open(rules, operation) {
        return;
    }
    let creates = matches!(operation, Operation::Create | Operation::BatchCreate);
    let has_scopes = !descriptor.scopes.is_empty() || !descriptor.write_scopes.is_empty();
    let determined = creates && (descriptor.owner.is_some() || has_scopes)
        || !operation.is_read() && !descriptor.write_scopes.is_empty()
        || matches!(operation, Operation::Get | Operation::History)
            && descriptor.audit.is_some()
            && descriptor.scopes.iter().any(|scope| scope.path.is_some());
    let is_optional = match own {
        Some(own) => own.admits(None),
        None => rules.admit(operation, None) && descriptor.tenant.is_none(),
    };
    if is_optional {
        words.token = Token::Optional;
    } else {
        let generated = rules.required(operation).filter(|_| own.is_none());
        let restricting = own.into_iter().chain(generated).filter(|access| !access.admits(None));
        secure(words, &restricting.filter_map(requirement).collect::<Vec<_>>());
    }
    words.problems.extend(TOKEN);
    // Fields in the body of a transition that states a rule need the rule of an update too.
    if own.is_some() || descriptor.restricts_some_requests(rules, operation) || determined {
        words.problems.push(Code::PermissionDenied);
    }
    words.problems.extend(descriptor.tenant.map(|_| Code::TenantRequired));
}

/// Adds the security requirement of a route that needs the access of all these operations.
fn restrict_all(needed: &[(&'static Descriptor, Operation)], enforcement: Enforcement, words: &mut OperationDoc) {
    let of = |(resource, operation): &(&'static Descriptor, Operation)| {
        enforcement.effective(&resource.access).required(*operation).collect::<Vec<_>>()
    };
    let restricting: Vec<Access> = needed.iter().flat_map(of).filter(|access| !access.admits(None)).collect();
    if restricting.is_empty() {
        words.token = Token::Optional;
    } else {
        let mut requirements: Vec<String> = restricting.into_iter().filter_map(requirement).collect();
        requirements.dedup();
        secure(words, &requirements);
    }
    words.problems.extend(TOKEN);
    // The problem of a record of another owner or with another claim.
    words.problems.push(Code::PermissionDenied);
    words.problems.extend(needed.iter().find_map(|(resource, _)| resource.tenant).map(|_| Code::TenantRequired));
}

/// Adds the security requirement of a route of the program with this access, with or without a resource.
pub(crate) fn secure_by(words: &mut OperationDoc, access: &RouteRule, resource: Option<&Descriptor>) {
    match (access.access(), access.run_time_role()) {
        (Some(access), _) if access.admits(None) => {}
        (Some(access), _) => secure(words, &requirement(access).into_iter().collect::<Vec<_>>()),
        (None, Some(role)) => secure_role(words, role),
        (None, None) => {}
    }
    if resource.is_some_and(|resource| resource.tenant.is_some()) {
        words.problems.extend(TOKEN);
        words.problems.push(Code::TenantRequired);
    }
}

/// Adds the refusals of a list of the program: deleted records need the access of restores too.
pub(crate) fn restrict_deleted(words: &mut OperationDoc, resource: &Descriptor, rules: &AccessRules) {
    if resource.soft_delete.is_none() || rules.restore.admits(None) {
        return;
    }
    if words.token == Token::None {
        words.token = Token::Optional;
    }
    words.problems.extend([Code::AuthenticationFailed, Code::PermissionDenied]);
}

/// States the rule of each operation, as `access(…)` writes it, and of each parameter that needs more: the extension
/// `x-access`.
pub(crate) fn state(paths: &mut [Path], table: &AccessTable) {
    for route in table.routes().iter().filter(|route| route.body.is_none()) {
        let (template, parameter) = route.path.split_once('?').unwrap_or((&route.path, ""));
        let template = template_of(template);
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

/// Adds what the service refuses of any resource: changes that a page of another origin may have sent, and what
/// policies of the database deny. Where requests name a tenant, each operation that takes a token gets the tenant's
/// header and its refusals.
pub(super) fn restrict_service(paths: &mut [Path], security: Option<&Security>, program: Program<'_>) {
    let refuses_other_origins = security.is_some_and(|security| security.is_sent_by_browsers);
    for (method, words) in paths.iter_mut().flat_map(|path| &mut path.operations) {
        if refuses_other_origins && *method != Method::GET {
            words.problems.push(Code::PermissionDenied);
        }
        // The operation uses the database.
        if program.has_policies && words.problems.contains(&Code::Internal) {
            words.problems.push(Code::DeniedByDatabase);
        }
        if let Some(column) = program.tenant.filter(|_| words.token != Token::None) {
            words.parameters.push(tenant::document(value_schema(column)));
            words.problems.extend([Code::PermissionDenied, Code::ValidationFailed, Code::Unavailable, Code::Timeout]);
        }
    }
}

/// Adds the requirement of a token, with these roles and permissions.
fn secure(words: &mut OperationDoc, requirements: &[String]) {
    words.token = Token::Required;
    words.problems.extend(TOKEN);
    if !requirements.is_empty() {
        let description = format!("{}\n\nRequires {}.", words.description, requirements.join(" and "));
        description.trim().clone_into(&mut words.description);
        words.problems.push(Code::PermissionDenied);
    }
}

/// Adds the requirement of a role whose name is known at run time.
pub(crate) fn secure_role(words: &mut OperationDoc, role: &str) {
    secure(words, &[format!("the role `{role}`")]);
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
