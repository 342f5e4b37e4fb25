//! Tables that several structs have: storage gets one description of each.

use std::sync::PoisonError;

use crate::model::descriptor::Descriptor;
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};

impl Service {
    /// The tables and views of the service, each once, and each after those that it refers to.
    ///
    /// # Errors
    /// [`Error::Setup`] when structs of one table contradict each other.
    pub(in crate::service) fn described_tables(&self) -> Result<Vec<&'static Descriptor>> {
        let mut groups: Vec<Vec<&'static Descriptor>> = Vec::new();
        for resource in self.tables() {
            match groups.iter_mut().find(|group| group[0].table.eq_ignore_ascii_case(resource.table)) {
                Some(group) => group.push(resource),
                None => groups.push(vec![resource]),
            }
        }
        let is_shared = groups.iter().any(|group| group.len() > 1);
        let merged: Result<Vec<&'static Descriptor>> = groups.iter().map(|group| self.described(group)).collect();
        Ok(if is_shared { in_order(&merged?) } else { merged? })
    }

    fn described(&self, group: &[&'static Descriptor]) -> Result<&'static Descriptor> {
        if let [only] = group {
            return Ok(self.compared_as(only));
        }
        let key: Vec<usize> = group.iter().map(|resource| std::ptr::from_ref(*resource).addr()).collect();
        let known = self.shared_tables.lock().unwrap_or_else(PoisonError::into_inner).get(&key).copied();
        if let Some(merged) = known {
            return Ok(self.compared_as(merged));
        }
        let merged = Descriptor::merged(group, self.adapter.capabilities().defaults).map_err(Error::Setup)?;
        self.shared_tables.lock().unwrap_or_else(PoisonError::into_inner).insert(key, merged);
        Ok(self.compared_as(merged))
    }
}

/// The tables, each after those that one of its structs refers to, and the views, each after what it reads.
fn in_order(tables: &[&'static Descriptor]) -> Vec<&'static Descriptor> {
    fn visit(
        table: &'static Descriptor,
        tables: &[&'static Descriptor],
        visited: &mut Vec<&'static str>,
        ordered: &mut Vec<&'static Descriptor>,
    ) {
        if visited.contains(&table.table) {
            return;
        }
        visited.push(table.table);
        let references = table.columns.iter().filter_map(|column| Some((column.references?.target)()));
        let depends = table.view.iter().flat_map(|view| view.depends).map(|depends| depends());
        for needed in references.chain(depends) {
            if let Some(needed) = tables.iter().find(|other| other.table == needed.table) {
                visit(needed, tables, visited, ordered);
            }
        }
        ordered.push(table);
    }
    let (mut visited, mut ordered) = (Vec::new(), Vec::with_capacity(tables.len()));
    for table in tables {
        visit(table, tables, &mut visited, &mut ordered);
    }
    ordered
}
