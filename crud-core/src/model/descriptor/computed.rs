//! [`Computed`]: a field that is computed from its record and not stored.

use crate::model::adapter_error::AdapterError;
use crate::model::row::Row;
use crate::model::setters::setters;
use crate::model::value::Value;

/// The computation of a field: an SQL expression of the record's own columns, or a function of the program.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Product {
///     id: i64,
///     price: i32,
///     stock: i32,
///     #[crud(computed(sql = "price * stock"))]
///     value: i64,
/// }
///
/// let value = Product::DESCRIPTOR.columns[3].computed.expect("a computed field");
/// assert_eq!(value.postgres, Some("price * stock"));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Computed {
    /// The expression on SQLite.
    pub sqlite: Option<&'static str>,
    /// The expression on PostgreSQL.
    pub postgres: Option<&'static str>,
    /// The expression on MySQL and MariaDB.
    pub mysql: Option<&'static str>,
    /// Whether the field's type has null.
    #[doc(hidden)]
    pub nullable: bool,
    pub(super) function: bool,
}

impl Computed {
    /// No expression yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { sqlite: None, postgres: None, mysql: None, nullable: false, function: false }
    }

    /// Computed by a function when the record is written as JSON. Rows have null in its place.
    #[must_use]
    pub const fn by_function() -> Self {
        Self { function: true, ..Self::new().sql("NULL") }
    }

    /// Sets the expression of every database that has none.
    #[must_use]
    pub const fn sql(mut self, sql: &'static str) -> Self {
        if self.sqlite.is_none() {
            self.sqlite = Some(sql);
        }
        if self.postgres.is_none() {
            self.postgres = Some(sql);
        }
        if self.mysql.is_none() {
            self.mysql = Some(sql);
        }
        self
    }

    setters! {
        /// Sets the expression on SQLite.
        sqlite(Some(&'static str));
        /// Sets the expression on PostgreSQL.
        postgres(Some(&'static str));
        /// Sets the expression on MySQL and MariaDB.
        mysql(Some(&'static str));
    }

    /// Sets whether the field's type has null.
    pub(super) const fn nullable(mut self, nullable: bool) -> Self {
        self.nullable = nullable;
        self
    }

    /// Whether a function computes the field.
    #[must_use]
    pub const fn is_function(self) -> bool {
        self.function
    }
}

/// Computes the fields of a record that functions compute, and returns their values in the order of columns.
#[doc(hidden)]
pub type Computing = fn(&dyn Row, &RequestContext<'_>) -> Result<Vec<Value>, AdapterError>;

/// The part of a request that a computed field depends on: where the service is reached.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// struct Todo {
///     id: i64,
///     title: String,
///     /// The address of the record.
///     #[crud(computed(Todo::url))]
///     url: String,
/// }
///
/// impl Todo {
///     fn url(&self, request: &RequestContext<'_>) -> String {
///         request.url(&format!("/todos/{}", self.id))
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RequestContext<'a> {
    base: &'a str,
}

impl<'a> RequestContext<'a> {
    /// A request that reached the service at this URL, which does not end with a slash.
    #[must_use]
    pub const fn new(base: &'a str) -> Self {
        Self { base }
    }

    /// The URL at which the service was reached, such as `https://api.example.com/shop`, without a slash at its end; empty where
    /// a record is written outside of a request.
    #[must_use]
    pub const fn base_url(&self) -> &'a str {
        self.base
    }

    /// The URL of a path of the service, such as `/todos/7`.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}
