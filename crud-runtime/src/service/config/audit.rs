//! The command `audit erase`.

use super::output::print;
use crate::audit::EntityId;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};

/// A subcommand of `audit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AuditCommand {
    /// Removes the values of a record from its entries.
    Erase { entity_type: String, entity_id: String },
}

impl AuditCommand {
    /// The command that arguments name: `erase Product 7`.
    pub(super) fn parse(arguments: &[&str]) -> Option<Self> {
        match arguments {
            ["erase", entity_type, entity_id] => {
                Some(Self::Erase { entity_type: (*entity_type).to_owned(), entity_id: (*entity_id).to_owned() })
            }
            _ => None,
        }
    }
}

/// Runs a command, and prints its result.
pub(super) async fn run(service: &Service, command: AuditCommand) -> Result<()> {
    let AuditCommand::Erase { entity_type, entity_id } = command;
    let audited = || service.resources.iter().map(|options| options.descriptor).filter(|other| other.audit.is_some());
    let Some(resource) = audited().find(|resource| resource.is_named(&entity_type)) else {
        let known: Vec<&str> = audited().map(|resource| resource.name).collect();
        let known = crud_shared::spelling::alternatives(known);
        return Err(Error::Setup(format!("`{entity_type}` is not an audited resource, expected {known}")));
    };
    let id = if resource.id_column().kind.integer_range().is_some() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_names_a_record() {
        let erase = AuditCommand::Erase { entity_type: "Product".to_owned(), entity_id: "7".to_owned() };
        assert_eq!(AuditCommand::parse(&["erase", "Product", "7"]), Some(erase));
        assert_eq!(AuditCommand::parse(&["erase", "Product"]), None);
        assert_eq!(AuditCommand::parse(&["keep", "Product", "7"]), None);
    }
}
