//! The values of enum fields: one schema of the document for each enum, so that generated clients have one type for it.

use serde_json::{Value, json};

use super::DocumentedResource;
use super::json_schema::Schema;
use super::name::pascal;
use super::relation::documented_columns;
use super::words::Path;
use crate::model::value::Kind;

/// The schema of an enum.
struct Enumeration {
    name: String,
    texts: Value,
    is_used: bool,
}

/// Moves the values of enum fields to the components. Fields with equal values share the schema of the first.
pub(crate) fn share(paths: &mut [Path], schemas: &mut Vec<(String, Schema)>, resources: &[DocumentedResource<'_>]) {
    let mut enumerations: Vec<Enumeration> = Vec::new();
    for resource in resources {
        for column in documented_columns(resource.options.descriptor) {
            let Kind::Enum(texts) = column.kind else { continue };
            let texts = json!(texts);
            let name = resource.names.record() + &pascal(column.json);
            let is_taken = schemas.iter().any(|(known, _)| *known == name);
            if !is_taken && enumerations.iter().all(|known| known.texts != texts && known.name != name) {
                enumerations.push(Enumeration { name, texts, is_used: false });
            }
        }
    }
    if enumerations.is_empty() {
        return;
    }
    let refer = &mut |schema: &mut Schema| refer(schema, &mut enumerations);
    paths.iter_mut().for_each(|path| path.visit(refer));
    schemas.iter_mut().for_each(|(_, schema)| schema.visit(refer));
    let used = enumerations.into_iter().filter(|of| of.is_used);
    schemas.extend(used.map(|Enumeration { name, texts, .. }| (name, Schema::text().with("enum", texts))));
}

/// Replaces the type and the values of this schema, if they are those of an enum, or those and null.
fn refer(schema: &mut Schema, enumerations: &mut [Enumeration]) {
    let Some(Value::Array(texts)) = schema.get("enum") else { return };
    let nullable = texts.last() == Some(&Value::Null);
    let texts = &texts[..texts.len() - usize::from(nullable)];
    let Some(known) = enumerations.iter_mut().find(|known| known.texts.as_array().is_some_and(|of| of == texts)) else {
        return;
    };
    known.is_used = true;
    let reference = Schema::reference(&known.name);
    schema.remove("type");
    schema.remove("enum");
    let replacing = if nullable { reference.or_null() } else { reference };
    for (keyword, value) in replacing.keywords() {
        schema.set(keyword, value.clone());
    }
}
