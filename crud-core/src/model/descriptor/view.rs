//! [`View`]: the SQL of a resource that is read, not written.

use super::Descriptor;
use crate::model::setters::setters;

/// The SQL of a resource that is a view, and the resources that it reads.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Ticket {
///     id: i64,
///     done: bool,
/// }
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(view("SELECT id FROM tickets WHERE done", reads(Ticket)))]
/// struct DoneTicket {
///     id: i64,
/// }
///
/// let view = DoneTicket::DESCRIPTOR.view.expect("a view");
/// assert_eq!(view.postgres, Some("SELECT id FROM tickets WHERE done"));
/// assert_eq!((view.depends[0])().table, "tickets");
/// ```
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct View {
    /// The query on SQLite.
    pub sqlite: Option<&'static str>,
    /// The query on PostgreSQL.
    pub postgres: Option<&'static str>,
    /// The query on MySQL and MariaDB.
    pub mysql: Option<&'static str>,
    /// The resources that the query reads.
    pub depends: &'static [fn() -> &'static Descriptor],
    /// Whether the view exists already, made by another program: it is read, and never created.
    pub existing: bool,
}

impl Descriptor {
    /// The resource, and the resources that its view reads, directly or through other views.
    #[doc(hidden)]
    pub fn with_depends(&'static self) -> Vec<&'static Self> {
        let mut all = vec![self];
        let mut position = 0;
        while let Some(view) = all.get(position).map(|resource| resource.view) {
            position += 1;
            for other in view.iter().flat_map(|view| view.depends).map(|depends| depends()) {
                if !all.iter().any(|known| std::ptr::eq(*known, other)) {
                    all.push(other);
                }
            }
        }
        all
    }
}

impl View {
    /// A view that reads these resources, without a query yet.
    pub const fn new(depends: &'static [fn() -> &'static Descriptor]) -> Self {
        Self { sqlite: None, postgres: None, mysql: None, depends, existing: false }
    }

    /// A view or table that exists already, which reads these resources among others.
    pub const fn existing(depends: &'static [fn() -> &'static Descriptor]) -> Self {
        Self { existing: true, ..Self::new(depends) }
    }

    /// Sets the query on every database.
    #[must_use]
    pub const fn sql(self, sql: &'static str) -> Self {
        self.sqlite(sql).postgres(sql).mysql(sql)
    }

    setters! {
        /// Sets the query on SQLite.
        sqlite(Some(&'static str));
        /// Sets the query on PostgreSQL.
        postgres(Some(&'static str));
        /// Sets the query on MySQL and MariaDB.
        mysql(Some(&'static str));
    }
}
