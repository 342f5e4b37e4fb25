//! The parameters of a page: `skip` and `limit`.

use super::parser::Parser;
use crate::model::column_error::ColumnError;
use crate::model::descriptor::{OverLimit, Pagination};
use crate::model::scalar;
use crate::model::value::Kind;

impl Parser<'_> {
    pub(super) fn read_skip(&mut self, value: &str) {
        match scalar::integer(Kind::I64, value).map(u64::try_from) {
            Ok(Ok(skip)) => self.skip = Some(skip),
            Ok(Err(_)) => self.reject("skip", "range", "must not be negative"),
            Err(error) => self.reject("skip", "type", error.message()),
        }
    }

    pub(super) fn read_limit(&mut self, value: &str, pagination: Pagination) {
        let max = u64::from(pagination.max_limit);
        let clamp = pagination.over_limit == OverLimit::Clamp;
        match scalar::integer(Kind::I64, value).map(u64::try_from) {
            Ok(Ok(limit)) if (1..=max).contains(&limit) => self.limit = Some(limit),
            Ok(Ok(limit)) if limit > max && clamp => self.limit = Some(max),
            // An integer too large to read is above the largest limit too.
            Err(error) if clamp && is_too_large(value, &error) => self.limit = Some(max),
            Ok(_) if clamp => self.reject("limit", "range", "must be at least 1"),
            Ok(_) => self.reject("limit", "range", format!("must be between 1 and {max}")),
            Err(error) => self.reject("limit", "type", error.message()),
        }
    }
}

/// Whether a text that failed to be read as an integer is an integer above the range.
fn is_too_large(text: &str, error: &ColumnError) -> bool {
    error == &scalar::out_of_range(Kind::I64) && !text.starts_with('-')
}
