//! The command `audit erase`.

use crud_config::command::AuditTask;

use super::output::{print, setup};
use crate::audit::EntityId;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};
use crate::store::audit_record::has_integer_key;

/// Runs a command, and prints its result.
pub(super) async fn run(service: &Service, task: AuditTask) -> Result<()> {
    let AuditTask::Erase { resource: entity_type, id: entity_id } = task;
    let audited = || service.resources.iter().map(|options| options.descriptor).filter(|other| other.audit.is_some());
    let Some(resource) = audited().find(|resource| resource.is_named(&entity_type)) else {
        let known: Vec<&str> = audited().map(|resource| resource.name).collect();
        let known = crud_shared::spelling::alternatives(known);
        return setup(format!("`{entity_type}` is not an audited resource, expected {known}"));
    };
    let id = if has_integer_key(resource) {
        let id = entity_id.parse().map_err(|_| Error::Setup(format!("the key `{entity_id}` must be an integer")))?;
        EntityId::Integer(id)
    } else {
        EntityId::Text(entity_id.clone())
    };
    match service.audit_log().erase(&entity_type, id).await? {
        0 => print(&format!("The audit log has no entry of {entity_type} {entity_id}.")),
        1 => print(&format!("The values of {entity_type} {entity_id} are erased from 1 entry.")),
        entries => print(&format!("The values of {entity_type} {entity_id} are erased from {entries} entries.")),
    }
}
