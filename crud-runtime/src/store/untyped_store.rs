//! [`UntypedStore`]: the part of a store that is not generic over the record's type, compiled once.

use std::collections::HashSet;
use std::sync::Arc;

use super::batch::{Batch, BatchError};
use super::mounted_resource::MountedResource;
use super::record_values;
use super::record_writer::{RecordWriter, WriteError};
use super::visible_record::read_visible;
use crate::model::actor::Actor;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::problem::{Code, FieldError, Problem};
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::query::visibility::RecordVisibility;
use crate::query::{ListQuery, Predicate, Scope};
use crate::storage::adapter::Adapter;
use crate::storage::error::Result;
use crate::storage::write::{Mode, Outcome, Target, Update, Work, WorkWhere, WriteSink};

/// A resource's records, by descriptor; [`Store`](super::typed_store::Store) adds the record's type.
#[derive(Clone)]
pub(super) struct UntypedStore {
    pub(super) adapter: Arc<dyn Adapter>,
    pub(super) mounted: Arc<MountedResource>,
    pub(super) actor: Option<Actor>,
}

/// The items of a batch, sorted by validity.
struct ValidatedItems<T> {
    valid: Vec<T>,
    /// The index in the batch of each valid item.
    indexes: Vec<usize>,
    errors: Vec<BatchError>,
}

impl UntypedStore {
    fn problem(&self, error: AdapterError) -> Problem {
        Problem::from_adapter(self.mounted.resource(), error)
    }

