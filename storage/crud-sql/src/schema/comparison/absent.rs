//! Differences of a resource whose table is not there.
//!
//! A name that is misspelt, or is in a schema that the connection does not search, would lead to an empty table beside the one
//! that is meant.

use std::collections::HashMap;

use crud_shared::{plural, spelling, table};

use crate::driver::{Connection, Driver, first_number};
use crate::model::descriptor::{Descriptor, Ownership};
use crate::schema::ddl::table_identifier;
use crate::statement::Statement;
use crate::storage::schema::What;

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
    pub(super) async fn differences<D: Driver>(
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
        Ok(found)
    }

    async fn has_schema<D: Driver>(
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
    async fn near<D: Driver>(
        &mut self,
        connection: &mut Connection<D>,
        resource: &'static Descriptor,
        resources: &[&'static Descriptor],
    ) -> Result<Option<What>, D::Error> {
        let wanted = resource.own_table();
        let mut others: Vec<String> = Vec::new();
        if resource.schema().is_none() {
            if self.tables.is_none() {
                self.tables = Some(D::tables(connection).await?.into_iter().map(|table| table.name).collect());
            }
            others.extend(self.tables.iter().flatten().filter(|other| is_near(wanted, other)).cloned());
        }
        if self.elsewhere.is_none() {
            let names = resources.iter().map(|resource| resource.table).collect();
            self.elsewhere = Some(D::elsewhere(connection, names).await?);
        }
        let elsewhere = self.elsewhere.iter().flatten().filter(|(name, _)| *name == resource.table);
        others.extend(elsewhere.map(|(_, other)| other.clone()));
        let is_used = |other: &str| resources.iter().any(|resource| (D::TABLES.is_same_name)(resource.table, other));
        for other in others {
            if !is_used(&other) && has_records::<D>(connection, &other).await {
                return Ok(Some(What::TableNear { other }));
            }
        }
        Ok(None)
    }
}

/// Whether a table has records; not where they cannot be read.
async fn has_records<D: Driver>(connection: &mut Connection<D>, table: &str) -> bool {
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
