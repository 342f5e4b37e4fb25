//! [`Subject`]: the records that a condition is about, and the fields of them that a client knows.

use crate::model::descriptor::{ColumnDescriptor, Descriptor};

/// The records that a condition is about.
#[derive(Debug, Clone, Copy)]
pub(super) enum Subject {
    /// The listed records.
    Listed,
    /// Records that this column refers to.
    Referenced(Relation),
    /// Records of this resource that refer to the listed ones, or that a junction links to them.
    Related(&'static Descriptor),
}

/// A column that refers to a record of another resource.
#[derive(Debug, Clone, Copy)]
pub(super) struct Relation {
    /// The resource of the column.
    pub(super) of: &'static Descriptor,
    pub(super) column: usize,
}

impl Relation {
    pub(super) fn target(self) -> Option<&'static Descriptor> {
        Some((self.of.columns[self.column].references?.target)())
    }
}

/// A field that a client knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct KnownField {
    pub(super) resource: &'static Descriptor,
    pub(super) index: usize,
    /// The column that refers to the field's record, if that is not the condition's own record.
    pub(super) relation: Option<Relation>,
}

impl KnownField {
    pub(super) fn column(self) -> &'static ColumnDescriptor {
        &self.resource.columns[self.index]
    }
}
