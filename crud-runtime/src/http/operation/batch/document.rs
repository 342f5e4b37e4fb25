//! Batches in the document.

use axum::http::StatusCode;
use serde_json::{Value, json};

use crate::http::body::batch::{IDS, ITEMS};
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::json_schema::Schema;
use crate::http::openapi::name::BATCH_ERROR;
use crate::http::openapi::schema;
use crate::http::openapi::words::{Answer, Words};
use crate::http::operation::route::Route;
use crate::model::descriptor::Operation;
use crate::model::problem::Code;

/// The operation in the document.
pub(super) fn document(resource: &DocumentedResource<'_>, route: &Route) -> Words {
    let DocumentedResource { options, names, .. } = resource;
    let operation = route.operation;
    let (verb, request, result) = match operation {
        Operation::BatchCreate => ("Create", "BatchCreate", "BatchCreated"),
        Operation::BatchUpdate => ("Update", "BatchUpdate", "BatchUpdated"),
        _ => ("Delete", "BatchDelete", "BatchDeleted"),
    };
    let partial = options.batch.is_some_and(|batch| batch.partial);
    let result = Schema::named(&names.schema(result), result_schema(resource, operation, partial));
    let result = |description| Answer::json(description, result.clone());
    let description = if partial {
        "Each item succeeds or fails independently."
    } else {
        "All items succeed, or nothing is changed."
    };
    let words = Words::about(format!("{verb} several {}", resource.plural()), description)
        .json("The items.", Schema::named(&names.schema(request), request_schema(resource, operation, partial)))
        .answer(StatusCode::OK, result("The result of the batch."))
        .problems(&[Code::BatchTooLarge]);
    if partial {
        return words.answer(StatusCode::MULTI_STATUS, result("Some items failed; the others were changed."));
    }
    let mut problems = Vec::new();
    if !resource.transactions {
        problems.push(Code::UnsupportedHere);
    }
    match operation {
        Operation::BatchDelete if resource.is_kept && options.descriptor.soft_delete.is_none() => {
            problems.push(Code::Referenced);
        }
        Operation::BatchDelete => {}
        _ => {
            problems.extend(resource.conflicts(operation == Operation::BatchUpdate));
            problems.push(Code::ConstraintFailed);
        }
    }
    if operation != Operation::BatchCreate {
        problems.push(Code::NotFound);
    }
    words.problems(&problems)
}

fn request_schema(resource: &DocumentedResource<'_>, operation: Operation, partial: bool) -> Schema {
    let DocumentedResource { options, names, examples, .. } = resource;
    let (member, items, example) = match operation {
        Operation::BatchCreate => (ITEMS, Schema::reference(&names.schema("Create")), examples.create()),
        Operation::BatchUpdate => {
            let item = examples.patch().and_then(|item| examples.with_key(item));
            (ITEMS, Schema::named(&names.schema("BatchItem"), schema::batch_item(options)), item)
        }
        _ => (IDS, schema::key_schema(options.descriptor), examples.id()),
    };
    // An atomic batch of several items needs transactions.
    let max_items = options.batch.filter(|_| partial || resource.transactions).map_or(1, |batch| batch.max_size);
    let mut list = Schema::array(items).with("maxItems", max_items);
    if operation == Operation::BatchDelete {
        list.set("uniqueItems", true);
    }
    let example = example.map(|item| json!({ member: [item] }));
    Schema::object().about("A batch.").member(member, list).closed().example(example)
}

fn result_schema(resource: &DocumentedResource<'_>, operation: Operation, partial: bool) -> Schema {
    let (done, record) = match operation {
        Operation::BatchCreate => ("created", resource.examples.record()),
        Operation::BatchUpdate => ("updated", resource.examples.record()),
        _ => ("deleted", resource.examples.deleted_record()),
    };
    let count = |description: &str| Schema::at_least(0, "int32").about(description);
    let result =
        Schema::object().about("The result of a batch.").member(done, count("The number of items that succeeded."));
    let items = Schema::array(resource.record()).about("Their records, in the order of the batch.");
    let example = |record: Value| json!({ done: 1, ITEMS: [record] });
    if !partial {
        return result.member(ITEMS, items).example(record.map(example));
    }
    let errors = Schema::array(Schema::reference(BATCH_ERROR));
    result
        .member("failed", count("The number of items that failed."))
        .member(ITEMS, items)
        .member("errors", errors.about("The items that failed, in the order of the batch."))
        .example(record.map(|record| json!({ done: 1, "failed": 0, ITEMS: [record], "errors": [] })))
}
