//! The command `explain`.

use crud_config::command::Explain;
use serde_json::Value as Json;

use super::output::{print, setup};
use crate::model::descriptor::Descriptor;
use crate::model::key::Key;
use crate::model::principal::Principal;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};

/// Prints what a principal may use and see of a resource, and what hides a record.
pub(super) async fn run(service: &Service, command: &Explain) -> Result<()> {
    let principal = principal(service, command)?;
    let resource = named(service, &command.resource)?;
    let key = |text| {
        Key::parse(resource, text)
            .map_err(|error| Error::Setup(format!("the key `{text}` of {} {}", resource.name, error.message())))
    };
    let id = command.id.as_deref().map(key).transpose()?;
    let explanation = service.model_with(&[]).explain_record(resource, principal.as_ref(), id.as_ref()).await?;
    print(explanation.to_string().trim_end())
}

/// The resource of a name: its own, or the last part of its path.
fn named(service: &Service, name: &str) -> Result<&'static Descriptor> {
    match service.resources.iter().find(|options| options.is_called(name)) {
        Some(options) => Ok(options.descriptor),
        None => {
            let names: Vec<&str> = service.resources.iter().map(|options| options.descriptor.name).collect();
            setup(format!("there is no resource `{name}`: expected {}", names.join(", ")))
        }
    }
}

/// The principal of the arguments; none without roles and claims.
#[cfg_attr(not(feature = "auth"), expect(unused_variables, reason = "no token has a tenant"))]
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
    #[cfg(feature = "auth")]
    let tenant_claim = service.auth.as_ref().and_then(|auth| auth.tenant_claim.as_deref());
    #[cfg(not(feature = "auth"))]
    let tenant_claim: Option<&str> = None;
    for (name, value) in claims {
        if tenant_claim == Some(name) {
            principal = principal.with_tenant(value.clone());
        }
        principal = principal.with_claim(name, value);
    }
    Ok(Some(principal))
}
