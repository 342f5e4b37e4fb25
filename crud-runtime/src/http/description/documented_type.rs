//! [`Documented`]: types whose JSON the document describes, and the types of resources among them.

use std::borrow::Cow;

use serde_json::Value;

use super::example::Examples;
use super::json_schema::Schema;
use super::record_schema::{body, create, patch, record};
use super::written_schema::written;
use crate::model::descriptor::Descriptor;

/// A type whose JSON the document describes, in the body or the answer of a route.
///
/// A struct that derives [`Schema`](crate::Schema) is one; so are a resource with `#[crud(derive(ToSchema))]` and its
/// inputs; numbers, texts and booleans; and lists, options, maps and pages of these. With the feature `utoipa`, each type
/// that implements utoipa's `ToSchema` is one, and these implement it.
///
/// ```
/// use crud_runtime::axum::Json;
/// use crud_runtime::routing::{Route, post};
/// # use crud_runtime::prelude::*;
///
/// #[derive(Debug, serde::Deserialize, Schema)]
/// struct Order { pieces: u32 }
///
/// async fn order(Json(orders): Json<Vec<Order>>) -> String {
///     format!("{} pieces", orders.iter().map(|order| order.pieces).sum::<u32>())
/// }
///
/// let route: Route = post(order);
/// ```
#[diagnostic::on_unimplemented(
    message = "the document has no schema of `{Self}`",
    label = "has no schema",
    note = "a struct of single values derives `Schema`, and a resource has `#[crud(derive(ToSchema))]`; with the feature \
            `utoipa` of `crud-runtime`, any type derives `utoipa::ToSchema`; without a schema, the argument is \
            `Undescribed<Json<{Self}>>`, and the answer `Undescribed(Json(…))`"
)]
pub trait Documented {
    /// The type's name and schema.
    #[doc(hidden)]
    fn documented() -> DocumentedType;
}

/// A type's name and schema, with the schemas that it refers to.
#[derive(Debug, Clone)]
pub struct DocumentedType {
    pub(crate) name: Cow<'static, str>,
    pub(crate) schema: Schema,
    pub(crate) others: Vec<(String, Schema)>,
}

impl DocumentedType {
    pub(crate) fn new(name: impl Into<Cow<'static, str>>, schema: &Schema) -> Self {
        Self { name: name.into(), schema: canonical(schema), others: Vec::new() }
    }
}

/// The schema of a type's JSON, with the schemas that it refers to. An object is a reference by its name.
pub(crate) fn typed<T: Documented>() -> Schema {
    let DocumentedType { name, schema, others } = T::documented();
    // A struct that flattens another one is `allOf` of both.
    let is_object = schema.get("properties").or_else(|| schema.get("allOf")).is_some();
    let schema = if is_object { Schema::named(&name, schema) } else { schema };
    others.into_iter().fold(schema, |schema, (name, other)| schema.defining(&name, other))
}

/// The type of a record. Expanded records are objects.
#[must_use]
pub fn record_type(descriptor: &'static Descriptor) -> DocumentedType {
    let schema = record(descriptor, &[]).example(Examples::new(descriptor).record());
    DocumentedType::new(descriptor.name, &schema)
}

/// The type of the body of a create.
#[must_use]
pub fn create_type(descriptor: &'static Descriptor) -> DocumentedType {
    let schema = create(descriptor).example(Examples::new(descriptor).create());
    DocumentedType::new(format!("{}Create", descriptor.name), &schema)
}

/// The type of the body of an update.
#[must_use]
pub fn patch_type(descriptor: &'static Descriptor) -> DocumentedType {
    let schema = patch(descriptor).example(Examples::new(descriptor).patch());
    DocumentedType::new(format!("{}Patch", descriptor.name), &schema)
}

/// The type of a struct that derives `Schema`.
#[must_use]
pub fn fields_type(descriptor: &'static Descriptor) -> DocumentedType {
    DocumentedType::new(descriptor.name, &body(descriptor))
}

/// The schema as a document has it, so that schemas of types and of documents are equal.
fn canonical(schema: &Schema) -> Schema {
    written(schema).into()
}

