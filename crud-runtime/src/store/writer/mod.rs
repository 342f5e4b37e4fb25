//! [`RecordWriter`]: the changes of handlers and stores, with their audit entries, hooks and problems.

pub(crate) mod after_commit;
pub(crate) mod audit_recorder;
pub(super) mod dependant_changes;
pub(in crate::store) mod exclusive;
pub(crate) mod kept_role;
pub(crate) mod logged_dependants;
pub(crate) mod no_sink;
pub(crate) mod present_spans;
pub(crate) mod record_values;
pub(crate) mod reference_rule;
pub(super) mod related_scope_write;
pub(crate) mod related_scopes;
pub(crate) mod state_change;
pub(crate) mod upsert;
pub(in crate::store) mod watch;
pub(crate) mod write_error;

use std::collections::BTreeMap;
use std::sync::Arc;

use crud_core::retry;

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::record_scope::RecordScope;
use crate::query::{Predicate, Scope};
use crate::storage::adapter::Adapter;
use crate::storage::layers::tenant_read_audit::{TenantReadAudit, Unended, report_selects};
use crate::storage::layers::unchanged::UnchangedRecords;
use crate::storage::write::{Mode, Outcome, Recorder, Update, Work, WorkWhere, Write, WriteSink, WriteWhere};
use crate::store::app::App;
use crate::store::audit_record::Action;
use crate::store::hooks::changed::ChangedData;
use crate::store::hooks::pipeline::{Applied, HookedChanges};
use crate::store::hooks::{Hooks, NO_HOOKS};
use crate::store::mounted::resource::MountedResource;
use crate::store::observer::kind::ObservedKind;
use crate::store::scope::caller::Caller;
use crate::store::transaction::shared::{End, SharedTransaction};
use crate::store::writer::audit_recorder::AuditRecorder;
use crate::store::writer::kept_role::KeptRole;
use crate::store::writer::reference_rule::{ReferenceRule, Unkept};
use crate::store::writer::state_change::StateChange;
use crate::store::writer::watch::Watch;
use crate::store::writer::write_error::WriteError;

/// Writes a resource's records on behalf of an actor.
#[derive(Clone)]
pub(crate) struct RecordWriter<'a> {
    pub(crate) app: &'a App,
    pub(crate) mounted: &'a MountedResource,
    /// The transaction to write in; without one, each write is durable when it returns.
    pub(crate) transaction: Option<&'a Arc<SharedTransaction>>,
    pub(crate) actor: Option<&'a Arc<Principal>>,
    /// The sender of the request that makes the changes; none for those of a store.
    pub(crate) caller: Option<Caller>,
    /// Route of the changes of a state, and whether their access applies.
    pub(crate) state_change: StateChange,
    /// Rule for the records that the changes may refer to.
    pub(crate) references: ReferenceRule<'a>,
    /// The records that may be changed; guards check this too. `None`: the program's own changes.
    pub(crate) scope: Option<&'a RecordScope>,
    /// Number of failures after which an atomic write may stop; `None`: it finds all failures.
    pub(crate) most_failures: Option<usize>,
    /// Observer of the records that are returned without a change.
    pub(crate) reads: Option<&'a Arc<dyn TenantReadAudit>>,
}

/// Outcome of each change of a write.
pub(crate) type Results = Vec<Result<(), WriteError>>;

impl<'a> RecordWriter<'a> {
    /// The writer of the program's own changes, which no request makes.
    pub(crate) fn of_program(app: &'a App, mounted: &'a MountedResource, references: ReferenceRule<'a>) -> Self {
        Self {
            app,
            mounted,
            transaction: None,
            actor: app.shared_actor(),
            caller: None,
            state_change: StateChange::default(),
            references,
            scope: None,
            most_failures: None,
            // A handle that reports reads does so by its adapter.
            reads: None,
        }
    }
}

