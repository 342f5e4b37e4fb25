//! [`RequestIdentity`]: the principal of a request, and what of a resource it may see.

use std::sync::Arc;

use crate::model::access::Enforcement;
use crate::model::actor::Actor;
use crate::model::descriptor::Descriptor;
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::query::record_scope::{Assignments, RecordScope};
use crate::query::visibility::FieldVisibility;
use crate::store::caller::Caller;

/// The principal of a request for a resource, with the fields and the records that it reaches.
#[derive(Debug, Clone)]
pub(crate) struct RequestIdentity {
    /// The actor in audit entries.
    pub(crate) actor: Option<Actor>,
    pub(crate) principal: Option<Arc<Principal>>,
    /// The visible fields.
    pub(crate) view: FieldVisibility,
    /// The visible records.
    pub(crate) records: RecordScope,
    /// Whether it may have the values of records that are soft-deleted: it has the access of `restore`.
    pub(crate) sees_deleted: bool,
}

impl RequestIdentity {
    /// The identity of a principal; without one, of an anonymous request.
    pub(crate) fn new(resource: &'static Descriptor, principal: Option<Principal>, actor: Option<Actor>) -> Self {
        let actor = principal.as_ref().map(Principal::actor).or(actor);
        let view = FieldVisibility::new(resource, principal.as_ref());
        let records = RecordScope::new(resource, principal.as_ref());
        Self { actor, principal: principal.map(Arc::new), view, records, sees_deleted: true }
    }

    /// Sets whether the identity sees the values of soft-deleted records.
    pub(crate) fn seeing_deleted(self, sees_deleted: bool) -> Self {
        Self { sees_deleted, ..self }
    }

    /// The identity of a principal for a route of no resource.
    pub(crate) fn without_resource(principal: Option<Principal>, actor: Option<Actor>) -> Self {
        let actor = principal.as_ref().map(Principal::actor).or(actor);
        let (view, records) = (FieldVisibility::default(), RecordScope::default());
        Self { actor, principal: principal.map(Arc::new), view, records, sees_deleted: true }
    }

    /// The sender of the request, for whom the program works.
    pub(crate) fn caller(&self, enforcement: Enforcement) -> Caller {
        Caller::of_request(self.principal.clone(), enforcement)
    }

    /// Values of a new record that the principal determines.
    ///
    /// # Errors
    /// As [`Assignments::new`].
    pub(crate) fn assignments(&self, resource: &'static Descriptor) -> Result<Assignments, Problem> {
        Assignments::new(resource, self.principal.as_deref())
    }
}
