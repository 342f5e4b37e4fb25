//! The query that finds records with the same values, in the comment of a unique index that they would refuse.
//!
//! ```sql
//! -- Fails where records have the same values:
//! -- SELECT "isbn", COUNT(*) FROM "books" WHERE "isbn" IS NOT NULL GROUP BY "isbn" HAVING COUNT(*) > 1;
//! CREATE UNIQUE INDEX "ux_books__isbn" ON "books" ("isbn");
//! ```

use crate::identifier::{identifier, table_identifier};
use crate::schema::comparison::compared::Compared;
use crate::schema::comparison::renamed_columns::former;
use crate::schema::migration_driver::MigrationDriver;
use crate::storage::indexes::Unique;

/// The part of a query between the columns that it selects and its table.
pub(crate) const COUNT: &str = ", COUNT(*) FROM ";

/// The end of a query.
pub(crate) const HAVING: &str = " HAVING COUNT(*) > 1;";

/// The comment on a unique constraint of an existing table.
pub(crate) fn comment<D: MigrationDriver>(compared: &Compared, unique: &Unique) -> String {
    let case = if unique.case_insensitive.is_empty() { "" } else { " in any letter case" };
    let note = format!("-- Fails where records have the same values{case}");
    match query::<D>(compared, unique) {
        Some(query) => format!("{note}:\n-- {query}"),
        None => note + ".",
    }
}

/// The query, where the table has all columns before the migration.
fn query<D: MigrationDriver>(compared: &Compared, unique: &Unique) -> Option<String> {
    let resource = compared.resource;
    // The changes of the table before it are there, where they commit by themselves.
    let is_before = D::TRANSACTIONAL_DDL && !D::ONLINE;
    let names = unique.columns.iter().chain(&unique.active).map(|column| resource.columns[*column].column);
    let mut missing = names.filter(|name| compared.column::<D>(name).is_none());
    if is_before && missing.next().is_some() {
        return None;
    }
    let name = |column: usize| {
        let name = resource.columns[column].column;
        identifier::<D>(if is_before { former::<D>(&compared.renamed, name) } else { name })
    };
    let value = |column: &usize| {
        if unique.ignores_case(*column) { format!("LOWER({})", name(*column)) } else { name(*column) }
    };
    let values = unique.columns.iter().map(value).collect::<Vec<_>>().join(", ");
    let conditions = unique.columns.iter().map(|column| format!("{} IS NOT NULL", name(*column)));
    let conditions = conditions.chain(unique.active.map(|active| format!("{} IS NULL", name(active))));
    let conditions = conditions.collect::<Vec<_>>().join(" AND ");
    let table = table_identifier::<D>(resource.table);
    Some(format!("SELECT {values}{COUNT}{table} WHERE {conditions} GROUP BY {values}{HAVING}"))
}
