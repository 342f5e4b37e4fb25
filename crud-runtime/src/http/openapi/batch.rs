//! Schemas of batches.

use serde_json::{Value, json};

use super::json_schema::Schema;
use super::refusal::Refusals;
use super::{DocumentedResource, problem, response, schema};
use crate::model::descriptor::Operation;
use crate::model::problem::Code;

/// The names of the schemas that resources share.
pub(crate) const SCHEMAS: [&str; 1] = ["BatchError"];

const OPERATIONS: [Operation; 3] = [Operation::BatchCreate, Operation::BatchUpdate, Operation::BatchDelete];

/// The shared schema by name, where a resource has partial batches.
pub(crate) fn schemas(resources: &[DocumentedResource<'_>], refusals: &Refusals<'_>) -> Option<(String, Schema)> {
    let is_used = |resource: &DocumentedResource<'_>| {
        resource.options.batch.is_some_and(|batch| batch.partial)
            && OPERATIONS.into_iter().any(|operation| resource.offers(operation))
    };
    resources.iter().any(is_used).then(|| {
        let schema = part_error("A failed item of a batch.", "index", "The index of the item, from 0.");
        (SCHEMAS[0].to_owned(), schema.example(refusals.item(1, Code::ValidationFailed)))
    })
}

/// The schema of a part of a body that failed, which has this member.
pub(crate) fn part_error(description: &str, part: &str, part_description: &str) -> Schema {
    // Authentication and permission fail for the batch as a whole, not for an item.
    let codes = response::codes(false).map(Code::as_str);
    let errors = Schema::array(Schema::reference(problem::SCHEMAS[1])).with("minItems", 1);
    let status = "The status that a request for this one alone would have.";
    Schema::object()
        .about(description)
        .member(part, Schema::at_least(0, "int32").about(part_description))
        .member("status", problem::status().about(status))
        .member("code", Schema::choice(codes).about("The problem's code, for programs."))
        .member("detail", Schema::text().about("The problem's description, for people."))
        .optional("errors", errors.about("The errors in it."))
}

/// The schemas of a resource's batches by name.
pub(crate) fn resource_schemas(resource: &DocumentedResource<'_>) -> Vec<(String, Schema)> {
    let DocumentedResource { options, names, examples, .. } = resource;
    let Some(batch) = options.batch else { return Vec::new() };
    let id = options.descriptor.id_column();
    // An atomic batch of several items needs transactions.
    let max_items = if batch.partial || resource.transactions { batch.max_size } else { 1 };
    let list = |member: &str, items: Schema, is_unique: bool, example: Option<Value>| {
        let mut list = Schema::array(items).with("maxItems", max_items);
        if is_unique {
            list.set("uniqueItems", true);
        }
        let example = example.map(|item| json!({ member: [item] }));
        Schema::object().about("A batch.").member(member, list).closed().example(example)
    };
    let mut schemas = Vec::new();
    for operation in OPERATIONS.into_iter().filter(|operation| resource.offers(*operation)) {
        let mut record = examples.record();
        let request = match operation {
            Operation::BatchCreate => list("items", Schema::reference(&names.create()), false, examples.create()),
            Operation::BatchUpdate => {
                schemas.push((names.batch_item(), schema::batch_item(options)));
                let item = examples.patch().zip(examples.id()).map(|(mut item, key)| {
                    item[id.json] = key;
                    item
                });
                list("items", Schema::reference(&names.batch_item()), false, item)
            }
            _ => {
                record = examples.deleted_record();
                list("ids", schema::value_schema(id), true, examples.id())
            }
        };
        schemas.push((names.batch(operation), request));
        let verb = verb(operation);
        let returned = record.map(|record| {
            let mut returned = json!({ verb: 1, "items": [record] });
            if batch.partial {
                returned["failed"] = 0.into();
                returned["errors"] = json!([]);
            }
            returned
        });
        let result = result_schema(verb, &names.record(), batch.partial).example(returned);
        schemas.push((names.batch_result(operation), result));
    }
    schemas
}

const fn verb(operation: Operation) -> &'static str {
    match operation {
        Operation::BatchCreate => "created",
        Operation::BatchUpdate => "updated",
        _ => "deleted",
    }
}

/// The schema of a batch's result.
fn result_schema(verb: &str, record: &str, partial: bool) -> Schema {
    let count = |description: &str| Schema::at_least(0, "int32").about(description);
    let items = Schema::array(Schema::reference(record)).about("Their records, in the order of the batch.");
    let result = Schema::object().about("The result of a batch.");
    let result = result.member(verb, count("The number of items that succeeded."));
    if !partial {
        return result.member("items", items);
    }
    let errors = Schema::array(Schema::reference(SCHEMAS[0]));
    result
        .member("failed", count("The number of items that failed."))
        .member("items", items)
        .member("errors", errors.about("The items that failed, in the order of the batch."))
}
