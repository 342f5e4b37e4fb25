//! [`FieldGroup`]: fields that are unique together.

use super::field::Field;

/// One field of `R`, or several in a tuple, that are unique together: `(Stock::FIELDS.store_id, Stock::FIELDS.sku)`.
///
/// ```
/// # use crud_runtime::prelude::*;
/// #[derive(Debug, Clone, Resource)]
/// #[crud(unique(store_id, sku))]
/// struct Stock { id: i64, store_id: i64, sku: String, pieces: i32 }
///
/// # async fn of(stocks: Store<Stock>) -> crud_runtime::Result<()> {
/// let new = NewStock { store_id: 1, sku: "A-1".into(), pieces: 3 };
/// stocks.upsert((Stock::FIELDS.store_id, Stock::FIELDS.sku), new).await?;
/// # Ok(()) }
/// ```
pub trait FieldGroup<R>: sealed::Columns {}

pub(crate) mod sealed {
    //! The columns of a group, sealed: a program has no use for them.

    /// The indexes of columns.
    pub trait Columns: Send {
        /// The columns.
        fn columns(&self) -> Vec<usize>;
    }
}

impl<R, T> sealed::Columns for Field<R, T> {
    fn columns(&self) -> Vec<usize> {
        vec![self.column()]
    }
}

impl<R, T> FieldGroup<R> for Field<R, T> {}

macro_rules! tuples {
    ($(($($field:ident $index:tt),+))+) => { $(
        impl<R, $($field),+> sealed::Columns for ($(Field<R, $field>,)+) {
            fn columns(&self) -> Vec<usize> {
                vec![$(self.$index.column()),+]
            }
        }

        impl<R, $($field),+> FieldGroup<R> for ($(Field<R, $field>,)+) {}
    )+ };
}

tuples! {
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
}
