//! [`Pointer`]: where a value is in the body.

use crate::model::problem::{FieldError, pointer_token};

/// A JSON Pointer into the body (RFC 6901), written out only for an error.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pointer<'a> {
    /// A field of the record.
    Field(&'a str),
    /// A member of an object or an item of an array inside a value.
    Inner(&'a Pointer<'a>, Segment<'a>),
}

/// A reference token of a JSON Pointer.
#[derive(Debug, Clone, Copy)]
pub(super) enum Segment<'a> {
    /// A member's name.
    Name(&'a str),
    /// An item's index.
    Index(usize),
}

impl Pointer<'_> {
    /// The pointer as text.
    fn to_text(self) -> String {
        match self {
            Self::Field(name) => format!("/{}", pointer_token(name)),
            Self::Inner(outer, Segment::Name(name)) => format!("{}/{}", outer.to_text(), pointer_token(name)),
            Self::Inner(outer, Segment::Index(index)) => format!("{}/{index}", outer.to_text()),
        }
    }

    /// An error at this pointer.
    pub(super) fn error(&self, code: &'static str, detail: impl Into<String>) -> FieldError {
        FieldError::pointer(self.to_text(), code, detail)
    }
}
