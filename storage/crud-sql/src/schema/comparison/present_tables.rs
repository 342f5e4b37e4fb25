//! [`PresentTables`]: the tables that a comparison needs, read at once.

use std::collections::HashMap;

use crate::distinct::distinct;
use crate::driver::Connection;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::schema::driver::SchemaDriver;
use crate::schema::table::{Parts, Table};

/// The tables and views that are there, by the names that resources have for them.
#[derive(Debug)]
pub(crate) struct PresentTables(HashMap<&'static str, Table>);

impl PresentTables {
    /// Reads the tables of these names.
    pub(crate) async fn read<D: SchemaDriver>(
        connection: &mut Connection<D>,
        names: Vec<&'static str>,
    ) -> Result<Self, D::Error> {
        let wanted = distinct(names);
        let found = if wanted.is_empty() {
            Vec::new()
        } else {
            D::described(connection, wanted.clone(), Parts::Schema).await?
        };
        Ok(Self(wanted.into_iter().zip(found).filter_map(|(name, table)| Some((name, table?))).collect()))
    }

    /// Reads the tables of resources, those of their former names, and those that they refer to.
    pub(crate) async fn around<D: SchemaDriver>(
        connection: &mut Connection<D>,
        resources: &[&'static Descriptor],
    ) -> Result<Self, D::Error> {
        let mut names: Vec<&'static str> = Vec::new();
        let is_known = |table: &&'static str| resources.iter().any(|resource| resource.table == *table);
        for resource in resources.iter().filter(|resource| resource.view.is_none()) {
            names.push(resource.table);
            names.extend(resource.is_managed().then(|| resource.former_tables()).into_iter().flatten());
            let references = resource.columns.iter().filter_map(ColumnDescriptor::constraint);
            names.extend(references.map(|reference| (reference.target)().table).filter(|table| !is_known(table)));
        }
        Self::read::<D>(connection, names).await
    }

    /// The table of this name.
    pub(crate) fn get(&self, name: &str) -> Option<&Table> {
        self.0.get(name)
    }
}
