//! Views: the statements that create them, and how those of a database differ.
//!
//! A view selects the resource's columns from the program's query, whose alias is a hash of the text. The database keeps
//! the alias in whatever form it keeps the definition, so that a changed query is noticed by it:
//!
//! ```sql
//! CREATE VIEW "boards" AS SELECT "id", "open" FROM (
//! SELECT customer_id AS id, count(*) AS open FROM tickets GROUP BY customer_id
//! ) AS "crud_1f0c36a9d6d0e6b2"
//! ```

use xxhash_rust::xxh3::xxh3_64;

use crate::catalogue::Catalogue;
use crate::catalogue::table::{Named, Parts, Reads, Table};
use crate::dialect::Dialect;
use crate::driver::Connection;
use crate::identifier::{identifier, table_identifier};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::schema::ddl::stored_columns;
use crate::schema::driver::SchemaDriver;
use crate::storage::migrate_error::MigrateError;
use crate::storage::schema::{Difference, DifferenceKind};

/// Begin of the alias of a view's query, and the number of hexadecimal digits after it.
const ALIAS: &str = "crud_";
const DIGITS: usize = 16;

/// A view of a resource beside what the database has of it.
pub(crate) struct ComparedView {
    pub(crate) resource: &'static Descriptor,
    pub(crate) present: Option<Named>,
    pub(crate) differences: Vec<Difference>,
}

impl ComparedView {
    pub(crate) fn is(&self, wanted: &DifferenceKind) -> bool {
        self.differences.iter().any(|difference| difference.what == *wanted)
    }
}

/// The resources that are views, in their order.
fn views<'a>(resources: &'a [&'static Descriptor]) -> impl Iterator<Item = &'static Descriptor> + 'a {
    resources.iter().copied().filter(|resource| resource.view.is_some())
}

/// Whether a resource is a view or table that is there already: it is read, and never made or replaced.
pub(crate) fn is_existing(resource: &Descriptor) -> bool {
    resource.view.is_some_and(|view| view.existing)
}

/// Compares each resource that is a view with the database.
pub(crate) async fn compare<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<Vec<ComparedView>, D::Error> {
    let all: Vec<&'static Descriptor> = views(resources).collect();
    if all.is_empty() {
        return Ok(Vec::new());
    }
    let present = D::views(connection, all.iter().map(|resource| resource.table).collect()).await?;
    // Without a difference here, the view is the one that is meant, and its columns are compared.
    let found: Vec<Option<DifferenceKind>> =
        all.iter().zip(&present).map(|(resource, present)| unlike::<D>(resource, present.as_ref())).collect();
    let meant: Vec<_> =
        all.iter().zip(&found).filter(|(_, found)| found.is_none()).map(|(resource, _)| *resource).collect();
    let mut unusable = unusable::<D>(connection, &meant, resources).await?.into_iter();
    let compared = all.into_iter().zip(present).zip(found).map(|((resource, present), found)| {
        let found = found.map_or_else(|| unusable.next().unwrap_or_default(), |what| vec![what]);
        let differences = found.into_iter().map(|what| Difference::of(resource, what)).collect();
        ComparedView { resource, present, differences }
    });
    Ok(compared.collect())
}

/// The difference between the view that a resource means and what has its name.
fn unlike<D: Dialect>(resource: &Descriptor, present: Option<&Named>) -> Option<DifferenceKind> {
    match (query::<D>(resource), present) {
        (None, None) if is_existing(resource) => Some(DifferenceKind::ExistingViewMissing),
        (None, Some(_)) if is_existing(resource) => None,
        (None, _) => Some(DifferenceKind::ViewWithoutSql),
        (Some(_), None) => Some(DifferenceKind::ViewMissing),
        (Some(_), Some(present)) if present.kind != "view" => Some(DifferenceKind::NoView { is: present.kind.clone() }),
        (Some(_), Some(present)) if !is_made_by_service(&present.view) => Some(DifferenceKind::ViewOfOthers),
        (Some((alias, _)), Some(present)) if !present.view.contains(&alias) => Some(DifferenceKind::ViewChanged),
        (Some(_), Some(_)) => None,
    }
}

/// Whether a view was made by a service, of this program or another: its query has an alias as [`query`] writes it.
fn is_made_by_service(definition: &str) -> bool {
    definition.split(ALIAS).skip(1).any(|rest| {
        let digits = rest.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
        digits == DIGITS
    })
}

