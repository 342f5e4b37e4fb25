//! Changes of a resource with hooks.
//!
//! The steps of each change, in one transaction: the record is read and locked, the change decided upon, `before`
//! called, the record validated, the change written with its audit entry, `after` called. A removal also writes the
//! entries of dependent records. All changes of a write have one commit, and `committed` comes after it.
//!
//! The record of a change is the one at the end of the write: where a hook has written anything, the records of all
//! changes are read again. Hooks that only read cost no statement.

use std::sync::Arc;

use super::Hooks;
use super::changed::ChangedData;
use super::changeset::{ChangeKind, ChangesetData};
use super::context::HookContext;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::model::value::{Value, is_same};
use crate::query::{ListQuery, Predicate, Scope};
use crate::storage::adapter::Adapter;
use crate::storage::decide::{Decision, Intent, RecordState, decide, state};
use crate::storage::write::{Outcome, Recorder, Target, Update, Work, WorkWhere, Write};
use crate::store::app::App;
use crate::store::each_row::each_row;
use crate::store::mounted::resource::MountedResource;
use crate::store::observer::call::call;
use crate::store::owned_record::{OwnedRecord, OwnedSink};
use crate::store::transaction::shared::SharedTransaction;
use crate::store::writer::dependant_changes::DependantChanges;
use crate::store::writer::exclusive::Spans;
use crate::store::writer::kept_role::KeptRole;
use crate::store::writer::watch::Watch;
use crate::store::writer::write_error::{WriteError, record_id};
use crate::store::writer::{OnlyRecord, record_values, state_change};

/// Number of records that a change by filter reads at a time.
const CHUNK: u64 = 500;

/// The changes of a resource with hooks, in a transaction.
pub(in crate::store) struct HookedChanges<'a> {
    pub(in crate::store) app: App,
    pub(in crate::store) mounted: &'a MountedResource,
    /// The tenant of the records; `None`: records of every tenant.
    pub(in crate::store) tenant: Option<&'a Value>,
    pub(in crate::store) hooks: &'static Hooks,
    pub(in crate::store) transaction: &'a Arc<SharedTransaction>,
    pub(in crate::store) recorder: Option<Arc<dyn Recorder>>,
    /// The watch over the records, which hooks may change.
    pub(in crate::store) watch: Watch<'a>,
}

/// A change that was applied, or that would change nothing.
pub(in crate::store) struct Applied {
    /// The record as it is at the end of the write; a removed one as it was.
    pub(in crate::store) record: OwnedRecord,
    /// `None` where nothing was to be written.
    pub(in crate::store) done: Option<ChangedData>,
}

