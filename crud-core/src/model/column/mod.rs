//! [`Column`]: the trait of field types.

mod attribute;
mod keywords;
mod returned;
mod types;

pub use attribute::{ColumnAttribute, checked_attribute};
pub use keywords::Keywords;
pub use returned::{FieldLocation, Returned};
pub use types::owned_value;

use super::adapter_error::AdapterError;
use super::changes::Changes;
use super::column_error::ColumnError;
use super::row::RowReader;
use super::value::{Kind, Value, ValueRef};

/// A type that a resource's field can have.
///
/// Implemented for `bool`, the integers of up to 64 bits, `f32`, `f64`, `String`, `DateTime<Utc>`,
/// `NaiveDate`, `NaiveTime`, `NaiveDateTime`, `Uuid`, `Decimal`, `serde_json::Value`, `Vec<u8>`,
/// `Vec` of each but JSON and `u8`, and `Option` of each. `#[derive(ResourceEnum)]` implements it for an enum. For a type
/// of your own, state the [`Kind`] it is stored as and how it converts:
///
/// ```
/// use crud_runtime::Column;
/// use crud_runtime::column::{ColumnError, Kind, Value, ValueRef};
///
/// #[derive(Debug, Clone)]
/// pub struct Sku(String);
///
/// impl Column for Sku {
///     const KIND: Kind = Kind::Text;
///
///     fn into_value(self) -> Value {
///         Value::Text(self.0)
///     }
///
///     fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
///         let text = String::from_value(value)?;
///         if text.starts_with("SKU-") { Ok(Self(text)) } else { Err(ColumnError::new("must start with SKU-")) }
///     }
/// }
/// ```
///
/// `from_value` is the type's validation too: what a client sends is refused with the error's message.
#[diagnostic::on_unimplemented(
    message = "expected a field type, found `{Self}`",
    label = "not a field type",
    note = "field types are `bool`, the integers of up to 64 bits, `f32`, `f64`, `String`, `DateTime<Utc>`, `NaiveDate`, `NaiveTime`, `NaiveDateTime`, `Uuid`, `Decimal`, `serde_json::Value`, `Vec<u8>`, `Vec` of each but JSON, `Option` of each, and enums that derive `ResourceEnum`; for another type, implement `crud_runtime::Column`"
)]
pub trait Column: Sized + Send + Sync + 'static {
    /// Kind of the value: its storage, and its form in JSON.
    const KIND: Kind;

    /// Whether [`Value::Null`] is a value of the type: `true` for `Option` alone.
    const NULLABLE: bool = false;

    /// The type's own check, beyond the kind's; it runs on every value that a client sends.
    const CHECK: Option<Check> = Some(check::<Self>);

    /// Whether an enum's values are ordered as declared, as in [`Kind::Enum`]; otherwise they sort by their texts, and
    /// `gt` and the like do not apply.
    const DECLARED_ORDER: bool = false;

    /// The labels of an enum's values for people, in the order of the values; empty where the texts serve as labels.
    const LABELS: &'static [&'static str] = &[];

    /// The integers that the values of an enum are stored as, in the order of the values; empty where they are stored
    /// as text.
    const CODES: &'static [i64] = &[];

    /// Whether bodies cannot set the field, as with `#[crud(read_only)]`: other code sets it, such as a route of the
    /// type's plugin.
    const READ_ONLY: bool = false;

    /// The JSON Schema (2020-12) of values, as text, where the kind is [`Kind::Json`] or [`Kind::Text`]. The OpenAPI
    /// document has it in place of any value; for JSON, in answers alone. A schema with a `title`, the name of the
    /// type, becomes one of the components.
    const SCHEMA: Option<&'static str> = None;

    /// The schema keywords of one field, beside [`SCHEMA`](Self::SCHEMA): see [`Keywords`].
    const KEYWORDS: Option<Keywords> = None;

    /// The form of values in answers, where it is not the stored one: see [`Returned`].
    const RETURNED: Option<Returned> = None;

    /// The name of the attribute that fields of the type can have: `file` of `#[crud(file(max = "10MB"))]`. By this
    /// name, code finds the fields of the type
    /// ([`ColumnDescriptor::attribute`](crate::descriptor::ColumnDescriptor::attribute)), with the attribute or
    /// without. Its options: [`ColumnAttribute`].
    const ATTRIBUTE: Option<&'static str> = None;

    /// The name of the plugin that serves fields of the type. A service that has such a field and lacks the plugin does not
    /// start, unless it says so by `ServerOptions::without_plugin`.
    const PLUGIN: Option<&'static str> = None;

    /// The value as it is stored.
    fn into_value(self) -> Value;

    /// The stored value as this type.
    ///
    /// # Errors
    /// A [`ColumnError`] whose message can be shown to the client: what a value of this type must be.
    fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError>;

    // The items that expansions call belong to this trait: a type that is not a column is then the same error wherever
    // an expansion names it, and the compiler shows that error once.

    /// The type's part of a column's descriptor.
    #[doc(hidden)]
    const TYPE: ColumnType = ColumnType {
        kind: Self::KIND,
        nullable: Self::NULLABLE,
        check: Self::CHECK,
        declared_order: Self::DECLARED_ORDER,
        labels: Self::LABELS,
        codes: Self::CODES,
        read_only: Self::READ_ONLY,
        schema: Self::SCHEMA,
        keywords: Self::KEYWORDS,
        returned: Self::RETURNED,
        attribute: Self::ATTRIBUTE,
        plugin: Self::PLUGIN,
    };

    /// One field of a stored record.
    #[doc(hidden)]
    fn read(row: &RowReader<'_>, column: usize) -> Result<Self, AdapterError> {
        Self::from_value(row.read(column)?).map_err(|error| row.corrupt(column, error))
    }

    /// One field of an input that may leave it out.
    #[doc(hidden)]
    fn read_given(row: &RowReader<'_>, column: usize) -> Result<Option<Self>, AdapterError> {
        if row.is_given(column) { Self::read(row, column).map(Some) } else { Ok(None) }
    }

    /// The value as it is stored, if there is one.
    #[doc(hidden)]
    fn optional(value: Option<Self>) -> Option<Value> {
        value.map(Self::into_value)
    }

    /// The patch with one more change.
    #[doc(hidden)]
    fn change<P: Into<Changes> + From<Changes>>(patch: P, column: usize, value: impl IntoColumn<Self>) -> P {
        let changes: Changes = patch.into();
        P::from(changes.with(column, value.into_column().into_value()))
    }
}

