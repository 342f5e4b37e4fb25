//! [`Sql`]: the one place where the text of a statement comes together.

pub(crate) mod aggregate;
pub(crate) mod change;
pub(crate) mod multi_row;
mod order;
#[cfg(any(feature = "mysql", feature = "sqlite"))]
pub(crate) mod row_values;
pub(crate) mod search_term;
pub(crate) mod select;

use std::borrow::Cow;

use crud_shared::dialect::{Placeholder, push_number};
#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
use sqlx::{AssertSqlSafe, SqlSafeStr, SqlStr};

use super::dialect::{ColumnRef, Dialect, Operand};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Role};
use crate::model::key::Key;
use crate::model::value::{Kind, Value};

/// The beginning of a statement that reads.
const SELECT: &str = "SELECT ";

/// A statement: its text, and the values that its placeholders stand for.
///
/// Nothing that a request says can become text: pieces are `&'static str`, identifiers come from descriptors and are
/// quoted, values are bound. Requests of one kind therefore share a text, which the connection's statement cache finds
/// again.
pub(crate) struct Sql<D: Dialect> {
    text: String,
    arguments: Vec<D::Argument>,
    then: Option<Box<Statement<D>>>,
    /// End of a `SELECT`'s columns in the text.
    columns_end: Option<usize>,
}

impl<D: Dialect> Sql<D> {
    /// A statement that begins with this text.
    pub(crate) fn new(start: &'static str) -> Self {
        let mut text = String::with_capacity(start.len() + 192);
        text.push_str(start);
        Self { text, arguments: Vec::with_capacity(8), then: None, columns_end: None }
    }

    /// The beginning of a statement that reads records: `SELECT <columns>`.
    ///
    /// # Errors
    /// When the resource lacks the database's statements.
    pub(crate) fn columns(resource: &'static Descriptor) -> Result<Self, AdapterError> {
        let columns = D::statements(resource)?.columns;
        let mut text = String::with_capacity(SELECT.len() + columns.len() + 192);
        text.extend([SELECT, columns]);
        Ok(Self { text, arguments: Vec::with_capacity(8), then: None, columns_end: None })
    }

    /// The beginning of a statement that reads records of the resource's table: `SELECT <columns> FROM <table>`.
    ///
    /// # Errors
    /// Errors of [`columns`](Self::columns).
    pub(crate) fn select(resource: &'static Descriptor) -> Result<Self, AdapterError> {
        let mut sql = Self::columns(resource)?;
        sql.end_columns();
        sql.push(" FROM ");
        sql.table(resource);
        Ok(sql)
    }

    /// The statement that reads the record with this key, in the given tenant if any.
    ///
    /// # Errors
    /// Errors of [`columns`](Self::columns).
    pub(crate) fn get(resource: &'static Descriptor, id: &Key, tenant: Option<&Value>) -> Result<Self, AdapterError> {
        if !is_fixed(resource, tenant) {
            let mut sql = Self::select(resource)?;
            sql.push(" WHERE ");
            is_of_record(&mut sql, resource, id, tenant);
            return Ok(sql);
        }
        let statements = D::statements(resource)?;
        let (text, arguments) = (statements.get.to_owned(), identity::<D>(resource, id, tenant));
        Ok(Self { text, arguments, then: None, columns_end: Some(SELECT.len() + statements.columns.len()) })
    }

    /// Marks the end of a `SELECT`'s columns. An earlier mark is replaced: it came from a subselect among the columns.
    pub(crate) fn end_columns(&mut self) {
        self.columns_end = Some(self.text.len());
    }

    /// Appends the clause by which a change returns its records, if the database has one.
    ///
    /// # Errors
    /// Errors of [`columns`](Self::columns).
    pub(crate) fn returning(&mut self, resource: &'static Descriptor) -> Result<(), AdapterError> {
        let (before, after) = D::SPELLING.returning.clause();
        self.text.extend([before, D::statements(resource)?.columns, after]);
        Ok(())
    }

    /// Appends a number that comes from the crate and not from a request.
    pub(crate) fn count(&mut self, number: usize) {
        push_number(&mut self.text, number);
    }

    /// Appends a piece.
    pub(crate) fn push(&mut self, piece: &'static str) {
        self.text.push_str(piece);
    }