impl HookedChanges<'_> {
    pub(super) fn resource(&self) -> &'static Descriptor {
        self.mounted.resource()
    }

    pub(super) fn problem(&self, error: AdapterError) -> Problem {
        self.app.problem(self.resource(), error)
    }

    /// Applies the changes of this work, each undone alone when it fails.
    ///
    /// # Errors
    /// When the database fails.
    pub(in crate::store) async fn apply(&self, work: Work<'_>) -> Result<Vec<Result<Applied, WriteError>>, Problem> {
        let writing_hooks = self.transaction.writing_hooks();
        let mut applied = Vec::with_capacity(work.len());
        for index in 0..work.len() {
            // A failed change leaves nothing behind, whatever its hooks wrote; the others still run, to find out what
            // else fails.
            self.transaction.savepoint().await.map_err(|error| self.problem(error))?;
            let change = self.one(work, index).await;
            let ended = match &change {
                Ok(_) => self.transaction.release().await,
                Err(_) => self.transaction.rollback_to().await,
            };
            ended.map_err(|error| self.problem(error))?;
            applied.push(change);
        }
        let have_hooks_written = self.transaction.writing_hooks() != writing_hooks;
        self.settle(&mut applied, have_hooks_written).await?;
        Ok(applied)
    }

    /// Changes every soft-deleted record that satisfies a predicate. Returns their number, and the changes for
    /// `committed`.
    ///
    /// # Errors
    /// The reason why one of them could not be changed.
    pub(in crate::store) async fn apply_where(
        &self,
        work: WorkWhere,
        filter: &Predicate,
    ) -> Result<(u64, Vec<ChangedData>), Problem> {
        let resource = self.resource();
        let filter = Scope::Deleted.predicate(resource).and(filter.clone());
        let (mut count, mut kept) = (0, Vec::new());
        loop {
            // The records of the last chunk no longer satisfy the filter.
            let query = ListQuery::all(resource).filter(filter.clone()).limit(CHUNK);
            // A record that refers to another one of the same resource is most often newer.
            let query = query.sort(SortKey::of_key(resource, true));
            let mut ids = Vec::new();
            let mut sink = each_row(|row| {
                ids.push(Key::of_row(resource, row)?);
                Ok(())
            });
            let listed = self.transaction.list_locked(resource, &query, &mut sink).await;
            listed.map_err(|error| self.problem(error))?;
            let targets: Vec<Target<'_>> = ids.iter().map(|id| Target::new(id, None)).collect();
            let work = match work {
                WorkWhere::Restore => Work::Restore(&targets),
                WorkWhere::Purge => Work::Purge(&targets),
            };
            for change in self.apply(work).await? {
                let change = change.map_err(WriteError::unguarded)?;
                count += 1;
                // Changes are only kept if needed: there may be any number of them.
                if self.hooks.committed.is_some() {
                    kept.extend(change.done);
                }
            }
            if (targets.len() as u64) < CHUNK {
                return Ok((count, kept));
            }
        }
    }

    async fn one(&self, work: Work<'_>, index: usize) -> Result<Applied, WriteError> {
        let resource = self.resource();
        let (mut change, id, restores) = match work {
            Work::Insert(records) => {
                let new = OwnedRecord::new(records[index].clone());
                (ChangesetData::of(resource, ChangeKind::Create, None, new), Key::from(Value::Null), false)
            }
            _ => {
                let missing = || Problem::internal("a new record has no key to lock");
                let (id, (intent, guard)) = record_id(work, index).zip(Intent::of(work, index)).ok_or_else(missing)?;
                let mut found = None;
                let mut sink = each_row(|row| {
                    let decision = decide(resource, intent, Some(row), guard)?;
                    found = Some((decision, OwnedRecord::read(resource, row)?));
                    Ok(())
                });
                self.transaction
                    .lock(resource, id, self.tenant, &mut sink)
                    .await
                    .map_err(|error| self.problem(error))?;
                let Some((decision, old)) = found else {
                    return Err(WriteError::of_outcome(resource, work, index, Outcome::Missing));
                };
                if let Some(outcome) = decision.outcome().filter(|_| decision != Decision::Unchanged) {
                    return Err(WriteError::of_outcome(resource, work, index, outcome));
                }
                let restores = matches!(decision, Decision::Update { restores: true });
                if self.watches() {
                    self.watch.begin(&old).await?;
                }
                (changed(resource, work, index, old), id.clone(), restores)
            }
        };
        let tenant = change.new.tenant(resource).cloned();
        let mut ctx = HookContext { app: &self.app, transaction: self.transaction, tenant, index };
        if let Some(before) = self.hooks.before {
            let writes = self.transaction.writes();
            before(&mut change, &mut ctx).await?;
            if let (true, Some(old)) = (self.transaction.count_hook(writes), &change.old) {
                let stored = self.watch.reread(old).await?;
                let missing = || WriteError::of_outcome(resource, work, index, Outcome::Missing);
                change.rebase(stored.ok_or_else(missing)?);
            }
        }
        self.validate(&mut change)?;
        // The hook may have made an update without changes set a field, or undone all changes of an update.
        if change.kind == ChangeKind::Update && !restores && !change.differs() {
            return Ok(Applied { record: change.old.unwrap_or(change.new), done: None });
        }
        let record = self.write(work, index, &id, &change).await?;
        self.require_kept_role(&change, &record).await?;
        Spans { app: &self.app, transaction: self.transaction, resource }
            .check(change.kind, change.old.as_ref(), &record)
            .await?;
        let done = ChangedData { kind: change.kind, old: change.old, new: record.clone() };
        if done.old.is_none() && self.watches() {
            self.watch.begin(&record).await?;
        }
        if let Some(after) = self.hooks.after {
            let writes = self.transaction.writes();
            after(&done, &mut ctx).await?;
            self.transaction.count_hook(writes);
        }
        call(&self.app, self.transaction, resource, &done).await?;
        Ok(Applied { record, done: Some(done) })
    }

    /// Refuses a change that takes a kept role from the last member of a tenant who has it.
    async fn require_kept_role(&self, change: &ChangesetData, new: &OwnedRecord) -> Result<(), Problem> {
        let Some((kept, old)) = KeptRole::of(self.resource()).zip(change.old.as_ref()) else { return Ok(()) };
        let tenant = |membership| kept.tenant_of_holder(membership).map_err(|error| self.problem(error));
        let is_removed = matches!(change.kind, ChangeKind::Delete | ChangeKind::Purge);
        let Some(of_old) = tenant(old)? else { return Ok(()) };
        let is_taken = is_removed || tenant(new)?.is_none();
        if is_taken && !kept.is_held(&self.app, self.transaction, of_old).await? {
            return Err(kept.refusal());
        }
        Ok(())
    }

    /// Checks the record as it would be stored, and refuses the change for what its hooks have found.
    fn validate(&self, change: &mut ChangesetData) -> Result<(), Problem> {
        if change.kind.sets_values() {
            if self.hooks.before.is_some() {
                let changes = change.changes();
                match &change.old {
                    None => record_values::validate_new(self.mounted, &changes)?,
                    Some(old) => {
                        record_values::validate(self.mounted, &changes)?;
                        state_change::check(self.resource(), old, &changes)?;
                    }
                }
            }
            if let Some(validate) = self.hooks.validate {
                change.is_checked = true;
                validate(change)?;
            }
        }
        let errors = std::mem::take(&mut change.errors);
        if errors.is_empty() { Ok(()) } else { Err(Problem::validation(errors)) }
    }

    async fn write(
        &self,
        work: Work<'_>,
        index: usize,
        id: &Key,
        change: &ChangesetData,
    ) -> Result<OwnedRecord, WriteError> {
        let resource = self.resource();
        let target = [Target::new(id, None)];
        let (records, changes, updates);
        let work_of_one = match work {
            Work::Insert(_) => {
                records = [change.new.clone().into_values()];
                Work::Insert(&records)
            }
            Work::Update(_) => {
                changes = change.changes();
                updates = [Update::new(id, &changes, None)];
                Work::Update(&updates)
            }
            Work::SoftDelete(_) => Work::SoftDelete(&target),
            Work::Restore(_) => Work::Restore(&target),
            Work::Delete(_) => Work::Delete(&target),
            Work::Purge(_) => Work::Purge(&target),
        };
        let tenant = change.old.as_ref().and_then(|old| old.tenant(resource));
        if matches!(work, Work::Delete(_) | Work::Purge(_)) {
            DependantChanges::new(&self.app, self.transaction).apply(resource, id, tenant).await?;
        }
        let mut sink = OwnedSink::new(resource);
        let write = Write::atomic(work_of_one, self.recorder.clone()).with_clock(self.app.clock());
        let write = write.of_tenant(tenant);
        let outcomes = self.transaction.write(resource, write, &mut OnlyRecord(&mut sink)).await;
        match outcomes.map_err(|error| self.problem(error))?.pop() {
            Some(Outcome::Done) => {}
            Some(outcome) => return Err(WriteError::of_outcome(resource, work, index, outcome)),
            None => return Err(Problem::internal("the adapter returned no outcome").into()),
        }
        sink.record.ok_or_else(|| Problem::internal("the adapter returned no record").into())
    }
}

