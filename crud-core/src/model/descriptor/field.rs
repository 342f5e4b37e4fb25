//! The options of a field: its role, uniqueness, reference and rules.

use super::Descriptor;
use crate::model::value::ValueRef;

/// The role of a field: which side sets it, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The client.
    Plain,
    /// The key, or a part of it. Storage assigns integers, and the service UUIDs (version 7); the client sends texts
    /// and each key that is [given](super::ColumnDescriptor::given). Or the database fills the key in.
    Id,
    /// The service, when a record is created.
    CreatedAt,
    /// The service, when a record is created or changed.
    UpdatedAt,
    /// The service, when a record is soft-deleted or restored: the deletion timestamp.
    DeletedAt,
    /// Computed: whether there is a deletion timestamp. It is not stored.
    IsDeleted,
}

/// The records among which a value is unique, within one tenant where the resource has tenants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Uniqueness {
    /// All records.
    All,
    /// The records that are not soft-deleted.
    Active,
    /// All records, of every tenant.
    Global,
}

/// A reference to another resource's key.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Reference {
    /// The other resource; a function, because two resources may refer to each other.
    pub target: fn() -> &'static Descriptor,
    /// Rule for the referring record when the other is deleted.
    pub on_delete: OnDelete,
    /// Whether a principal may refer to records that it may not read.
    pub any: bool,
    /// Whether storage keeps no foreign key: the other record may be missing.
    pub unconstrained: bool,
    /// Name of the other record in requests, where they can ask for that record or its fields.
    pub relation: Option<&'static str>,
    /// Name of the relation where the attribute states one, for scopes: without it, the field's name without `_id`.
    pub named: Option<&'static str>,
    /// Whether requests can ask for the other record by `expand`.
    pub expand: bool,
    /// The columns that refer to a key of several columns, in its order; none where the field alone refers.
    pub by: &'static [usize],
}

impl Reference {
    /// The columns that refer, in the order of the other resource's key. `column`: the one that has the reference.
    pub const fn columns<'c>(&self, column: &'c usize) -> &'c [usize] {
        if self.by.is_empty() { std::slice::from_ref(column) } else { self.by }
    }

    /// The columns that refer, each with the column of the other resource's key.
    pub fn pairs(&self, column: usize) -> Vec<(usize, usize)> {
        self.columns(&column).iter().copied().zip((self.target)().key().iter().copied()).collect()
    }
}

/// A field of the record that a field refers to, by which lists filter or sort: `category.name`.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct FieldPath {
    /// The column that refers.
    pub reference: usize,
    /// The column of the other resource.
    pub column: usize,
}

impl FieldPath {
    /// A field of the record that a column refers to; called by expansions.
    #[must_use]
    pub const fn new(reference: usize, column: usize) -> Self {
        Self { reference, column }
    }
}

/// The path from a record to its time zone: a column of the record, a column of the record that it refers to, or the path
/// that the other record's resource states.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ZonePath {
    /// The column that refers to the record with the zone; none where the record itself has it.
    pub reference: Option<usize>,
    /// The column of the zone; `None` where the other record's resource states its zone.
    pub column: Option<usize>,
}

impl ZonePath {
    /// A column of the record itself; called by expansions.
    #[must_use]
    pub const fn own(column: usize) -> Self {
        Self { reference: None, column: Some(column) }
    }

    /// A column of the record that a column refers to; called by expansions.
    #[must_use]
    pub const fn of(reference: usize, column: usize) -> Self {
        Self { reference: Some(reference), column: Some(column) }
    }

    /// The time zone of the record that a column refers to; called by expansions.
    #[must_use]
    pub const fn via(reference: usize) -> Self {
        Self { reference: Some(reference), column: None }
    }
}

/// Rule for a referring record when the record it refers to is deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDelete {
    /// RESTRICT: the delete is refused.
    Restrict,
    /// CASCADE: the referring record is deleted too.
    Cascade,
    /// SET NULL: the reference becomes null.
    SetNull,
}

/// A validation rule. Null satisfies every rule.
#[derive(Debug, Clone, Copy)]
pub enum Rule {
    /// The least number.
    Min(Literal),
    /// The greatest number.
    Max(Literal),
    /// The least length: of text in characters (code points), of bytes in bytes, of a list in items.
    MinLength(usize),
    /// The greatest length, in the units of [`MinLength`](Self::MinLength).
    MaxLength(usize),
    /// Text of any length, also where the service bounds text.
    AnyLength,
    /// A regular expression that must match somewhere in the text.
    Pattern(&'static str),
    /// Text must be an e-mail address (RFC 5321).
    Email,
    /// Text must be an absolute URL (WHATWG).
    Url,
    /// The value must be one of these.
    OneOf(&'static [Literal]),
    /// The program's own check; an error is the message for the client.
    Custom(fn(ValueRef<'_>) -> Result<(), String>),
}

/// A number or text from an attribute.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Literal {
    /// An integer.
    Int(i64),
    /// A number with a fraction.
    Float(f64),
    /// Text.
    Text(&'static str),
}
