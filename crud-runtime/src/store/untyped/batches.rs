//! Batches of an untyped store.

use std::collections::HashSet;

use super::store::UntypedStore;
use crate::model::changes::Changes;
use crate::model::key::Key;
use crate::model::problem::{FieldError, Problem};
use crate::model::value::Value;
use crate::storage::adapter::BoxFuture;
use crate::storage::error::Result;
use crate::storage::write::{Mode, Target, Update, Work, WriteSink};
use crate::store::typed::writes::BatchError;
use crate::store::writer::record_values;

impl UntypedStore {
    /// Creates the valid records of a batch; returns the errors of the others, if the batch is partial.
    pub(crate) fn create_batch<'a>(
        &'a self,
        mut new: Vec<Changes>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<BatchError>>> {
        Box::pin(async move {
            new.iter_mut().for_each(record_values::truncate_times);
            let resource = self.mounted.resource();
            let (valid, indexes, errors) = validate_items(new, |changes| {
                self.assign(changes)?;
                record_values::validate_new(&self.mounted, changes)
            });
            let records: Vec<Vec<Value>> =
                valid.into_iter().map(|changes| record_values::with_defaults(resource, changes)).collect();
            self.write_batch(Work::Insert(&records), &indexes, errors, sink).await
        })
    }

    /// Changes the records of a batch; returns errors like [`create_batch`](Self::create_batch).
    pub(crate) fn update_batch<'a>(
        &'a self,
        mut patches: Vec<(Key, Changes)>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<BatchError>>> {
        Box::pin(async move {
            for (_, changes) in &mut patches {
                record_values::truncate_times(changes);
            }
            self.refuse_duplicates(patches.iter().map(|(id, _)| id))?;
            let (valid, indexes, errors) =
                validate_items(patches, |(_, changes)| record_values::validate_patch(&self.mounted, changes));
            let updates: Vec<Update<'_>> = valid.iter().map(|(id, changes)| Update::new(id, changes, None)).collect();
            self.write_batch(Work::Update(&updates), &indexes, errors, sink).await
        })
    }

    /// Deletes the records of a batch; returns errors like [`create_batch`](Self::create_batch).
    pub(crate) fn delete_batch<'a>(
        &'a self,
        ids: Vec<Key>,
        sink: &'a mut dyn WriteSink,
    ) -> BoxFuture<'a, Result<Vec<BatchError>>> {
        Box::pin(async move {
            self.refuse_duplicates(ids.iter())?;
            let targets: Vec<Target<'_>> = ids.iter().map(|id| Target::new(id, None)).collect();
            let indexes: Vec<usize> = (0..ids.len()).collect();
            self.write_batch(self.deletes(&targets), &indexes, Vec::new(), sink).await
        })
    }

    fn refuse_duplicates<'a>(&self, ids: impl Iterator<Item = &'a Key>) -> Result<(), Problem> {
        let mut seen = HashSet::new();
        let names = self.mounted.resource().key_names();
        let repeated = ids.enumerate().filter(|(_, id)| !seen.insert(id.to_string()));
        let errors: Vec<FieldError> = repeated
            .map(|(index, _)| {
                FieldError::field(&names, "duplicate", "must not repeat an earlier item's").in_item(index)
            })
            .collect();
        if errors.is_empty() { Ok(()) } else { Err(Problem::validation(errors)) }
    }

    /// Writes the valid items of a batch, which have these indexes. Returns their errors with those of the other items.
    async fn write_batch(
        &self,
        work: Work<'_>,
        indexes: &[usize],
        mut errors: Vec<BatchError>,
        sink: &mut dyn WriteSink,
    ) -> Result<Vec<BatchError>> {
        // Whether the successful items are kept when others fail.
        let partial = self.mounted.options().batch.is_some_and(|batch| batch.partial);
        let mode = match (partial, errors.is_empty()) {
            (true, _) => Mode::Partial,
            (false, true) => Mode::Atomic,
            // Finds the other errors of a batch that fails.
            (false, false) => Mode::Rehearsal,
        };
        let results = self.write(work, mode, sink).await?;
        let failed = indexes.iter().zip(results);
        errors.extend(failed.filter_map(|(index, result)| Some(BatchError { index: *index, problem: result.err()? })));
        errors.sort_by_key(|error| error.index);
        if errors.is_empty() || partial {
            Ok(errors)
        } else {
            Err(Problem::from_items(errors.into_iter().map(|error| (error.index, error.problem))).into())
        }
    }
}

/// Sorts the items of a batch by validity: the valid ones, their indexes in the batch, and the errors of the others.
fn validate_items<T>(
    items: Vec<T>,
    validate: impl Fn(&mut T) -> Result<(), Problem>,
) -> (Vec<T>, Vec<usize>, Vec<BatchError>) {
    let (mut valid, mut indexes, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    for (index, mut item) in items.into_iter().enumerate() {
        match validate(&mut item) {
            Ok(()) => {
                indexes.push(index);
                valid.push(item);
            }
            Err(problem) => errors.push(BatchError { index, problem }),
        }
    }
    (valid, indexes, errors)
}
