//! Schemas in utoipa's model, whose own reader refuses a schema without a type, and drops keywords such as `not`.
//!
//! A keyword that the model lacks, such as `not`, is among the extensions: at most one in a schema, because they have no
//! order.

use serde::Deserialize;
use serde_json::{Map, Value, json};
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{AdditionalProperties, ArrayItems, SchemaType};
use utoipa::openapi::{self, AllOf, Array, Object, OneOf, Ref, RefOr};

use super::json_schema::Schema;

/// A schema in utoipa's model.
pub(crate) fn schema(schema: &Schema) -> RefOr<openapi::Schema> {
    of_keywords(schema.keywords())
}

fn of_keywords(keywords: &Map<String, Value>) -> RefOr<openapi::Schema> {
    if let Some(Value::String(target)) = keywords.get("$ref") {
        return reference(target, keywords);
    }
    RefOr::T(match (keywords.get("items"), keywords.get("oneOf")) {
        (Some(items), _) => array(items, keywords).into(),
        (None, Some(Value::Array(schemas))) => one_of(schemas, keywords).into(),
        (None, _) => object(keywords).into(),
    })
}

/// Sets the fields that keywords have, and returns the keywords that have none. A value is read as its field's type,
/// unless a function is named.
macro_rules! fields {
    ($keywords:ident, $target:ident: $($keyword:literal $field:ident $(by $read:ident)?,)+) => {{
        let mut others = Map::new();
        for (keyword, value) in $keywords {
            match keyword.as_str() {
                "description" => $target.description = fields!(value),
                "title" => $target.title = fields!(value),
                "default" => $target.default = Some(value.clone()),
                $($keyword => $target.$field = fields!(value $($read)?),)+
                "$ref" | "items" | "oneOf" => {}
                _ => drop(others.insert(keyword.clone(), value.clone())),
            }
        }
        others
    }};
    ($value:ident) => { Deserialize::deserialize($value).unwrap_or_default() };
    ($value:ident $read:ident) => { $read($value) };
}

/// A reference. Keywords that a reference cannot have are beside an `allOf` with the reference alone.
fn reference(target: &str, keywords: &Map<String, Value>) -> RefOr<openapi::Schema> {
    let mut reference = Ref::new(target);
    let others = fields! { keywords, reference:
        "readOnly" read_only,
        "writeOnly" write_only,
    };
    if others.is_empty() {
        return RefOr::Ref(reference);
    }
    let mut all = AllOf::new();
    all.items.push(RefOr::Ref(Ref::new(target)));
    let others = fields! { keywords, all:
        "examples" examples,
    };
    all.extensions = extensions(others);
    RefOr::T(openapi::Schema::AllOf(all))
}

fn one_of(schemas: &[Value], keywords: &Map<String, Value>) -> OneOf {
    let mut one = OneOf::new();
    one.items = schemas.iter().map(of_value).collect();
    let others = fields! { keywords, one:
        "type" schema_type,
        "examples" examples,
        "readOnly" read_only,
        "writeOnly" write_only,
    };
    one.extensions = extensions(others);
    one
}

fn array(items: &Value, keywords: &Map<String, Value>) -> Array {
    let mut array = Array::default();
    array.items = ArrayItems::RefOrSchema(Box::new(of_value(items)));
    let others = fields! { keywords, array:
        "type" schema_type,
        "deprecated" deprecated,
        "examples" examples,
        "maxItems" max_items,
        "minItems" min_items,
        "uniqueItems" unique_items,
    };
    array.extensions = extensions(others);
    array
}

