//! Names of tables: `invoices`, or `sales.invoices` after the schema that they are in.
//!
//! A table's own name has no dot, so that the first one separates the schema.

/// The schema, where the name states one, and the table's own name.
///
/// ```
/// use crud_shared::table::split;
///
/// assert_eq!(split("sales.invoices"), (Some("sales"), "invoices"));
/// assert_eq!(split("invoices"), (None, "invoices"));
/// ```
pub fn split(table: &str) -> (Option<&str>, &str) {
    table.split_once('.').map_or((None, table), |(schema, own)| (Some(schema), own))
}

/// The name of a table in a schema.
///
/// ```
/// assert_eq!(crud_shared::table::joined(Some("sales"), "invoices"), "sales.invoices");
/// assert_eq!(crud_shared::table::joined(None, "invoices"), "invoices");
/// ```
pub fn joined(schema: Option<&str>, own: &str) -> String {
    schema.map_or_else(|| own.to_owned(), |schema| format!("{schema}.{own}"))
}
