//! [`FieldType`]: the Rust type of a column, with the attributes that its values need.

use crud_shared::catalogue::{Column, ColumnType};
use crud_shared::dialect::is_type_name;

use super::{mysql_types, postgres_types, sqlite_types};

/// The greatest number of digits of a decimal.
const MAX_DIGITS: u32 = 28;

/// The type of a field for a column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FieldType {
    /// The type, without `Option`. Empty for an enum, whose type has the name of the enum.
    pub(super) rust: String,
    /// Attributes such as `length(max = 40)`.
    pub(super) attributes: Vec<String>,
    /// The type by which values are cast, of `column(sql_type = "inet")`.
    pub(super) sql_type: Option<String>,
    /// Other options of the attribute `column`, such as `column(format = "unix")`.
    pub(super) column: Vec<String>,
    /// Whether lists filter by the field.
    pub(super) comparable: bool,
    /// Whether lists sort by the field: values compare as the database orders them.
    pub(super) sortable: bool,
    /// The texts of an enum; empty for other types.
    pub(super) labels: Vec<String>,
    /// Remark for the reader of the file.
    pub(super) remark: Option<String>,
}

impl FieldType {
    /// A type that compares as the column does.
    pub(super) fn plain(rust: &str) -> Self {
        Self { rust: rust.to_owned(), comparable: true, sortable: true, ..Self::default() }
    }

    /// A type whose values have no order.
    pub(super) fn opaque(rust: &str) -> Self {
        Self { comparable: false, sortable: false, ..Self::plain(rust) }
    }

    /// An enum of these texts.
    pub(super) fn enumeration(labels: &[String]) -> Self {
        Self { labels: labels.to_vec(), ..Self::plain("") }
    }

    /// A text, of at most `length` characters.
    pub(super) fn text(length: Option<u32>) -> Self {
        Self::plain("String").with(length.map(|length| format!("length(max = {length})")))
    }

    /// A decimal; `None` for more digits than a `Decimal` has, or for a scale that is negative or too large.
    pub(super) fn decimal(precision: Option<u32>, scale: Option<i32>) -> Option<Self> {
        let (precision, scale) = (precision?, u32::try_from(scale.unwrap_or(0)).ok()?);
        let fits = (1..=MAX_DIGITS).contains(&precision) && scale <= precision;
        fits.then(|| Self::plain("Decimal").with([format!("decimal({precision}, {scale})")]))
    }

    /// Marks the type as one that lists do not sort by.
    pub(super) fn unsorted(self) -> Self {
        Self { sortable: false, ..self }
    }

    /// Adds attributes.
    pub(super) fn with(mut self, attributes: impl IntoIterator<Item = String>) -> Self {
        self.attributes.extend(attributes);
        self
    }

    /// Adds the type of the column, by which values are cast.
    pub(super) fn sql_type(self, ty: &ColumnType) -> Self {
        Self { sql_type: Some(ty.declared.clone()), ..self }
    }

    /// Adds options of the column.
    pub(super) fn stored(mut self, options: impl IntoIterator<Item = String>) -> Self {
        self.column.extend(options);
        self
    }

    /// Adds a remark.
    pub(super) fn remarked(self, remark: impl Into<String>) -> Self {
        Self { remark: Some(remark.into()), ..self }
    }

    /// Whether the type is an integer.
    pub(super) fn is_integer(&self) -> bool {
        ["i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64"].contains(&&*self.rust)
    }

    /// Whether the type is a date and time.
    pub(super) fn is_timestamp(&self) -> bool {
        ["DateTime<Utc>", "NaiveDateTime"].contains(&&*self.rust)
    }
}

/// Whether texts can be the variants of an enum: there is one at least, and none is empty.
pub(super) fn can_be_variants(labels: &[String]) -> bool {
    !labels.is_empty() && !labels.iter().any(String::is_empty)
}

/// The field type of a column in a database.
///
/// # Errors
/// Reason why there is none.
pub(super) fn of(database: &str, column: &Column) -> Result<FieldType, String> {
    let found = match database {
        "postgres" => postgres_types::field_type(&column.ty),
        "mysql" => mysql_types::field_type(&column.ty)?,
        _ => sqlite_types::field_type(column),
    };
    if found.sql_type.as_ref().is_some_and(|name| !is_type_name(name)) {
        return Err(format!("a field cannot name the type `{}`", column.ty.declared));
    }
    Ok(found)
}
