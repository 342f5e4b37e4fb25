//! The command `explain`.

use crud_config::command::Explain;
use serde_json::Value as Json;

use super::output::{print, setup};
use crate::model::principal::Principal;
use crate::service::builder::Service;
use crate::storage::error::Result;

/// Prints what a principal may use and see of a resource, and what hides a record.
pub(super) async fn run(service: &Service, command: &Explain) -> Result<()> {
    let principal = principal(service, command)?;
    let resource = service.named(&command.resource)?;
    let id = command.id.as_deref();
    let explanation = service.explained(resource, principal.as_ref(), id).await?;
    print(explanation.to_string().trim_end())
}

/// The principal of the arguments; none without roles and claims.
fn principal(service: &Service, command: &Explain) -> Result<Option<Principal>> {
    if command.roles.is_empty() && command.claims.is_empty() {
        return Ok(None);
    }
    let mut claims = Vec::new();
    for claim in &command.claims {
        let Some((name, value)) = claim.split_once('=') else {
            return setup(format!("expected `--claim name=value`, found `{claim}`"));
        };
        claims.push((name, serde_json::from_str(value).unwrap_or_else(|_| Json::from(value))));
    }
    let subject = claims.iter().find(|(name, _)| *name == "sub").map(|(_, value)| match value {
        Json::String(text) => text.clone(),
        other => other.to_string(),
    });
    let mut principal = Principal::new(subject.unwrap_or_default()).with_roles(command.roles.iter().cloned());
    let tenant_claim = service.tenant_claim();
    for (name, value) in claims {
        if tenant_claim == Some(name) {
            principal = principal.with_tenant(value.clone());
        }
        principal = principal.with_claim(name, value);
    }
    Ok(Some(principal))
}
