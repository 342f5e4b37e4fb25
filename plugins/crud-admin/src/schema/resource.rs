//! [`SeenResource`]: a resource, as far as a caller may see it.

use crud_runtime::access::AccessTable;
use crud_runtime::auth::Principal;
use crud_runtime::column::Kind;
use crud_runtime::descriptor::{Count, Descriptor, Operation, Role, SortKey};
use crud_runtime::{Model, ServedResource};
use serde::Serialize;

use super::field::SeenField;
use super::file::SeenFile;
use super::is_false;
use super::relation::{SeenChildren, SeenLinks, children, links};
use crate::place::words;

/// The operations, with their names in `access(…)`.
const OPERATIONS: [(Operation, &str); 14] = [
    (Operation::List, "list"),
    (Operation::Get, "get"),
    (Operation::Create, "create"),
    (Operation::Update, "update"),
    (Operation::Delete, "delete"),
    (Operation::Restore, "restore"),
    (Operation::Purge, "purge"),
    (Operation::RestoreMany, "restore_many"),
    (Operation::PurgeMany, "purge_many"),
    (Operation::BatchCreate, "batch_create"),
    (Operation::BatchUpdate, "batch_update"),
    (Operation::BatchDelete, "batch_delete"),
    (Operation::History, "history"),
    (Operation::Aggregate, "aggregate"),
];

/// Usual names of the field that identifies a record to people.
const TITLES: [&str; 4] = ["name", "title", "label", "username"];

/// A resource, as far as a caller may see it.
#[derive(Serialize)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact for itself")]
pub(super) struct SeenResource<'a> {
    name: &'static str,
    label: String,
    path: &'a str,
    doc: &'static str,
    group: Option<&'a str>,
    /// Whether the menu leaves the resource out.
    #[serde(skip_serializing_if = "is_false")]
    hidden: bool,
    /// The columns of the list; empty to let the page choose.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    list: Vec<&'static str>,
    key: Vec<&'static str>,
    /// The field that identifies a record to people.
    title: Option<&'static str>,
    page: Option<Pages>,
    search: bool,
    /// The field with the time of a record's soft delete.
    deleted_at: Option<&'static str>,
    /// Whether the resource has an audit log.
    audit: bool,
    export: bool,
    import: bool,
    /// The largest batch; `None` without batches.
    batch: Option<u32>,
    aggregate: Option<Aggregates>,
    idempotent: bool,
    /// Whether the caller may follow the resource's events.
    #[serde(skip_serializing_if = "is_false")]
    live: bool,
    can: Vec<&'static str>,
    sort: Vec<String>,
    default_sort: String,
    fields: Vec<SeenField>,
    /// Filters on fields of referenced records, such as `category.name`.
    filters: Vec<SeenField>,
    /// The fields of a membership, if the records are memberships of users in tenants.
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<Members>,
    /// Routes that the page shows as buttons of a record.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    buttons: Vec<SeenButton<'a>>,
    children: Vec<SeenChildren>,
    links: Vec<SeenLinks>,
}

/// A route that the page shows as a button of a record.
#[derive(Serialize)]
struct SeenButton<'a> {
    /// The last part of the route's path.
    name: &'a str,
    label: &'a str,
}

/// The fields of a membership.
#[derive(Serialize)]
struct Members {
    user: &'static str,
    role: Option<&'static str>,
}

/// The limits of pages.
#[derive(Serialize)]
struct Pages {
    default: u32,
    max: u32,
    cursor: bool,
    counted: bool,
}

/// The fields of aggregates.
#[derive(Serialize)]
struct Aggregates {
    group_by: Vec<&'static str>,
    over: Vec<&'static str>,
}

impl<'a> SeenResource<'a> {
    /// The resource; `None` if the caller may neither list nor get its records.
    pub(super) fn of(
        model: &Model,
        resource: ServedResource<'a>,
        table: &AccessTable,
        caller: Option<&Principal>,
    ) -> Option<Self> {
        let descriptor = resource.descriptor();
        let presentation = descriptor.presentation;
        let is_offered = |operation: Operation| operation.is_read() || !presentation.read_only;
        let can = OPERATIONS.into_iter().filter(|(it, _)| is_offered(*it) && resource.admits(*it, caller));
        let can: Vec<&str> = can.map(|(_, name)| name).collect();
        if !can.contains(&"list") && !can.contains(&"get") {
            return None;
        }
        let is_seen = |column: &usize| resource.shows(*column, caller);
        let names = |columns: &[usize]| -> Vec<&'static str> {
            columns.iter().filter(|column| is_seen(column)).map(|column| descriptor.columns[*column].json).collect()
        };
        let fields = descriptor.columns.iter().enumerate().filter_map(|(index, column)| {
            let field = SeenField::of(model, resource, index, caller)?;
            Some(field.with_file(SeenFile::of(resource, column, table, caller)))
        });
        let fields: Vec<_> = fields.collect();
        Some(Self {
            name: descriptor.name,
            label: words(resource.prefix().rsplit('/').next().unwrap_or_default()),
            path: resource.prefix(),
            doc: descriptor.doc,
            group: group(model, resource),
            key: names(descriptor.key()),
            title: title(descriptor, is_seen),
            hidden: presentation.hidden,
            list: names(presentation.list),
            page: resource.pagination().map(|pages| Pages {
                default: pages.default_limit,
                max: pages.max_limit,
                cursor: pages.cursor,
                counted: pages.count != Count::None,
            }),
            search: descriptor.search.is_some(),
            deleted_at: descriptor.soft_delete.map(|it| descriptor.columns[it.deleted_at].json),
            audit: descriptor.audit.is_some(),
            export: descriptor.export,
            import: descriptor.import.is_some() && can.contains(&"create"),
            batch: resource.batch().map(|batch| batch.max_size),
            aggregate: descriptor
                .aggregate
                .filter(|_| can.contains(&"aggregate"))
                .map(|aggregate| Aggregates { group_by: names(aggregate.group_by), over: names(aggregate.over) }),
            idempotent: descriptor.idempotency.is_some(),
            live: is_live(resource, table),
            can,
            sort: sort(model, descriptor, caller, is_seen),
            default_sort: default_sort(descriptor.default_sort, descriptor),
            filters: paths(model, descriptor, caller),
            fields,
            members: members(descriptor),
            buttons: resource.buttons(caller).into_iter().map(|(name, label)| SeenButton { name, label }).collect(),
            children: children(model, descriptor, caller),
            links: links(model, resource, table, caller),
        })
    }
}

