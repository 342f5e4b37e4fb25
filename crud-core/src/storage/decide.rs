//! The rules of a change: [`decide`] decides the outcome for one stored record.
//!
//! The function is pure, and the only place of these rules; [`Intent::as_condition`] states them for a single statement
//! that reads nothing before. Each storage carries out a decision in its way: one conditional statement, an optimistic
//! write, a locked record, a document.

use super::write::{Guard, Outcome, Work};
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::column::owned_value;
use crate::model::descriptor::{Descriptor, Reference, Role};
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::stored_value::stored_value;
use crate::model::value::is_same;
use crate::model::value::{Value, ValueRef};

/// Wanted change of one stored record.
#[derive(Debug, Clone, Copy)]
pub enum Intent<'a> {
    /// Sets these columns.
    Update(&'a Changes),
    /// Sets the deletion timestamp.
    SoftDelete,
    /// Clears the deletion timestamp.
    Restore,
    /// Removes the record, soft-deleted or not.
    Delete,
    /// Removes the record if it is soft-deleted.
    Purge,
}

/// Decision about a change of one record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// There is no such record.
    Missing,
    /// The guard refuses the change.
    Refused,
    /// The record is not in the [state](Intent::required_state) that the change needs.
    WrongState,
    /// The record has every value already: done, without a write or an audit entry.
    Unchanged,
    /// The new values and the time of update are written.
    Update {
        /// Whether the deletion timestamp is cleared too.
        restores: bool,
    },
    /// The deletion timestamp is written.
    SoftDelete,
    /// The deletion timestamp is cleared.
    Restore,
    /// The record is removed.
    Remove,
}

/// State of a record: active or soft-deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordState {
    /// No deletion timestamp.
    Active,
    /// A deletion timestamp.
    Deleted,
}

impl Intent<'_> {
    /// Intent of the change with this index, and its guard; `None` for an insert.
    pub fn of(work: Work<'_>, index: usize) -> Option<(Intent<'_>, Option<&dyn Guard>)> {
        let (intent, target) = match work {
            Work::Insert(_) => return None,
            Work::Update(updates) => {
                let update = updates.get(index)?;
                return Some((Intent::Update(update.changes), update.guard.as_deref()));
            }
            Work::SoftDelete(targets) => (Intent::SoftDelete, targets.get(index)?),
            Work::Restore(targets) => (Intent::Restore, targets.get(index)?),
            Work::Delete(targets) => (Intent::Delete, targets.get(index)?),
            Work::Purge(targets) => (Intent::Purge, targets.get(index)?),
        };
        Some((intent, target.guard.as_deref()))
    }

    /// The state that a record has to be in; `None` where either will do.
    pub const fn required_state(self) -> Option<RecordState> {
        match self {
            Self::SoftDelete => Some(RecordState::Active),
            Self::Restore | Self::Purge => Some(RecordState::Deleted),
            Self::Update(_) | Self::Delete => None,
        }
    }
}

/// Condition of a single statement that carries out an intent on the record of a key, without reading the record
/// before. Where the condition does not hold, [`decide`] tells why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IntentCondition {
    /// No condition: the record exists.
    Always,
    /// One of the new values differs from the record's.
    Differs,
    /// The record is in this state.
    InState(RecordState),
}

impl Intent<'_> {
    /// Condition of the statement that carries out the intent; `None` where a single statement cannot: an update that
    /// restores changes a soft-deleted record whatever its values are.
    pub fn as_condition(self, resource: &Descriptor) -> Option<IntentCondition> {
        match self {
            Self::Update(_) => (!restores_on_update(resource)).then_some(IntentCondition::Differs),
            Self::SoftDelete | Self::Restore | Self::Purge => self.required_state().map(IntentCondition::InState),
            Self::Delete => Some(IntentCondition::Always),
        }
    }
}

impl Decision {
    /// Outcome of a change that does not happen, or that has nothing to write; `None` where something is to be written.
    pub const fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Missing => Some(Outcome::Missing),
            Self::Refused => Some(Outcome::Refused),
            Self::WrongState => Some(Outcome::WrongState),
            Self::Unchanged => Some(Outcome::Done),
            Self::Update { .. } | Self::SoftDelete | Self::Restore | Self::Remove => None,
        }
    }
}

