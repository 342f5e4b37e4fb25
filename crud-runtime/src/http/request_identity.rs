//! [`RequestIdentity`]: the principal of a request, and what of a resource it may see.

use crate::model::actor::Actor;
use crate::model::descriptor::Descriptor;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::model::value::Value;
use crate::query::Predicate;
use crate::query::visibility::{FieldVisibility, OwnerFilter, owner_id};

/// The principal of a request for a resource, with the view and the ownership that follow from it.
#[derive(Debug, Clone)]
pub(crate) struct RequestIdentity {
    /// The actor in audit entries.
    pub(crate) actor: Option<Actor>,
    pub(crate) principal: Option<Principal>,
    /// The visible fields.
    pub(crate) view: FieldVisibility,
    /// The owner whose records are visible; `None` where all records are.
    pub(crate) owner: Option<OwnerFilter>,
}

impl RequestIdentity {
    /// The identity of a principal; without one, of an anonymous request.
    pub(crate) fn new(resource: &'static Descriptor, principal: Option<Principal>, actor: Option<Actor>) -> Self {
        let actor = principal.as_ref().map(Principal::actor).or(actor);
        let view = FieldVisibility::new(resource, principal.as_ref());
        let owner = OwnerFilter::new(resource, principal.as_ref());
        Self { actor, principal, view, owner }
    }

    /// The identity of a principal for a route of no resource.
    pub(crate) fn without_resource(principal: Option<Principal>, actor: Option<Actor>) -> Self {
        let actor = principal.as_ref().map(Principal::actor).or(actor);
        Self { actor, principal, view: FieldVisibility::default(), owner: None }
    }

    /// The predicate that selects the visible records.
    pub(crate) fn predicate(&self) -> Predicate {
        self.owner.as_ref().map_or(Predicate::All, OwnerFilter::predicate)
    }

    /// The owner column and its value for a new record, where the resource has an owner.
    ///
    /// # Errors
    /// `permission_denied` for an anonymous request, or when the token's subject is not a valid owner id.
    pub(crate) fn new_owner(&self, resource: &'static Descriptor) -> Result<Option<(usize, Value)>, Problem> {
        match (resource.owner, &self.principal) {
            (None, _) => Ok(None),
            (Some(owner), Some(principal)) => {
                let id = owner_id(&resource.columns[owner.column], principal)?;
                Ok(Some((owner.column, id)))
            }
            (Some(_), None) => Err(Problem::new(Code::PermissionDenied, "a record with an owner needs a token")),
        }
    }
}