impl RecordWriter<'_> {
    pub(super) fn adapter(&self) -> &dyn Adapter {
        match self.transaction {
            Some(transaction) => &**transaction,
            None => &**self.app.adapter(),
        }
    }

    pub(super) fn resource(&self) -> &'static Descriptor {
        self.mounted.resource()
    }

    /// The tenant of the changed records; `None` where they have none, or may be of every tenant.
    pub(in crate::store) fn tenant(&self) -> Option<&Value> {
        self.scope.and_then(RecordScope::tenant)
    }

    pub(super) fn problem(&self, error: AdapterError) -> Problem {
        self.app.problem(self.resource(), error)
    }

    /// Applies the only change of this work.
    ///
    /// # Errors
    /// The reason why the change did not happen.
    pub(crate) async fn write_one(&self, work: Work<'_>, sink: &mut dyn RowSink) -> Result<(), WriteError> {
        self.write_one_as(work, Mode::Atomic, sink).await
    }

    /// Writes one change in a mode.
    ///
    /// # Errors
    /// As [`write_one`](Self::write_one).
    pub(crate) async fn write_one_as(
        &self,
        work: Work<'_>,
        mode: Mode,
        sink: &mut dyn RowSink,
    ) -> Result<(), WriteError> {
        let mut results = self.write(work, mode, &mut OnlyRecord(sink)).await?;
        results.pop().unwrap_or_else(|| Err(Problem::internal("the adapter returned no outcome").into()))
    }

    /// Applies the changes of this work; returns the outcome of each. In atomic mode, either all have happened or none.
    ///
    /// # Errors
    /// When the database fails; no change has happened then.
    pub(crate) async fn write(&self, work: Work<'_>, mode: Mode, sink: &mut dyn WriteSink) -> Result<Results, Problem> {
        if mode != Mode::Partial {
            self.check_atomic(work.len())?;
        }
        match self.scope.filter(|scope| scope.has_related()) {
            Some(scope) => self.write_in_related_scope(scope, work, mode, sink).await,
            None => self.write_referring(work, mode, sink, BTreeMap::new()).await,
        }
    }

    /// Applies the changes of this work, except those that are refused, or whose references are.
    pub(super) async fn write_referring(
        &self,
        work: Work<'_>,
        mode: Mode,
        sink: &mut dyn WriteSink,
        mut refused: BTreeMap<usize, Problem>,
    ) -> Result<Results, Problem> {
        let unkept = Unkept { has_policies: self.app.is_in_session(), elsewhere: self.app.elsewhere() };
        let found = self.references.refused(self.adapter(), self.resource(), (work, self.tenant()), unkept).await;
        for (index, columns) in found.map_err(|error| self.problem(error))? {
            let problem = || self.problem(AdapterError::ReferenceNotFound { columns });
            refused.entry(index).or_insert_with(problem);
        }
        if !refused.is_empty() {
            return self.write_others(work, mode, sink, refused).await;
        }
        self.write_checked(work, mode, sink).await
    }

    /// Applies the changes that are not refused; in atomic mode, only tries them, to find what else is wrong.
    async fn write_others(
        &self,
        work: Work<'_>,
        mode: Mode,
        sink: &mut dyn WriteSink,
        mut refused: BTreeMap<usize, Problem>,
    ) -> Result<Results, Problem> {
        let mode = if mode == Mode::Partial { Mode::Partial } else { Mode::Rehearsal };
        let kept: Vec<usize> = (0..work.len()).filter(|index| !refused.contains_key(index)).collect();
        let mut sink = OtherRecords { sink, indexes: &kept };
        let written = match work {
            _ if kept.is_empty() => Vec::new(),
            Work::Insert(records) => {
                let others: Vec<Vec<Value>> = kept.iter().map(|index| records[*index].clone()).collect();
                self.write_checked(Work::Insert(&others), mode, &mut sink).await?
            }
            Work::Update(updates) => {
                let others: Vec<Update<'_>> = kept.iter().map(|index| updates[*index].clone()).collect();
                self.write_checked(Work::Update(&others), mode, &mut sink).await?
            }
            // Only changes that set values have references.
            _ => Vec::new(),
        };
        let mut written = written.into_iter();
        let result = |index| match refused.remove(&index) {
            Some(problem) => Err(problem.into()),
            None => written.next().unwrap_or_else(|| Err(Problem::internal("the adapter returned no outcome").into())),
        };
        Ok((0..work.len()).map(result).collect())
    }

    /// The first records of an insert, by index and up to a limit, that refer to records which do not exist or are
    /// refused. Nothing is written or locked.
    ///
    /// # Errors
    /// When the database fails.
    pub(crate) async fn missing_references(
        &self,
        records: &[Vec<Value>],
        most: usize,
    ) -> Result<BTreeMap<usize, Problem>, Problem> {
        let missing = self.references.missing(self.adapter(), self.resource(), records, most).await;
        let problem = |columns| self.problem(AdapterError::ReferenceNotFound { columns });
        let missing = missing.map_err(|error| self.problem(error))?;
        Ok(missing.into_iter().map(|(index, columns)| (index, problem(columns))).collect())
    }

    async fn write_checked(&self, work: Work<'_>, mode: Mode, sink: &mut dyn WriteSink) -> Result<Results, Problem> {
        let Work::Update(updates) = work else { return self.write_guarded(work, mode, sink).await };
        let principal = self.caller.as_ref().and_then(Caller::principal);
        let (updates, guards) = self.state_change.guard(self.resource(), updates, principal);
        let mut results = self.write_guarded(Work::Update(&updates), mode, sink).await?;
        for (result, guard) in results.iter_mut().zip(&guards) {
            if matches!(result, Err(WriteError::Refused))
                && let Some(problem) = guard.as_ref().and_then(|guard| guard.refusal())
            {
                *result = Err(problem.into());
            }
        }
        Ok(results)
    }

    async fn write_guarded(&self, work: Work<'_>, mode: Mode, sink: &mut dyn WriteSink) -> Result<Results, Problem> {
        let recorder = self.recorder(action(work));
        let (Some(reads), Work::Update(updates)) = (self.reads, work) else {
            return self.write_recorded(work, mode, recorder, sink).await;
        };
        let mut unchanged = UnchangedRecords::new(self.resource(), &**reads, sink);
        let recorder = recorder.map(|recorder| unchanged.noting(recorder));
        let updates = unchanged.guarding(updates);
        let results = self.write_recorded(Work::Update(&updates), mode, recorder, &mut unchanged).await?;
        unchanged.report();
        Ok(results)
    }

    async fn write_recorded(
        &self,
        work: Work<'_>,
        mode: Mode,
        recorder: Option<Arc<dyn Recorder>>,
        sink: &mut dyn WriteSink,
    ) -> Result<Results, Problem> {
        if let Some(hooks) = self.hooks_of(work) {
            return self.write_hooked(hooks, work, mode, recorder, sink).await;
        }
        let write = Write::new(work, mode, recorder).with_clock(self.app.clock());
        let write = write.stopping_after(self.most_failures).of_tenant(self.tenant());
        let outcomes = self.adapter().write(self.resource(), write, sink).await.map_err(|error| self.problem(error))?;
        let result = |(index, outcome)| match outcome {
            Outcome::Done => Ok(()),
            Outcome::Failed(error) => Err(self.problem(error).into()),
            outcome => Err(WriteError::of_outcome(self.resource(), work, index, outcome)),
        };
        Ok(outcomes.into_iter().enumerate().map(result).collect())
    }

    /// Changes every soft-deleted record that satisfies a predicate; returns their number.
    ///
    /// # Errors
    /// The reason why a record could not be changed; no change has happened then.
    pub(crate) async fn write_where(&self, work: WorkWhere, filter: &Predicate) -> Result<u64, Problem> {
        let action = match work {
            WorkWhere::Restore => Action::Restore,
            WorkWhere::Purge => Action::Delete,
        };
        self.check_atomic_where(filter).await?;
        if let Some(reads) = self.reads {
            let reads = Unended(reads.clone());
            let reported = report_selects(self.adapter(), &reads, self.resource(), filter).await;
            reported.map_err(|error| self.problem(error))?;
        }
        let recorder = self.recorder(action);
        let hooks = Hooks::of(self.resource()).filter(|hooks| hooks.see_removals());
        let hooks = hooks.or_else(|| self.steps_of_removal().filter(|_| work == WorkWhere::Purge));
        let hooks = hooks.or_else(|| self.steps_of_spans().filter(|_| work == WorkWhere::Restore));
        let hooks = hooks.or_else(|| {
            self.steps_of_observers(match work {
                WorkWhere::Restore => ObservedKind::Restore,
                WorkWhere::Purge => ObservedKind::Remove,
            })
        });
        if let Some(hooks) = hooks {
            return self.write_hooked_where(hooks, work, filter, recorder).await;
        }
        let write = WriteWhere::new(work, filter, recorder).with_clock(self.app.clock()).of_tenant(self.tenant());
        self.adapter().write_where(self.resource(), write).await.map_err(|error| self.problem(error))
    }

    /// Refuses an atomic change of several records where storage has no transactions.
    pub(crate) fn check_atomic(&self, records: usize) -> Result<(), Problem> {
        self.adapter().capabilities().check_atomic(records as u64).map_err(|error| self.problem(error))
    }

    /// Refuses an atomic change of several soft-deleted records that satisfy a predicate, where storage has no
    /// transactions. Storage with transactions need not count them.
    async fn check_atomic_where(&self, filter: &Predicate) -> Result<(), Problem> {
        let capabilities = self.adapter().capabilities();
        if capabilities.transactions {
            return Ok(());
        }
        let deleted = Scope::Deleted.predicate(self.resource()).and(filter.clone());
        let count = self.adapter().count(self.resource(), &deleted).await;
        let checked = count.and_then(|count| capabilities.check_atomic(count));
        checked.map_err(|error| self.problem(error))
    }

    /// The recorder of audit entries with this action, if the resource is audited, and the handle's changes are.
    fn recorder(&self, action: Action) -> Option<Arc<dyn Recorder>> {
        let recorder = AuditRecorder::new(self.resource(), action, self.actor.cloned());
        Some(Arc::new(recorder.filter(|_| self.app.is_audited())?))
    }

    /// The hooks that this work calls, or the steps of a removal.
    fn hooks_of(&self, work: Work<'_>) -> Option<&'static Hooks> {
        let sets_values = matches!(work, Work::Insert(_) | Work::Update(_));
        let removes = matches!(work, Work::Delete(_) | Work::Purge(_));
        let hooks = Hooks::of(self.resource()).filter(|hooks| sets_values || hooks.see_removals());
        let hooks = hooks.or_else(|| self.steps_of_members().filter(|_| !matches!(work, Work::Insert(_))));
        let hooks = hooks.or_else(|| self.steps_of_spans().filter(|_| sets_values || matches!(work, Work::Restore(_))));
        let hooks = if removes { hooks.or_else(|| self.steps_of_removal()) } else { hooks };
        hooks.or_else(|| self.steps_of_observers(observed_kind(work)))
    }

    /// Steps of a change that is observed: those of a change with hooks, but no hooks.
    fn steps_of_observers(&self, kind: ObservedKind) -> Option<&'static Hooks> {
        self.app.observers().observe(self.resource(), kind).then_some(&NO_HOOKS)
    }

    /// Steps of a change of memberships with a kept role: those of a change with hooks, but no hooks.
    fn steps_of_members(&self) -> Option<&'static Hooks> {
        KeptRole::of(self.resource()).map(|_| &NO_HOOKS)
    }

    /// Steps of a change of records whose spans must not overlap: those of a change with hooks, but no hooks.
    fn steps_of_spans(&self) -> Option<&'static Hooks> {
        (!self.resource().exclusives.is_empty()).then_some(&NO_HOOKS)
    }

    /// Steps of a removal that also changes audited records: those of a change with hooks, but no hooks.
    fn steps_of_removal(&self) -> Option<&'static Hooks> {
        self.app.has_logged_dependants(self.resource()).then_some(&NO_HOOKS)
    }

    async fn write_hooked(
        &self,
        hooks: &'static Hooks,
        work: Work<'_>,
        mode: Mode,
        recorder: Option<Arc<dyn Recorder>>,
        sink: &mut dyn WriteSink,
    ) -> Result<Results, Problem> {
        let (_, (applied, is_kept, ended)) = retry!(
            async {
                let unit = Unit::begin(self).await?;
                let changes = self.hooked(hooks, &unit.transaction, recorder.clone());
                let applied = changes.apply(work).await;
                let is_kept = match (&applied, mode) {
                    (Ok(applied), Mode::Atomic) => applied.iter().all(Result::is_ok),
                    (Ok(_), Mode::Partial) => true,
                    _ => false,
                };
                let ended = if is_kept { unit.keep().await } else { unit.undo().await };
                Ok::<_, Problem>((unit.own_end().await, (applied, is_kept, ended)))
            },
            End::is_conflict
        )?;
        let applied = applied?;
        ended.map_err(|error| self.problem(error))?;
        // Passes on the records of changes that are durable, and calls `committed`.
        let result = |(index, change): (usize, Result<Applied, WriteError>)| -> Result<(), WriteError> {
            let Applied { record, done } = change?;
            if is_kept {
                sink.record(index, &record).map_err(|error| self.problem(error))?;
                self.committed(hooks, done);
            }
            Ok(())
        };
        Ok(applied.into_iter().enumerate().map(result).collect())
    }

    async fn write_hooked_where(
        &self,
        hooks: &'static Hooks,
        work: WorkWhere,
        filter: &Predicate,
        recorder: Option<Arc<dyn Recorder>>,
    ) -> Result<u64, Problem> {
        let (_, (applied, ended)) = retry!(
            async {
                let unit = Unit::begin(self).await?;
                let applied = self.hooked(hooks, &unit.transaction, recorder.clone()).apply_where(work, filter).await;
                let ended = if applied.is_ok() { unit.keep().await } else { unit.undo().await };
                Ok::<_, Problem>((unit.own_end().await, (applied, ended)))
            },
            End::is_conflict
        )?;
        let (count, changes) = applied?;
        ended.map_err(|error| self.problem(error))?;
        for change in changes {
            self.committed(hooks, Some(change));
        }
        Ok(count)
    }

    fn hooked<'h>(
        &'h self,
        hooks: &'static Hooks,
        transaction: &'h Arc<SharedTransaction>,
        recorder: Option<Arc<dyn Recorder>>,
    ) -> HookedChanges<'h> {
        let watch = Watch::of(self, transaction);
        HookedChanges {
            app: self.app_of_hooks(),
            mounted: self.mounted,
            tenant: self.tenant(),
            hooks,
            transaction,
            recorder,
            watch,
        }
    }

    /// The handle that hooks work with: of the request's sender, or as the store states the author of the changes.
    fn app_of_hooks(&self) -> App {
        match &self.caller {
            Some(caller) => self.app.of_caller(caller.clone(), self.actor),
            None => self.app.acting_as_maybe(self.actor),
        }
    }

    /// Calls the `committed` hook: now, or when the transaction of the program is committed.
    fn committed(&self, hooks: &'static Hooks, done: Option<ChangedData>) {
        let (Some(committed), Some(done)) = (hooks.committed, done) else { return };
        let app = self.app_of_hooks().of_program(done.tenant(self.resource()));
        let call = committed(done, app);
        match self.transaction {
            Some(transaction) => transaction.after_commit(call),
            None => after_commit::start(call),
        }
    }
}

