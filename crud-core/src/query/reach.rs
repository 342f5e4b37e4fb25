//! [`Reach`]: what a principal reaches of the resources that another one refers to.

use std::sync::Arc;

use super::record_scope::RecordScope;
use super::visibility::FieldVisibility;
use super::{InSubquery, Predicate, Scope};
use crate::model::access::Enforcement;
use crate::model::descriptor::{Descriptor, Junction, Operation};
use crate::model::principal::Principal;

/// A principal's visibility of the resources that another one refers to.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reach<'a> {
    pub principal: Option<&'a Principal>,
    /// The access rules that apply: over HTTP, those of the service.
    pub enforcement: Enforcement,
    /// The URL at which the request reached the service, where a field depends on it.
    pub base: Option<&'a Arc<str>>,
}

impl Reach<'_> {
    /// Whether it may list the records.
    pub fn lists(self, resource: &Descriptor) -> bool {
        self.enforcement.admits(&resource.access, Operation::List, self.principal)
    }

    /// Its records that are not deleted.
    pub fn records(self, resource: &'static Descriptor) -> Predicate {
        Scope::Active.predicate(resource).and(RecordScope::new(resource, self.principal).predicate())
    }

    /// The links of a junction that it reaches, to records that it reaches and that satisfy a predicate.
    pub fn links(self, junction: Junction, of_target: Predicate) -> Predicate {
        let Junction { resource, far, target, .. } = junction;
        let filter = self.records(target).and(of_target);
        let linked = InSubquery { columns: vec![(far, target.id)], resource: target, filter };
        self.records(resource).and(Predicate::InSubquery(Box::new(linked)))
    }

    /// The fields that it sees.
    pub fn fields(self, resource: &'static Descriptor) -> FieldVisibility {
        FieldVisibility::new(resource, self.principal).reached_at(self.base.cloned())
    }
}
