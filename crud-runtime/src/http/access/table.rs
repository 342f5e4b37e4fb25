//! [`AccessTable`]: the routes of a service, with the access that each needs and what states it.

use std::fmt;

use super::names::{AccessName, NameKind};
use crate::model::descriptor::Operation;

/// The routes of a service, with the access that each needs: what `crud routes` prints.
///
/// ```
/// # use crud_runtime::prelude::*;
/// #[derive(Debug, Clone, Resource)]
/// #[crud(access(read(public), write(authenticated), delete(role("admin"))))]
/// struct Book { id: i64 }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> crud_runtime::Result<()> {
/// # let auth = crud_runtime::auth::Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
/// let service = Service::connect("sqlite::memory:").await?.auth(auth).resource::<Book>();
/// let table = service.model()?.access_table();
/// let delete = table.routes().iter().find(|route| route.method == "DELETE" && route.path == "/books/{id}").unwrap();
/// assert_eq!((&*delete.access, &*delete.stated_by), (r#"role("admin")"#, "Book: delete"));
/// assert!(!delete.is_open);
/// assert_eq!((&*table.names()[0].name, &*table.names()[0].places), ("admin", &["Book: delete".to_owned()][..]));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessTable {
    pub(super) routes: Vec<RouteAccess>,
    pub(super) names: Vec<AccessName>,
    /// The roles that imply others, each with the implied ones.
    pub(super) implied: Vec<(String, String)>,
    /// Number of the routers that the program merges, whose routes are not known.
    pub(super) merged: usize,
    /// Whether the table is that of a principal.
    pub(super) is_of_principal: bool,
}

/// A route and the access that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RouteAccess {
    /// The method, such as `DELETE`.
    pub method: String,
    /// The path, such as `/books/{id}`; with a parameter where that parameter needs more:
    /// `/books?include_deleted=true`.
    pub path: String,
    /// The fields in the body that need this access, such as `stage: Done`; `None` for any body.
    pub body: Option<String>,
    /// The rule as `access(…)` writes it, such as `role("admin")`; `everyone` where no rule is enforced.
    pub access: String,
    /// The words that state the rule: `Book: delete`, `the route`, `audit_role`, `default`, `without_auth`.
    pub stated_by: String,
    /// Whether the route answers requests without a principal.
    pub is_open: bool,
    /// The operation on a resource, where the route is one.
    pub operation: Option<Operation>,
    /// Whether the rule admits the principal of [`Model::access_table_of`](crate::Model::access_table_of).
    pub is_reached: Option<bool>,
    /// The policies that restrict which records that principal may use there, such as `owner: author_id`.
    pub records: Vec<String>,
}

impl RouteAccess {
    /// The path, with the fields of the body that need this access.
    fn path_and_body(&self) -> String {
        match &self.body {
            Some(body) => format!("{} ({body})", self.path),
            None => self.path.clone(),
        }
    }

    /// The words that say whether the principal may use the route, and for which records.
    fn answer(&self) -> String {
        match self.is_reached {
            Some(true) if self.records.is_empty() => "yes".to_owned(),
            Some(true) => format!("yes: {}", self.records.join("; ")),
            Some(false) | None => "no".to_owned(),
        }
    }
}

impl AccessTable {
    /// The routes: those of the resources, the program's own, and the service's. Routers that the program merges do not
    /// name their routes.
    pub fn routes(&self) -> &[RouteAccess] {
        &self.routes
    }

    /// The names of roles and permissions in the rules, each with the places where it stands.
    pub fn names(&self) -> &[AccessName] {
        &self.names
    }
}

/// A line for each route: method, path, access, and what states it; one for each merged router; below, one for each name of a
/// role or a permission, and one for each role that implies others.
impl fmt::Display for AccessTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths: Vec<String> = self.routes.iter().map(RouteAccess::path_and_body).collect();
        let merged: Vec<String> = (1..=self.merged).map(|number| format!("(merged router {number})")).collect();
        let answers: Vec<String> = self.routes.iter().map(RouteAccess::answer).collect();
        let routes = self.routes.iter().zip(&paths).zip(&answers).map(|((route, path), answer)| {
            let last = if self.is_of_principal { answer } else { &route.stated_by };
            [route.method.as_str(), path.as_str(), route.access.as_str(), last.as_str()]
        });
        let (last, of_merged) = if self.is_of_principal { ("REACHED", "unknown") } else { ("STATED BY", "merge") };
        let routes = routes.chain(merged.iter().map(|router| ["*", router, "its own handlers", of_merged]));
        write_table(f, ["METHOD", "PATH", "ACCESS", last], &routes.collect::<Vec<_>>(), &[])?;
        if self.is_of_principal {
            return Ok(());
        }
        let places: Vec<String> = self.names.iter().map(|name| name.places.join("; ")).collect();
        let rows: Vec<_> =
            self.names.iter().zip(&places).map(|(name, places)| (name.kind, [&*name.name, &**places])).collect();
        let all: Vec<_> = rows.iter().map(|(_, row)| *row).collect();
        for (kind, head) in [(NameKind::Role, "ROLE"), (NameKind::Permission, "PERMISSION")] {
            let rows: Vec<_> = rows.iter().filter(|(other, _)| *other == kind).map(|(_, row)| *row).collect();
            if !rows.is_empty() {
                writeln!(f)?;
                write_table(f, [head, "STANDS AT"], &rows, &all)?;
            }
        }
        if !self.implied.is_empty() {
            writeln!(f)?;
            let rows: Vec<_> = self.implied.iter().map(|(role, implied)| [&**role, &**implied]).collect();
            write_table(f, ["ROLE", "IMPLIES"], &rows, &all)?;
        }
        Ok(())
    }
}

/// Writes a table. Each column but the last is as wide as its longest text, the rows of `others` included.
fn write_table<const N: usize>(
    f: &mut fmt::Formatter<'_>,
    head: [&str; N],
    rows: &[[&str; N]],
    others: &[[&str; N]],
) -> fmt::Result {
    let width = |column: usize| {
        let texts = std::iter::once(&head).chain(rows).chain(others).map(|row| row[column]);
        texts.map(|text| text.chars().count()).max().unwrap_or_default()
    };
    for row in std::iter::once(&head).chain(rows) {
        for (column, text) in row.iter().enumerate() {
            match column + 1 {
                next if next == N => writeln!(f, "{text}")?,
                _ => write!(f, "{text:0$}  ", width(column))?,
            }
        }
    }
    Ok(())
}
