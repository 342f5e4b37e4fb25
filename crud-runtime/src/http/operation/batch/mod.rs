//! Batches: `POST`, `PUT` and `DELETE {prefix}/batch`, and `POST {prefix}/batch/delete`.

use std::io::Write as _;
use std::ops::Range;

use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde::Serialize;
use serde_json::{Value as Json, json};

use super::route::{Body, Extent, Handler, OperationRoute, handler};
use crate::http::body::batch::{self, IDS, ITEMS};
use crate::http::body::{BodyKind, whole_key};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::name::BATCH_ERROR;
use crate::http::description::operation_doc::{Answer, OperationDoc};
use crate::http::description::{record_schema, value_schema};
use crate::http::handler::precondition::Several;
use crate::http::handler::{ResourceRequest, response};
use crate::http::render;
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::{Code, FieldError, Part, Problem};
use crate::model::row::Row;
use crate::model::value::Value;
use crate::query::visibility::FieldVisibility;
use crate::storage::write::{Mode, WriteSink};

pub(super) fn routes() -> [OperationRoute; 4] {
    let route = |method, path, operation, id: &'static str, handler: Handler| OperationRoute {
        body: Body::Batch,
        extent: Extent::Batch,
        ..OperationRoute::new(method, path, operation, id, handler, document)
    };
    let create: Handler = handler!(run, Operation::BatchCreate);
    let update: Handler = handler!(run, Operation::BatchUpdate);
    let delete: Handler = handler!(run, Operation::BatchDelete);
    [
        route(Method::POST, "/batch", Operation::BatchCreate, "batchCreate{many}", create),
        route(Method::PUT, "/batch", Operation::BatchUpdate, "batchUpdate{many}", update),
        route(Method::DELETE, "/batch", Operation::BatchDelete, "batchDelete{many}", delete),
        // For clients that cannot send a body with `DELETE`.
        route(Method::POST, "/batch/delete", Operation::BatchDelete, "batchDelete{many}ByPost", delete),
    ]
}

async fn run(mut request: Box<ResourceRequest>, operation: Operation) -> Result<Response, Problem> {
    PreparedBatch::read(&mut request, operation).await?.write(&request).await
}

/// A batch whose body is read, but not written yet.
pub(crate) struct PreparedBatch {
    /// Whether each item succeeds or fails by itself.
    partial: bool,
    /// The verb of the answer.
    verb: &'static str,
    /// The index of each change in the batch.
    indexes: Vec<usize>,
    changes: Several,
    /// The items that are invalid, by index.
    failed: Vec<(usize, Problem)>,
    /// The body, kept so that its memory counts while its records wait to be written.
    _body: Bytes,
}

impl PreparedBatch {
    /// Reads the body of a request for this operation.
    ///
    /// # Errors
    /// Problems of the body as a whole: the write reports those of items.
    pub(crate) async fn read(request: &mut ResourceRequest, operation: Operation) -> Result<Self, Problem> {
        let Some(options) = request.mounted.options().batch else {
            return Err(Problem::internal(format!("{} has no batches", request.resource().name)));
        };
        let bytes = request.json_body(request.state.limits().batch_body).await?;
        let most = options.max_size as usize;
        let (verb, (indexes, changes, failed)) = match operation {
            Operation::BatchCreate => {
                let rules = request.body_rules(BodyKind::Create)?;
                let (indexes, bodies, failed) = batch::items(&request.mounted, &rules, &bytes, most)?;
                let records = bodies.into_iter().map(|body| request.new_record(body.changes));
                ("created", (indexes, Several::Insert(records.collect()), failed))
            }
            Operation::BatchUpdate => {
                let rules = request.body_rules(BodyKind::Update)?;
                let (indexes, bodies, failed) = batch::items(&request.mounted, &rules, &bytes, most)?;
                // Without a whole key, an item is invalid already.
                let key = |key: &Changes| whole_key(request.resource(), key).unwrap_or_else(|| Value::Null.into());
                let updates = bodies.into_iter().map(|body| (key(&body.key), body.changes));
                ("updated", (indexes, Several::Update(updates.collect()), failed))
            }
            _ => {
                let (indexes, ids, failed) = batch::ids(request.resource(), &bytes, most)?;
                ("deleted", (indexes, Several::Delete(ids), failed))
            }
        };
        Ok(Self { partial: options.partial, verb, indexes, changes, failed, _body: bytes })
    }

