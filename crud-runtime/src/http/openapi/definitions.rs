//! Definitions: the schemas that operations and other schemas define, for the components.

use std::collections::HashMap;

use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::Path;

/// Moves the schemas that operations and other schemas define to the components.
pub(super) fn take_definitions(paths: &mut [Path], schemas: &mut Vec<(String, Schema)>) {
    // Many define the same schema: of equal ones, one is kept.
    let mut found: HashMap<String, Vec<Schema>> = HashMap::new();
    let mut order = Vec::new();
    visit_schemas(paths, schemas, &mut |schema: &mut Schema| {
        for (name, definition) in schema.take_definitions() {
            let known = found.entry(name.clone()).or_default();
            if !known.contains(&definition) {
                order.push((name, definition.clone()));
                known.push(definition);
            }
        }
    });
    schemas.extend(order);
}

/// Changes each schema of the paths and the components.
fn visit_schemas(paths: &mut [Path], schemas: &mut [(String, Schema)], change: &mut impl FnMut(&mut Schema)) {
    for path in paths {
        path.visit(change);
    }
    for (_, schema) in schemas {
        schema.visit(change);
    }
}
