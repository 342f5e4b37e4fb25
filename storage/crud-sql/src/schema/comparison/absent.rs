//! Differences of a resource whose table is not there.
//!
//! A name that is misspelt, or is in a schema that the connection does not search, would lead to an empty table beside the one
//! that is meant.

use std::collections::HashMap;

use crud_shared::table::joined;
use crud_shared::{plural, spelling, table};

use super::table_diff::names;
use crate::driver::{Connection, first_number};
use crate::identifier::table_identifier;
use crate::model::descriptor::{Descriptor, Ownership};
use crate::schema::ddl::is_in_table;
use crate::schema::driver::SchemaDriver;
use crate::statement::Statement;
use crate::storage::indexes::{indexes, unique_indexes, uniques};
use crate::storage::schema::What;
use crate::table_dialect::InTable;

/// The fewest letters of a name that one of another spelling may be meant for.
const FEWEST: usize = 4;

/// Tables and schemas beside those of resources, each kind read once, where the first missing table needs it.
#[derive(Default)]
pub(super) struct Neighbours {
    schemas: HashMap<&'static str, bool>,
    /// The tables of the database's own schema.
    tables: Option<Vec<String>>,
    /// The tables of other schemas, each with the name that a resource has for it.
    elsewhere: Option<Vec<(&'static str, String)>>,
}

impl Neighbours {
    /// The differences: the table is missing, and what it may be confused with.
    pub(super) async fn differences<D: SchemaDriver>(
        &mut self,
        connection: &mut Connection<D>,
        resource: &'static Descriptor,
        resources: &[&'static Descriptor],
    ) -> Result<Vec<What>, D::Error> {
        let mut found = vec![What::TableMissing];
        if let Some(schema) = resource.schema()
            && !self.has_schema::<D>(connection, schema).await?
        {
            // That of the service's own tables is created with them.
            found.extend((resource.ownership != Ownership::Service).then_some(What::SchemaMissing { schema }));
        } else if resource.ownership == Ownership::Program {
            found.extend(self.near::<D>(connection, resource, resources).await?);
        }
        let taken = self.taken::<D>(connection, resource).await?;
        let is_near = found.iter().any(|what| matches!(what, What::TableNear { .. }));
        if let Some(What::IndexTaken { index, .. }) = taken.first()
            && resource.ownership == Ownership::Program
            && !is_near
        {
            found.extend(self.with_index::<D>(connection, index, resources).await?);
        }
        found.extend(taken);
        Ok(found)
    }

    /// Indexes whose names another table has: one that was renamed by hand keeps them, and the missing table cannot get its own.
    async fn taken<D: SchemaDriver>(
        &mut self,
        connection: &mut Connection<D>,
        resource: &'static Descriptor,
    ) -> Result<Vec<What>, D::Error> {
        let is_alone = resource.schema().is_none() && self.tables::<D>(connection).await?.is_empty();
        if !resource.is_managed() || is_alone || D::TABLES.in_table == InTable::Indexes {
            return Ok(Vec::new());
        }
        let mut taken = Vec::new();
        for (index, columns) in created_indexes::<D>(resource) {
            if D::is_taken(connection, &joined(resource.schema(), &index)).await? {
                taken.push(What::IndexTaken { index, columns });
            }
        }
        // Another start may have created the table since the tables were read.
        if !taken.is_empty() && D::table(connection, resource.table).await?.is_some() {
            taken.clear();
        }
        Ok(taken)
    }

    /// The table that has an index, where it has records and no resource has it.
    async fn with_index<D: SchemaDriver>(
        &mut self,
        connection: &mut Connection<D>,
        index: &str,
        resources: &[&'static Descriptor],
    ) -> Result<Option<What>, D::Error> {
        for other in self.tables::<D>(connection).await?.to_vec() {
            if is_used::<D>(&other, resources) {
                continue;
            }
            let table = D::table(connection, &other).await?;
            let has_index = table.is_some_and(|table| table.indexes.iter().any(|present| present.name == index));
            if has_index && has_records::<D>(connection, &other).await {
                return Ok(Some(What::TableNear { other }));
            }
        }
        Ok(None)
    }

    /// The tables of the database's own schema.
    async fn tables<D: SchemaDriver>(&mut self, connection: &mut Connection<D>) -> Result<&[String], D::Error> {
        if self.tables.is_none() {
            self.tables = Some(D::tables(connection).await?.into_iter().map(|table| table.name).collect());
        }
        Ok(self.tables.as_deref().unwrap_or_default())
    }

    async fn has_schema<D: SchemaDriver>(
        &mut self,
        connection: &mut Connection<D>,
        schema: &'static str,
    ) -> Result<bool, D::Error> {
        if let Some(known) = self.schemas.get(schema) {
            return Ok(*known);
        }
        let is_there = D::has_schema(connection, schema).await?;
        self.schemas.insert(schema, is_there);
        Ok(is_there)
    }

    /// The first table of nearly the same name, or of the same one in another schema, that has records and is no resource's.
    async fn near<D: SchemaDriver>(
        &mut self,
        connection: &mut Connection<D>,
        resource: &'static Descriptor,
        resources: &[&'static Descriptor],
    ) -> Result<Option<What>, D::Error> {
        let wanted = resource.own_table();
        let mut others: Vec<String> = Vec::new();
        if resource.schema().is_none() {
            let tables = self.tables::<D>(connection).await?;
            others.extend(tables.iter().filter(|other| is_near(wanted, other)).cloned());
        }
        if self.elsewhere.is_none() {
            let names = resources.iter().map(|resource| resource.table).collect();
            self.elsewhere = Some(D::elsewhere(connection, names).await?);
        }
        let elsewhere = self.elsewhere.iter().flatten().filter(|(name, _)| *name == resource.table);
        others.extend(elsewhere.map(|(_, other)| other.clone()));
        for other in others {
            if !is_used::<D>(&other, resources) && has_records::<D>(connection, &other).await {
                return Ok(Some(What::TableNear { other }));
            }
        }
        Ok(None)
    }
}

/// Whether a table is a resource's.
fn is_used<D: SchemaDriver>(table: &str, resources: &[&'static Descriptor]) -> bool {
    resources.iter().any(|resource| (D::TABLES.is_same_name)(resource.table, table))
}

/// The named indexes that are created with a table, each with its columns.
fn created_indexes<D: SchemaDriver>(resource: &'static Descriptor) -> Vec<(String, Vec<&'static str>)> {
    let uniques = uniques(resource);
    let key_implied = (D::TABLES.key_implied)(resource, None);
    let indexes = indexes(resource, key_implied, D::TABLES.active_by, &unique_indexes(&uniques));
    let of_uniques = uniques.iter().filter(|unique| !is_in_table::<D>(resource, unique));
    let of_uniques = of_uniques.map(|unique| (unique.name(resource), names(resource, &unique.columns)));
    let of_lists = indexes.iter().map(|index| (index.name(resource), names(resource, &index.columns)));
    let of_search = (D::TABLES.search)(resource)
        .map(|index| (index.name, names(resource, resource.search.map_or(&[][..], |search| search.columns))));
    let named = of_uniques.chain(of_lists).map(|(name, columns)| ((D::TABLES.shorten)(name), columns));
    named.chain(of_search).collect()
}

/// Whether a table has records; not where they cannot be read.
async fn has_records<D: SchemaDriver>(connection: &mut Connection<D>, table: &str) -> bool {
    let table = table_identifier::<D>(table);
    let text = format!("SELECT COUNT(*) FROM (SELECT 1 AS one FROM {table} LIMIT 1) AS counted");
    matches!(first_number::<D>(connection, Statement::assembled(text)).await, Ok(Some(1..)))
}

/// Whether one name may be meant by the other: a slip, another number or another letter case. Names that differ in digits
/// alone, such as `orders_2025` and `orders_2026`, are different on purpose.
fn is_near(wanted: &str, other: &str) -> bool {
    let (wanted, other) = (wanted.to_lowercase(), table::split(other).1.to_lowercase());
    let letters = |name: &str| name.replace(|c: char| c.is_ascii_digit(), "");
    if wanted != other && letters(&wanted) == letters(&other) {
        return false;
    }
    let is_long = |name: &str| name.chars().count() >= FEWEST;
    wanted == other
        || plural::of_noun(&wanted) == plural::of_noun(&other)
        || is_long(&wanted) && is_long(&other) && spelling::is_slip(&wanted, &other)
        || wanted.replace('_', "") == other.replace('_', "")
}

#[cfg(test)]
mod tests {
    use super::is_near;

    #[test]
    fn slips_and_plurals_are_near_and_numbers_are_not() {
        for (wanted, other) in [
            ("invoices", "invoice"),
            ("invoice", "invoices"),
            ("categories", "category"),
            ("Invoice", "invoice"),
            ("invocies", "invoices"),
            ("order_items", "orderitems"),
        ] {
            assert!(is_near(wanted, other), "{wanted} {other}");
        }
        for (wanted, other) in
            [("orders_2025", "orders_2026"), ("cat", "car"), ("customers", "invoices"), ("orders", "order_items")]
        {
            assert!(!is_near(wanted, other), "{wanted} {other}");
        }
    }
}