/// The schemas of a resource and its inputs as their Rust types give them, with their names.
pub(crate) fn of_resource(descriptor: &'static Descriptor) -> [(String, Schema); 3] {
    let types = [record_type(descriptor), create_type(descriptor), patch_type(descriptor)];
    types.map(|of| (of.name.into_owned(), of.schema))
}

/// Removes the schemas of these resources from the document of other routes: the service's own schemas replace them.
pub(crate) fn without_resources(mut document: Value, resources: impl Iterator<Item = &'static Descriptor>) -> Value {
    let Some(Value::Object(schemas)) = document.pointer_mut("/components/schemas") else { return document };
    for (name, schema) in resources.flat_map(of_resource) {
        if schemas.get(&name) == Some(&schema.into()) {
            schemas.shift_remove(&name);
        }
    }
    document
}

/// With the feature `utoipa` and without it, the same schemas.
#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, HashMap, HashSet};

    use serde_json::json;

    use super::*;
    use crate::Page;

    /// A receipt.
    #[derive(crate::Schema)]
    #[expect(dead_code, reason = "its schema is tested")]
    struct Receipt {
        order: i64,
    }

    fn schema<T: Documented>() -> Value {
        typed::<T>().into()
    }

    #[test]
    fn single_values_have_types_and_formats() {
        let of = |kind: &str, format: &str| json!({ "type": kind, "format": format });
        let unsigned = |format: &str| json!({ "type": "integer", "format": format, "minimum": 0 });
        assert_eq!([schema::<i8>(), schema::<i16>(), schema::<i32>()], [(); 3].map(|()| of("integer", "int32")));
        assert_eq!([schema::<u8>(), schema::<u16>(), schema::<u32>()], [(); 3].map(|()| unsigned("int32")));
        assert_eq!((schema::<i64>(), schema::<u64>()), (of("integer", "int64"), unsigned("int64")));
        assert_eq!((schema::<i128>(), schema::<isize>()), (json!({ "type": "integer" }), json!({ "type": "integer" })));
        let natural = json!({ "type": "integer", "minimum": 0 });
        assert_eq!((schema::<u128>(), schema::<usize>()), (natural.clone(), natural));
        assert_eq!((schema::<f32>(), schema::<f64>()), (of("number", "float"), of("number", "double")));
        assert_eq!(
            [schema::<String>(), schema::<&str>(), schema::<char>()],
            [(); 3].map(|()| json!({ "type": "string" }))
        );
        assert_eq!((schema::<bool>(), schema::<Value>()), (json!({ "type": "boolean" }), json!({})));
        assert_eq!(schema::<()>(), json!({ "default": null }));
    }

    #[test]
    fn lists_options_and_maps_have_the_schemas_of_their_values() {
        assert_eq!(schema::<Vec<bool>>(), json!({ "type": "array", "items": { "type": "boolean" } }));
        let set = json!({ "type": "array", "items": { "type": "string" }, "uniqueItems": true });
        assert_eq!(schema::<HashSet<&str>>(), set);
        let optional = json!({ "oneOf": [{ "type": "null" }, { "type": "number", "format": "double" }] });
        assert_eq!(schema::<Box<Option<f64>>>(), optional);
        let map = json!({
            "type": "object", "additionalProperties": { "type": "boolean" }, "propertyNames": { "type": "string" },
        });
        assert_eq!((schema::<HashMap<String, bool>>(), schema::<BTreeMap<String, bool>>()), (map.clone(), map));
    }

    #[test]
    fn structs_are_references_by_their_names() {
        let receipt = schema::<Receipt>();
        assert_eq!(receipt["$ref"], "#/components/schemas/Receipt");
        let own = &receipt["$defs"]["Receipt"];
        assert_eq!((&own["description"], &own["required"]), (&json!("A receipt."), &json!(["order"])));
        assert_eq!(schema::<Vec<Receipt>>()["items"], *own);
        let page = schema::<Page<Receipt>>();
        assert_eq!(page["$ref"], "#/components/schemas/ReceiptList");
        assert_eq!(page["$defs"]["ReceiptList"]["properties"]["data"]["items"]["$ref"], "#/components/schemas/Receipt");
        assert_eq!(page["$defs"]["Receipt"], *own);
    }
}
