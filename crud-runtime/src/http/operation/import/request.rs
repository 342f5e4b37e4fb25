//! The request of an import: its route, its parameters, its body, and the answer.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::{Method, StatusCode, header};
use axum::response::Response;
use serde_json::json;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout};

use super::{Format, Import, Options, Report, Source, Whole};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::name::{IMPORT_ERROR, IMPORT_RESULT};
use crate::http::description::operation_doc::{Answer, Body as DocumentBody, OperationDoc};
use crate::http::description::problem::part_error;
use crate::http::handler::{BodyReader, ResourceRequest, require_access, response};
use crate::http::operation::batch::PartError;
use crate::http::operation::create;
use crate::http::operation::route::{Body, OperationRoute, handler};
use crate::http::param;
use crate::http::param::header::idempotency_key::IDEMPOTENCY_KEY;
use crate::http::param::import::ImportQuery;
use crate::http::param::upsert;
use crate::http::server::memory_budget::Reservation;
use crate::http::state::ServiceState;
use crate::model::descriptor::{Descriptor, Operation};
use crate::model::problem::{Code, FieldError, Part, Problem};

pub(in crate::http::operation) fn route() -> OperationRoute {
    let route =
        OperationRoute::new(Method::POST, "/import", Operation::Create, "import{many}", handler!(import), document);
    OperationRoute {
        is_of: |resource| resource.import.is_some(),
        // An import takes as long as its file: each part of it has the time of a request.
        policy: route.policy.untimed(),
        parameters: None,
        body: Body::File,
        is_replaced: false,
        more_access: create::upserts,
        ..route
    }
}

async fn import(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let options = options(&request)?;
    let mut reader = request.body_reader.take();
    let mut body = FileBody::of(&request, &mut reader);
    match import_of(&request, options).run(&mut body, |_| {}).await {
        Ok(report) => Ok(answer(&report)),
        Err(problem) => {
            // The memory is released while the client sends the rest of the file to read the answer.
            drop(body);
            reader.drain().await;
            Err(problem)
        }
    }
}

fn import_of(request: &ResourceRequest, options: Options) -> Import<'_> {
    let limit = request.state.limits().request;
    Import { mounted: &request.mounted, identity: &request.identity, writer: request.writer(), options, limit }
}

/// An all-or-none file that is read before the transaction which writes it, with the memory of its records.
pub(crate) struct PreparedImport {
    whole: Whole,
    _reservation: Reservation,
}

impl PreparedImport {
    /// Reads the file of a request, and looks up what its records refer to.
    ///
    /// # Errors
    /// Errors of an import that writes nothing.
    pub(crate) async fn read(mut request: Box<ResourceRequest>) -> Result<Self, Problem> {
        let options = options(&request)?;
        let mut reader = request.body_reader.take();
        let mut body = FileBody::of(&request, &mut reader);
        let whole = import_of(&request, options).prepare(&mut body).await?;
        Ok(Self { whole, _reservation: body.reservation })
    }

    /// Writes the records in the transaction of a request.
    ///
    /// # Errors
    /// Errors of the import.
    pub(crate) async fn write(&mut self, request: &ResourceRequest) -> Result<Response, Problem> {
        let report = import_of(request, options(request)?).write_whole(&mut self.whole).await?;
        Ok(answer(&report))
    }
}

/// Waits until an all-or-none file may be written, which is while the permit is held.
///
/// # Errors
/// `unavailable` where other files are written for as long as a request may take.
pub(crate) async fn turn(state: &ServiceState) -> Result<OwnedSemaphorePermit, Problem> {
    let busy = || Problem::new(Code::Unavailable, "other files are being imported; try again later");
    let permit = timeout(state.limits().request, state.imports().clone().acquire_owned()).await;
    permit.ok().and_then(Result::ok).ok_or_else(busy)
}

/// Refuses a request with an `Idempotency-Key` whose file is not all or none: a failed request would leave parts
/// written, and no record of the key.
///
/// # Errors
/// `validation_failed`, also for malformed parameters.
pub(crate) fn require_whole(request: &ResourceRequest) -> Result<(), Problem> {
    if !options(request)?.partial {
        return Ok(());
    }
    let detail = "is allowed with `mode=atomic` only; a partial import is repeated by `on_conflict`";
    Err(Problem::validation([FieldError::parameter(IDEMPOTENCY_KEY.as_str(), "value", detail)]))
}

/// The options that the parameters and the media type name.
fn options(request: &ResourceRequest) -> Result<Options, Problem> {
    let resource = request.resource();
    let Some(import) = resource.import else {
        return Err(Problem::internal(format!("{} has no imports", resource.name)));
    };
    let is_csv = is_csv(request)?;
    let query = request.parts.uri.query();
    let parameters = ImportQuery::parse(query, is_csv)?;
    let upsert = upsert::target(resource, query)?;
    if upsert.is_some() {
        require_access(&request.state, &request.identity, Operation::Update, resource)?;
        if !parameters.partial {
            let detail = "needs `mode=partial`: each record is created or changed by itself";
            return Err(Problem::validation([FieldError::parameter("on_conflict", "value", detail)]));
        }
    }
    let limits = request.state.limits();
    let format = if is_csv { Format::Csv { raw: parameters.is_raw() } } else { Format::Ndjson };
    let (max_rows, max_bytes, max_record) = (u64::from(import.max_rows), limits.batch_body, limits.body);
    let ImportQuery { partial, dry_run, .. } = parameters;
    Ok(Options { format, partial, dry_run, upsert, max_rows, max_bytes, max_record })
}

