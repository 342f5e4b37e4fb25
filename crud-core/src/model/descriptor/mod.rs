//! [`Descriptor`]: a resource as its attributes describe it, a `static`.
//!
//! The derive calls the `const` builder methods: an expansion names only what the attributes set, and every default
//! stands here.

mod builder;
mod children;
mod claim_scope;
mod column;
mod computed;
mod contradiction;
mod deprecation;
mod exclusive;
mod field;
mod former;
mod many_to_many;
mod merged;
mod operation;
mod options;
mod ownership;
mod presentation;
mod rate_limit;
mod referenced_key;
mod statements;
mod stored_format;
mod transition;
mod view;

pub use children::Children;
#[doc(hidden)]
pub use claim_scope::Step;
pub use claim_scope::{ClaimScope, ScopePath, Within};
pub use column::ColumnDescriptor;
pub use computed::{Computed, Computing, RequestContext};
pub use deprecation::Deprecation;
pub use exclusive::{Exclusive, States};
pub use field::{FieldPath, Literal, OnDelete, Reference, Role, Rule, Uniqueness, ZonePath};
pub use former::Former;
pub use many_to_many::{Junction, ManyToMany};
#[doc(hidden)]
pub use merged::Part;
pub use operation::{Operation, Operations};
pub use options::{
    Aggregate, Audit, Batch, Count, Idempotency, Import, Members, OverLimit, Owner, Pagination, PartialIndex, Search,
    SoftDelete, SortKey, Tenant, UniqueGroup,
};
pub use ownership::Ownership;
pub use presentation::Presentation;
pub use rate_limit::RateLimit;
pub use statements::Statements;
pub use stored_format::StoredFormat;
pub use transition::Transition;
pub use view::View;

use std::any::Any;

use super::access::AccessRules;

