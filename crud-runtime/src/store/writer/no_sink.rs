//! [`NoSink`]: a sink for records that the caller does not need.

use crate::model::adapter_error::AdapterError;
use crate::model::row::{Row, RowSink};
use crate::storage::write::WriteSink;

/// Drops records that the caller does not need.
pub(crate) struct NoSink;

impl RowSink for NoSink {
    fn row(&mut self, _: &dyn Row) -> Result<(), AdapterError> {
        Ok(())
    }
}

impl WriteSink for NoSink {
    fn record(&mut self, _: usize, _: &dyn Row) -> Result<(), AdapterError> {
        Ok(())
    }
}
