//! The values of enum fields: one schema of the document for each enum, so that generated clients have one type for it.

use serde_json::Value;

use super::json_schema::Schema;
use super::name::pascal;
use super::relation::documented_columns;
use super::words::Path;
use super::{DocumentedResource, visit_schemas};
use crate::model::value::Kind;

/// An enum of the document.
struct Enumeration {
    name: String,
    texts: &'static [&'static str],
    schema: Schema,
}

/// Replaces the values of enum fields by references that define their schemas. Fields with equal values share the schema of
/// the first.
pub(crate) fn share(paths: &mut [Path], schemas: &mut [(String, Schema)], resources: &[DocumentedResource<'_>]) {
    let mut enumerations: Vec<Enumeration> = Vec::new();
    for resource in resources {
        for column in documented_columns(resource.options.descriptor) {
            let Kind::Enum(texts) = column.kind else { continue };
            let name = resource.names.record() + &pascal(column.json);
            let is_taken = schemas.iter().any(|(known, _)| *known == name);
            if !is_taken && enumerations.iter().all(|known| known.texts != texts && known.name != name) {
                let mut schema = Schema::choice(texts.iter().copied());
                if !column.labels.is_empty() {
                    schema.set("x-enum-descriptions", column.labels.to_vec());
                }
                enumerations.push(Enumeration { name, texts, schema });
            }
        }
    }
    visit_schemas(paths, schemas, &mut |schema: &mut Schema| refer(schema, &enumerations));
}

/// Replaces the type and the values of this schema, if they are those of an enum, or those and null.
fn refer(schema: &mut Schema, enumerations: &[Enumeration]) {
    let Some(Value::Array(values)) = schema.get("enum") else { return };
    let nullable = values.last() == Some(&Value::Null);
    let values = &values[..values.len() - usize::from(nullable)];
    let Some(found) = enumerations.iter().find(|known| values == known.texts) else { return };
    let named = Schema::named(&found.name, found.schema.clone());
    schema.remove("type");
    schema.remove("enum");
    for (keyword, value) in if nullable { named.or_null() } else { named }.keywords() {
        schema.set(keyword, value.clone());
    }
}