/// Whether the caller may use the route of the resource's events.
fn is_live(resource: ServedResource<'_>, table: &AccessTable) -> bool {
    let path = format!("{}/events", resource.prefix());
    let mut routes = table.routes().iter();
    routes.any(|route| route.method == "GET" && route.path == path && route.is_reached == Some(true))
}

fn members(descriptor: &Descriptor) -> Option<Members> {
    let members = descriptor.tenant?.members?;
    let name = |column: usize| descriptor.columns[column].json;
    Some(Members { user: name(members.user), role: members.role.map(name) })
}

/// The stated group, or a tag that the resource shares with others.
fn group<'r>(model: &Model, resource: ServedResource<'r>) -> Option<&'r str> {
    let stated = resource.descriptor().presentation.group;
    if stated.is_some() {
        return stated;
    }
    let tag = resource.tags().first()?;
    let sharing = model.resources().filter(|other| other.tags().first() == Some(tag));
    (sharing.count() > 1).then_some(tag)
}

/// The field that identifies a record to people: the stated one, one with a usual name, a unique text, or else one
/// named `…_name` or `…_number`.
fn title(descriptor: &Descriptor, is_seen: impl Fn(&usize) -> bool) -> Option<&'static str> {
    let stated = descriptor.presentation.title.filter(&is_seen);
    let seen = || descriptor.columns.iter().enumerate().filter(|(index, _)| is_seen(index)).map(|(_, column)| column);
    let text = || seen().filter(|column| column.kind == Kind::Text);
    let usual = || TITLES.into_iter().find_map(|name| text().find(|column| column.name == name));
    let unique = || text().find(|column| column.unique.is_some() && column.role == Role::Plain);
    let named = || text().find(|column| column.name.ends_with("_name") || column.name.ends_with("_number"));
    let stated = stated.map(|index| &descriptor.columns[index]);
    stated.or_else(usual).or_else(unique).or_else(named).map(|column| column.json)
}

/// The names that the parameter `sort` accepts.
fn sort(
    model: &Model,
    descriptor: &Descriptor,
    caller: Option<&Principal>,
    is_seen: impl Fn(&usize) -> bool,
) -> Vec<String> {
    let mut columns = descriptor.columns.iter().enumerate().filter(|(_, column)| column.sortable).peekable();
    let has_sort = columns.peek().is_some() || !descriptor.sort_paths.is_empty();
    let own =
        descriptor.columns.iter().enumerate().filter(|(index, column)| {
            is_seen(index) && (column.sortable || has_sort && descriptor.key().contains(index))
        });
    let own = own.map(|(_, column)| column.json.to_owned());
    let paths = descriptor.sort_paths.iter().filter_map(|path| {
        let reference = descriptor.columns[path.reference].references?;
        let target = model.resource((reference.target)())?;
        let is_shown =
            is_seen(&path.reference) && target.admits(Operation::List, caller) && target.shows(path.column, caller);
        let column = &target.descriptor().columns[path.column];
        is_shown.then_some(format!("{}.{}", reference.relation?, column.json))
    });
    own.chain(paths).collect()
}

fn default_sort(keys: &[SortKey], descriptor: &Descriptor) -> String {
    let key =
        |key: &SortKey| format!("{}{}", if key.descending { "-" } else { "" }, descriptor.columns[key.column].json);
    keys.iter().map(key).collect::<Vec<_>>().join(",")
}

/// The filters on fields of referenced records.
fn paths(model: &Model, descriptor: &Descriptor, caller: Option<&Principal>) -> Vec<SeenField> {
    let paths = descriptor.paths.iter().filter_map(|path| {
        let reference = descriptor.columns[path.reference].references?;
        let target = model.resource((reference.target)())?;
        let is_listed = target.admits(Operation::List, caller);
        let field = SeenField::of(model, target, path.column, caller).filter(|_| is_listed)?;
        Some(field.of_relation(reference.relation?))
    });
    paths.collect()
}
