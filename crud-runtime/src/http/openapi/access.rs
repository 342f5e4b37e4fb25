//! Who may do what.

use serde_json::{Value, json};

use super::auth::SCHEME;
use super::{Mounted, describe, response};
use crate::model::access::Access;
use crate::model::descriptor::Operation;
use crate::model::problem::Code;

/// Says of an operation who may call it, where the service has authentication.
pub(super) fn restrict(resource: &Mounted<'_>, operation: Operation, value: &mut Value) {
    let descriptor = resource.options.descriptor;
    let rules = descriptor.access;
    if !resource.secured || descriptor.is_open(operation) {
        return;
    }
    let creates = matches!(operation, Operation::Create | Operation::BatchCreate);
    if rules.admit(operation, None) {
        value["security"] = json!([{}, { SCHEME: [] }]);
        let forbidden = descriptor.hides_deleted(operation) || creates && descriptor.owner.is_some();
        answer(value, forbidden);
        return;
    }
    let needs: Vec<String> =
        rules.required(operation).filter(|access| !access.admits(None)).filter_map(words).collect();
    secure(value, &needs);
    if descriptor.hides_deleted(operation) || creates && descriptor.owner.is_some() {
        answer(value, true);
    }
}

/// Says of an operation that it needs a token, and what of its holder.
pub(super) fn secure(value: &mut Value, needs: &[String]) {
    if !needs.is_empty() {
        let said = value["description"].as_str().unwrap_or_default();
        let description = format!("{said}\n\nFor callers with {}.", needs.join(" and "));
        describe(value, description.trim());
    }
    value["security"] = json!([{ SCHEME: [] }]);
    answer(value, !needs.is_empty());
}

/// Adds the answers to callers who may not.
fn answer(value: &mut Value, forbidden: bool) {
    let problems: &[Code] =
        if forbidden { &[Code::AuthenticationFailed, Code::PermissionDenied] } else { &[Code::AuthenticationFailed] };
    if let Some(responses) = value["responses"].as_object_mut() {
        responses.extend(response::some([], problems));
        responses.sort_keys();
    }
}

/// What a rule asks beyond a valid token.
fn words(access: Access) -> Option<String> {
    let several = |rules: &[Access], glue: &str| {
        let words: Vec<String> = rules.iter().filter_map(|rule| words(*rule)).collect();
        (!words.is_empty()).then(|| words.join(glue))
    };
    match access {
        Access::Public | Access::Authenticated => None,
        Access::Role(role) => Some(format!("the role `{role}`")),
        Access::Permission(permission) => Some(format!("the permission `{permission}`")),
        // Whoever is signed in satisfies one of them already.
        Access::Any(rules) if rules.iter().any(|rule| words(*rule).is_none()) => None,
        Access::Any(rules) => several(rules, " or "),
        Access::All(rules) => several(rules, " and "),
    }
}
