//! [`DocumentedResource`]: a resource with its names in the document.

use super::example::Examples;
use super::json_schema::Schema;
use super::name::Names;
use super::operation_doc::Answer;
use super::page::has_cursors;
use super::{relation, wording};
use crate::http::list_header::ListHeader;
use crate::model::access::{AccessRules, Enforcement};
use crate::model::descriptor::{Descriptor, OnDelete, Operation};
use crate::model::problem::Code;
use crate::storage::capabilities::Capabilities;
use crate::store::mounted::options::ResourceOptions;
use crate::store::writer::kept_role::KeptRole;

/// A resource with its names in the document.
#[derive(Debug)]
pub(crate) struct DocumentedResource<'a> {
    pub(crate) options: &'a ResourceOptions,
    pub(crate) names: Names,
    pub(crate) examples: Examples,
    pub(crate) service: ServiceFacts<'a>,
    /// The rules of each operation, including those for which the resource states none.
    pub(crate) access: AccessRules,
    /// The rules that apply to requests, where the service has authentication.
    pub(crate) enforcement: Enforcement,
    /// Whether storage changes several records atomically.
    pub(crate) transactions: bool,
    /// Whether storage takes every condition on other records.
    pub(crate) relations: bool,
    /// Whether references can keep records of this resource from being deleted, directly or through records that would
    /// be deleted too.
    pub(crate) is_kept: bool,
}

/// Facts of the service that the document of a resource states.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ServiceFacts<'a> {
    /// Whether the service has authentication.
    pub(crate) secured: bool,
    /// The default rules, for operations for which a resource states none.
    pub(crate) default_access: Option<&'static AccessRules>,
    /// Whether the service has read replicas.
    pub(crate) has_replicas: bool,
    pub(crate) capabilities: Capabilities,
    pub(crate) resources: &'a [ResourceOptions],
    /// The headers that plugins add to lists.
    pub(crate) list_headers: &'a [ListHeader],
}

impl<'a> DocumentedResource<'a> {
    pub(crate) fn new(options: &'a ResourceOptions, service: ServiceFacts<'a>) -> Self {
        let descriptor = options.descriptor;
        let ServiceFacts { default_access, capabilities, resources, .. } = service;
        let enforcement = default_access.map_or(Enforcement::All, Enforcement::WithDefault);
        let access = enforcement.effective(&descriptor.access).into_owned();
        let has_relations = !descriptor.children.is_empty()
            || !descriptor.many_to_many.is_empty()
            || !descriptor.sort_paths.is_empty()
            || relation::relations(descriptor).next().is_some();
        let is_kept = resources.iter().map(|other| other.descriptor).any(|other| {
            // Each record that changes has an entry in the audit log, and one request has a limited number of them.
            let is_logged = other.audit.is_some();
            let references = other.columns.iter().filter_map(|column| column.references);
            let mut references = references.filter(|found| is_logged || found.on_delete != OnDelete::SetNull);
            references.any(|reference| std::ptr::eq((reference.target)(), descriptor))
        });
        Self {
            options,
            names: Names::new(options),
            examples: Examples::new(descriptor),
            service,
            access,
            enforcement,
            transactions: capabilities.transactions,
            relations: capabilities.subqueries || !has_relations,
            is_kept,
        }
    }

    pub(crate) fn offers(&self, operation: Operation) -> bool {
        self.options.descriptor.offers(operation)
    }

    /// The prefix's last segment in words, such as `order items`.
    pub(crate) fn plural(&self) -> String {
        wording::words(self.options.prefix.rsplit('/').next().unwrap_or_default())
    }

    /// The schema of a record.
    pub(crate) fn record(&self) -> Schema {
        Schema::reference(&self.names.record())
    }

    /// The response with a record, which operations share.
    pub(crate) fn record_answer(&self) -> Answer {
        let answer = Answer::json("The record.", self.record()).headers(&["ETag"]);
        Answer { component: Some(self.names.record().into()), ..answer }
    }

    /// The resource in words with its article, such as `an order item`.
    pub(crate) fn singular(&self) -> String {
        wording::with_article(self.options.descriptor.name)
    }

    /// Whether bodies set values that have to be unique.
    pub(crate) fn has_uniques(&self) -> bool {
        uniques(self.options.descriptor).next().is_some()
    }

    /// Whether an item of a batch can fail without the others.
    pub(crate) fn has_partial_batches(&self) -> bool {
        let batches = [Operation::BatchCreate, Operation::BatchUpdate, Operation::BatchDelete];
        let is_partial = self.options.batch.is_some_and(|batch| batch.partial);
        is_partial && batches.into_iter().any(|operation| self.offers(operation))
    }

    /// Whether records refer to others.
    pub(crate) fn refers(&self) -> bool {
        self.options.descriptor.columns.iter().any(|column| column.references.is_some())
    }

    /// The problem of changes of several records, where storage has no transactions, and of conditions on other
    /// records, where it has no subqueries.
    pub(crate) fn several_records_problem(&self) -> &'static [Code] {
        if self.transactions && self.relations { &[] } else { &[Code::UnsupportedHere] }
    }

    /// The limit of storage without transactions.
    pub(crate) fn several_records(&self) -> &'static str {
        if self.transactions { "" } else { " The storage of this service refuses several records." }
    }

    /// The problems of a list.
    pub(crate) fn list_problems(&self) -> Vec<Code> {
        let of_cursors = has_cursors(self.options).then_some(Code::CursorInvalid);
        let of_storage = (!self.transactions).then_some(Code::UnsupportedHere);
        [Some(Code::ValidationFailed), of_cursors, of_storage].into_iter().flatten().collect()
    }

    /// The conflicts of a write that sets fields of a new record, or also of a stored one.
    pub(crate) fn conflicts(&self, of_stored: bool) -> Vec<Code> {
        let changes_state = of_stored && self.options.descriptor.transitions().next().is_some();
        let is_exclusive = !self.options.descriptor.exclusives.is_empty();
        let of_values = (self.has_uniques() || is_exclusive).then_some(Code::Conflict);
        let of_references = self.refers().then_some(Code::ReferenceNotFound);
        let of_states = changes_state.then_some(Code::IllegalTransition);
        let of_members = (of_stored && self.keeps_role()).then_some(Code::LastMember);
        [of_values, of_references, of_states, of_members].into_iter().flatten().collect()
    }

    /// Whether the records are memberships, the last of which with a certain role has to keep it.
    pub(crate) fn keeps_role(&self) -> bool {
        KeptRole::of(self.options.descriptor).is_some()
    }
}

/// The resource of a descriptor, where the document has it.
pub(crate) fn documented<'r, 'o>(
    resources: &'r [DocumentedResource<'o>],
    descriptor: &Descriptor,
) -> Option<&'r DocumentedResource<'o>> {
    resources.iter().find(|resource| std::ptr::eq(resource.options.descriptor, descriptor))
}

/// The columns whose values are unique, alone or together, and that storage does not assign.
pub(crate) fn uniques(resource: &'static Descriptor) -> impl Iterator<Item = Vec<usize>> {
    let is_unique = |index: usize| {
        let column = &resource.columns[index];
        let is_key = resource.key() == [index];
        is_key && !column.is_assigned() || !is_key && column.unique.is_some()
    };
    let alone = (0..resource.columns.len()).filter(move |index| is_unique(*index)).map(|index| vec![index]);
    let key = (!resource.composite.is_empty()).then(|| resource.composite.to_vec());
    alone.chain(key).chain(resource.uniques.iter().map(|group| group.columns.to_vec()))
}