fn object(keywords: &Map<String, Value>) -> Object {
    let mut object = Object::with_type(SchemaType::AnyValue);
    let others = fields! { keywords, object:
        "type" schema_type,
        "format" format,
        "enum" enum_values,
        "required" required,
        "properties" properties by properties,
        "additionalProperties" additional_properties by additional,
        "propertyNames" property_names by names,
        "deprecated" deprecated,
        "examples" examples,
        "writeOnly" write_only,
        "readOnly" read_only,
        "multipleOf" multiple_of,
        "maximum" maximum,
        "minimum" minimum,
        "exclusiveMaximum" exclusive_maximum,
        "exclusiveMinimum" exclusive_minimum,
        "maxLength" max_length,
        "minLength" min_length,
        "pattern" pattern,
        "maxProperties" max_properties,
        "minProperties" min_properties,
        "contentEncoding" content_encoding,
        "contentMediaType" content_media_type,
    };
    object.extensions = extensions(others);
    object
}

/// The keywords as extensions; several are the schemas of one `allOf`.
fn extensions(mut keywords: Map<String, Value>) -> Option<Extensions> {
    if keywords.len() > 1 {
        let mut all = match keywords.shift_remove("allOf") {
            Some(Value::Array(all)) => all,
            _ => Vec::new(),
        };
        all.extend(keywords.into_iter().map(|(keyword, value)| json!({ keyword: value })));
        keywords = Map::from_iter([("allOf".to_owned(), all.into())]);
    }
    (!keywords.is_empty()).then(|| keywords.into_iter().collect())
}

fn of_value(value: &Value) -> RefOr<openapi::Schema> {
    value.as_object().map_or_else(|| RefOr::T(Object::with_type(SchemaType::AnyValue).into()), of_keywords)
}

fn properties<M: FromIterator<(String, RefOr<openapi::Schema>)>>(value: &Value) -> M {
    let members = value.as_object().into_iter().flatten();
    members.map(|(name, schema)| (name.clone(), of_value(schema))).collect()
}

#[allow(clippy::unnecessary_wraps, reason = "the field is optional")]
fn additional(value: &Value) -> Option<Box<AdditionalProperties<openapi::Schema>>> {
    Some(Box::new(match value {
        Value::Bool(any) => AdditionalProperties::FreeForm(*any),
        schema => AdditionalProperties::RefOr(of_value(schema)),
    }))
}

fn names(value: &Value) -> Option<Box<openapi::Schema>> {
    value.as_object().map(|keywords| Box::new(object(keywords).into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: Value) -> Value {
        serde_json::to_value(schema(&Schema::from(value))).expect("JSON")
    }

    #[test]
    fn schemas_are_written_as_they_are() {
        let schemas = [
            json!({}),
            json!({ "type": "string", "format": "uuid", "pattern": "^a$", "minLength": 1, "maxLength": 9 }),
            json!({ "type": ["integer", "null"], "format": "int64", "minimum": i64::MIN, "maximum": i64::MAX }),
            json!({ "type": "number", "minimum": -3.402_823_5e38, "maximum": 0.5 }),
            json!({ "type": "array", "items": { "type": "string" }, "minItems": 1, "uniqueItems": true }),
            json!({ "oneOf": [{ "$ref": "#/components/schemas/A" }, { "type": "null" }], "description": "x" }),
            json!({ "$ref": "#/components/schemas/A", "description": "x", "default": "y" }),
            json!({ "type": "string", "not": { "enum": ["batch"] } }),
            json!({
                "type": "object", "required": ["a"], "properties": { "b": {}, "a": { "type": "boolean" } },
                "additionalProperties": false, "examples": [{ "a": true }],
            }),
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
        ];
        for schema in schemas {
            assert_eq!(written(schema.clone()), schema);
        }
    }

    #[test]
    fn keywords_that_the_model_lacks_are_one_all_of() {
        let text = json!({ "type": "string", "allOf": [{ "pattern": "^a" }], "not": { "enum": ["b"] } });
        let all = json!([{ "pattern": "^a" }, { "not": { "enum": ["b"] } }]);
        assert_eq!(written(text), json!({ "type": "string", "allOf": all }));
        let reference = json!({ "$ref": "#/components/schemas/A", "deprecated": true });
        let all = json!({ "allOf": [{ "$ref": "#/components/schemas/A" }], "deprecated": true });
        assert_eq!(written(reference), all);
    }
}
