//! [`JoinedColumn`]: a field of the record that a listed record refers to.

use super::predicate::Predicate;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};

/// A field of the record that a column of a listed record refers to. It is null where the column refers to no record,
/// or to one that does not satisfy the filter.
///
/// ```
/// use crud_runtime::descriptor::Descriptor;
/// use crud_runtime::query::{JoinedColumn, Predicate};
///
/// /// The third field of the categories that the second field of a product refers to.
/// fn of_category(category: &'static Descriptor) -> JoinedColumn {
///     JoinedColumn::new(1, category, 2, Predicate::All)
/// }
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct JoinedColumn {
    /// The column of the listed record that refers to the other one.
    pub reference: usize,
    /// The other record's resource.
    pub resource: &'static Descriptor,
    /// The column of the other record.
    pub column: usize,
    /// Filter of the other records.
    pub filter: Predicate,
    descriptor: ColumnDescriptor,
}

impl JoinedColumn {
    /// A column of the records that `reference` leads to, of those that satisfy a filter.
    pub fn new(reference: usize, resource: &'static Descriptor, column: usize, filter: Predicate) -> Self {
        let descriptor = ColumnDescriptor { nullable: true, ..resource.columns[column] };
        Self { reference, resource, column, filter, descriptor }
    }

    /// The descriptor of the column in the rows: nullable.
    pub const fn descriptor(&self) -> &ColumnDescriptor {
        &self.descriptor
    }
}

impl PartialEq for JoinedColumn {
    fn eq(&self, other: &Self) -> bool {
        (self.reference, self.column) == (other.reference, other.column)
            && std::ptr::eq(self.resource, other.resource)
            && self.filter == other.filter
    }
}
