//! [`SetSome`]: updates of the fields that have a new value.

use crate::model::changes::Changes;
use crate::model::column::{Column, IntoColumn};
use crate::model::resource::Writable;
use crate::query::Field;

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
