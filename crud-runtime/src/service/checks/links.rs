//! The checks of linked records, and of records in the bodies of others, before a service starts.

use std::ptr;

use crate::http::body::nested_item;
use crate::model::descriptor::{Children, ColumnDescriptor, Descriptor, ManyToMany};
use crate::service::builder::Service;
use crate::storage::error::{Error, Result};

impl Service {
    /// Checks that storage changes several records in one transaction where links or nested records need it, and that each
    /// junction is one.
    ///
    /// # Errors
    /// [`Error::Setup`] for the first violation.
    pub(in crate::service) fn check_links(&self) -> Result<()> {
        for resource in self.resources.iter().map(|options| options.descriptor) {
            for many in resource.many_to_many {
                if let Err(wrong) = self.check_junction(resource, many) {
                    let (of, name, junction) = (resource.name, many.name, (many.resource)().name);
                    return Err(Error::Setup(format!("{of} has `many_to_many({name}({junction}))`: {wrong}")));
                }
            }
            for children in resource.children.iter().filter(|children| children.nested) {
                if let Err(wrong) = self.check_nested(resource, children) {
                    let (of, name) = (resource.name, children.name);
                    return Err(Error::Setup(format!("{of} has `nested` in `has_many({name}(…))`: {wrong}")));
                }
            }
        }
        Ok(())
    }

    fn check_interactive(&self) -> Result<(), String> {
        if self.adapter.capabilities().interactive {
            return Ok(());
        }
        Err("its changes need transactions of several calls, and this storage has none: use another database"
            .to_owned())
    }

    fn has(&self, resource: &Descriptor) -> Result<(), String> {
        let is_there = self.resources.iter().any(|options| ptr::eq(options.descriptor, resource));
        if is_there { Ok(()) } else { Err(format!("the service does not have {}", resource.name)) }
    }

    fn check_junction(&self, resource: &'static Descriptor, many: &ManyToMany) -> Result<(), String> {
        let junction = many.resolve(resource)?;
        let (sides, name) = (junction.sides(), junction.resource.name);
        self.has(junction.resource)?;
        self.has(junction.target)?;
        check_written(junction.resource)?;
        check_keys(resource, junction.resource)?;
        let columns = junction.resource.columns;
        let of = |column: usize| columns[column].name;
        if let Some(hidden) = sides.iter().copied().find(|column| !columns[*column].is_returned()) {
            return Err(format!("{name}.{} is hidden from requests", of(hidden)));
        }
        let others = columns.iter().enumerate().filter(|(index, _)| !sides.contains(index));
        if let Some((required, _)) = others.into_iter().find(|(_, column)| column.needs_value() && !is_filled(column)) {
            return Err(format!(
                "{name}.{} is required, and a link is made of two keys: give it a default, or let the service set it",
                of(required)
            ));
        }
        if !junction.is_unique() {
            let sides = sides.iter().map(|column| of(*column)).collect::<Vec<_>>().join(", ");
            let among = if junction.resource.soft_delete.is_some() { ", among(active)" } else { "" };
            return Err(format!(
                "two records could be linked twice: {name} needs `unique({sides}{among})`, or without soft delete the \
                 key of both"
            ));
        }
        self.check_interactive()
    }

    fn check_nested(&self, parent: &Descriptor, children: &Children) -> Result<(), String> {
        let resource = (children.resource)();
        check_written(resource)?;
        check_keys(parent, resource)?;
        if children.columns().len() > 1 {
            let (name, column) = (resource.name, resource.columns[children.column].name);
            return Err(format!(
                "{name}.{column} refers by several fields: write these records on their own, or give the record a key of \
                 one field"
            ));
        }
        if resource.columns.iter().any(|column| column.json == nested_item::DELETE) {
            let name = nested_item::DELETE;
            return Err(format!("{} has a field `{name}`, which deletes a nested record: rename it", resource.name));
        }
        let own = resource.columns.iter().enumerate().filter(|(index, _)| *index != children.column);
        if let Some((_, column)) = own.into_iter().find(|(_, column)| is_unsettable(column)) {
            let (name, column) = (resource.name, column.name);
            return Err(format!("{name}.{column} is required, and no request sets it: give it a default"));
        }
        self.check_interactive()
    }
}

/// Whether a create by a request lacks a value of the column.
fn is_unsettable(column: &ColumnDescriptor) -> bool {
    (column.hidden || column.read_only) && column.needs_value() && !is_filled(column)
}

/// Refuses resources that are only read.
fn check_written(resource: &Descriptor) -> Result<(), String> {
    if resource.view.is_none() && !resource.keyless {
        return Ok(());
    }
    Err(format!("records of {} are only read", resource.name))
}

/// Refuses records that need a key in requests for a resource that ignores keys.
fn check_keys(resource: &Descriptor, written: &Descriptor) -> Result<(), String> {
    if resource.idempotency.is_some() || !written.requires_idempotency_key() {
        return Ok(());
    }
    Err(format!(
        "{} has `idempotency(required)`, and requests for {of} take no `Idempotency-Key`: add `idempotency` to {of}",
        written.name,
        of = resource.name
    ))
}

/// Whether the service or the principal sets a column of a new record.
fn is_filled(column: &ColumnDescriptor) -> bool {
    column.is_assigned() || column.from_principal
}