    /// Appends a quoted identifier.
    pub(crate) fn identifier(&mut self, name: &'static str) {
        D::SPELLING.push_identifier(&mut self.text, name);
    }

    /// Appends the name of a resource's table, with its schema.
    pub(crate) fn table(&mut self, resource: &Descriptor) {
        D::SPELLING.push_table(&mut self.text, resource.table);
    }

    /// Appends a text that depends on the resource's descriptor alone.
    pub(crate) fn derived(&mut self, resource: &'static Descriptor, text: fn(&Descriptor) -> String) {
        self.text.push_str(&text(resource));
    }

    /// Appends the name of a column after that of its table.
    pub(crate) fn qualified(&mut self, table: &'static str, column: &'static str) {
        self.identifier(table);
        self.push(".");
        self.identifier(column);
    }

    /// Appends a comma, unless the position is the first.
    pub(crate) fn comma(&mut self, position: usize) {
        if position > 0 {
            self.push(", ");
        }
    }

    /// Appends the beginning of an insert up to its last column, without the parenthesis after it.
    pub(crate) fn insert(&mut self, resource: &'static Descriptor, columns: &[usize]) {
        self.push("INSERT INTO ");
        self.table(resource);
        for (position, &column) in columns.iter().enumerate() {
            self.push(if position == 0 { " (" } else { ", " });
            self.column(ColumnRef { resource, column });
        }
    }

    /// Appends the beginning of an update, before its assignments.
    pub(crate) fn update(&mut self, resource: &'static Descriptor) {
        self.push("UPDATE ");
        self.table(resource);
        self.push(" SET ");
    }

    /// Appends an assignment of an update, and returns the placeholder of the value.
    ///
    /// # Errors
    /// [`AdapterError::Constraint`] when the column cannot store the value.
    pub(crate) fn set(&mut self, column: ColumnRef, value: &Value) -> Result<Bound, AdapterError> {
        self.column(column);
        self.push(" = ");
        Ok(self.bind(stored::<D>(column, value)?))
    }

    /// Appends the SQL of a column's value: its name, its expression, or whether the deletion timestamp is set.
    pub(crate) fn column(&mut self, column: ColumnRef) {
        if let Some(computed) = &column.descriptor().computed {
            self.push("(");
            // A start has already refused fields without an expression for this database.
            self.push(D::computed_sql(computed).unwrap_or("NULL"));
            return self.push(")");
        }
        match column.resource.soft_delete {
            Some(soft_delete) if column.descriptor().role == Role::IsDeleted => {
                let deletion = &column.resource.columns[soft_delete.deleted_at];
                if deletion.kind == Kind::Bool {
                    return self.identifier(deletion.column);
                }
                self.push("(");
                self.identifier(deletion.column);
                self.push(" IS NOT NULL)");
            }
            _ => self.identifier(column.descriptor().column),
        }
    }

    /// Appends a placeholder, and binds its argument. Returns the placeholder's number.
    pub(crate) fn bind(&mut self, argument: D::Argument) -> Bound {
        self.arguments.push(argument);
        let bound = Bound(self.arguments.len());
        self.placeholder(bound);
        bound
    }

    /// Appends a list of placeholders, and binds their arguments.
    pub(crate) fn bind_list(&mut self, arguments: impl IntoIterator<Item = D::Argument>) {
        for (position, argument) in arguments.into_iter().enumerate() {
            self.comma(position);
            self.bind(argument);
        }
    }

    /// Appends a list of placeholders: ` IN (?, ?)`. Lists of similar length share a text, so that they do not flood
    /// the statement cache.
    pub(crate) fn in_list(&mut self, negated: bool, arguments: Vec<D::Argument>) {
        let count = arguments.len();
        let Some(last) = arguments.last().cloned() else { return };
        let padding = std::iter::repeat_n(last, count.next_power_of_two() - count);
        self.push(if negated { " NOT IN (" } else { " IN (" });
        self.bind_list(arguments.into_iter().chain(padding));
        self.push(")");
    }

