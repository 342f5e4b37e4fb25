//! [`Catalogue`]: the tables and views of a database, as it describes them.
//!
//! Each database has one reader, its [`CatalogueDriver`](driver::CatalogueDriver), which reads the tables and parts that are
//! asked for. What asks for them is a view of the result: structs are compared with it, writes follow its triggers, `index_use`
//! joins the counts of its indexes, and `export` is what `crud generate --from-database` writes structs from.

pub(crate) mod by_place;
pub(crate) mod driver;
pub(crate) mod export;
pub(crate) mod index_reads;
pub(crate) mod index_use;
pub(crate) mod table;
pub(crate) mod unused_tables;

use std::collections::HashMap;

use self::driver::CatalogueDriver;
use self::table::{Parts, Table};
use crate::distinct::distinct;
use crate::driver::Connection;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};

/// The tables and views of a database that were read, by the names that resources have for them.
#[derive(Debug)]
pub(crate) struct Catalogue(HashMap<&'static str, Table>);

impl Catalogue {
    /// Reads these parts of the tables of these names.
    pub(crate) async fn read<D: CatalogueDriver>(
        connection: &mut Connection<D>,
        names: Vec<&'static str>,
        parts: Parts,
    ) -> Result<Self, D::Error> {
        let wanted = distinct(names);
        let found =
            if wanted.is_empty() { Vec::new() } else { D::described(connection, wanted.clone(), parts).await? };
        Ok(Self(wanted.into_iter().zip(found).filter_map(|(name, table)| Some((name, table?))).collect()))
    }

    /// Reads the tables of resources, those of their former names, and those that they refer to.
    pub(crate) async fn around<D: CatalogueDriver>(
        connection: &mut Connection<D>,
        resources: &[&'static Descriptor],
        parts: Parts,
    ) -> Result<Self, D::Error> {
        let mut names: Vec<&'static str> = Vec::new();
        let is_known = |table: &&'static str| resources.iter().any(|resource| resource.table == *table);
        for resource in resources.iter().filter(|resource| resource.view.is_none()) {
            names.push(resource.table);
            names.extend(resource.is_managed().then(|| resource.former_tables()).into_iter().flatten());
            let references = resource.columns.iter().filter_map(ColumnDescriptor::constraint);
            names.extend(references.map(|reference| (reference.target)().table).filter(|table| !is_known(table)));
        }
        Self::read::<D>(connection, names, parts).await
    }

    /// The table of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Table> {
        self.0.get(name)
    }
}
