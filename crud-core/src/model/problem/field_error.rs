//! [`FieldError`]: a location in a request, and what is wrong there.

use std::fmt;

use serde::Serialize;
use serde_json::{Map, Value};

/// One error of a problem: its location in the request, and what is wrong there.
///
/// ```
/// use crud_runtime::error::{FieldError, Problem};
///
/// let error = FieldError::field("ends_at", "custom", "must be after the start");
/// assert_eq!(error.to_string(), "ends_at: must be after the start");
/// let problem = Problem::validation([error]);
/// assert_eq!(problem.errors()[0].location(), Some("/ends_at"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FieldError {
    /// The part of the body with the error.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    part: Option<Part>,
    #[serde(flatten)]
    location: Location,
    code: &'static str,
    detail: String,
    /// Legal alternatives.
    #[serde(skip_serializing_if = "Option::is_none")]
    allowed: Option<Vec<&'static str>>,
    /// The bounds of the rule that the value breaks, by their names.
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<Box<Map<String, Value>>>,
}

/// A part of a body with many records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// The index of an item of a batch, from 0.
    Index(usize),
    /// The line of a file that a record begins on, from 1.
    Line(u64),
}

/// A name as a token of a JSON Pointer (RFC 6901, section 3).
pub fn pointer_token(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Location {
    Pointer(String),
    Parameter(String),
    /// A JSON Pointer into the value of a parameter.
    #[serde(untagged)]
    InParameter {
        parameter: String,
        pointer: String,
    },
    /// The part as a whole.
    #[serde(untagged)]
    Whole {},
}

impl FieldError {
    /// An error at a field of the body, by its name in JSON.
    pub fn field(name: &str, code: &'static str, detail: impl Into<String>) -> Self {
        Self::pointer(format!("/{}", pointer_token(name)), code, detail)
    }

    /// An error at a JSON Pointer (RFC 6901) into the body; the empty pointer is the whole body.
    pub fn pointer(pointer: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self::at(Location::Pointer(pointer.into()), code, detail.into())
    }

    /// An error at a query or path parameter.
    pub fn parameter(name: impl Into<String>, code: &'static str, detail: impl Into<String>) -> Self {
        Self::at(Location::Parameter(name.into()), code, detail.into())
    }

    /// An error of a part of the body as a whole.
    #[doc(hidden)]
    pub fn whole(code: &'static str, detail: impl Into<String>) -> Self {
        Self::at(Location::Whole {}, code, detail.into())
    }

    fn at(location: Location, code: &'static str, detail: String) -> Self {
        Self { part: None, location, code, detail, allowed: None, params: None }
    }

    /// Adds the bounds of the rule by their names, such as `max` of a length, for clients that write texts in other
    /// languages.
    ///
    /// ```
    /// use crud_runtime::error::FieldError;
    ///
    /// let error = FieldError::field("guests", "custom", "must fit the room").with_params([("seats", 4)]);
    /// assert_eq!(error.params().and_then(|params| params["seats"].as_u64()), Some(4));
    /// ```
    #[must_use]
    pub fn with_params<V: Into<Value>>(self, params: impl IntoIterator<Item = (&'static str, V)>) -> Self {
        let params: Map<String, Value> =
            params.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        Self { params: Some(params).filter(|params| !params.is_empty()).map(Box::new), ..self }
    }

    /// The bounds of the rule that the value breaks, by their names.
    pub fn params(&self) -> Option<&Map<String, Value>> {
        self.params.as_deref()
    }

    /// Moves the error into the item of a batch with this index; its pointer is relative to the item.
    #[must_use]
    pub fn in_item(self, index: usize) -> Self {
        self.in_part(Part::Index(index))
    }

    /// Moves the error into a part of the body; its pointer is relative to the part.
    #[must_use]
    #[doc(hidden)]
    pub fn in_part(self, part: Part) -> Self {
        Self { part: Some(part), ..self }
    }

    /// Adds the legal alternatives, such as the names of transitions.
    #[must_use]
    pub fn with_allowed(self, allowed: impl IntoIterator<Item = &'static str>) -> Self {
        Self { allowed: Some(allowed.into_iter().collect()), ..self }
    }

    /// The index of the batch's item that has the error.
    pub fn index(&self) -> Option<usize> {
        match self.part {
            Some(Part::Index(index)) => Some(index),
            _ => None,
        }
    }

    /// Moves the error below a member of the body; its pointer is relative to that member's value.
    #[doc(hidden)]
    #[must_use]
    pub fn below(self, name: &str) -> Self {
        self.inside(&format!("/{}", pointer_token(name)))
    }

    /// Moves the error into the value at a JSON Pointer.
    #[doc(hidden)]
    #[must_use]
    pub fn inside(mut self, outer: &str) -> Self {
        if let Location::Pointer(pointer) = &mut self.location {
            pointer.insert_str(0, outer);
        }
        self
    }

    /// Moves the error into a parameter; its pointer is relative to the parameter's value.
    #[doc(hidden)]
    #[must_use]
    pub fn in_parameter(mut self, name: &str) -> Self {
        if let Location::Pointer(pointer) = self.location {
            self.location = Location::InParameter { parameter: name.to_owned(), pointer };
        }
        self
    }

    /// The JSON Pointer into the body or the name of the parameter; `None` where a whole item of a batch, or a whole
    /// line, has the error.
    pub fn location(&self) -> Option<&str> {
        match &self.location {
            Location::Pointer(text) | Location::Parameter(text) | Location::InParameter { parameter: text, .. } => {
                Some(text)
            }
            Location::Whole {} => None,
        }
    }

    /// Description of the mistake, without the location.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// The kind of mistake, such as `type` or `required`.
    pub fn code(&self) -> &'static str {
        self.code
    }
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.part {
            Some(Part::Index(index)) => write!(f, "item {index}: ")?,
            Some(Part::Line(line)) => write!(f, "line {line}: ")?,
            None => {}
        }
        match &self.location {
            Location::Whole {} => f.write_str(&self.detail),
            Location::Pointer(pointer) if pointer.is_empty() => write!(f, "body: {}", self.detail),
            Location::Pointer(pointer) => {
                write!(f, "{}: {}", pointer[1..].replace("~1", "/").replace("~0", "~"), self.detail)
            }
            Location::Parameter(name) => write!(f, "{name}: {}", self.detail),
            Location::InParameter { parameter, pointer } => {
                write!(f, "{parameter}{}: {}", pointer.replace("~1", "/").replace("~0", "~"), self.detail)
            }
        }
    }
}