impl ChangesetData {
    /// A change that sets no field yet.
    fn of(resource: &'static Descriptor, kind: ChangeKind, old: Option<OwnedRecord>, new: OwnedRecord) -> Self {
        let set = vec![false; resource.columns.len()];
        Self { resource, kind, old, new, set, is_checked: false, errors: Vec::new(), misuse: None }
    }

    /// Bases the change on the record as it is stored now: a field that was sent with its old value keeps the stored
    /// one.
    fn rebase(&mut self, stored: OwnedRecord) {
        let sent = std::mem::replace(&mut self.new, stored.clone());
        let former = self.old.replace(stored);
        for (column, _) in self.set.iter().enumerate().filter(|(_, set)| **set) {
            if former.as_ref().is_none_or(|former| !is_same(former.get(column), sent.get(column))) {
                self.new.set(column, sent.get(column).clone());
            }
        }
    }

    /// Whether an update sets a field to another value than the stored one.
    fn differs(&self) -> bool {
        self.old.as_ref().is_none_or(|old| {
            let columns = self.set.iter().enumerate().filter(|(_, set)| **set);
            columns.into_iter().any(|(column, _)| !is_same(old.get(column), self.new.get(column)))
        })
    }

    /// The values that an update sets, or those of a new record.
    fn changes(&self) -> Changes {
        let mut changes = Changes::new();
        for (column, descriptor) in self.resource.columns.iter().enumerate() {
            let is_left = self.new.get(column).is_default();
            let is_new = self.kind == ChangeKind::Create && !descriptor.is_assigned() && !is_left;
            if self.set[column] || is_new {
                changes.set(column, self.new.get(column).clone());
            }
        }
        changes
    }
}

/// The change of an existing record.
fn changed(resource: &'static Descriptor, work: Work<'_>, index: usize, old: OwnedRecord) -> ChangesetData {
    let mut change = ChangesetData::of(resource, kind(work, resource, &old), Some(old.clone()), old);
    if let Work::Update(updates) = work {
        for (column, value) in updates[index].changes.iter() {
            change.new.set(column, value.clone());
            change.set[column] = true;
        }
    }
    change
}

fn kind(work: Work<'_>, resource: &Descriptor, old: &OwnedRecord) -> ChangeKind {
    let is_deleted = state(resource, old).is_ok_and(|state| state == RecordState::Deleted);
    match work {
        Work::Insert(_) => ChangeKind::Create,
        Work::Update(_) => ChangeKind::Update,
        Work::SoftDelete(_) => ChangeKind::SoftDelete,
        Work::Restore(_) => ChangeKind::Restore,
        Work::Delete(_) | Work::Purge(_) if is_deleted => ChangeKind::Purge,
        Work::Delete(_) | Work::Purge(_) => ChangeKind::Delete,
    }
}