/// Whether the body has comma-separated values.
///
/// # Errors
/// `unsupported_media_type` where the body is neither that nor lines of JSON, or is compressed.
fn is_csv(request: &ResourceRequest) -> Result<bool, Problem> {
    let headers = request.headers();
    let refuse = |detail: &str| Err(Problem::new(Code::UnsupportedMediaType, detail));
    if headers.get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        return refuse("the body must not be compressed");
    }
    let given = headers.get(header::CONTENT_TYPE).and_then(|given| given.to_str().ok()).unwrap_or_default();
    let mut pieces = given.split(';').map(str::trim);
    let essence = pieces.next().unwrap_or_default().to_ascii_lowercase();
    for piece in pieces {
        let Some((name, value)) = piece.split_once('=') else { continue };
        let (name, value) = (name.trim(), value.trim().trim_matches('"'));
        if name.eq_ignore_ascii_case("charset") && !value.eq_ignore_ascii_case("utf-8") {
            return refuse("the file must be UTF-8");
        }
        if name.eq_ignore_ascii_case("header") && value.eq_ignore_ascii_case("absent") {
            return refuse("the file's first line must have the fields' names");
        }
    }
    match essence.as_str() {
        "text/csv" => Ok(true),
        "application/x-ndjson" | "application/ndjson" | "application/jsonl" => Ok(false),
        _ => refuse("the body must be text/csv or application/x-ndjson"),
    }
}

/// The body of a request.
struct FileBody<'a> {
    reader: &'a mut BodyReader,
    /// Memory of the bytes that are read and not yet written.
    reservation: Reservation,
    /// The service whose other imports this one waits for.
    waits: Option<ServiceState>,
    limit: Duration,
}

impl<'a> FileBody<'a> {
    fn of(request: &ResourceRequest, reader: &'a mut BodyReader) -> Self {
        let (reservation, limit) = (reader.reservation(), request.state.limits().request);
        // Within a transaction, the file has waited for its permit before.
        let waits = request.transaction().is_none().then(|| request.state.clone());
        Self { reader, reservation, waits, limit }
    }
}

impl Source for FileBody<'_> {
    async fn next(&mut self) -> Result<Option<Bytes>, Problem> {
        self.reader.frame(&mut self.reservation).await
    }

    async fn keep(&mut self, bytes: usize) -> Result<(), Problem> {
        let most = self.reader.memory_limit();
        if bytes > most {
            let detail = format!(
                "the records of the file take more than the {most} bytes of memory that requests may reservation together: import \
                 it in parts, or with `mode=partial`"
            );
            return Err(Problem::new(Code::BatchTooLarge, detail));
        }
        self.reservation.grow_to(bytes).await
    }

    async fn turn(&mut self) -> Result<Option<OwnedSemaphorePermit>, Problem> {
        match &self.waits {
            Some(state) => turn(state).await.map(Some),
            None => Ok(None),
        }
    }

    fn proceed(&mut self) {
        self.reservation = self.reader.reservation();
        self.reader.extend(Instant::now() + self.limit);
    }
}

/// The answer to an import.
fn answer(report: &Report) -> Response {
    let Report { created, updated, skipped, failed, problems } = report;
    let errors = problems.iter().map(|(line, problem)| PartError::new(Part::Line(*line), problem));
    let errors: Vec<PartError<'_>> = errors.collect();
    let answer =
        json!({ "created": created, "updated": updated, "skipped": skipped, "failed": failed, "errors": errors });
    let status = if *failed == 0 { StatusCode::OK } else { StatusCode::MULTI_STATUS };
    response::json(status, answer.to_string())
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let descriptor = resource.options.descriptor;
    let result = |description| Answer::json(description, result_schema());
    let text = Schema::text;
    OperationDoc::about(format!("Import {}", resource.plural()), description(descriptor))
        .parameters(param::import::document(descriptor))
        .body(DocumentBody::new("The file.", [("application/x-ndjson", text()), ("text/csv", text())]))
        .answer(StatusCode::OK, result("The records are imported."))
        .answer(StatusCode::MULTI_STATUS, result("Some records were refused."))
        .problems(&resource.conflicts(!descriptor.offered_upserts().is_empty()))
        .problems(&[Code::ConstraintFailed, Code::BatchTooLarge])
        .problem_if(!resource.transactions, Code::UnsupportedHere)
}

fn result_schema() -> Schema {
    let line = "The line of the file that the record begins on, from 1.";
    let error = part_error("A record that was not imported.", "line", line);
    let errors = Schema::array(Schema::named(IMPORT_ERROR, error)).with("maxItems", 100);
    let result = Schema::object()
        .about("The result of an import.")
        .member("created", Schema::count().about("How many records were created."))
        .member("updated", Schema::count().about("How many had the values of `on_conflict`, and were changed."))
        .member("skipped", Schema::count().about("How many had the values of `on_conflict`, and stayed."))
        .member("failed", Schema::count().about("How many were refused."))
        .member("errors", errors.about("The first of those that were refused."));
    Schema::named(IMPORT_RESULT, result)
}

fn description(resource: &Descriptor) -> String {
    let keys = if resource.id_column().is_assigned() {
        " Records get new keys: references in other files still have the old ones."
    } else {
        ""
    };
    format!(
        "Creates records from a file: a JSON object a line, or comma-separated values below a line with the fields' names. \
         What the service sets of a record is ignored, so that an export can be imported.{keys}"
    )
}
