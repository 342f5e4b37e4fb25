//! [`Explanation`]: which operations of a resource a principal may use and which records it sees, and why not others.

use std::fmt;

use crud_shared::case::RenameRule;

use crate::model::access::Enforcement;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::key::Key;
use crate::model::principal::Principal;
use crate::query::record_scope::RecordScope;
use crate::storage::adapter::Adapter;
use crate::storage::decide::{RecordState, state};
use crate::store::each_row::each_row;
use crate::store::writer::related_scopes::Lookup;

/// Access of a principal to a resource, and to one of its records: what `crud explain` prints.
///
/// The rules that decide requests compute it, not a copy of them.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Explanation {
    /// The resource's name.
    pub resource: &'static str,
    /// The operations that HTTP offers.
    pub operations: Vec<ExplainedOperation>,
    /// The policies that restrict which records the principal reads, such as `owner: author_id`.
    pub reads: Vec<String>,
    /// The policies that restrict which of those records it changes, such as `scope(write) 1: author_id(me)`.
    pub changes: Vec<String>,
    /// The record, where one was asked for.
    pub record: Option<ExplainedRecord>,
}

/// An operation, and whether its access admits the principal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplainedOperation {
    /// The operation.
    pub operation: Operation,
    /// Whether the principal may use the operation.
    pub is_admitted: bool,
    /// The rules that the operation needs, as `access(…)` writes them.
    pub access: String,
}

/// A record, and what hides it from the principal, or keeps it from being changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplainedRecord {
    /// The key.
    pub id: String,
    /// Whether a record with the key exists.
    pub exists: bool,
    /// Policies that hide the record: `access: get`, `tenant: …`, `owner: …`, `scope 1: …`, `soft delete`. None: it is
    /// visible.
    pub hidden_by: Vec<String>,
    /// Further policies that keep the record from being changed: `access: update`, `scope(write) 1: …`.
    pub unchangeable_by: Vec<String>,
}

impl Explanation {
    /// Whether the principal sees the record.
    pub fn is_visible(&self) -> bool {
        self.record.as_ref().is_some_and(|record| record.exists && record.hidden_by.is_empty())
    }

    /// Explains a resource, and a record of it.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn of(
        resource: &'static Descriptor,
        enforcement: Enforcement,
        principal: Option<&Principal>,
        scope: &RecordScope,
        record: Option<(&dyn Adapter, &Key)>,
    ) -> Result<Self, AdapterError> {
        let admits = |operation| enforcement.admits(&resource.access, operation, principal);
        let offered = Operation::ALL.into_iter().filter(|operation| resource.offers(*operation));
        let explained = |operation: Operation| {
            let rules = enforcement.effective(&resource.access);
            let rules: Vec<String> = rules.stated(operation).map(|rule| rule.access.to_string()).collect();
            let access =
                if enforcement.applies(resource.access.is_stated()) { rules.join(", ") } else { "none".into() };
            ExplainedOperation { operation, is_admitted: admits(operation), access }
        };
        let (reads, changes) = scope.policies(resource);
        let mut explanation = Self {
            resource: resource.name,
            operations: offered.map(explained).collect(),
            reads,
            changes,
            record: None,
        };
        if let Some((adapter, id)) = record {
            if scope.has_related() {
                Lookup::of(adapter).prepare(resource, scope, id).await?;
            }
            let mut found = None;
            let mut sink = each_row(|row| {
                let (hiding, refusing) = scope.refusing(resource, row)?;
                found = Some((hiding, refusing, state(resource, row)? == RecordState::Deleted));
                Ok(())
            });
            // The read names no tenant: the explanation has the tenant among its policies.
            adapter.get(resource, id, None, &mut sink).await?;
            let access = |operation: Operation| (!admits(operation)).then(|| format!("access: {}", words(operation)));
            let exists = found.is_some();
            let (hiding, refusing, is_deleted) = found.unwrap_or_default();
            let deleted = is_deleted.then(|| SOFT_DELETE.to_owned());
            explanation.record = Some(ExplainedRecord {
                id: id.to_string(),
                exists,
                hidden_by: access(Operation::Get).into_iter().chain(hiding).chain(deleted).collect(),
                unchangeable_by: access(Operation::Update).into_iter().chain(refusing).collect(),
            });
        }
        Ok(explanation)
    }
}

/// The operation in words, such as `batch create`.
fn words(operation: Operation) -> String {
    RenameRule::Snake.variant(&format!("{operation:?}")).replace('_', " ")
}

/// The name of soft delete among policies.
const SOFT_DELETE: &str = "soft delete";

/// A line for each operation, the policies, and what is to be said of the record.
impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.operations.iter().map(|it| words(it.operation).len()).max().unwrap_or_default();
        for ExplainedOperation { operation, is_admitted, access } in &self.operations {
            let answer = if *is_admitted { "yes" } else { "no" };
            writeln!(f, "{:width$}  {answer:3}  {access}", words(*operation))?;
        }
        writeln!(f, "reads: {}", listed(&self.reads, "every record"))?;
        if !self.changes.is_empty() {
            writeln!(f, "changes: {}", listed(&self.changes, "every record"))?;
        }
        let Some(record) = &self.record else { return Ok(()) };
        let (name, id) = (self.resource, &record.id);
        if !record.exists {
            return writeln!(f, "{name} {id}: there is none");
        }
        if record.hidden_by.is_empty() {
            writeln!(f, "{name} {id}: visible")?;
        } else {
            writeln!(f, "{name} {id}: hidden by {}", listed(&record.hidden_by, ""))?;
        }
        match &record.unchangeable_by[..] {
            [] => Ok(()),
            policies => writeln!(f, "{name} {id}: not to be changed, by {}", listed(policies, "")),
        }
    }
}

fn listed(policies: &[String], none: &str) -> String {
    if policies.is_empty() { none.to_owned() } else { policies.join("; ") }
}
