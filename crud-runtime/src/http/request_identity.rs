//! [`Caller`]: who sends a request, and what of a resource they see.

use crate::model::actor::Actor;
use crate::model::descriptor::Descriptor;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::model::value::Value;
use crate::query::Predicate;
use crate::query::visibility::{FieldVisibility, OwnerFilter, owner_id};

/// Who sends a request for a resource's records.
#[derive(Debug)]
pub(crate) struct Caller {
    /// In whose name changes are made.
    pub(crate) actor: Option<Actor>,
    pub(crate) principal: Option<Principal>,
    /// Which fields they see.
    pub(crate) view: FieldVisibility,
    /// Whose records they see, if not everybody's.
    pub(crate) owner: Option<OwnerFilter>,
}

impl Caller {
    /// Somebody, or without a principal a stranger.
    pub(crate) fn new(resource: &'static Descriptor, principal: Option<Principal>, actor: Option<Actor>) -> Self {
        let actor = principal.as_ref().map(Principal::actor).or(actor);
        let view = FieldVisibility::new(resource, principal.as_ref());
        let owner = OwnerFilter::new(resource, principal.as_ref());
        Self { actor, principal, view, owner }
    }

    /// The condition on records that the caller sees.
    pub(crate) fn predicate(&self) -> Predicate {
        self.owner.as_ref().map_or(Predicate::All, OwnerFilter::predicate)
    }

    /// What the owner's column is set to when the caller creates a record.
    ///
    /// # Errors
    /// `permission_denied` when the caller can own nothing.
    pub(crate) fn new_owner(&self, resource: &'static Descriptor) -> Result<Option<(usize, Value)>, Problem> {
        match (resource.owner, &self.principal) {
            (None, _) => Ok(None),
            (Some(owner), Some(principal)) => {
                let id = owner_id(&resource.columns[owner.column], principal)?;
                Ok(Some((owner.column, id)))
            }
            (Some(_), None) => Err(Problem::new(Code::PermissionDenied, "a record that is somebody's needs a caller")),
        }
    }
}
