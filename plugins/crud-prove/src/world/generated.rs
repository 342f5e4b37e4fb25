//! [`World`]: the resources, people and records of a proof.

use crud_runtime::column::Value;
use crud_runtime::descriptor::Descriptor;

use super::draft::{Draft, Variant};
use super::person::Person;
use super::record::Record;
use super::served::{Served, position};

/// The resources, people and records of a proof.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) served: Vec<Served>,
    /// The records of each resource.
    pub(crate) records: Vec<Vec<Record>>,
    pub(crate) people: Vec<Person>,
    /// Resources without records, each with the reason.
    pub(crate) without_records: Vec<String>,
    pub(super) draft: Draft,
}

impl World {
    /// The position of a resource.
    pub(crate) fn position(&self, descriptor: &Descriptor) -> Option<usize> {
        position(&self.served, descriptor)
    }

    /// The records of a resource.
    pub(crate) fn records_of(&self, descriptor: &Descriptor) -> Option<&[Record]> {
        Some(&self.records[self.position(descriptor)?])
    }

    /// The values of a new record for a person.
    ///
    /// # Errors
    /// The reason why there can be no such record, as a sentence.
    pub(crate) fn draft(
        &self,
        resource: usize,
        person: usize,
        variant: Variant,
    ) -> Result<Vec<(usize, Value)>, String> {
        self.draft.values(&self.served, &self.people, resource, person, variant)
    }
}