    /// Appends the placeholder of an argument, with its cast.
    fn placeholder(&mut self, bound: Bound) {
        D::SPELLING.push_placeholder(&mut self.text, bound.0);
        if let Some((sql_type, is_list)) = self.arguments.get(bound.0 - 1).and_then(D::cast) {
            self.text.push_str("::");
            self.text.push_str(sql_type);
            self.text.push_str(if is_list { "[]" } else { "" });
        }
    }

    /// Appends a placeholder for an argument that is already bound.
    pub(crate) fn bound(&mut self, bound: Bound) {
        if D::SPELLING.placeholder == Placeholder::Numbered {
            self.placeholder(bound);
        } else if let Some(argument) = self.arguments.get(bound.0 - 1).cloned() {
            self.bind(argument);
        }
    }

    /// Makes the statement return its plan instead of its rows.
    pub(crate) fn explain(&mut self, explain: &'static str) {
        self.text.insert_str(0, explain);
        self.columns_end = None;
    }

    /// Sets the statement that reads the rows, if this one does not return them.
    pub(crate) fn then(&mut self, reads: Option<Self>) {
        self.then = reads.map(|reads| Box::new(reads.finish()));
    }

    /// The statement, ready to run.
    pub(crate) fn finish(self) -> Statement<D> {
        let text = match self.columns_end {
            Some(columns_end) => Text::Select(Cow::Owned(self.text), columns_end),
            None => Text::Assembled(self.text),
        };
        Statement { text, arguments: self.arguments, then: self.then }
    }
}

/// A statement that is ready to run.
pub(crate) struct Statement<D: Dialect> {
    pub(crate) text: Text,
    pub(crate) arguments: Vec<D::Argument>,
    /// The statement that reads the rows, if this one returns none.
    pub(crate) then: Option<Box<Self>>,
}

impl<D: Dialect> Clone for Statement<D> {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), arguments: self.arguments.clone(), then: self.then.clone() }
    }
}

impl<D: Dialect> Statement<D> {
    /// A constant statement, with its arguments.
    pub(crate) const fn fixed(text: &'static str, arguments: Vec<D::Argument>) -> Self {
        Self { text: Text::Fixed(text), arguments, then: None }
    }

    /// A statement without arguments, which was put together from quoted names.
    pub(crate) const fn assembled(text: String) -> Self {
        Self { text: Text::Assembled(text), arguments: Vec::new(), then: None }
    }

    /// The statement that reads the record with this key, in the given tenant if any.
    ///
    /// # Errors
    /// When the resource lacks the database's statements.
    pub(crate) fn get(resource: &'static Descriptor, id: &Key, tenant: Option<&Value>) -> Result<Self, AdapterError> {
        if !is_fixed(resource, tenant) {
            return Sql::get(resource, id, tenant).map(Sql::finish);
        }
        let statements = D::statements(resource)?;
        let text = Text::Select(Cow::Borrowed(statements.get), SELECT.len() + statements.columns.len());
        Ok(Self { text, arguments: identity::<D>(resource, id, tenant), then: None })
    }

    /// The statement that removes the record with this key, in the given tenant if any. It returns the record where
    /// deletes can.
    ///
    /// # Errors
    /// When the resource lacks the database's statements.
    pub(crate) fn delete(
        resource: &'static Descriptor,
        id: &Key,
        tenant: Option<&Value>,
    ) -> Result<Self, AdapterError> {
        if is_fixed(resource, tenant) {
            return Ok(Self::fixed(D::statements(resource)?.delete, identity::<D>(resource, id, tenant)));
        }
        let mut sql = Sql::new("DELETE FROM ");
        sql.table(resource);
        sql.push(" WHERE ");
        is_of_record(&mut sql, resource, id, tenant);
        if D::RETURNS {
            sql.returning(resource)?;
        }
        Ok(sql.finish())
    }
}

/// The text of a statement, which never contains a value of a request.
#[derive(Debug, Clone)]
pub(crate) enum Text {
    /// A constant, such as a resource's fixed statement.
    Fixed(&'static str),
    /// A statement that the service's author wrote for a transaction.
    Custom(&'static str),
    /// A text that was put together by [`Sql`] or from quoted names.
    Assembled(String),
    /// A `SELECT`, and where its columns end. MySQL's transactions add a column there.
    Select(Cow<'static, str>, usize),
}

impl From<&'static str> for Text {
    fn from(text: &'static str) -> Self {
        Self::Fixed(text)
    }
}

#[cfg(any(feature = "mysql", feature = "sqlite"))]
impl Text {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Fixed(text) | Self::Custom(text) => text,
            Self::Assembled(text) => text,
            Self::Select(text, _) => text,
        }
    }
}

