//! [`Keywords`]: the schema keywords of one field, beside those of its type.

use std::any::Any;

use serde_json::{Map, Value as Json};

/// The keywords of a field's schema, by the options of its attribute. Their names begin with `x-`: readers of the document that
/// do not know them pass over them.
///
/// They are in the OpenAPI document, for clients that build forms from it, and in
/// [`ColumnDescriptor::schema_keywords`](crate::descriptor::ColumnDescriptor::schema_keywords).
///
/// ```
/// use std::any::Any;
///
/// use crud_runtime::column::Keywords;
/// use serde_json::{Map, Value, json};
///
/// /// The options of `#[crud(colour(depth = 8))]`.
/// struct ColourOptions {
///     depth: u8,
/// }
///
/// /// `"x-colour-depth": 8`
/// fn keywords(options: &(dyn Any + Send + Sync)) -> Map<String, Value> {
///     let depth = options.downcast_ref().map(|options: &ColourOptions| json!(options.depth));
///     depth.into_iter().map(|depth| ("x-colour-depth".to_owned(), depth)).collect()
/// }
///
/// // In the implementation of `Column`: `const KEYWORDS: Option<Keywords> = Some(keywords);`
/// let keywords: Keywords = keywords;
/// assert_eq!(keywords(&ColourOptions { depth: 8 })["x-colour-depth"], 8);
/// ```
pub type Keywords = fn(&(dyn Any + Send + Sync)) -> Map<String, Json>;
