//! Example bodies of a resource.

use serde_json::{Map, Value};

use super::sample;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};
use crate::model::value::Kind;

/// A time, as records have it.
pub(crate) const MOMENT: &str = "2026-01-31T12:00:00.000000Z";

/// The number of fields in the example of a patch.
const PATCH_FIELDS: usize = 2;

/// The examples of a resource.
#[derive(Debug)]
pub(crate) struct Examples {
    /// Each column with a sample as JSON, if it has one.
    samples: Vec<(&'static ColumnDescriptor, Option<Value>)>,
    /// The sample of the key.
    id: Option<Value>,
}

impl Examples {
    /// Finds a sample for each column.
    pub(crate) fn new(resource: &'static Descriptor) -> Self {
        let columns = resource.columns.iter().zip(sample::values(resource));
        let samples = columns.map(|(column, value)| {
            let sample = match column.role {
                // The sample is of an active record.
                Role::IsDeleted => Some(false.into()),
                Role::DeletedAt => Some(if column.nullable { Value::Null } else { false.into() }),
                _ => value.map(|value| sample::json(column, value.borrow())),
            };
            (column, sample)
        });
        let samples: Vec<_> = samples.collect();
        let id = match resource.key() {
            [column] => samples[*column].1.clone(),
            _ => sample::key(resource).map(|key| key.to_string().into()),
        };
        Self { samples, id }
    }

    /// The sample of the key.
    pub(crate) fn id(&self) -> Option<Value> {
        self.id.clone()
    }

    /// Adds the sample of the key to the example of an item.
    pub(crate) fn with_key(&self, mut item: Value) -> Option<Value> {
        for (column, sample) in self.samples.iter().filter(|(column, _)| column.role == Role::Id) {
            item[column.json] = sample.clone()?;
        }
        Some(item)
    }

    /// A record after a soft delete.
    pub(crate) fn deleted_record(&self) -> Option<Value> {
        let mut record = self.record()?;
        let returned = self.samples.iter().map(|(column, _)| column).filter(|column| column.is_returned());
        for column in returned.filter(|column| column.visible.is_none()) {
            match column.role {
                Role::IsDeleted => record[column.json] = true.into(),
                Role::DeletedAt if !column.nullable => record[column.json] = true.into(),
                Role::DeletedAt if column.kind == Kind::NaiveDateTime => {
                    record[column.json] = MOMENT.trim_end_matches('Z').into();
                }
                Role::DeletedAt => record[column.json] = MOMENT.into(),
                _ => {}
            }
        }
        Some(record)
    }

    /// A record in a response.
    pub(crate) fn record(&self) -> Option<Value> {
        self.object(ColumnDescriptor::is_returned, ColumnDescriptor::is_returned, usize::MAX)
    }

    /// The body of a create.
    pub(crate) fn create(&self) -> Option<Value> {
        self.object(is_settable, ColumnDescriptor::is_required, usize::MAX)
    }

    /// The body of a patch.
    pub(crate) fn patch(&self) -> Option<Value> {
        let is_changeable =
            |column: &ColumnDescriptor| is_settable(column) && !column.immutable && column.role != Role::Id;
        self.object(is_changeable, |_| false, PATCH_FIELDS)
    }

    /// An object of the first `max_fields` included fields; `None` when a required one has no sample.
    fn object(
        &self,
        includes: impl Fn(&ColumnDescriptor) -> bool,
        requires: impl Fn(&ColumnDescriptor) -> bool,
        max_fields: usize,
    ) -> Option<Value> {
        let mut object = Map::new();
        for (column, sample) in
            self.samples.iter().filter(|(column, _)| includes(column) && column.visible.is_none()).take(max_fields)
        {
            match sample {
                Some(value) => drop(object.insert(column.json.to_owned(), value.clone())),
                None if !requires(column) => {}
                None if column.is_returned_nullable() => drop(object.insert(column.json.to_owned(), Value::Null)),
                None => return None,
            }
        }
        Some(object.into())
    }
}

fn is_settable(column: &ColumnDescriptor) -> bool {
    !column.hidden && !column.is_managed()
}