#[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
impl SqlSafeStr for Text {
    fn into_sql_str(self) -> SqlStr {
        match self {
            Self::Fixed(text) | Self::Custom(text) | Self::Select(Cow::Borrowed(text), _) => text.into_sql_str(),
            // The text consists of static pieces and quoted identifiers: see `Sql`.
            Self::Assembled(text) | Self::Select(Cow::Owned(text), _) => AssertSqlSafe(text).into_sql_str(),
        }
    }
}

/// The number of a bound argument.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bound(usize);

/// A value in the form that the column stores.
///
/// # Errors
/// [`AdapterError::Constraint`] when the column cannot store the value.
pub(crate) fn stored<D: Dialect>(column: ColumnRef, value: &Value) -> Result<D::Argument, AdapterError> {
    let role = column.descriptor().role;
    match D::operand(column.descriptor(), value) {
        Operand { argument, exact: true } => Ok(argument),
        // The time of a change is cut off in a column that stores whole seconds.
        Operand { argument, .. } if matches!(role, Role::CreatedAt | Role::UpdatedAt | Role::DeletedAt) => Ok(argument),
        Operand { exact: false, .. } => Err(AdapterError::Constraint { column: Some(column.column) }),
    }
}

/// Checks that a column can store a value exactly.
///
/// # Errors
/// Errors of [`stored`].
pub(crate) fn storable<D: Dialect>(column: ColumnRef, value: &Value) -> Result<(), AdapterError> {
    match column.descriptor().kind {
        Kind::Enum(_) if column.descriptor().is_coded() => stored::<D>(column, value).map(drop),
        Kind::Decimal | Kind::DateTime | Kind::NaiveDateTime | Kind::Date | Kind::Time | Kind::List(_) => {
            stored::<D>(column, value).map(drop)
        }
        // Values of other kinds are never too fine or out of range for their column.
        _ => Ok(()),
    }
}

/// Whether the resource's fixed statements can be used: if records have tenants, these statements compare the tenant.
fn is_fixed(resource: &Descriptor, tenant: Option<&Value>) -> bool {
    resource.tenant.is_none() || tenant.is_some()
}

/// The key and the tenant of a record in stored form: an argument for each column of its
/// [`Identity`](crud_shared::statement::Identity), in that order. A value that the column cannot store becomes null,
/// which no record has.
fn identity<D: Dialect>(resource: &'static Descriptor, id: &Key, tenant: Option<&Value>) -> Vec<D::Argument> {
    identity_arguments::<D>(resource, id, tenant).map(|(_, argument)| argument).collect()
}

fn identity_arguments<'k, D: Dialect>(
    resource: &'static Descriptor,
    id: &'k Key,
    tenant: Option<&'k Value>,
) -> impl Iterator<Item = (ColumnRef, D::Argument)> + use<'k, D> {
    let tenant = resource.tenant.zip(tenant).map(|(of, tenant)| (of.column, tenant));
    resource.key().iter().copied().zip(id.values()).chain(tenant).map(move |(column, value)| {
        let of = ColumnRef { resource, column };
        let Operand { argument, exact } = D::operand(of.descriptor(), value);
        (of, if exact { argument } else { D::operand(of.descriptor(), &Value::Null).argument })
    })
}

/// Writes the condition on one record, by its stored key and tenant: `"order_id" = ? AND "line" = ? AND "shop_id" = ?`.
pub(crate) fn is_of_record<D: Dialect>(
    sql: &mut Sql<D>,
    resource: &'static Descriptor,
    id: &Key,
    tenant: Option<&Value>,
) {
    for (position, (column, argument)) in identity_arguments::<D>(resource, id, tenant).enumerate() {
        if position > 0 {
            sql.push(" AND ");
        }
        sql.column(column);
        sql.push(" = ");
        sql.bind(argument);
    }
}