/// Decides the outcome for the stored record of a change.
///
/// A missing record is reported before its guard is asked, the guard's refusal before the wrong state.
///
/// # Errors
/// Errors of reading the record.
///
/// ```
/// use crud_runtime::adapter::{AdapterError, Decision, Intent, Row, decide};
/// use crud_runtime::prelude::*;
/// use crud_runtime::adapter::Changes;
/// use crud_runtime::column::{Value, ValueRef};
///
/// #[derive(Resource)]
/// struct Book { id: i64, title: String }
///
/// struct Stored(Vec<Value>);
///
/// impl Row for Stored {
///     fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
///         Ok(self.0[column].borrow())
///     }
/// }
///
/// # fn main() -> Result<(), AdapterError> {
/// let stored = Stored(vec![Value::Int(1), Value::Text("Emma".to_owned())]);
/// let mut changes = Changes::new();
/// changes.set(1, Value::Text("Emma".to_owned()));
/// let decision = decide(Book::DESCRIPTOR, Intent::Update(&changes), Some(&stored), None)?;
/// assert_eq!(decision, Decision::Unchanged);
/// # Ok(()) }
/// ```
pub fn decide(
    resource: &Descriptor,
    intent: Intent<'_>,
    stored: Option<&dyn Row>,
    guard: Option<&dyn Guard>,
) -> Result<Decision, AdapterError> {
    let Some(stored) = stored else { return Ok(Decision::Missing) };
    if let Some(guard) = guard
        && !guard.admits(stored)?
    {
        return Ok(Decision::Refused);
    }
    if let Some(required) = intent.required_state()
        && state(resource, stored)? != required
    {
        return Ok(Decision::WrongState);
    }
    Ok(match intent {
        Intent::Update(changes) => {
            let restores = restores_on_update(resource) && state(resource, stored)? == RecordState::Deleted;
            if restores || differs(resource, stored, changes) {
                Decision::Update { restores }
            } else {
                Decision::Unchanged
            }
        }
        Intent::SoftDelete => Decision::SoftDelete,
        Intent::Restore => Decision::Restore,
        Intent::Delete | Intent::Purge => Decision::Remove,
    })
}

/// Whether an update clears the deletion timestamp of a soft-deleted record.
pub fn restores_on_update(resource: &Descriptor) -> bool {
    resource.soft_delete.is_some_and(|soft_delete| soft_delete.auto_restore_on_update)
}

/// The state of a record; always active where the resource has no soft delete.
///
/// # Errors
/// Errors of reading the record.
pub fn state(resource: &Descriptor, stored: &dyn Row) -> Result<RecordState, AdapterError> {
    let Some(soft_delete) = resource.soft_delete else { return Ok(RecordState::Active) };
    let deleted = is_deleted(stored.value(soft_delete.deleted_at))?;
    Ok(if deleted { RecordState::Deleted } else { RecordState::Active })
}