/// A type's part of a column's descriptor: see the constants of [`Column`].
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct ColumnType {
    pub kind: Kind,
    pub nullable: bool,
    pub check: Option<Check>,
    pub declared_order: bool,
    pub labels: &'static [&'static str],
    pub codes: &'static [i64],
    pub read_only: bool,
    pub schema: Option<&'static str>,
    pub keywords: Option<Keywords>,
    pub returned: Option<Returned>,
    pub attribute: Option<&'static str>,
    pub plugin: Option<&'static str>,
}

/// A field type's own check of a value: see [`Column::CHECK`].
pub type Check = fn(ValueRef<'_>) -> Result<(), ColumnError>;

fn check<T: Column>(value: ValueRef<'_>) -> Result<(), ColumnError> {
    T::from_value(value).map(drop)
}

/// A field type with an order that `gt`, `gte`, `lt` and `lte` use.
#[diagnostic::on_unimplemented(
    message = "expected a number, text, a date or a time, found `{Self}`",
    note = "`gt`, `gte`, `lt` and `lte` need a type with an order"
)]
pub trait OrderedColumn: Column {}

/// A field type that amounts can be added to: every number.
#[diagnostic::on_unimplemented(message = "expected a number, found `{Self}`", note = "`add` is for numbers")]
pub trait NumberColumn: Column {}

/// A field type that `like` and `ilike` can search.
#[diagnostic::on_unimplemented(message = "expected text, found `{Self}`", note = "`like` and `ilike` are for text")]
pub trait TextColumn: Column {}

/// A field type that a filter or a sort can name: every one but JSON, bytes and lists.
#[diagnostic::on_unimplemented(
    message = "expected a type to filter and sort by, found `{Self}`",
    note = "JSON values, bytes and lists have no equality that every database agrees on"
)]
pub trait ComparableColumn: Column {}

/// A field type that can be null: `Option<_>`.
#[diagnostic::on_unimplemented(
    message = "expected an `Option`, found `{Self}`",
    note = "only an `Option` field can be null"
)]
pub trait NullableColumn: Column {}

/// A field type whose values are names of time zones of the IANA database, such as `Europe/Berlin`.
#[diagnostic::on_unimplemented(
    message = "expected a `TimeZone`, found `{Self}`",
    note = "`crud_runtime::column::TimeZone` is the type of a time zone, with the feature `time-zones`"
)]
pub trait ZoneColumn: Column {}

/// A value for a field of type `T`: `T` itself, the value of an `Option` field without `Some`, and `&str` for
/// text.
///
/// [`Into`] cannot be the bound: `"x"` is not `Into<Option<String>>`, and a literal `5` fails for
/// `u32` because `i32` is tried first.
#[diagnostic::on_unimplemented(message = "expected a value of type `{T}`, found `{Self}`", label = "expected `{T}`")]
pub trait IntoColumn<T> {
    /// The field's value.
    fn into_column(self) -> T;
}

#[diagnostic::do_not_recommend]
impl<T> IntoColumn<T> for T {
    fn into_column(self) -> T {
        self
    }
}

#[diagnostic::do_not_recommend]
impl<T> IntoColumn<Option<T>> for T {
    fn into_column(self) -> Option<T> {
        Some(self)
    }
}

#[diagnostic::do_not_recommend]
impl IntoColumn<String> for &String {
    fn into_column(self) -> String {
        self.clone()
    }
}

#[diagnostic::do_not_recommend]
impl IntoColumn<String> for &str {
    fn into_column(self) -> String {
        self.to_owned()
    }
}

#[diagnostic::do_not_recommend]
impl IntoColumn<Option<String>> for &str {
    fn into_column(self) -> Option<String> {
        Some(self.to_owned())
    }
}
