//! [`from_row!`]: sqlx's `FromRow` for a struct.

/// Implements `FromRow` as sqlx's derive does: `from_row!(SqliteRow => Product { id, name })`; a field after `;` has no
/// column. The derive itself would compile the drivers a second time, for the compiler.
macro_rules! from_row {
    ($row:ty => $name:ident { $($field:ident),* $(; $absent:ident)? }) => {
        impl sqlx::FromRow<'_, $row> for $name {
            fn from_row(row: &$row) -> sqlx::Result<Self> {
                use sqlx::Row as _;
                Ok(Self { $($field: row.try_get(stringify!($field))?,)* $($absent: None)? })
            }
        }
    };
}

pub(crate) use from_row;