/// A part of a transaction that is kept or undone as a whole: all of a new one, or what follows a savepoint.
pub(super) struct Unit {
    pub(super) transaction: Arc<SharedTransaction>,
    is_own: bool,
}

impl Unit {
    pub(super) async fn begin(writer: &RecordWriter<'_>) -> Result<Self, Problem> {
        let begun = match writer.transaction {
            Some(transaction) => transaction.savepoint().await.map(|()| (transaction.clone(), false)),
            None => writer.app.start_transaction().await.map(|transaction| (transaction, true)),
        };
        let (transaction, is_own) = begun.map_err(|error| writer.problem(error))?;
        Ok(Self { transaction, is_own })
    }

    pub(super) async fn keep(&self) -> Result<(), AdapterError> {
        if self.is_own { self.transaction.commit().await } else { self.transaction.release().await }
    }

    pub(super) async fn undo(&self) -> Result<(), AdapterError> {
        if self.is_own {
            self.transaction.abandon();
            Ok(())
        } else {
            self.transaction.rollback_to().await
        }
    }

    /// The end of a new transaction, which can be run again after a conflict with another one.
    pub(super) async fn own_end(&self) -> Option<End> {
        if self.is_own { self.transaction.end().await } else { None }
    }
}

const fn action(work: Work<'_>) -> Action {
    match work {
        Work::Insert(_) => Action::Create,
        Work::Update(_) => Action::Update,
        Work::SoftDelete(_) => Action::SoftDelete,
        Work::Restore(_) => Action::Restore,
        Work::Delete(_) | Work::Purge(_) => Action::Delete,
    }
}

const fn observed_kind(work: Work<'_>) -> ObservedKind {
    match work {
        Work::Insert(_) => ObservedKind::Create,
        Work::Update(_) => ObservedKind::Update,
        Work::SoftDelete(_) => ObservedKind::SoftDelete,
        Work::Restore(_) => ObservedKind::Restore,
        Work::Delete(_) | Work::Purge(_) => ObservedKind::Remove,
    }
}

/// Passes on the records of some changes, with their indexes among all.
struct OtherRecords<'a> {
    sink: &'a mut dyn WriteSink,
    indexes: &'a [usize],
}

impl WriteSink for OtherRecords<'_> {
    fn record(&mut self, index: usize, row: &dyn Row) -> Result<(), AdapterError> {
        self.sink.record(self.indexes[index], row)
    }
}

/// Passes the record of a write's only change to a row sink.
pub(crate) struct OnlyRecord<'a>(pub(crate) &'a mut dyn RowSink);

impl WriteSink for OnlyRecord<'_> {
    fn record(&mut self, _: usize, row: &dyn Row) -> Result<(), AdapterError> {
        self.0.row(row)
    }
}
