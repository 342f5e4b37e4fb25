//! Schemas in utoipa's model.
//!
//! A keyword that the model lacks, such as `not`, is among the extensions: at most one in a schema, because they have no
//! order.

use serde_json::{Map, Value, json};
use utoipa::Number;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::schema::{AdditionalProperties, ArrayItems, SchemaFormat, SchemaType};
use utoipa::openapi::{self, AllOf, Array, Deprecated, Object, OneOf, Ref, RefOr, Type};

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

/// Sets the fields that keywords have, and returns the keywords that have none.
macro_rules! fields {
    ($keywords:ident, $target:ident: $($keyword:literal $field:ident $read:ident,)+) => {{
        let mut others = Map::new();
        for (keyword, value) in $keywords {
            match keyword.as_str() {
                $($keyword => $target.$field = $read(value),)+
                "$ref" | "items" | "oneOf" => {}
                _ => drop(others.insert(keyword.clone(), value.clone())),
            }
        }
        others
    }};
}

/// A reference. With keywords that none can have, it is the only one of an `allOf` that has them.
fn reference(target: &str, keywords: &Map<String, Value>) -> RefOr<openapi::Schema> {
    let mut reference = Ref::new(target);
    let others = fields! { keywords, reference:
        "description" description string,
        "title" title text,
        "default" default some,
        "readOnly" read_only flag,
        "writeOnly" write_only flag,
    };
    if others.is_empty() {
        return RefOr::Ref(reference);
    }
    let mut all = AllOf::new();
    all.items.push(RefOr::Ref(Ref::new(target)));
    let others = fields! { keywords, all:
        "description" description text,
        "title" title text,
        "default" default some,
        "examples" examples list,
    };
    all.extensions = extensions(others);
    RefOr::T(openapi::Schema::AllOf(all))
}

fn one_of(schemas: &[Value], keywords: &Map<String, Value>) -> OneOf {
    let mut one = OneOf::new();
    one.items = schemas.iter().map(of_value).collect();
    let others = fields! { keywords, one:
        "type" schema_type kind,
        "description" description text,
        "title" title text,
        "default" default some,
        "examples" examples list,
        "readOnly" read_only flag,
        "writeOnly" write_only flag,
    };
    one.extensions = extensions(others);
    one
}

fn array(items: &Value, keywords: &Map<String, Value>) -> Array {
    let mut array = Array::default();
    array.items = ArrayItems::RefOrSchema(Box::new(of_value(items)));
    let others = fields! { keywords, array:
        "type" schema_type kind,
        "description" description text,
        "title" title text,
        "default" default some,
        "deprecated" deprecated deprecated,
        "examples" examples list,
        "maxItems" max_items size,
        "minItems" min_items size,
        "uniqueItems" unique_items is_true,
    };
    array.extensions = extensions(others);
    array
}

fn object(keywords: &Map<String, Value>) -> Object {
    let mut object = Object::with_type(SchemaType::AnyValue);
    let others = fields! { keywords, object:
        "type" schema_type kind,
        "title" title text,
        "format" format format,
        "description" description text,
        "default" default some,
        "enum" enum_values values,
        "required" required strings,
        "properties" properties properties,
        "additionalProperties" additional_properties additional,
        "propertyNames" property_names names,
        "deprecated" deprecated deprecated,
        "examples" examples list,
        "writeOnly" write_only flag,
        "readOnly" read_only flag,
        "multipleOf" multiple_of number,
        "maximum" maximum number,
        "minimum" minimum number,
        "exclusiveMaximum" exclusive_maximum number,
        "exclusiveMinimum" exclusive_minimum number,
        "maxLength" max_length size,
        "minLength" min_length size,
        "pattern" pattern text,
        "maxProperties" max_properties size,
        "minProperties" min_properties size,
        "contentEncoding" content_encoding string,
        "contentMediaType" content_media_type string,
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

fn kind(value: &Value) -> SchemaType {
    let one = |value: &Value| match value.as_str() {
        Some("string") => Type::String,
        Some("integer") => Type::Integer,
        Some("number") => Type::Number,
        Some("boolean") => Type::Boolean,
        Some("array") => Type::Array,
        Some("null") => Type::Null,
        _ => Type::Object,
    };
    match value {
        Value::Array(kinds) => SchemaType::Array(kinds.iter().map(one).collect()),
        kind => SchemaType::Type(one(kind)),
    }
}

fn format(value: &Value) -> Option<SchemaFormat> {
    text(value).map(SchemaFormat::Custom)
}

fn number(value: &Value) -> Option<Number> {
    let integer = value.as_i64().and_then(|number| isize::try_from(number).ok()).map(Number::Int);
    let unsigned = || value.as_u64().and_then(|number| usize::try_from(number).ok()).map(Number::UInt);
    integer.or_else(unsigned).or_else(|| value.as_f64().map(Number::Float))
}

fn size(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|size| size.try_into().ok())
}

fn deprecated(value: &Value) -> Option<Deprecated> {
    is_true(value).then_some(Deprecated::True)
}

fn is_true(value: &Value) -> bool {
    value.as_bool().unwrap_or(false)
}

fn flag(value: &Value) -> Option<bool> {
    value.as_bool()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn string(value: &Value) -> String {
    text(value).unwrap_or_default()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(string).collect()
}

#[allow(clippy::unnecessary_wraps, reason = "the field is optional")]
fn some(value: &Value) -> Option<Value> {
    Some(value.clone())
}

fn list(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

fn values(value: &Value) -> Option<Vec<Value>> {
    value.as_array().cloned()
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
