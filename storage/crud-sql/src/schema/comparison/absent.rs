//! Differences of a resource whose table is not there.
//!
//! A name that is misspelt, or is in a schema that the connection does not search, would lead to an empty table beside the one
//! that is meant.

use crud_shared::table::joined;
use crud_shared::{plural, spelling, table};

use super::table_diff::names;
use crate::catalogue::Catalogue;
use crate::catalogue::unused_tables::counted;
use crate::driver::Connection;
use crate::identifier::table_identifier;
use crate::model::descriptor::{Descriptor, Ownership};
use crate::schema::ddl::{is_in_table, wanted_indexes};
use crate::schema::driver::SchemaDriver;
use crate::storage::schema::DifferenceKind;
use crate::table_dialect::InTable;

/// The fewest letters of a name that one of another spelling may be meant for.
const FEWEST: usize = 4;

/// Tables beside those of resources.
#[derive(Default)]
pub(super) struct Neighbours {
    /// The tables of the database's own schema.
    tables: Vec<String>,
    /// The tables of other schemas, each with the name that a resource has for it.
    elsewhere: Vec<(&'static str, String)>,
}

impl Neighbours {
    /// Reads them, where the table of a resource is not among these.
    pub(super) async fn read<D: SchemaDriver>(
        connection: &mut Connection<D>,
        tables: &Catalogue,
        resources: &[&'static Descriptor],
    ) -> Result<Self, D::Error> {
        if resources.iter().all(|resource| resource.view.is_some() || tables.get(resource.table).is_some()) {
            return Ok(Self::default());
        }
        let tables = D::tables(connection).await?.into_iter().map(|table| table.name).collect();
        let elsewhere = D::elsewhere(connection, resources.iter().map(|resource| resource.table).collect()).await?;
        Ok(Self { tables, elsewhere })
    }

    /// The differences: the table is missing, and what it may be confused with.
    pub(super) async fn differences<D: SchemaDriver>(
        &self,
        connection: &mut Connection<D>,
        resource: &'static Descriptor,
        resources: &[&'static Descriptor],
    ) -> Result<Vec<DifferenceKind>, D::Error> {
        let is_programs = resource.ownership == Ownership::Program;
        let mut near = None;
        let mut found = vec![DifferenceKind::TableMissing];
        if let Some(schema) = resource.schema()
            && !D::has_schema(connection, schema).await?
        {
            // That of the service's own tables is created with them.
            found
                .extend((resource.ownership != Ownership::Service).then_some(DifferenceKind::SchemaMissing { schema }));
        } else if is_programs {
            near = self.near::<D>(connection, resource, resources).await;
        }
        let taken = self.taken::<D>(connection, resource).await?;
        if let Some(DifferenceKind::IndexTaken { index, .. }) = taken.first().filter(|_| is_programs && near.is_none())
        {
            near = self.with_index::<D>(connection, index, resources).await?;
        }
        Ok(found.into_iter().chain(near).chain(taken).collect())
    }

    /// Indexes whose names another table has: one that was renamed by hand keeps them, and the missing table cannot get its own.
    async fn taken<D: SchemaDriver>(
        &self,
        connection: &mut Connection<D>,
        resource: &'static Descriptor,
    ) -> Result<Vec<DifferenceKind>, D::Error> {
        let is_alone = resource.schema().is_none() && self.tables.is_empty();
        if !resource.is_managed() || is_alone || D::TABLES.in_table == InTable::Indexes {
            return Ok(Vec::new());
        }
        let mut taken = Vec::new();
        for (index, columns) in created_indexes::<D>(resource) {
            if D::is_taken(connection, &joined(resource.schema(), &index)).await? {
                taken.push(DifferenceKind::IndexTaken { index, columns });
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
        &self,
        connection: &mut Connection<D>,
        index: &str,
        resources: &[&'static Descriptor],
    ) -> Result<Option<DifferenceKind>, D::Error> {
        for other in self.tables.iter().filter(|other| !is_used::<D>(other, resources)) {
            let table = D::table(connection, other).await?;
            let has_index = table.is_some_and(|table| table.indexes.iter().any(|present| present.name == index));
            if has_index && has_records::<D>(connection, other).await {
                return Ok(Some(DifferenceKind::TableNear { other: other.clone() }));
            }
        }
        Ok(None)
    }

    /// The first table of nearly the same name, or of the same one in another schema, that has records and is no resource's.
    async fn near<D: SchemaDriver>(
        &self,
        connection: &mut Connection<D>,
        resource: &'static Descriptor,
        resources: &[&'static Descriptor],
    ) -> Option<DifferenceKind> {
        let is_own = |other: &&String| resource.schema().is_none() && is_near(resource.own_table(), other);
        let elsewhere = self.elsewhere.iter().filter(|(name, _)| *name == resource.table).map(|(_, other)| other);
        for other in self.tables.iter().filter(is_own).chain(elsewhere) {
            if !is_used::<D>(other, resources) && has_records::<D>(connection, other).await {
                return Some(DifferenceKind::TableNear { other: other.clone() });
            }
        }
        None
    }
}

/// Whether a table is a resource's.
fn is_used<D: SchemaDriver>(table: &str, resources: &[&'static Descriptor]) -> bool {
    resources.iter().any(|resource| (D::TABLES.is_same_name)(resource.table, table))
}

/// The named indexes that are created with a table, each with its columns.
fn created_indexes<D: SchemaDriver>(resource: &'static Descriptor) -> Vec<(String, Vec<&'static str>)> {
    let (uniques, indexes) = wanted_indexes::<D>(resource);
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
    matches!(counted::<D>(connection, &table_identifier::<D>(table), 1).await, Ok(Some(1..)))
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
