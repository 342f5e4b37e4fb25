//! [`Schema`]: a struct as the body or the parameters of a request.

use super::adapter_error::AdapterError;
use super::descriptor::Descriptor;
use super::row::Row;

/// A struct that the body, the query string or the path of a request can have: `#[derive(Schema)]`.
///
/// It is parsed and checked like a resource's body: every error in one answer, with pointers, and the attributes' rules
/// (`length`, `range`, `validate`, `default`, …) are in the document too. A password is `write_only`: no answer, log
/// line or audit entry shows a body, and a query string cannot have such a field.
///
/// ```
/// use crud_runtime::prelude::*;
/// use crud_runtime::routing::Valid;
///
/// /// The body of `POST /rooms/7/book`.
/// #[derive(Debug, Schema)]
/// struct Stay {
///     #[crud(range(min = 1, max = 30))]
///     nights: i32,
///     #[crud(validate(email))]
///     guest: String,
/// }
///
/// async fn book(Valid(stay): Valid<Stay>) -> String {
///     format!("{} nights for {}", stay.nights, stay.guest)
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "expected a body, found `{Self}`",
    label = "not a body",
    note = "derive it: `#[derive(Schema)]`"
)]
pub trait Schema: Sized + Send + Sync + 'static {
    /// The fields.
    #[doc(hidden)]
    const DESCRIPTOR: &'static Descriptor;

    /// Reads the fields' values into the struct.
    ///
    /// # Errors
    /// [`AdapterError::Corrupt`] when a value does not fit its field's type.
    #[doc(hidden)]
    fn from_row(row: &dyn Row) -> Result<Self, AdapterError>;
}