    /// Writes the changes and renders the response.
    ///
    /// # Errors
    /// The problems of the items, where one fails and the batch is all or none.
    pub(crate) async fn write(self, request: &ResourceRequest) -> Result<Response, Problem> {
        let Self { partial, verb, indexes, changes, mut failed, _body } = self;
        let writer = request.writer();
        if !partial {
            writer.check_atomic(indexes.len() + failed.len())?;
        }
        let mut sink = RecordBuffer::new(request, indexes.len());
        let mode = match (partial, failed.is_empty()) {
            (true, _) => Mode::Partial,
            (false, true) => Mode::Atomic,
            // Nothing is written: a rehearsal finds the other items that would fail.
            (false, false) => Mode::Rehearsal,
        };
        let results = changes.write(&request.identity, &writer, mode, &mut sink).await?;
        let mut done = 0_usize;
        for (index, result) in indexes.into_iter().zip(results) {
            match result {
                Ok(()) => done += 1,
                Err(problem) => failed.push((index, problem)),
            }
        }
        failed.sort_by_key(|(index, _)| *index);
        if !failed.is_empty() && !partial {
            return Err(Problem::from_items(failed));
        }
        let status = if failed.is_empty() { StatusCode::OK } else { StatusCode::MULTI_STATUS };
        let mut out = Vec::with_capacity(sink.out.len() + 64);
        // Writing to memory cannot fail.
        let _ = write!(out, "{{\"{verb}\":{done},");
        if partial {
            let _ = write!(out, "\"failed\":{},", failed.len());
        }
        out.extend_from_slice(b"\"items\":[");
        sink.write_to(&mut out);
        out.push(b']');
        if partial {
            let errors: Vec<PartError<'_>> =
                failed.iter().map(|(index, problem)| PartError::new(Part::Index(*index), problem)).collect();
            out.extend_from_slice(b",\"errors\":");
            drop(serde_json::to_writer(&mut out, &errors));
        }
        out.push(b'}');
        Ok(response::json(status, out))
    }
}

/// A write sink that renders records, which arrive in any order.
struct RecordBuffer {
    resource: &'static Descriptor,
    view: FieldVisibility,
    out: Vec<u8>,
    /// The range of each change in `out`; empty without a record.
    ranges: Vec<Range<usize>>,
}

impl RecordBuffer {
    fn new(request: &ResourceRequest, changes: usize) -> Self {
        let (resource, view) = (request.resource(), request.identity.view.clone());
        Self { resource, view, out: Vec::with_capacity(256 * changes), ranges: vec![0..0; changes] }
    }

    /// Appends the records in the order of their changes, separated by commas.
    fn write_to(&self, out: &mut Vec<u8>) {
        for (position, range) in self.ranges.iter().filter(|range| !range.is_empty()).enumerate() {
            if position > 0 {
                out.push(b',');
            }
            out.extend_from_slice(&self.out[range.clone()]);
        }
    }
}

impl WriteSink for RecordBuffer {
    fn record(&mut self, index: usize, row: &dyn Row) -> Result<(), AdapterError> {
        let start = self.out.len();
        render::write_record(&mut self.out, self.resource, &self.view, row)?;
        self.ranges[index] = start..self.out.len();
        Ok(())
    }
}

/// Error of a part of a body.
#[derive(Serialize)]
pub(super) struct PartError<'a> {
    #[serde(flatten)]
    part: Part,
    status: u16,
    code: &'static str,
    detail: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    errors: &'a [FieldError],
}

impl<'a> PartError<'a> {
    pub(super) fn new(part: Part, problem: &'a Problem) -> Self {
        let (code, detail, errors) = (problem.code(), problem.detail(), problem.errors());
        Self { part, status: code.status().as_u16(), code: code.as_str(), detail, errors }
    }
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, route: &OperationRoute) -> OperationDoc {
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
    let words = OperationDoc::about(format!("{verb} several {}", resource.plural()), description)
        .json("The items.", Schema::named(&names.schema(request), request_schema(resource, operation, partial)))
        .answer(StatusCode::OK, result("The result of the batch."))
        .problems(&[Code::BatchTooLarge]);
    if partial {
        return words.answer(StatusCode::MULTI_STATUS, result("Some items failed; the others were changed."));
    }
    let words = words
        .problem_if(!resource.transactions, Code::UnsupportedHere)
        .problem_if(operation != Operation::BatchCreate, Code::NotFound);
    if operation == Operation::BatchDelete {
        let is_removed = options.descriptor.soft_delete.is_none();
        let words = words.problem_if(resource.is_kept && is_removed, Code::Referenced);
        return words.problem_if(resource.keeps_role(), Code::LastMember);
    }
    words.problems(&resource.conflicts(operation == Operation::BatchUpdate)).problems(&[Code::ConstraintFailed])
}

fn request_schema(resource: &DocumentedResource<'_>, operation: Operation, partial: bool) -> Schema {
    let DocumentedResource { options, names, examples, .. } = resource;
    let (member, items, example) = match operation {
        Operation::BatchCreate => (ITEMS, Schema::reference(&names.schema("Create")), examples.create()),
        Operation::BatchUpdate => {
            let item = examples.patch().and_then(|item| examples.with_key(item));
            (ITEMS, Schema::named(&names.schema("BatchItem"), record_schema::batch_item(options)), item)
        }
        _ => (IDS, value_schema::key_schema(options.descriptor), examples.id()),
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
    let example = |record: Json| json!({ done: 1, ITEMS: [record] });
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
