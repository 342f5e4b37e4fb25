//! Columns in the document: it is public, so fields with restricted visibility are left out.

use crate::model::descriptor::{ColumnDescriptor, Descriptor};

/// The columns in the document.
pub(crate) fn documented_columns(descriptor: &'static Descriptor) -> impl Iterator<Item = &'static ColumnDescriptor> {
    descriptor.columns.iter().filter(|column| is_documented(column))
}

pub(crate) fn is_documented(column: &ColumnDescriptor) -> bool {
    column.visible.is_none()
}
