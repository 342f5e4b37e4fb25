//! The values of enum fields: one schema of the document for each enum, so that generated clients have one type for it.

use serde_json::{Map, Value, json};

use super::documented_column::documented_columns;
use super::name::pascal;
use super::{DocumentedResource, reference};
use crate::model::value::Kind;

/// The schema of an enum.
struct Enumeration {
    name: String,
    texts: Value,
    is_used: bool,
}

/// Moves the values of enum fields to the components. Fields with equal values share the schema of the first.
pub(crate) fn share(document: &mut Value, resources: &[DocumentedResource<'_>]) {
    let mut enumerations: Vec<Enumeration> = Vec::new();
    for resource in resources {
        for column in documented_columns(resource.options.descriptor) {
            let Kind::Enum(texts) = column.kind else { continue };
            let texts = json!(texts);
            let name = resource.names.record() + &pascal(column.json);
            let is_taken = !document["components"]["schemas"][&name].is_null();
            if !is_taken && enumerations.iter().all(|known| known.texts != texts && known.name != name) {
                enumerations.push(Enumeration { name, texts, is_used: false });
            }
        }
    }
    if enumerations.is_empty() {
        return;
    }
    replace(document, &mut enumerations);
    for Enumeration { name, texts, .. } in enumerations.into_iter().filter(|of| of.is_used) {
        document["components"]["schemas"][name] = json!({ "type": "string", "enum": texts });
    }
}

/// Replaces the schemas of values by references, also within others.
fn replace(node: &mut Value, enumerations: &mut [Enumeration]) {
    match node {
        Value::Array(items) => items.iter_mut().for_each(|item| replace(item, enumerations)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| replace(member, enumerations));
            refer(members, enumerations);
        }
        _ => {}
    }
}

/// Replaces the type and the values of this schema, if they are those of an enum, or those and null.
fn refer(schema: &mut Map<String, Value>, enumerations: &mut [Enumeration]) {
    let Some(Value::Array(texts)) = schema.get("enum") else { return };
    let nullable = texts.last() == Some(&Value::Null);
    let texts = &texts[..texts.len() - usize::from(nullable)];
    let Some(known) = enumerations.iter_mut().find(|known| known.texts.as_array().is_some_and(|of| of == texts)) else {
        return;
    };
    known.is_used = true;
    schema.remove("type");
    schema.remove("enum");
    let reference = reference("schemas", &known.name);
    if nullable {
        schema.insert("oneOf".to_owned(), json!([reference, { "type": "null" }]));
    } else {
        schema.insert("$ref".to_owned(), reference["$ref"].clone());
    }
}
