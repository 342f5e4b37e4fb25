//! [`FieldGroup`]: fields that are unique together.

use super::field::Field;

/// One field of `R`, or several in a tuple, that are unique together: `(Stock::FIELDS.store_id, Stock::FIELDS.sku)`.
pub trait FieldGroup<R>: sealed::Columns {}

pub(crate) mod sealed {
    //! The columns, which the program has no use for.

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
