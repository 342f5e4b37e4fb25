//! [`each_row`]: a function as a sink of rows.

use crate::model::adapter_error::AdapterError;
use crate::model::row::{Row, RowSink};

/// Sink that calls a function with each row.
pub(crate) struct EachRow<F>(F);

/// The sink of this function.
pub(crate) fn each_row<F>(function: F) -> EachRow<F>
where
    F: FnMut(&dyn Row) -> Result<(), AdapterError> + Send,
{
    EachRow(function)
}

impl<F> RowSink for EachRow<F>
where
    F: FnMut(&dyn Row) -> Result<(), AdapterError> + Send,
{
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        (self.0)(row)
    }
}
