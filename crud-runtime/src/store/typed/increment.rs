//! [`Increment`]: updates by which numbers grow, and [`SetSome`]: updates of the fields that have a new value.

use crate::model::changes::Changes;
use crate::model::column::{Column, IntoColumn, NumberColumn};
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::problem::{FieldError, Problem};
use crate::model::resource::Writable;
use crate::model::row::Row;
use crate::model::scalar;
use crate::model::value::Value;
use crate::query::Field;

/// Adds to a number of a record instead of setting it: `ProductPatch::default().add(Product::FIELDS.stock, -2)`.
///
/// The number that is stored at the time of the update grows, so that concurrent updates add up. The sum is checked like
/// any value of the field, by its range, digits, `min` and `max`; adding to null is refused. The audit log has the old and
/// the new value.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Part { id: i64, #[crud(range(min = 0))] stock: i32 }
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// # let service = Service::connect("sqlite::memory:").await?.resource::<Part>().migrate().await?;
/// let parts = service.store::<Part>();
/// let part = parts.create(NewPart { stock: 5 }).await?;
/// let part = parts.update(part.id, PartPatch::default().add(Part::FIELDS.stock, -2)).await?;
/// assert_eq!(part.stock, 3);
/// # Ok(()) }
/// ```
pub trait Increment<R>: Sized {
    /// Adds to a field; a negative amount subtracts.
    #[must_use]
    fn add<T: NumberColumn>(self, field: Field<R, T>, amount: impl IntoColumn<T>) -> Self;
}

impl<R: Writable<Patch = P>, P: Into<Changes> + From<Changes>> Increment<R> for P {
    fn add<T: NumberColumn>(self, field: Field<R, T>, amount: impl IntoColumn<T>) -> Self {
        let mut changes: Changes = self.into();
        changes.increment(field.column(), amount.into_column().into_value());
        changes.into()
    }
}

/// Sets a field of an update if there is a value: `BookPatch::default().set_some(Book::FIELDS.title, body.title)`, for
/// bodies in which absent fields keep their values.
///
/// A field that an update cannot set, such as the key, is refused when the update is made.
///
/// ```
/// # use crud_runtime::prelude::*;
/// # #[derive(Debug, Clone, Resource)]
/// # struct Book { id: i64, title: String, pages: i32 }
/// # async fn of(books: Store<Book>, title: Option<String>, pages: Option<i32>) -> crud_runtime::Result<()> {
/// let patch = BookPatch::default().set_some(Book::FIELDS.title, title).set_some(Book::FIELDS.pages, pages);
/// books.update(7, patch).await?;
/// # Ok(()) }
/// ```
pub trait SetSome<R>: Sized {
    /// Sets the field to the value, if there is one.
    #[must_use]
    fn set_some<T: Column, V: IntoColumn<T>>(self, field: Field<R, T>, value: Option<V>) -> Self;
}

impl<R: Writable<Patch = P>, P: Into<Changes> + From<Changes>> SetSome<R> for P {
    fn set_some<T: Column, V: IntoColumn<T>>(self, field: Field<R, T>, value: Option<V>) -> Self {
        let Some(value) = value else { return self };
        let mut changes: Changes = self.into();
        changes.set(field.column(), value.into_column().into_value());
        changes.into()
    }
}

/// The sums of a record's numbers and the increments of an update, as values of the update.
///
/// # Errors
/// A validation problem when a number is null or the sum does not fit the field's kind.
pub(crate) fn resolve(
    resource: &'static Descriptor,
    stored: &dyn Row,
    mut changes: Changes,
) -> Result<Changes, Problem> {
    let mut errors = Vec::new();
    for (column, amount) in changes.take_increments() {
        let descriptor = &resource.columns[column];
        // An increment is added to a value that the update sets, or to an earlier sum.
        let current = match changes.get(column) {
            Some(value) => value.clone(),
            None => stored.value(column).map_err(|error| Problem::from_adapter(resource, error)).and_then(|value| {
                crate::model::column::owned_value(descriptor.kind, value).map_err(Problem::internal)
            })?,
        };
        match sum(descriptor, &current, &amount) {
            Ok(sum) => changes.set(column, sum),
            Err(error) => errors.push(FieldError::field(descriptor.json, "range", error.message())),
        }
    }
    if errors.is_empty() { Ok(changes) } else { Err(Problem::validation(errors)) }
}

fn sum(column: &ColumnDescriptor, current: &Value, amount: &Value) -> Result<Value, ColumnError> {
    match (current, amount) {
        (Value::Null, _) => Err(ColumnError::new("is null: there is no number to add to")),
        (value, Value::Null) => Ok(value.clone()),
        (Value::Int(current), Value::Int(amount)) => {
            current.checked_add(*amount).map(Value::Int).ok_or_else(|| scalar::out_of_range(column.kind))
        }
        (Value::Float(current), Value::Float(amount)) => {
            scalar::fit_float(column.kind, current + amount).map(Value::Float)
        }
        (Value::Decimal(current), Value::Decimal(amount)) => {
            current.checked_add(*amount).map(Value::Decimal).ok_or_else(|| scalar::out_of_range(column.kind))
        }
        _ => Err(ColumnError::new("must be a number")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::adapter_error::AdapterError;
    use crate::model::value::ValueRef;
    use crate::prelude::*;

    #[derive(Resource)]
    struct Part {
        id: i64,
        stock: i32,
        weight: Option<f64>,
    }

    struct Stored(Vec<Value>);

    impl Row for Stored {
        fn value(&self, column: usize) -> std::result::Result<ValueRef<'_>, AdapterError> {
            Ok(self.0[column].borrow())
        }
    }

    fn resolved(patch: PartPatch, weight: Value) -> std::result::Result<Vec<(usize, Value)>, Problem> {
        let changes = resolve(Part::DESCRIPTOR, &Stored(vec![Value::Int(1), Value::Int(5), weight]), patch.into())?;
        Ok(changes.iter().map(|(column, value)| (column, value.clone())).collect())
    }

    #[test]
    fn amounts_add_up_to_what_is_stored_or_set() {
        let patch = PartPatch::default().add(Part::FIELDS.stock, -2).add(Part::FIELDS.stock, -1);
        assert_eq!(resolved(patch, Value::Null).unwrap(), [(1, Value::Int(2))]);
        let patch = PartPatch::default().stock(10).add(Part::FIELDS.stock, 1).add(Part::FIELDS.weight, 0.5);
        assert_eq!(resolved(patch, Value::Float(1.0)).unwrap(), [(1, Value::Int(11)), (2, Value::Float(1.5))]);
    }

    #[test]
    fn nothing_is_added_to_null() {
        let problem = resolved(PartPatch::default().add(Part::FIELDS.weight, 0.5), Value::Null).unwrap_err();
        assert_eq!(problem.errors()[0].detail(), "is null: there is no number to add to");
    }
}
