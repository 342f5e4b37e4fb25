//! The values that SQLite's statements bind.

/// A value of one of SQLite's storage classes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Argument {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Blob(Vec<u8>),
}
