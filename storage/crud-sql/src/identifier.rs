//! Quoted names in statements.

use crate::dialect::Dialect;

/// An identifier in quotes.
pub(crate) fn identifier<D: Dialect>(name: &str) -> String {
    let mut text = String::new();
    D::SPELLING.push_identifier(&mut text, name);
    text
}

/// The quoted name of a table, after its schema.
pub(crate) fn table_identifier<D: Dialect>(table: &str) -> String {
    let mut text = String::new();
    D::SPELLING.push_table(&mut text, table);
    text
}

/// The quoted name of an object in the schema of a table, such as its index.
#[cfg(any(feature = "migrations", feature = "postgres"))]
pub(crate) fn in_schema_of(table: &str, name: &str) -> String {
    crud_shared::table::joined(crud_shared::table::split(table).0, name)
}

/// A list of quoted identifiers.
pub(crate) fn identifiers<'n, D: Dialect>(names: impl IntoIterator<Item = &'n str>) -> String {
    names.into_iter().map(identifier::<D>).collect::<Vec<_>>().join(", ")
}