/// The description of a resource: one `static` for each derive.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[allow(clippy::struct_excessive_bools)] // Each is a fact for itself.
pub struct Descriptor {
    /// The struct's name, such as `Product`.
    pub name: &'static str,
    /// The module path of the struct, such as `shop::catalogue`.
    pub module: &'static str,
    /// The struct's doc comment.
    pub doc: &'static str,
    /// The path prefix, such as `/products`.
    pub prefix: &'static str,
    /// The name of the table, or of the view: `invoices`, or `sales.invoices` in a schema.
    pub table: &'static str,
    /// Owner of the table: the program, or another one.
    pub ownership: Ownership,
    /// Whether texts keep the collation that the database gives them, by which they are compared and ordered.
    pub has_database_collation: bool,
    /// The names that the struct had, the latest one first.
    pub formers: &'static [Former],
    /// The view, where the resource has no table.
    pub view: Option<View>,
    /// The former prefixes: requests there are redirected.
    pub moved_from: &'static [&'static str],
    /// The deprecation, if clients should not use the resource.
    pub deprecation: Option<Deprecation>,
    /// The tags that group the resource's operations in the OpenAPI document.
    pub tags: &'static [&'static str],
    /// The name of the resource's schemas and operations in the OpenAPI document, where it is not the struct's.
    pub api_name: Option<&'static str>,
    /// Presentation in pages for people.
    pub presentation: Presentation,
    /// The fields, in declaration order.
    pub columns: &'static [ColumnDescriptor],
    /// Whether the database fills in the value of a field that an insert leaves out.
    #[doc(hidden)]
    pub is_filled: bool,
    /// Whether the database computes the value of a field on every write.
    #[doc(hidden)]
    pub is_computed: bool,
    /// Whether a field's values have another form in answers than in storage.
    #[doc(hidden)]
    pub converts: bool,
    /// The index of the key in `columns`; of a composite key, of its first column.
    pub id: usize,
    /// The columns of a composite key, in the order of paths; none where the key is one column.
    pub composite: &'static [usize],
    /// Whether records have no key: they are only listed.
    pub keyless: bool,
    /// Fields of records that fields refer to, by which lists filter.
    pub paths: &'static [FieldPath],
    /// Fields of records that fields refer to, by which lists sort.
    pub sort_paths: &'static [FieldPath],
    /// The records of other resources that refer to a record of this resource, where requests can use them.
    pub children: &'static [Children],
    /// The records of other resources that junctions link to a record of this resource.
    pub many_to_many: &'static [ManyToMany],
    /// The field with the time zone of a record.
    pub time_zone: Option<ZonePath>,
    /// The order of a list whose request has no `sort`; the id is appended where it is missing.
    pub default_sort: &'static [SortKey],
    /// The limits of pages, when pagination is on.
    pub pagination: Option<Pagination>,
    /// The operations that HTTP offers.
    pub operations: Operations,
    /// Fields that are unique together.
    pub uniques: &'static [UniqueGroup],
    /// Spans that must not overlap.
    pub exclusives: &'static [Exclusive],
    /// Groups of fields for upserts: a create changes the record that already has the unique values of a group.
    pub upserts: &'static [&'static [usize]],
    /// Fields that are indexed together.
    pub indexes: &'static [&'static [usize]],
    /// Fields that are indexed together, of the records with a value in one of them.
    pub partial_indexes: &'static [PartialIndex],
    /// Whether lists can be exported as a file.
    pub export: bool,
    /// Aggregates, when they are on.
    pub aggregate: Option<Aggregate>,
    /// Imports of files, when they are on.
    pub import: Option<Import>,
    /// Full-text search, when it is on.
    pub search: Option<Search>,
    /// Soft delete, when it is on.
    pub soft_delete: Option<SoftDelete>,
    /// Batches, when they are on.
    pub batch: Option<Batch>,
    /// Idempotency keys, when they are on.
    pub idempotency: Option<Idempotency>,
    /// The limit of requests of one caller, when it is on.
    pub rate_limit: Option<RateLimit>,
    /// The audit log, when it is on.
    pub audit: Option<Audit>,
    /// The access rules, which apply where the service has authentication.
    pub access: AccessRules,
    /// The owner of each record, when records have owners.
    pub owner: Option<Owner>,
    /// The tenant of each record, when records have tenants.
    pub tenant: Option<Tenant>,
    /// The scopes that restrict some principals to the records with their claim.
    pub scopes: &'static [ClaimScope],
    /// The scopes that restrict the changes of some principals, and not what they read.
    pub write_scopes: &'static [ClaimScope],
    /// The program's hooks, in the type of the layer that calls them.
    pub hooks: Option<&'static (dyn Any + Send + Sync)>,
    /// The computation of the fields that functions of the program compute, where there are some.
    #[doc(hidden)]
    pub computing: Option<Computing>,
    /// The structs of the table, where it has several.
    #[doc(hidden)]
    pub parts: &'static [Part],
    /// The fixed statements for SQLite.
    pub sqlite: Option<Statements>,
    /// The fixed statements for PostgreSQL.
    pub postgres: Option<Statements>,
    /// The fixed statements for MySQL and MariaDB.
    pub mysql: Option<Statements>,
}

impl Descriptor {
    /// The resource with another name of its table. The copy is never freed.
    #[doc(hidden)]
    pub fn in_table(&self, table: &'static str) -> &'static Self {
        Box::leak(Box::new(Self { table, ..self.clone() }))
    }

    /// Whether lists can be filtered.
    #[doc(hidden)]
    pub fn has_filters(&self) -> bool {
        self.columns.iter().any(|column| column.filterable)
            || !self.paths.is_empty()
            || !self.children.is_empty()
            || !self.many_to_many.is_empty()
    }

    /// Whether bodies of a record contain records that refer to it.
    #[doc(hidden)]
    pub fn nests_children(&self) -> bool {
        self.children.iter().any(|children| children.nested)
    }

    /// The groups of fields by which creates over HTTP are upserts.
    #[doc(hidden)]
    pub fn offered_upserts(&self) -> &'static [&'static [usize]] {
        if self.offers(Operation::Create) && self.offers(Operation::Update) { self.upserts } else { &[] }
    }

    /// The names in JSON of some columns, with commas between them.
    #[doc(hidden)]
    pub fn names_of(&self, columns: &[usize]) -> String {
        let names: Vec<&str> = columns.iter().map(|column| self.columns[*column].json).collect();
        names.join(",")
    }

