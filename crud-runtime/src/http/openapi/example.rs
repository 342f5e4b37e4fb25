//! Example bodies of a resource.

use serde_json::{Map, Value};

use super::sample;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};

/// How many fields the example of a change changes.
const CHANGED: usize = 2;

/// The examples of a resource.
#[derive(Debug)]
pub(super) struct Examples {
    /// Each column with a value as JSON, where there is one.
    samples: Vec<(&'static ColumnDescriptor, Option<Value>)>,
}

impl Examples {
    /// Finds the values that examples are made of.
    pub(super) fn of(resource: &'static Descriptor) -> Self {
        let columns = resource.columns.iter().zip(sample::values(resource));
        let json = |column, value: crate::model::value::Value| sample::json(column, value.borrow());
        Self { samples: columns.map(|(column, value)| (column, value.map(|value| json(column, value)))).collect() }
    }

    /// A record as answers have it.
    pub(super) fn record(&self) -> Option<Value> {
        self.object(ColumnDescriptor::is_returned, ColumnDescriptor::is_returned, usize::MAX)
    }

    /// What creates a record.
    pub(super) fn create(&self) -> Option<Value> {
        self.object(is_settable, ColumnDescriptor::is_required, usize::MAX)
    }

    /// What changes a record.
    pub(super) fn patch(&self) -> Option<Value> {
        let is_changeable =
            |column: &ColumnDescriptor| is_settable(column) && !column.immutable && column.role != Role::Id;
        self.object(is_changeable, |_| false, CHANGED)
    }

    /// An object of the first of these fields: none at all when there is no value for one that it needs.
    fn object(
        &self,
        has: impl Fn(&ColumnDescriptor) -> bool,
        needs: impl Fn(&ColumnDescriptor) -> bool,
        most: usize,
    ) -> Option<Value> {
        let mut object = Map::new();
        for (column, sample) in
            self.samples.iter().filter(|(column, _)| has(column) && column.visible.is_none()).take(most)
        {
            match sample {
                Some(value) => drop(object.insert(column.json.to_owned(), value.clone())),
                None if !needs(column) => {}
                None if column.nullable => drop(object.insert(column.json.to_owned(), Value::Null)),
                None => return None,
            }
        }
        Some(object.into())
    }
}

fn is_settable(column: &ColumnDescriptor) -> bool {
    !column.hidden && !column.is_managed()
}
