//! Who may do what.

use serde_json::{Value, json};

use super::{Mounted, describe, response};
use crate::access::Access;
use crate::descriptor::Operation;
use crate::error::Code;

/// The name of the security scheme of access tokens.
pub(super) const SCHEME: &str = "bearerAuth";

/// Says of an operation who may call it, where the service has authentication and not everybody may.
pub(super) fn restrict(resource: &Mounted<'_>, operation: Operation, value: &mut Value) {
    let rules = resource.options.descriptor.access;
    if !resource.secured || rules.admit(operation, None) {
        return;
    }
    let needs: Vec<String> = rules.of(operation).filter(|access| !access.admits(None)).filter_map(words).collect();
    secure(value, &needs);
}

/// Says of an operation that it needs a token, and what of its holder.
pub(super) fn secure(value: &mut Value, needs: &[String]) {
    let mut problems = vec![Code::AuthenticationFailed];
    if !needs.is_empty() {
        problems.push(Code::PermissionDenied);
        let said = value["description"].as_str().unwrap_or_default();
        let description = format!("{said}\n\nFor callers with {}.", needs.join(" and "));
        describe(value, description.trim());
    }
    value["security"] = json!([{ SCHEME: [] }]);
    if let Some(responses) = value["responses"].as_object_mut() {
        for (status, answer) in response::some([], &problems) {
            responses.insert(status, answer);
        }
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