/// Whether a record with this value in soft delete's column is deleted. An unreadable time counts as deleted.
///
/// # Errors
/// Errors of reading the record, except that the value is unreadable.
pub fn is_deleted(value: Result<ValueRef<'_>, AdapterError>) -> Result<bool, AdapterError> {
    match value {
        Ok(value) => Ok(!matches!(value, ValueRef::Null | ValueRef::Bool(false))),
        Err(AdapterError::Corrupt { .. }) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Whether the column of a record has this value. A stored value that cannot be read equals no value.
pub fn has(resource: &Descriptor, stored: &dyn Row, column: usize, value: &Value) -> bool {
    let read = stored.value(column).ok().and_then(|stored| owned_value(resource.columns[column].kind, stored).ok());
    read.is_some_and(|stored| is_same(&stored, value))
}

/// Whether one of the new values differs from the record's.
pub fn differs(resource: &Descriptor, stored: &dyn Row, changes: &Changes) -> bool {
    changes.iter().any(|(column, value)| !has(resource, stored, column, value))
}

/// A reference with a foreign key to a resource with soft delete.
#[derive(Debug, Clone, Copy)]
pub struct GuardedReference {
    /// The column that has the reference.
    pub column: usize,
    /// The reference.
    pub reference: Reference,
    /// The resource that the reference leads to.
    pub target: &'static Descriptor,
}

impl GuardedReference {
    /// The columns that refer, in the order of the other resource's key.
    pub const fn columns(&self) -> &[usize] {
        self.reference.columns(&self.column)
    }

    /// The key that a record refers to; `None` where it refers to none.
    pub fn key_in(&self, record: &[Value]) -> Option<Key> {
        self.reference.key_in(self.column, record)
    }
}

/// The references with a foreign key to resources with soft delete: a change must not add one to a soft-deleted record.
pub fn guarded_references(resource: &'static Descriptor) -> impl Iterator<Item = GuardedReference> + Clone {
    let references = resource.columns.iter().enumerate();
    let references = references.filter_map(|(column, descriptor)| {
        let reference = descriptor.constraint()?;
        Some(GuardedReference { column, reference, target: (reference.target)() })
    });
    references.filter(|guarded| guarded.target.soft_delete.is_some())
}

/// The new references of an update, whose targets must not be soft-deleted. An unchanged reference may lead to a record
/// that was deleted since.
///
/// # Errors
/// Errors of reading the stored part of a reference's key.
pub fn begun_references(
    resource: &'static Descriptor,
    stored: &dyn Row,
    changes: &Changes,
) -> Result<Vec<(GuardedReference, Key)>, AdapterError> {
    let mut begun = Vec::new();
    for guarded in guarded_references(resource) {
        let differs = |column: &usize| changes.get(*column).is_some_and(|value| !has(resource, stored, *column, value));
        if !guarded.columns().iter().any(differs) {
            continue;
        }
        let value =
            |column| changes.get(column).map_or_else(|| stored_value(resource, column, stored), |it| Ok(it.clone()));
        begun.extend(guarded.reference.key(guarded.column, value)?.map(|key| (guarded, key)));
    }
    Ok(begun)
}

/// The columns that an update sets besides its changes: the time of update, and the deletion timestamp where it
/// restores.
pub fn managed_columns(resource: &Descriptor, restores: bool) -> impl Iterator<Item = (usize, Role)> {
    let updated_at = resource.columns.iter().position(|column| column.role == Role::UpdatedAt);
    let deleted_at = resource.soft_delete.filter(|_| restores).map(|soft_delete| soft_delete.deleted_at);
    let updated_at = updated_at.map(|column| (column, Role::UpdatedAt));
    updated_at.into_iter().chain(deleted_at.map(|column| (column, Role::DeletedAt)))
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use chrono::{DateTime, Utc};

    use super::*;
    use crate::model::descriptor::{ColumnDescriptor, OnDelete, SoftDelete};

    const ID: ColumnDescriptor = ColumnDescriptor::new::<i64>("id", "id", "\"id\":", "id").role(Role::Id);
    const NAME: ColumnDescriptor = ColumnDescriptor::new::<String>("name", "name", "\"name\":", "name");
    const PLAIN_ID: ColumnDescriptor =
        ColumnDescriptor::new::<Option<i64>>("plain_id", "plain_id", "\"plain_id\":", "plain_id")
            .references(|| &PLAIN, OnDelete::Restrict);
    const DELETED_AT: ColumnDescriptor =
        ColumnDescriptor::new::<Option<DateTime<Utc>>>("deleted_at", "deleted_at", "\"deleted_at\":", "deleted_at")
            .role(Role::DeletedAt);

    /// A resource with soft delete whose updates leave deleted records deleted.
    static PLAIN: Descriptor =
        Descriptor::new("Plain", "core", "/plain", "plain", &[ID, NAME, DELETED_AT], 0).soft_delete(SoftDelete::new(2));

    /// A soft-deletable resource whose updates restore.
    static RESTORING: Descriptor =
        Descriptor::new("Restoring", "core", "/restoring", "restoring", &[ID, NAME, PLAIN_ID, DELETED_AT], 0)
            .soft_delete(SoftDelete::new(3).auto_restore_on_update());

    struct Stored(Vec<Value>);

    impl Row for Stored {
        fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
            Ok(self.0[column].borrow())
        }
    }

    fn plain(name: &str, deleted: bool) -> Stored {
        let deleted_at = if deleted { Value::DateTime(DateTime::UNIX_EPOCH) } else { Value::Null };
        Stored(vec![Value::Int(1), Value::Text(name.to_owned()), deleted_at])
    }

    fn restoring(name: &str, deleted: bool) -> Stored {
        let Stored(mut values) = plain(name, deleted);
        values.insert(2, Value::Int(5));
        Stored(values)
    }

    fn named(name: &str) -> Changes {
        Changes::new().with(1, Value::Text(name.to_owned()))
    }

    #[derive(Debug)]
    struct Always(bool);

    impl Guard for Always {
        fn admits(&self, _: &dyn Row) -> Result<bool, AdapterError> {
            Ok(self.0)
        }
    }

    #[test]
    fn a_missing_record_is_reported_before_the_guard_and_the_guard_before_the_state() {
        let guard = Always(false);
        let missing = decide(&PLAIN, Intent::Purge, None, Some(&guard)).unwrap();
        assert_eq!(missing, Decision::Missing);
        let refused = decide(&PLAIN, Intent::Purge, Some(&plain("a", false)), Some(&guard)).unwrap();
        assert_eq!(refused, Decision::Refused);
        let admitted = decide(&PLAIN, Intent::Purge, Some(&plain("a", false)), Some(&Always(true))).unwrap();
        assert_eq!(admitted, Decision::WrongState);
    }

    /// An intent with its changes.
    #[derive(Debug)]
    enum Wanted {
        Update(Changes),
        SoftDelete,
        Restore,
        Delete,
        Purge,
    }

    impl Wanted {
        fn intent(&self) -> Intent<'_> {
            match self {
                Self::Update(changes) => Intent::Update(changes),
                Self::SoftDelete => Intent::SoftDelete,
                Self::Restore => Intent::Restore,
                Self::Delete => Intent::Delete,
                Self::Purge => Intent::Purge,
            }
        }
    }

    /// A resource, a stored record, the wanted change, and the expected decision.
    type Case = (&'static Descriptor, Stored, Wanted, Decision);

    fn cases() -> Vec<Case> {
        let update = |restores| Decision::Update { restores };
        vec![
            (&PLAIN, plain("a", false), Wanted::Update(named("b")), update(false)),
            (&PLAIN, plain("a", true), Wanted::Update(named("b")), update(false)),
            (&PLAIN, plain("a", false), Wanted::Update(named("a")), Decision::Unchanged),
            (&PLAIN, plain("a", true), Wanted::Update(named("a")), Decision::Unchanged),
            (&PLAIN, plain("a", true), Wanted::Update(Changes::new()), Decision::Unchanged),
            (&PLAIN, plain("a", false), Wanted::SoftDelete, Decision::SoftDelete),
            (&PLAIN, plain("a", true), Wanted::SoftDelete, Decision::WrongState),
            (&PLAIN, plain("a", false), Wanted::Restore, Decision::WrongState),
            (&PLAIN, plain("a", true), Wanted::Restore, Decision::Restore),
            (&PLAIN, plain("a", false), Wanted::Delete, Decision::Remove),
            (&PLAIN, plain("a", true), Wanted::Delete, Decision::Remove),
            (&PLAIN, plain("a", false), Wanted::Purge, Decision::WrongState),
            (&PLAIN, plain("a", true), Wanted::Purge, Decision::Remove),
            (&RESTORING, restoring("a", true), Wanted::Update(named("a")), update(true)),
            (&RESTORING, restoring("a", false), Wanted::Update(named("a")), Decision::Unchanged),
            (&RESTORING, restoring("b", false), Wanted::Update(named("a")), update(false)),
            (&RESTORING, restoring("a", true), Wanted::Purge, Decision::Remove),
        ]
    }

    #[test]
    fn each_intent_has_its_decision() {
        for (resource, stored, wanted, decision) in cases() {
            let decided = decide(resource, wanted.intent(), Some(&stored), None).unwrap();
            assert_eq!(decided, decision, "{wanted:?} of {:?}", stored.0);
        }
    }

    #[test]
    fn one_statement_writes_what_is_decided_to_be_written() {
        for (resource, stored, wanted, decision) in cases() {
            let intent = wanted.intent();
            let holds = match intent.as_condition(resource) {
                None => {
                    assert!(matches!(intent, Intent::Update(_)) && restores_on_update(resource), "{wanted:?}");
                    continue;
                }
                Some(IntentCondition::Always) => true,
                Some(IntentCondition::Differs) => match intent {
                    Intent::Update(changes) => differs(resource, &stored, changes),
                    other => panic!("{other:?} has no values"),
                },
                Some(IntentCondition::InState(needed)) => state(resource, &stored).unwrap() == needed,
            };
            assert_eq!(holds, decision.outcome().is_none(), "{wanted:?} of {:?}", stored.0);
        }
    }

    #[test]
    fn only_a_new_reference_is_begun() {
        let stored = restoring("a", false);
        let begun = |value: Value| {
            let changes = Changes::new().with(2, value);
            let begun = begun_references(&RESTORING, &stored, &changes).unwrap();
            begun.into_iter().map(|(guarded, _)| guarded.column).collect::<Vec<_>>()
        };
        assert_eq!(begun(Value::Int(5)), [0; 0]);
        assert_eq!(begun(Value::Null), [0; 0]);
        assert_eq!(begun(Value::Int(6)), [2]);
    }

    #[test]
    fn a_stored_value_that_cannot_be_read_differs_from_every_value() {
        struct Corrupt;
        impl Row for Corrupt {
            fn value(&self, _: usize) -> Result<ValueRef<'_>, AdapterError> {
                Err(AdapterError::Other(Box::new(fmt::Error)))
            }
        }
        assert!(differs(&PLAIN, &Corrupt, &named("a")));
    }
}
