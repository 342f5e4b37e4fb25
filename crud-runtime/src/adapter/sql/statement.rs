//! [`Sql`]: the one place where the text of a statement comes together.

use sqlx::{AssertSqlSafe, SqlSafeStr, SqlStr};

use super::dialect::{Dialect, Of, Operand};
use crate::adapter::AdapterError;
use crate::value::Value;

/// A statement: its text, and the values that its placeholders stand for.
///
/// Nothing that a request says can become text: pieces are `&'static str`, identifiers come from
/// descriptors and are quoted, values are bound. The text of a kind of request therefore repeats, and
/// the connection's statement cache finds it.
pub(super) struct Sql<D: Dialect> {
    text: String,
    arguments: Vec<D::Argument>,
}

impl<D: Dialect> Sql<D> {
    /// A statement that begins with this text.
    pub(super) fn new(start: &'static str) -> Self {
        let mut text = String::with_capacity(start.len() + 192);
        text.push_str(start);
        Self { text, arguments: Vec::with_capacity(8) }
    }

    /// Appends a piece.
    pub(super) fn push(&mut self, piece: &'static str) {
        self.text.push_str(piece);
    }

    /// Appends a quoted identifier.
    pub(super) fn identifier(&mut self, name: &'static str) {
        quote(&mut self.text, D::QUOTE, name);
    }

    /// Appends a column's name.
    pub(super) fn column(&mut self, column: Of) {
        self.identifier(column.descriptor().column);
    }

    /// Appends a placeholder and binds the argument that it stands for; its number.
    pub(super) fn bind(&mut self, argument: D::Argument) -> Bound {
        self.arguments.push(argument);
        let bound = Bound(self.arguments.len());
        self.bound(bound);
        bound
    }

    /// Appends a placeholder for an argument that is bound already.
    pub(super) fn bound(&mut self, bound: Bound) {
        D::placeholder(&mut self.text, bound.0);
    }

    /// Appends a placeholder for a column's value that must be stored as it is.
    ///
    /// # Errors
    /// [`AdapterError::Constraint`] when the column cannot store it.
    pub(super) fn bind_stored(&mut self, column: Of, value: &Value) -> Result<Bound, AdapterError> {
        let argument = stored::<D>(column, value)?;
        Ok(self.bind(argument))
    }

    /// The text and its arguments.
    pub(super) fn finish(self) -> (Text, Vec<D::Argument>) {
        (Text::Assembled(self.text), self.arguments)
    }
}

/// The text of a statement: no value of a request is in it.
#[derive(Debug)]
pub(super) enum Text {
    /// One of the program's own.
    Fixed(&'static str),
    /// What [`Sql`] put together.
    Assembled(String),
}

impl SqlSafeStr for Text {
    fn into_sql_str(self) -> SqlStr {
        match self {
            Self::Fixed(text) => text.into_sql_str(),
            // Of static pieces and quoted identifiers alone: see `Sql`.
            Self::Assembled(text) => AssertSqlSafe(text).into_sql_str(),
        }
    }
}

/// The number of an argument.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound(usize);

/// A value as the column stores it.
///
/// # Errors
/// [`AdapterError::Constraint`] when it cannot store it.
pub(super) fn stored<D: Dialect>(column: Of, value: &Value) -> Result<D::Argument, AdapterError> {
    match D::operand(column.descriptor(), value) {
        Operand { argument, exact: true } => Ok(argument),
        Operand { exact: false, .. } => Err(AdapterError::Constraint { column: Some(column.column) }),
    }
}

/// Appends an identifier in quotes.
pub(super) fn quote(text: &mut String, quote: char, name: &str) {
    text.push(quote);
    for character in name.chars() {
        if character == quote {
            text.push(quote);
        }
        text.push(character);
    }
    text.push(quote);
}
