//! Generated columns of text in lower case, for unique indexes that compare it without regard to letter case where an index
//! has no expressions.
//!
//! ```sql
//! `crud_nocase_email` VARCHAR(255) GENERATED ALWAYS AS (LOWER(`email`)) VIRTUAL
//! ```

use crate::dialect::Dialect;
use crate::distinct::distinct;
use crate::identifier::identifier;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::storage::indexes::Unique;

/// The key of a column in an index that compares it without regard to letter case.
pub(super) fn key<D: Dialect>(column: &ColumnDescriptor) -> String {
    match D::TABLES.folded {
        Some(expression) => expression(&identifier::<D>(column.column)),
        None => identifier::<D>(&name_of::<D>(column.column)),
    }
}

/// The generated columns that the uniques of a table need, each once.
pub(super) fn columns<'r, D: Dialect>(resource: &'r Descriptor, uniques: &[Unique]) -> Vec<&'r ColumnDescriptor> {
    let all = uniques.iter().flat_map(|unique| &unique.case_insensitive).filter(|_| D::TABLES.folded.is_none());
    distinct(all).into_iter().map(|column| &resource.columns[*column]).collect()
}

/// The definition of the generated column of a column.
pub(super) fn line<D: Dialect>(resource: &Descriptor, column: &ColumnDescriptor) -> String {
    typed_line::<D>(column.column, &(D::TABLES.column_type)(resource, column))
}

/// The definition of the generated column of a column with this type.
pub(super) fn typed_line<D: Dialect>(column: &str, declared: &str) -> String {
    let (name, source) = (identifier::<D>(&name_of::<D>(column)), identifier::<D>(column));
    format!("{name} {declared} GENERATED ALWAYS AS (LOWER({source})) VIRTUAL")
}

/// The name of the generated column, the same each time.
pub(super) fn name_of<D: Dialect>(column: &str) -> String {
    (D::TABLES.shorten)(format!("crud_nocase_{column}"))
}
