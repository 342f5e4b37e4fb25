//! [`ColumnAttribute`]: an attribute of fields that a type brings.

use super::Column;

/// A field type that brings an attribute with options, under the name [`Column::ATTRIBUTE`].
///
/// The derive makes the options of `#[crud(file(max = "10MB", types("image/png", "image/jpeg"), hold))]` by `const` methods,
/// each with the name of an option. They run when the program is compiled, so that a panic is a compile error at the option:
///
/// ```text
/// File::OPTIONS.max("10MB").types(&["image/png", "image/jpeg"]).hold()
/// ```
///
/// [`ColumnDescriptor::attribute_options`](crate::descriptor::ColumnDescriptor::attribute_options) has them while the program
/// runs.
///
/// ```
/// use crud_runtime::column::{ColumnAttribute, ColumnError, Kind, Value, ValueRef};
/// use crud_runtime::prelude::*;
/// use crud_runtime::Column;
///
/// #[derive(Debug, Clone)]
/// pub struct Colour(String);
///
/// impl Column for Colour {
///     const KIND: Kind = Kind::Text;
///     const ATTRIBUTE: Option<&'static str> = Some("colour");
///
///     fn into_value(self) -> Value {
///         Value::Text(self.0)
///     }
///
///     fn from_value(value: ValueRef<'_>) -> Result<Self, ColumnError> {
///         String::from_value(value).map(Self)
///     }
/// }
///
/// /// The options of `#[crud(colour(depth = 8))]`.
/// pub struct ColourOptions {
///     depth: u8,
/// }
///
/// impl ColourOptions {
///     pub const fn depth(self, depth: u8) -> Self {
///         assert!(depth <= 48, "expected at most 48 bits, such as `depth = 24`");
///         Self { depth }
///     }
/// }
///
/// impl ColumnAttribute for Colour {
///     type Options = ColourOptions;
///     const OPTIONS: ColourOptions = ColourOptions { depth: 24 };
/// }
///
/// #[derive(Debug, Clone, Resource)]
/// struct Wall {
///     id: i64,
///     #[crud(colour(depth = 8))]
///     paint: Option<Colour>,
/// }
///
/// let paint = &Wall::DESCRIPTOR.columns[1];
/// assert_eq!(paint.attribute, Some("colour"));
/// assert_eq!(paint.attribute_options::<ColourOptions>().map(|options| options.depth), Some(8));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no attribute of its own",
    label = "not an attribute of `{Self}`, and not one of every field",
    note = "the attributes of every field are in the documentation of `Resource`; a type with an attribute of its own implements `crud_runtime::column::ColumnAttribute`"
)]
pub trait ColumnAttribute: Column {
    /// The options, with a `const` method for each.
    type Options: Send + Sync + 'static;

    /// The options of an attribute that states none.
    const OPTIONS: Self::Options;

    // The check belongs to this trait, so that the compiler shows one error for a type that has no attribute.

    /// The name of the attribute.
    #[doc(hidden)]
    const NAME: &'static str = match Self::ATTRIBUTE {
        Some(name) => name,
        None => panic!("the type of the field states no `Column::ATTRIBUTE`"),
    };
}

/// Maximum length of an error message, in bytes.
const LONGEST: usize = 160;

/// Checks that the attribute of a field is its type's own; called by expansions.
///
/// # Panics
/// When the type has an attribute of another name, when the program is compiled.
#[doc(hidden)]
#[track_caller]
pub const fn checked_attribute(name: &str, written: &str) {
    if !is_same(name.as_bytes(), written.as_bytes()) {
        let message = Message::new().with("unknown attribute `").with(written).with("`: the type of the field has `");
        panic!("{}", message.with(name).with("(…)`").text());
    }
}

const fn is_same(one: &[u8], other: &[u8]) -> bool {
    let mut index = 0;
    while index < one.len() && index < other.len() && one[index] == other[index] {
        index += 1;
    }
    index == one.len() && index == other.len()
}

/// A text that is put together at compile time.
struct Message {
    bytes: [u8; LONGEST],
    length: usize,
}

impl Message {
    const fn new() -> Self {
        Self { bytes: [0; LONGEST], length: 0 }
    }

    /// Appends a text, unless the result would be too long.
    const fn with(mut self, text: &str) -> Self {
        let text = text.as_bytes();
        let mut index = 0;
        while self.length + text.len() - index <= LONGEST && index < text.len() {
            self.bytes[self.length] = text[index];
            self.length += 1;
            index += 1;
        }
        self
    }

    const fn text(&self) -> &str {
        match std::str::from_utf8(self.bytes.split_at(self.length).0) {
            Ok(text) => text,
            Err(_) => "unknown attribute",
        }
    }
}
