//! [`Resource`]: the trait that the derive implements.

use super::adapter_error::AdapterError;
use super::changes::Changes;
use super::column::Column;
use super::column_error::{ColumnError, Parsed};
use super::descriptor::Descriptor;
use super::key::RecordKey;
use super::row::Row;
use super::scalar;
use super::value::{Kind, Value, ValueRef};

/// A struct that is a CRUD resource. Derive it: `#[derive(Resource)]`.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// /// The keys of the first records of any resource.
/// async fn first_keys<R: Resource>(store: &Store<R>) -> crud_runtime::Result<Vec<R::Id>> {
///     Ok(store.list(Select::all().limit(10)).await?.iter().map(R::id).collect())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "expected a resource, found `{Self}`",
    label = "not a resource",
    note = "derive it: `#[derive(Resource)]`"
)]
pub trait Resource: Sized + Send + Sync + 'static {
    /// The type of the key; for a composite key, the tuple of its fields' types.
    type Id: RecordKey;
    /// The type of the tenant; [`NoTenant`] where records have none.
    type Tenant: 'static;

    /// The resource's description.
    const DESCRIPTOR: &'static Descriptor;

    /// Reads a stored record into the struct.
    ///
    /// # Errors
    /// [`AdapterError::Corrupt`] when a stored value does not fit its field's type.
    #[doc(hidden)]
    fn from_row(row: &dyn Row) -> Result<Self, AdapterError>;

    /// The record's key.
    fn id(&self) -> Self::Id;

    /// The values of the record, one for each column.
    #[doc(hidden)]
    fn into_values(self) -> Vec<Value>;
}

/// A resource whose records can be written: every resource but a view. The derive implements it.
///
/// ```
/// use crud_runtime::prelude::*;
///
/// /// Copies of what a program has, as records of any resource.
/// async fn fill<R: Writable>(store: &Store<R>, all: Vec<R::New>) -> crud_runtime::Result<()> {
///     for new in all {
///         store.create(new).await?;
///     }
///     Ok(())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is a view, which is only read",
    label = "writes a view",
    note = "write the records of the resources that the view depends on"
)]
pub trait Writable: Resource {
    /// The fields that a create can set: `NewProduct` for `Product`.
    type New: Into<Changes> + Send;
    /// The fields that an update can set: `ProductPatch` for `Product`.
    type Patch: Into<Changes> + From<Changes> + Send;
}

/// Marker of a resource whose records have no tenants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoTenant;

/// Marker of a resource whose records have tenants.
#[doc(hidden)]
#[derive(Debug)]
pub enum OfTenants {}

/// Tells by the type of a resource's tenant whether its records have tenants.
#[doc(hidden)]
pub trait Tenancy {
    /// [`NoTenant`] or [`OfTenants`].
    type Kind;
}

impl Tenancy for NoTenant {
    type Kind = Self;
}

impl<T: Column> Tenancy for T {
    type Kind = OfTenants;
}

/// Runs a `validate(custom(…))` check on the typed value; called by expansions.
#[doc(hidden)]
pub fn check_custom<T, E: std::fmt::Display>(
    decoded: Result<T, ColumnError>,
    check: impl FnOnce(&T) -> Result<(), E>,
) -> Result<(), String> {
    let value = decoded.map_err(|error| error.to_string())?;
    check(&value).map_err(|error| error.to_string())
}

/// A [`Resource`] with `#[crud(search(…))]`, whose records can be searched; the derive implements it.
///
/// ```
/// use crud_runtime::Searchable;
/// use crud_runtime::prelude::*;
///
/// #[derive(Debug, Clone, Resource)]
/// #[crud(search(title))]
/// struct Book { id: i64, title: String }
///
/// /// The first hits of a search in any resource that has one.
/// async fn hits<R: Searchable>(store: &Store<R>, words: &str) -> crud_runtime::Result<Vec<R>> {
///     store.list(Select::all().search(words).limit(10)).await
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no full-text search",
    note = "name the fields whose words are searched: `#[crud(search(name, description))]`"
)]
pub trait Searchable: Resource {}

/// Asserts that a field with `references` has the type of the other resource's key, `Key`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "expected the type of the other resource's key, `{Key}`, found `{Self}`",
    label = "expected `{Key}`",
    note = "a key of several fields is referred to by as many: `references(Line, by(order_id, line_no))`"
)]
pub trait RefersTo<Key> {
    /// Named by the expansion, so that the compiler checks the bound.
    const ASSERTED: () = ();
}

#[diagnostic::do_not_recommend]
impl<Key> RefersTo<Key> for Key {}

/// Asserts that a field with `references(users)` has the type of the keys of users.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "expected the type of the keys of users, `i64`, found `{Self}`",
    label = "expected `i64` or `Option<i64>`",
    note = "subjects of another issuer's tokens, such as `staff:1`, are not users of the service: leave out `references(users)`"
)]
pub trait RefersToUser {
    /// Named by the expansion, so that the compiler checks the bound.
    const ASSERTED: () = ();
}

#[diagnostic::do_not_recommend]
impl RefersToUser for i64 {}

/// A field's type that holds keys of the type `Key`.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "expected a field that holds the key of this resource, `{Key}`, found `{Self}`",
    label = "expected `{Key}` or `Option<{Key}>`"
)]
pub trait HoldsKey<Key> {}

#[diagnostic::do_not_recommend]
impl<Key> HoldsKey<Key> for Key {}

#[diagnostic::do_not_recommend]
impl<Key> HoldsKey<Key> for Option<Key> {}

/// The stored value of an enum's variant; called by expansions of `ResourceEnum`.
#[doc(hidden)]
pub fn enum_value(text: &'static str) -> Value {
    Value::Text(text.to_owned())
}

/// The text of an enum's stored value; called by expansions of `ResourceEnum`.
#[doc(hidden)]
pub fn enum_text(value: ValueRef<'_>) -> Parsed<&str> {
    match value {
        ValueRef::Text(text) => Ok(text),
        other => Err(ColumnError::new(format!("must be text, not {other:?}"))),
    }
}

/// The text that the open variant of an enum keeps; called by expansions of `ResourceEnum`.
#[doc(hidden)]
pub fn enum_other(text: Parsed<&str>) -> Parsed<String> {
    text.map(str::to_owned)
}

/// The values of a record; called by expansions of `Resource`.
#[doc(hidden)]
pub fn record_values<const N: usize>(values: [Value; N]) -> Vec<Value> {
    Vec::from(values)
}

/// The error for a text that is not a variant of an enum, or for a value that is not text; called by expansions of
/// `ResourceEnum`.
#[doc(hidden)]
pub fn enum_error<T>(kind: Kind, text: Parsed<&str>) -> Parsed<T> {
    let texts = if let Kind::Enum(texts) = kind { texts } else { &[] };
    let error = match text {
        Ok(text) => ColumnError::new(format!("must be one of {}, not `{text}`", scalar::listed(texts.iter().copied()))),
        Err(error) => error,
    };
    Err(error)
}

/// Checks what an attribute needs of a field's type or of another resource; called by expansions.
///
/// # Panics
/// At compile time with this message, where the requirement does not hold.
#[doc(hidden)]
#[track_caller]
pub const fn check_requirement(holds: bool, message: &str) {
    assert!(holds, "{}", message);
}