/// Differences that keep each of these resources from using an existing view.
async fn unusable<D: SchemaDriver>(
    connection: &mut Connection<D>,
    views: &[&'static Descriptor],
    resources: &[&'static Descriptor],
) -> Result<Vec<Vec<DifferenceKind>>, D::Error> {
    let tables = Catalogue::read::<D>(connection, views.iter().map(|view| view.table).collect(), Parts::Schema).await?;
    let all = || views.iter().copied();
    let mut found: Vec<Vec<DifferenceKind>> = all().map(|view| unreadable::<D>(view, tables.get(view.table))).collect();
    let may_disclose = |view: &&'static Descriptor| restricted(view, resources).next().is_some();
    let read: Vec<(usize, &'static Descriptor)> = all().enumerate().filter(|(_, view)| may_disclose(view)).collect();
    if !read.is_empty() {
        let names = read.iter().map(|(_, view)| view.table).collect();
        for ((place, view), reads) in read.into_iter().zip(D::reads(connection, names).await?) {
            found[place].extend(undeclared::<D>(view, &reads, resources));
        }
    }
    Ok(found)
}

/// The resources of which only some principals see each record, and which a view does not declare that it reads.
fn restricted<'a>(
    view: &'static Descriptor,
    resources: &'a [&'static Descriptor],
) -> impl Iterator<Item = &'static Descriptor> + 'a {
    let declared = view.with_depends();
    let is_declared = move |other: &Descriptor| declared.iter().any(|known| known.table == other.table);
    resources.iter().copied().filter(move |other| other.restricts_records() && !is_declared(other))
}

/// The tables that a view reads, of which only some principals see each record, and which `reads` leaves out. The
/// service checks at start that the view restricts its rows as those that `reads` names.
fn undeclared<D: Dialect>(
    view: &'static Descriptor,
    reads: &Reads,
    resources: &[&'static Descriptor],
) -> Vec<DifferenceKind> {
    let is_read = |table: &str| reads.names.iter().any(|name| (D::TABLES.is_same_name)(name, table));
    let undeclared = restricted(view, resources).filter_map(|other| {
        let through = if is_read(other.table) { None } else { Some(reads.opaque.clone()?) };
        Some(DifferenceKind::ViewReads { table: other.table, resource: other.name, through })
    });
    undeclared.collect()
}

/// The columns of a view whose values cannot be read as those of their fields.
fn unreadable<D: Dialect>(resource: &'static Descriptor, view: Option<&Table>) -> Vec<DifferenceKind> {
    let mut found = Vec::new();
    for descriptor in stored_columns(resource) {
        let column = descriptor.column;
        let Some(present) = view.and_then(|view| view.column::<D>(column)) else {
            found.push(DifferenceKind::ViewColumn { column, is: "missing".to_owned(), must_be: "selected".to_owned() });
            continue;
        };
        let is_compared = (descriptor.filterable || descriptor.sortable) && !resource.has_database_collation;
        if !(D::TABLES.views.can_read)(descriptor, &present.declared) {
            let (is, must_be) = (present.declared.clone(), D::TABLES.declared(resource, descriptor).into_owned());
            found.push(DifferenceKind::ViewColumn { column, is, must_be });
        } else if let Some(is) = present.collation.as_ref().filter(|_| is_compared) {
            let (is, must_be) = (format!("COLLATE {is}"), format!("COLLATE {}", D::TABLES.collation));
            found.push(DifferenceKind::ViewColumn { column, is, must_be });
        }
    }
    found
}

/// Whether each view is to be made anew: its query changed, or it reads a view that is made anew, or a table for which
/// `is_altered` holds.
pub(crate) fn replaced(views: &[ComparedView], is_altered: impl Fn(&Descriptor) -> bool) -> Vec<bool> {
    let mut replaced: Vec<bool> = Vec::with_capacity(views.len());
    for view in views {
        let is_replaced = |other: &'static Descriptor| {
            let position = views.iter().position(|view| view.resource.table == other.table);
            position.is_some_and(|position| replaced.get(position).copied().unwrap_or_default())
        };
        let mut depends = view.resource.view.iter().flat_map(|view| view.depends).map(|resource| resource());
        let is_own = !is_existing(view.resource);
        let is_present = is_own && view.present.as_ref().is_some_and(|present| present.kind == "view");
        let is_outdated =
            view.is(&DifferenceKind::ViewChanged) || depends.any(|other| is_altered(other) || is_replaced(other));
        replaced.push(is_present && is_outdated);
    }
    replaced
}

/// The statements that create the missing views and replace those whose query changed.
pub(crate) fn statements<D: Dialect>(views: &[ComparedView]) -> Vec<String> {
    let replaced = replaced(views, |_| false);
    let drops = views.iter().zip(&replaced).rev().filter(|(_, replaced)| **replaced && !D::TABLES.views.replaces);
    let drops = drops.map(|(view, _)| format!("DROP VIEW {}", table_identifier::<D>(view.resource.table)));
    let created =
        views.iter().zip(&replaced).filter(|(view, replaced)| **replaced || view.is(&DifferenceKind::ViewMissing));
    drops.chain(created.filter_map(|(view, _)| create::<D>(view.resource))).collect()
}

/// The statement that creates a view, where it has a query for the database.
pub(crate) fn create<D: Dialect>(resource: &Descriptor) -> Option<String> {
    Some(head::<D>(resource) + &query::<D>(resource)?.1)
}

/// The beginning of the statement.
fn head<D: Dialect>(resource: &Descriptor) -> String {
    format!("{} {} AS ", D::TABLES.views.create, table_identifier::<D>(resource.table))
}

/// The query of a view, after its alias: the hash of the text before that.
fn query<D: Dialect>(resource: &Descriptor) -> Option<(String, String)> {
    let sql = D::view_sql(resource.view.as_ref()?)?.trim().trim_end_matches(';');
    let columns = stored_columns(resource).map(|column| {
        let name = identifier::<D>(column.column);
        if resource.has_database_collation { name } else { (D::TABLES.views.column)(column, name) }
    });
    // The query may end with a comment.
    let select = format!("SELECT {} FROM (\n{sql}\n)", columns.collect::<Vec<_>>().join(", "));
    let alias = format!("{ALIAS}{:0DIGITS$x}", xxh3_64(select.as_bytes()));
    let text = format!("{select} AS {}", identifier::<D>(&alias));
    Some((alias, text))
}

/// Checks the views that were just created: SQLite looks at a query only when it is used.
///
/// # Errors
/// [`MigrateError::Mismatch`] with what cannot be read, or must not be.
pub(crate) async fn check_created<D: SchemaDriver>(
    connection: &mut Connection<D>,
    resources: &[&'static Descriptor],
) -> Result<(), MigrateError> {
    let mut lines = Vec::new();
    for resource in views(resources) {
        match unusable::<D>(connection, &[resource], resources).await {
            Ok(found) => {
                lines.extend(found.into_iter().flatten().map(|what| Difference::of(resource, what).to_string()));
            }
            Err(error) => return Err(failed(resource, D::general(error))),
        }
    }
    if lines.is_empty() { Ok(()) } else { Err(MigrateError::Mismatch(lines)) }
}

/// The error of a statement of the plan, with the name of the view that it creates.
pub(crate) fn failure<D: Dialect>(
    statement: &str,
    resources: &[&'static Descriptor],
    error: AdapterError,
) -> MigrateError {
    match views(resources).find(|resource| statement.starts_with(&head::<D>(resource))) {
        Some(resource) => failed(resource, error),
        None => error.into(),
    }
}

fn failed(resource: &Descriptor, error: AdapterError) -> MigrateError {
    match error {
        AdapterError::Other(reason) | AdapterError::MissingTable(reason) | AdapterError::Unfit(reason) => {
            MigrateError::Mismatch(vec![format!("view `{}`: its SQL is refused: {reason}", resource.table)])
        }
        other => other.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_made_by_service;

    #[test]
    fn view_of_a_service_is_known_by_the_alias_of_its_query() {
        assert!(is_made_by_service("CREATE VIEW a AS SELECT id FROM (SELECT 1 AS id) AS `crud_1f0c36a9d6d0e6b2`"));
        for other in ["", "CREATE VIEW crud_views AS SELECT 1", "SELECT crud_1f0c36a9d6d0e6b2a FROM crud_1f0c"] {
            assert!(!is_made_by_service(other), "{other}");
        }
    }
}
