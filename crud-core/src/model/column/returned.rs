//! [`Returned`]: the form of a type's values in answers.

use crate::model::column_error::ColumnError;
use crate::model::path_segment::encoded;
use crate::model::value::{Value, ValueRef};

/// The form of a stored value in answers: a function of the value, which is not null, and of the field's place.
///
/// It applies wherever records are returned: in lists, exports, expanded records, answers to changes. Audit entries and
/// the program's own structs have the stored value. A value that the function refuses is null, and the record lists it
/// as unreadable.
///
/// ```
/// use crud_runtime::Column;
/// use crud_runtime::column::{ColumnError, FieldLocation, Kind, Returned, Value, ValueRef};
///
/// /// A drawing, which a route beside its record returns.
/// #[derive(Debug, Clone)]
/// pub struct Drawing {
///     title: String,
/// }
///
/// impl Column for Drawing {
///     const KIND: Kind = Kind::Json;
///     const READ_ONLY: bool = true;
///     const SCHEMA: Option<&'static str> = Some(
///         r#"{"title":"Drawing","type":"object","required":["title","url"],"properties":{"title":{"type":"string"},"url":{"type":"string"}}}"#,
///     );
///     const RETURNED: Option<Returned> = Some(returned);
///     const ATTRIBUTE: Option<&'static str> = Some("drawing");
///
///     fn into_value(self) -> Value {
///         Value::Json(serde_json::json!({ "title": self.title }))
///     }
///
///     fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
///         let json = serde_json::Value::from_value(value)?;
///         let title = json["title"].as_str().ok_or_else(|| ColumnError::new("must have a title"))?;
///         Ok(Self { title: title.to_owned() })
///     }
/// }
///
/// /// `{"title":"Plan","url":"/houses/7/plan"}`
/// fn returned(value: ValueRef<'_>, field: &FieldLocation<'_>) -> Result<Value, ColumnError> {
///     let drawing = Drawing::from_value(value)?;
///     Ok(Value::Json(serde_json::json!({ "title": drawing.title, "url": field.path() })))
/// }
///
/// let plan = FieldLocation::new("/houses/7", "plan");
/// let stored = Drawing { title: "Plan".to_owned() }.into_value();
/// assert_eq!(returned(stored.borrow(), &plan), Ok(Value::Json(serde_json::json!({ "title": "Plan", "url": "/houses/7/plan" }))));
/// ```
pub type Returned = fn(ValueRef<'_>, &FieldLocation<'_>) -> Result<Value, ColumnError>;

/// The place of a field in an answer: the path of its record, and the field's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldLocation<'a> {
    record: &'a str,
    field: &'a str,
}

impl<'a> FieldLocation<'a> {
    /// The field of a record with this path.
    #[must_use]
    pub const fn new(record: &'a str, field: &'a str) -> Self {
        Self { record, field }
    }

    /// The path of the record, as `Location` has it: `/products/7`.
    #[must_use]
    pub const fn record(&self) -> &'a str {
        self.record
    }

    /// The field's name in JSON.
    #[must_use]
    pub const fn field(&self) -> &'a str {
        self.field
    }

    /// The path of the field below its record: `/products/7/photo`.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{}/{}", self.record, encoded(self.field))
    }
}
