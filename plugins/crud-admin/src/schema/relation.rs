//! [`SeenChildren`] and [`SeenLinks`]: records that refer to a record, and records that a junction links to it.

use crud_runtime::access::AccessTable;
use crud_runtime::auth::Principal;
use crud_runtime::descriptor::{Descriptor, Operation};
use crud_runtime::{Model, ServedResource};
use serde::Serialize;

use crate::place::words;

/// The records of a resource that refer to a record.
#[derive(Serialize)]
pub(super) struct SeenChildren {
    name: String,
    label: String,
    resource: &'static str,
    /// The fields that refer to the record, in the order of its key.
    by: Vec<&'static str>,
    /// Whether bodies of the record may contain its children.
    nested: bool,
    /// The name of the children in `expand`.
    expand: Option<&'static str>,
}

/// The records that a junction links to a record.
#[derive(Serialize)]
pub(super) struct SeenLinks {
    name: &'static str,
    label: String,
    resource: &'static str,
    /// Whether the caller may link records.
    add: bool,
    /// Whether the caller may remove links.
    remove: bool,
}

/// The children that `has_many` names, and other records that refer to the resource by a filterable field.
pub(super) fn children(
    model: &Model,
    descriptor: &'static Descriptor,
    caller: Option<&Principal>,
) -> Vec<SeenChildren> {
    let is_listed = |resource: &ServedResource<'_>| resource.admits(Operation::List, caller);
    let named = descriptor.children.iter().filter_map(|children| {
        let resource = model.resource((children.resource)()).filter(is_listed)?;
        let target = resource.descriptor();
        let by = target.columns[children.column].references.map_or(&[][..], |reference| reference.by);
        let by = if by.is_empty() { vec![children.column] } else { by.to_vec() };
        Some(SeenChildren {
            name: children.name.to_owned(),
            label: words(children.name),
            resource: target.name,
            by: by.iter().map(|column| target.columns[*column].json).collect(),
            nested: children.nested,
            expand: Some(children.name),
        })
    });
    let named: Vec<_> = named.collect();
    let is_named = |target: &Descriptor, column: &str| {
        named.iter().any(|children| children.resource == target.name && children.by == [column])
    };
    let is_junction =
        |target: &Descriptor| descriptor.many_to_many.iter().any(|links| std::ptr::eq((links.resource)(), target));
    let others = model.resources().filter(|resource| is_listed(resource) && !is_junction(resource.descriptor()));
    let others = others.flat_map(|resource| {
        let target = resource.descriptor();
        let columns = target.columns.iter().enumerate().filter(move |(index, column)| {
            let refers = column
                .references
                .is_some_and(|reference| reference.by.len() < 2 && std::ptr::eq((reference.target)(), descriptor));
            refers && column.filterable && resource.shows(*index, caller)
        });
        columns.map(move |(_, column)| (resource, column))
    });
    let others = others.filter(|(resource, column)| !is_named(resource.descriptor(), column.json));
    let others: Vec<_> = others
        .map(|(resource, column)| SeenChildren {
            name: format!("{}.{}", resource.prefix().trim_start_matches('/'), column.json),
            label: words(resource.prefix().rsplit('/').next().unwrap_or_default()),
            resource: resource.descriptor().name,
            by: vec![column.json],
            nested: false,
            expand: None,
        })
        .collect();
    named.into_iter().chain(others).collect()
}

/// The linked records of junctions whose routes the caller may use.
pub(super) fn links(
    model: &Model,
    resource: ServedResource<'_>,
    table: &AccessTable,
    caller: Option<&Principal>,
) -> Vec<SeenLinks> {
    let descriptor = resource.descriptor();
    let reaches = |method: &str, path: &str| {
        let path = format!("{}{path}", resource.prefix());
        let mut routes = table.routes().iter();
        routes.any(|route| route.method == method && route.path == path && route.is_reached == Some(true))
    };
    let is_changed = !descriptor.presentation.read_only;
    let links = descriptor.many_to_many.iter().filter(|links| reaches("GET", links.path)).filter_map(|links| {
        let target = model.resource(links.junction(descriptor)?.target)?;
        let is_listed = target.admits(Operation::List, caller);
        is_listed.then(|| SeenLinks {
            name: links.name,
            label: words(links.name),
            resource: target.descriptor().name,
            add: is_changed && reaches("POST", links.path),
            remove: is_changed && reaches("DELETE", links.link_path),
        })
    });
    links.collect()
}
