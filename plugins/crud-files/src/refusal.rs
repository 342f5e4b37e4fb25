//! Refusals of files.

use crud_runtime::error::{Code, FieldError, Problem};

use crate::options::FileOptions;
use crate::size;

/// The refusal of a file that is larger than its field admits.
pub(crate) fn too_large(field: &'static str, options: &FileOptions) -> Problem {
    let detail = format!("{field} must have at most {}", size::words(options.max));
    Problem::with_errors(Code::BodyTooLarge, [FieldError::field(field, "max", detail)])
}

/// The answer without a file: the record has none, or the caller does not see the field.
pub(crate) fn missing(field: &'static str) -> Problem {
    Problem::new(Code::NotFound, format!("the record has no file in {field}"))
}
