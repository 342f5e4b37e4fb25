//! Foreign keys: those that fields want, and their clauses.

use crud_shared::table::split;

use crate::catalogue::table::{ForeignKey, Table};
use crate::dialect::Dialect;
use crate::identifier::{identifiers, table_identifier};
use crate::model::descriptor::{ColumnDescriptor, Descriptor, OnDelete};
use crate::schema::ddl::field;

/// The columns of a reference, each with the one that it refers to: `(shop_id, customer_id)` refers to `(shop_id, id)`
/// where both resources have tenants, so that a record never refers to another tenant's. One to a key of several columns has
/// the tenant among them.
///
/// With SET NULL it is the key alone: only PostgreSQL can set one of several columns to null.
pub(crate) fn columns(resource: &Descriptor, column: &ColumnDescriptor) -> Option<Vec<(&'static str, &'static str)>> {
    let reference = column.constraint()?;
    let target = (reference.target)();
    if !reference.by.is_empty() {
        let pairs = reference.by.iter().zip(target.key());
        return Some(pairs.map(|(own, key)| (resource.columns[*own].column, target.columns[*key].column)).collect());
    }
    let tenants = resource.tenant.zip(target.tenant).filter(|_| reference.on_delete != OnDelete::SetNull);
    let tenants =
        tenants.map(|(own, other)| (resource.columns[own.column].column, target.columns[other.column].column));
    let key = (column.column, target.id_column().column);
    Some(tenants.into_iter().chain([key]).collect())
}

/// The foreign key that the reference of a column wants, if it wants one.
pub(crate) fn wanted(resource: &Descriptor, column: &ColumnDescriptor) -> Option<ForeignKey> {
    let reference = column.constraint()?;
    let pair = |(own, key): (&str, &str)| (own.to_owned(), Some(key.to_owned()));
    let columns = columns(resource, column)?.into_iter().map(pair).collect();
    let (table, on_delete) = ((reference.target)().table.to_owned(), on_delete(reference.on_delete).to_owned());
    Some(ForeignKey { table, columns, on_delete, ..ForeignKey::default() })
}

/// The action of `ON DELETE`.
pub(crate) const fn on_delete(action: OnDelete) -> &'static str {
    match action {
        OnDelete::Restrict => "RESTRICT",
        OnDelete::Cascade => "CASCADE",
        OnDelete::SetNull => "SET NULL",
    }
}

impl ForeignKey {
    /// The key as a constraint of a table, without its name.
    pub(crate) fn line<D: Dialect>(&self) -> String {
        let (from, references) = self.parts::<D>();
        format!("FOREIGN KEY ({from}) {references}")
    }

    /// Its columns, and the clause of what they refer to.
    pub(crate) fn parts<D: Dialect>(&self) -> (String, String) {
        let from = identifiers::<D>(self.columns.iter().map(|(from, _)| from.as_str()));
        let to = identifiers::<D>(self.columns.iter().filter_map(|(_, to)| to.as_deref()));
        let to = if to.is_empty() { to } else { format!(" ({to})") };
        let (table, on_delete) = (table_identifier::<D>(&self.table), &self.on_delete);
        let on_update = match self.on_update.as_str() {
            "" | "NO ACTION" => String::new(),
            action => format!(" ON UPDATE {action}"),
        };
        (from, format!("REFERENCES {table}{to} ON DELETE {on_delete}{on_update}"))
    }
}

/// Whether a foreign key of a table is that of a reference, with any ON DELETE.
pub(crate) fn is_of<D: Dialect>(resource: &Descriptor, column: &ColumnDescriptor, key: &ForeignKey) -> bool {
    let is_same = D::TABLES.is_same_name;
    let (Some(reference), Some(columns)) = (column.constraint(), columns(resource, column)) else { return false };
    let mut pairs = key.columns.iter().zip(&columns);
    is_same_table::<D>((reference.target)().table, &key.table)
        && key.columns.len() == columns.len()
        && pairs
            .all(|((from, to), wanted)| is_same(from, wanted.0) && to.as_ref().is_none_or(|to| is_same(to, wanted.1)))
}

/// Whether two names are of one table. One without schema is of the schema that the connection finds first.
fn is_same_table<D: Dialect>(one: &str, other: &str) -> bool {
    let ((schema, own), (other_schema, other_own)) = (split(one), split(other));
    let is_same = D::TABLES.is_same_name;
    is_same(own, other_own) && schema.zip(other_schema).is_none_or(|(one, other)| is_same(one, other))
}

/// The field whose reference takes the place of a foreign key that no field asks for: the key is on its column, and the
/// reference has none yet.
pub(crate) fn successor<'r, D: Dialect>(
    resource: &'r Descriptor,
    table: &Table,
    key: &ForeignKey,
) -> Option<&'r ColumnDescriptor> {
    let (from, _) = key.columns.last()?;
    let column = field::<D>(resource, from)?;
    let is_there = table.foreign_keys.iter().any(|other| is_of::<D>(resource, column, other));
    (column.constraint().is_some() && !is_there).then_some(column)
}
