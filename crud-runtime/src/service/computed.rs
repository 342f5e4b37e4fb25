//! The checks of computed fields before a service starts.

use super::builder::Service;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::query::ListQuery;
use crate::storage::error::{Error, Result};
use crate::store::writer::no_sink::NoSink;

impl Service {
    /// Fields that an SQL expression computes need storage that has such expressions.
    ///
    /// # Errors
    /// [`Error::Setup`].
    pub(super) fn check_computed(&self) -> Result<()> {
        if self.adapter.capabilities().expressions {
            return Ok(());
        }
        for resource in self.tables() {
            if let Some(column) = resource.columns.iter().find(|column| is_expression(column)) {
                return Err(Error::Setup(format!(
                    "{}.{} has `computed(sql = …)`, and this storage has no SQL: name a function, `computed({0}::{1})`, or \
                     use an SQL database",
                    resource.name, column.name
                )));
            }
        }
        Ok(())
    }

    /// Sorting by an enum's order of declaration needs storage that ranks its texts.
    ///
    /// # Errors
    /// [`Error::Setup`].
    pub(super) fn check_ranks(&self) -> Result<()> {
        if self.adapter.capabilities().ranks {
            return Ok(());
        }
        for resource in self.tables() {
            let is_default = |index: usize| resource.default_sort.iter().any(|key| key.column == index);
            let mut columns = resource.columns.iter().enumerate();
            let found =
                columns.find(|(index, column)| column.ranked().is_some() && (column.sortable || is_default(*index)));
            if let Some((_, column)) = found {
                return Err(Error::Setup(format!(
                    "{}.{} is an enum with `ordered`, and this storage sorts by the texts that it stores: write \
                     `stored(integer)` on the enum, or leave the field out of `sort` and `default_sort`",
                    resource.name, column.name
                )));
            }
        }
        Ok(())
    }

    /// Lets storage prepare the expressions of computed fields, by a list of no records of each resource whose table
    /// exists.
    ///
    /// # Errors
    /// [`Error::Setup`] where a column that an expression names is missing, or it is malformed.
    pub(super) async fn check_expressions(&self, tables: &[&'static Descriptor]) -> Result<()> {
        for resource in tables.iter().copied().filter(|resource| resource.columns.iter().any(is_expression)) {
            let query = ListQuery::all(resource).limit(0);
            match self.adapter.list(resource, &query, &mut NoSink).await {
                Ok(()) | Err(AdapterError::MissingTable(_)) => {}
                Err(AdapterError::Unfit(reason) | AdapterError::Other(reason)) => {
                    let names = resource.columns.iter().filter(|column| is_expression(column));
                    let names: Vec<&str> = names.map(|column| column.name).collect();
                    return Err(Error::Setup(format!(
                        "{}: the database refuses the expression of {}: {reason}",
                        resource.name,
                        match names.as_slice() {
                            [name] => format!("the computed field `{name}`"),
                            names => format!("one of the computed fields `{}`", names.join("`, `")),
                        }
                    )));
                }
                Err(error) => return Err(Error::Database(error)),
            }
        }
        Ok(())
    }
}

/// Whether an SQL expression computes a field.
fn is_expression(column: &ColumnDescriptor) -> bool {
    column.computed.is_some() && !column.is_of_function()
}