    /// Whether an update by `PUT` may create a record of the key in its path.
    #[doc(hidden)]
    pub fn creates_by_put(&self) -> bool {
        let key = self.key();
        let is_key = |group: &&[usize]| group.len() == key.len() && key.iter().all(|column| group.contains(column));
        !key.is_empty() && self.offered_upserts().iter().any(is_key)
    }

    /// Whether HTTP offers an operation: its option is on, and `operations` keep it. A batch also needs the
    /// operation it repeats.
    pub const fn offers(&self, operation: Operation) -> bool {
        let single = match operation {
            Operation::BatchCreate => Operation::Create,
            Operation::BatchUpdate => Operation::Update,
            Operation::BatchDelete => Operation::Delete,
            other => other,
        };
        self.enables(operation) && self.operations.contains(operation) && self.operations.contains(single)
    }

    /// Whether HTTP offers any operation: without one, the table is the program's own.
    #[doc(hidden)]
    pub fn is_offered(&self) -> bool {
        Operation::ALL.into_iter().any(|operation| self.offers(operation))
    }

    /// Whether an operation gives the same answer with any token and without one, under these rules.
    #[doc(hidden)]
    pub fn is_open(&self, rules: &AccessRules, operation: Operation) -> bool {
        rules.admit(operation, None)
            && !self.restricts_records()
            && (operation.is_read() || self.write_scopes.is_empty())
            && self.columns.iter().all(|column| column.visible.is_none())
            && !self.restricts_some_requests(rules, operation)
    }

    /// Whether some principals see only some of the records.
    #[doc(hidden)]
    pub fn restricts_records(&self) -> bool {
        self.owner.is_some()
            || self.tenant.is_some()
            || !self.scopes.is_empty()
            || self.parts.iter().any(|part| part.resource.restricts_records())
    }

    /// Whether a column's value decides which principals see a record: its owner, its tenant or a claim.
    #[doc(hidden)]
    pub fn restricts_by(&self, column: usize) -> bool {
        self.owner.is_some_and(|owner| owner.column == column)
            || self.tenant.is_some_and(|tenant| tenant.column == column)
            || self.scopes.iter().any(|scope| scope.column == column)
            || self.write_scopes.iter().any(|scope| scope.column == column)
    }

    /// Whether a column holds subjects of principals: owners, members, or subjects that a scope compares.
    #[doc(hidden)]
    pub fn has_subjects(&self, column: usize) -> bool {
        let members = self.tenant.and_then(|tenant| tenant.members);
        let mut scopes = self.scopes.iter().chain(self.write_scopes);
        self.owner.is_some_and(|owner| owner.column == column)
            || members.is_some_and(|members| members.user == column)
            || scopes.any(|scope| scope.own_column() == Some(column) && scope.claim == ClaimScope::SUBJECT)
    }

    /// Whether some requests for an operation need more access than its own rule. Requests for deleted records also
    /// need the access of `restore`, and those for a past state that of `history` too. Changes of a state need the
    /// access of the transition; upserts need that of creates and of updates.
    #[doc(hidden)]
    pub fn restricts_some_requests(&self, rules: &AccessRules, operation: Operation) -> bool {
        let (restore, history) = (rules.restore.admits(None), rules.history.admits(None));
        if operation.reads_deleted() && self.soft_delete.is_some() && !restore {
            return true;
        }
        let has_stated_transitions = || self.transitions().any(|(_, transition)| transition.access.is_some());
        match operation {
            Operation::Get => self.audit.is_some() && !(restore && history),
            Operation::Create => {
                !self.offered_upserts().is_empty() && (!rules.update.admits(None) || has_stated_transitions())
            }
            Operation::Update | Operation::BatchUpdate => {
                has_stated_transitions()
                    || operation == Operation::Update && self.creates_by_put() && !rules.create.admits(None)
            }
            _ => false,
        }
    }

    /// Whether the option that an operation needs is on.
    pub const fn enables(&self, operation: Operation) -> bool {
        if self.keyless && !matches!(operation, Operation::List) {
            return false;
        }
        match operation {
            Operation::List | Operation::Get => true,
            Operation::Create | Operation::Update | Operation::Delete => self.view.is_none(),
            Operation::Restore | Operation::RestoreMany | Operation::Purge | Operation::PurgeMany => {
                self.soft_delete.is_some()
            }
            Operation::BatchCreate | Operation::BatchUpdate | Operation::BatchDelete => self.batch.is_some(),
            Operation::History => self.audit.is_some(),
            Operation::Aggregate => self.aggregate.is_some(),
        }
    }

