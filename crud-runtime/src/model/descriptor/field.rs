//! What attributes say of a field: who sets it, what it refers to, what its values satisfy.

use super::Descriptor;
use crate::model::value::ValueRef;

/// Who sets a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// The client.
    Plain,
    /// The key: storage assigns integers, the service UUIDs (version 7), the client texts.
    Id,
    /// The service, when a record is created.
    CreatedAt,
    /// The service, when a record is created or changed.
    UpdatedAt,
    /// The service, when a record is soft-deleted or restored: the deletion timestamp.
    DeletedAt,
    /// Nobody: whether there is a deletion timestamp. Not stored itself.
    IsDeleted,
}

/// How far a unique value reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Uniqueness {
    /// All records.
    All,
    /// The records that are not soft-deleted.
    Active,
}

/// A reference to another resource's key.
#[derive(Debug, Clone, Copy)]
pub struct Reference {
    /// The other resource; a function, because two resources may refer to each other.
    pub target: fn() -> &'static Descriptor,
    /// What happens to the referring record when the other goes.
    pub on_delete: OnDelete,
}

/// What happens to a referring record when the record it refers to is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDelete {
    /// The delete is refused.
    Restrict,
    /// It is deleted too.
    Cascade,
    /// Its reference becomes null.
    SetNull,
}

/// One thing that a value must satisfy. Null satisfies every rule.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum Rule {
    /// A number must not be less.
    Min(Literal),
    /// A number must not be greater.
    Max(Literal),
    /// Text must have so many characters (code points), bytes so many bytes, a list so many items.
    MinLength(usize),
    /// Text, bytes or a list must not be longer.
    MaxLength(usize),
    /// Text must match somewhere.
    Pattern(&'static str),
    /// Text must be an e-mail address (RFC 5321).
    Email,
    /// Text must be an absolute URL (WHATWG).
    Url,
    /// The value must be one of these.
    OneOf(&'static [Literal]),
    /// The user's own check; an error is the message for the client.
    Custom(fn(ValueRef<'_>) -> Result<(), String>),
}

/// A number or text that an attribute gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Literal {
    /// An integer.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(&'static str),
}