    fn writer(&self) -> RecordWriter<'_> {
        RecordWriter { adapter: &*self.adapter, resource: self.mounted.resource(), actor: self.actor.as_ref() }
    }

    pub(super) fn require_soft_delete(&self) -> Result<(), Problem> {
        let resource = self.mounted.resource();
        match resource.soft_delete {
            Some(_) => Ok(()),
            None => Err(Problem::new(Code::ValidationFailed, format!("{} has no soft delete", resource.name))),
        }
    }

    pub(super) async fn list(&self, query: &ListQuery, sink: &mut dyn RowSink) -> Result<(), Problem> {
        self.adapter.list(self.mounted.resource(), query, sink).await.map_err(|error| self.problem(error))
    }

    pub(super) async fn count(&self, query: &ListQuery) -> Result<u64, Problem> {
        self.adapter.count(self.mounted.resource(), &query.filter).await.map_err(|error| self.problem(error))
    }

    pub(super) async fn find(&self, id: &Value, scope: Scope, sink: &mut dyn RowSink) -> Result<bool, Problem> {
        read_visible(&*self.adapter, self.mounted.resource(), id, RecordVisibility::in_scope(scope), sink)
            .await
            .map_err(|error| self.problem(error))
    }

    pub(super) async fn create(&self, mut changes: Changes, sink: &mut dyn RowSink) -> Result<(), Problem> {
        record_values::truncate_times(&mut changes);
        record_values::validate(&self.mounted, &changes)?;
        self.write_one(Work::Insert(&[record_values::with_defaults(self.mounted.resource(), changes)]), sink).await
    }

    pub(super) async fn update(&self, id: &Value, mut changes: Changes, sink: &mut dyn RowSink) -> Result<(), Problem> {
        record_values::truncate_times(&mut changes);
        record_values::validate(&self.mounted, &changes)?;
        self.write_one(Work::Update(&[Update::new(id, &changes, None)]), sink).await
    }

    pub(super) async fn write_one(&self, work: Work<'_>, sink: &mut dyn RowSink) -> Result<(), Problem> {
        self.writer().write_one(work, sink).await.map_err(WriteError::unguarded)
    }

    pub(super) async fn write_where(&self, work: WorkWhere, filter: Predicate) -> Result<u64> {
        self.require_soft_delete()?;
        Ok(self.writer().write_where(work, &filter).await?)
    }

    pub(super) async fn create_batch<R: Resource>(&self, mut new: Vec<Changes>) -> Result<Batch<R>> {
        new.iter_mut().for_each(record_values::truncate_times);
        let resource = self.mounted.resource();
        let ValidatedItems { valid, indexes, errors } = self.validate_items(new, |changes| changes);
        let records: Vec<Vec<Value>> =
            valid.into_iter().map(|changes| record_values::with_defaults(resource, changes)).collect();
        self.write_batch(Work::Insert(&records), &indexes, errors).await
    }

    pub(super) async fn update_batch<R: Resource>(&self, mut patches: Vec<(Value, Changes)>) -> Result<Batch<R>> {
        for (_, changes) in &mut patches {
            record_values::truncate_times(changes);
        }
        self.refuse_duplicates(patches.iter().map(|(id, _)| id))?;
        let ValidatedItems { valid, indexes, errors } = self.validate_items(patches, |(_, changes)| changes);
        let updates: Vec<Update<'_>> = valid.iter().map(|(id, changes)| Update::new(id, changes, None)).collect();
        self.write_batch(Work::Update(&updates), &indexes, errors).await
    }

    pub(super) async fn delete_batch<R: Resource>(&self, ids: Vec<Value>) -> Result<Batch<R>> {
        self.refuse_duplicates(ids.iter())?;
        let targets: Vec<Target<'_>> = ids.iter().map(|id| Target::new(id, None)).collect();
        let soft = self.mounted.resource().soft_delete.is_some();
        let work = if soft { Work::SoftDelete(&targets) } else { Work::Delete(&targets) };
        let indexes: Vec<usize> = (0..ids.len()).collect();
        self.write_batch(work, &indexes, Vec::new()).await
    }

    /// Whether a batch keeps its successful items when others fail.
    fn is_partial(&self) -> bool {
        self.mounted.options().batch.is_some_and(|batch| batch.partial)
    }

    fn refuse_duplicates<'a>(&self, ids: impl Iterator<Item = &'a Value>) -> Result<(), Problem> {
        let mut seen = HashSet::new();
        let column = self.mounted.resource().id_column();
        let repeated = ids.enumerate().filter(|(_, id)| !seen.insert(id.to_string()));
        let errors: Vec<FieldError> = repeated
            .map(|(index, _)| {
                FieldError::field(column.json, "duplicate", "must not repeat an earlier item's").in_item(index)
            })
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(Problem::validation(errors)) }
    }

    fn validate_items<T>(&self, items: Vec<T>, changes: impl Fn(&T) -> &Changes) -> ValidatedItems<T> {
        let mut validated = ValidatedItems { valid: Vec::new(), indexes: Vec::new(), errors: Vec::new() };
        for (index, item) in items.into_iter().enumerate() {
            match record_values::validate(&self.mounted, changes(&item)) {
                Ok(()) => {
                    validated.indexes.push(index);
                    validated.valid.push(item);
                }
                Err(problem) => validated.errors.push(BatchError { index, problem }),
            }
        }
        validated
    }

    /// Writes the valid items of a batch, whose indexes these are, beside the errors of the others.
    async fn write_batch<R: Resource>(
        &self,
        work: Work<'_>,
        indexes: &[usize],
        mut errors: Vec<BatchError>,
    ) -> Result<Batch<R>> {
        let partial = self.is_partial();
        let writer = self.writer();
        let mut sink = BatchSink((0..work.len()).map(|_| None).collect());
        let mode = match (partial, errors.is_empty()) {
            (true, _) => Mode::Partial,
            (false, true) => Mode::Atomic,
            // Finds the other errors of a batch that fails.
            (false, false) => Mode::Rehearsal,
        };
        let outcomes = writer.write(work, mode, &mut sink).await?;
        for (change, outcome) in outcomes.into_iter().enumerate() {
            if !matches!(outcome, Outcome::Done) {
                let problem = writer.outcome_problem(work, change, outcome);
                errors.push(BatchError { index: indexes[change], problem });
            }
        }
        errors.sort_by_key(|error| error.index);
        if errors.is_empty() || partial {
            Ok(Batch { items: sink.0.into_iter().flatten().collect(), errors })
        } else {
            Err(Problem::from_items(errors.into_iter().map(|error| (error.index, error.problem))).into())
        }
    }
}

/// Collects the typed records of changes by index: adapters report them in any order.
struct BatchSink<R>(Vec<Option<R>>);

impl<R: Resource> WriteSink for BatchSink<R> {
    fn record(&mut self, index: usize, row: &dyn Row) -> std::result::Result<(), AdapterError> {
        self.0[index] = Some(R::from_row(row)?);
        Ok(())
    }
}