    /// The idempotency keys of requests for an operation, if they take one.
    #[doc(hidden)]
    pub fn idempotency_of(&self, operation: Operation) -> Option<Idempotency> {
        self.idempotency.filter(|_| !operation.is_read())
    }

    /// Whether changes without an idempotency key are refused.
    #[doc(hidden)]
    pub const fn requires_idempotency_key(&self) -> bool {
        matches!(self.idempotency, Some(Idempotency { required: true, .. }))
    }

    /// The columns of the key, in the order of paths; none where records have no key.
    pub const fn key(&self) -> &[usize] {
        if self.keyless {
            &[]
        } else if self.composite.is_empty() {
            std::slice::from_ref(&self.id)
        } else {
            self.composite
        }
    }

    /// Whether the resource refers to other records by two fields or more, as a junction does.
    #[doc(hidden)]
    pub const fn has_two_references(&self) -> bool {
        let (mut index, mut references) = (0, 0);
        while index < self.columns.len() {
            if self.columns[index].references.is_some() {
                references += 1;
            }
            index += 1;
        }
        references > 1
    }

    /// The column of another resource's key that a column refers to together with others.
    #[doc(hidden)]
    pub fn referred_together(&self, column: &ColumnDescriptor) -> Option<(&'static Self, &'static ColumnDescriptor)> {
        self.columns.iter().filter_map(|column| column.references).find_map(|reference| {
            let position = reference.by.iter().position(|by| self.columns[*by].column == column.column)?;
            let target = (reference.target)();
            Some((target, &target.columns[*target.key().get(position)?]))
        })
    }

    /// The columns that records without a key are ordered by: those that `sort` can name, or else all that can be
    /// compared.
    #[doc(hidden)]
    pub fn keyless_order(&self) -> impl Iterator<Item = usize> {
        let names_some = self.sortable().next().is_some();
        let columns = self.columns.iter().enumerate();
        let ordered = columns.filter(move |(_, column)| {
            if names_some { column.sortable } else { column.kind.is_comparable() && column.is_stored() }
        });
        ordered.map(|(column, _)| column)
    }

    /// Whether a column is the key or a part of it.
    #[doc(hidden)]
    pub fn is_key(&self, column: usize) -> bool {
        self.key().contains(&column)
    }

    /// The key's column, where the key is an integer that storage assigns.
    #[doc(hidden)]
    pub fn counted_key(&self) -> Option<usize> {
        match self.key() {
            [column] => {
                let descriptor = &self.columns[*column];
                (descriptor.is_assigned() && descriptor.kind.integer_range().is_some()).then_some(*column)
            }
            _ => None,
        }
    }

    /// The names in JSON of the key's fields, with commas between them.
    #[doc(hidden)]
    pub fn key_names(&self) -> String {
        self.names_of(self.key())
    }

    /// The column of the key; of a composite key, the first.
    pub const fn id_column(&self) -> &'static ColumnDescriptor {
        &self.columns[self.id]
    }

    /// The index and descriptor of the field with this name in JSON, unless it is hidden.
    pub fn json_field(&self, name: &str) -> Option<(usize, &'static ColumnDescriptor)> {
        self.columns.iter().enumerate().find(|(_, column)| column.json == name && !column.hidden)
    }

    /// The transitions of the resource's states, each with the column of the state.
    pub fn transitions(&self) -> impl Iterator<Item = (usize, &'static Transition)> + use<> {
        let columns = self.columns.iter().enumerate();
        columns.flat_map(|(index, column)| column.transitions.iter().map(move |transition| (index, transition)))
    }

    /// The fields that a filter can name.
    pub fn filterable(&self) -> impl Iterator<Item = &'static ColumnDescriptor> {
        self.columns.iter().filter(|column| column.filterable)
    }

    /// The fields that `sort` can name.
    pub fn sortable(&self) -> impl Iterator<Item = &'static ColumnDescriptor> {
        self.columns.iter().filter(|column| column.sortable)
    }
}
