//! The routes in the OpenAPI document.

use crud_runtime::error::Code;
use crud_runtime::routing::Route;
use crud_runtime::utoipa::openapi::header::HeaderBuilder;
use crud_runtime::utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use crud_runtime::utoipa::openapi::request_body::RequestBodyBuilder;
use crud_runtime::utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, SchemaType, Type};
use crud_runtime::utoipa::openapi::{Content, ContentBuilder, Ref, RefOr, Required, Response, ResponseBuilder, Schema};

use crate::field::FileField;
use crate::size;

/// The media type of a body of any type.
const BYTES: &str = "application/octet-stream";

/// The media type of bodies of tus.
const OFFSET_BYTES: &str = "application/offset+octet-stream";

/// The largest body of a request.
pub(super) fn limit(field: &FileField) -> usize {
    usize::try_from(field.options.max).unwrap_or(usize::MAX)
}

fn named(route: Route, field: &FileField, verb: &str, summary: &str) -> Route {
    let id = format!("{verb}{}{}", pascal(field.resource), pascal(field.name));
    route.operation_id(id).summary(format!("{summary} `{}`", field.name))
}

fn pascal(name: &str) -> String {
    let words = name.split(['_', '-']).map(|word| {
        let mut characters = word.chars();
        characters.next().map(|first| first.to_uppercase().chain(characters).collect::<String>()).unwrap_or_default()
    });
    words.collect()
}

pub(super) fn put(route: Route, field: &FileField) -> Route {
    let allowed = field.options.types.join("`, `");
    let description = format!(
        "Uploads the file, which becomes the record's. Its type is that of its first bytes: `{allowed}`; it has at most {}. Its \
         name is that of `Content-Disposition`.",
        size::words(field.options.max)
    );
    let (types, record) = (field.options.types, field.resource);
    let route = named(route, field, "upload", "Upload").description(description).problems([
        Code::NotFound,
        Code::PreconditionFailed,
        Code::BodyTooLarge,
        Code::UnsupportedMediaType,
        Code::RequestTimeout,
        Code::ValidationFailed,
        Code::Unavailable,
    ]);
    route.describe(move |operation| {
        let kinds = types.iter().copied().filter(|kind| !kind.contains('*')).chain([BYTES]);
        let body = kinds.fold(RequestBodyBuilder::new(), |body, kind| body.content(kind, binary()));
        let body = body.required(Some(Required::True)).description(Some("The file's bytes."));
        operation.request_body = Some(RefOr::T(body.build()));
        parameter(operation, "Content-Disposition", "The name of the file: `attachment; filename=\"a.jpg\"`.");
        parameter(operation, "If-Match", "The version that the record must have.");
        let record = ContentBuilder::new().schema(Some(Ref::from_schema_name(record))).build();
        let answer =
            ResponseBuilder::new().description("The record with its file.").content("application/json", record);
        respond(operation, "200", answer.header("ETag", header("The version of the record.")).build());
    })
}

pub(super) fn get(route: Route, field: &FileField) -> Route {
    let types = field.options.types;
    let route =
        named(route, field, "download", "Download").problems([Code::NotFound, Code::HistoryGone, Code::Conflict]);
    let description =
        "Answers with the file's bytes, or with one range of them. Its entity tag is the SHA-256 of the bytes.";
    route.description(description).describe(move |operation| {
        let kinds = types.iter().copied().filter(|kind| !kind.contains('*')).chain([BYTES]);
        let whole = kinds.fold(ResponseBuilder::new(), |answer, kind| answer.content(kind, binary()));
        let whole = whole.description("The file's bytes.");
        let whole = whole.header("ETag", header("The SHA-256 of the bytes, in quotes.")).build();
        let part = ResponseBuilder::new().content(BYTES, binary()).description("The bytes of the range.").build();
        respond(operation, "200", whole);
        respond(operation, "206", part);
        respond(operation, "304", plain("The client has the file."));
        respond(operation, "416", plain("The file has no bytes in the range."));
        parameter(operation, "Range", "The bytes to answer with: `bytes=0-1023`.");
        parameter(operation, "If-Range", "The entity tag that the range is of.");
        parameter(operation, "If-None-Match", "The entity tags that the client has.");
        for (name, words) in [("link", "A link's proof, in place of a token."), ("as_of", "The time of the record.")] {
            let query = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Query).description(Some(words));
            add(operation, query.schema(Some(text())).build());
        }
    })
}

pub(super) fn delete(route: Route, field: &FileField) -> Route {
    let route = named(route, field, "remove", "Remove").problems([Code::NotFound, Code::PreconditionFailed]);
    route.description("Takes the file from the record.").describe(|operation| {
        parameter(operation, "If-Match", "The version that the record must have.");
        respond(operation, "204", plain("The record has no file now."));
    })
}

pub(super) fn link(route: Route, field: &FileField) -> Route {
    let description = "Makes a URL of the file for five minutes that needs no token: for `<img>`, or another program.";
    named(route, field, "link", "Link to").description(description).problems([Code::NotFound])
}

pub(super) fn begin(route: Route, field: &FileField) -> Route {
    let description = "Begins a resumable upload by tus 1.0: `Location` is its path.";
    let route = named(route, field, "beginUploadOf", "Begin a resumable upload of").description(description);
    let max = field.options.max;
    route.problems([Code::NotFound, Code::BodyTooLarge, Code::ValidationFailed]).describe(move |operation| {
        required(operation, "Upload-Length", "The size of the file in bytes.", number(Some(max)));
        parameter(operation, "Upload-Metadata", "`filename` and `filetype`, each with its value in base64.");
        let begun = ResponseBuilder::new().description("The upload is begun.");
        respond(operation, "201", begun.header("Location", header("The path of the upload.")).build());
    })
}

pub(super) fn state(route: Route, field: &FileField) -> Route {
    let route = named(route, field, "stateOfUploadOf", "State of a resumable upload of").problems([Code::NotFound]);
    route.description("Says by `Upload-Offset` how many bytes have arrived.").describe(|operation| {
        let answer = ResponseBuilder::new().description("The state of the upload.");
        respond(
            operation,
            "200",
            answer.header("Upload-Offset", header("The number of bytes that have arrived.")).build(),
        );
    })
}

pub(super) fn append(route: Route, field: &FileField) -> Route {
    let description = "Adds bytes; with the last of them the file is the record's.";
    let route = named(route, field, "appendToUploadOf", "Add to a resumable upload of").description(description);
    let problems =
        [Code::NotFound, Code::Conflict, Code::UnsupportedMediaType, Code::BodyTooLarge, Code::RequestTimeout];
    route.problems(problems).describe(|operation| {
        let body = RequestBodyBuilder::new().content(OFFSET_BYTES, binary()).required(Some(Required::True));
        operation.request_body = Some(RefOr::T(body.description(Some("The bytes from the offset on.")).build()));
        required(operation, "Upload-Offset", "The number of bytes that have arrived.", number(None));
        respond(operation, "204", plain("The bytes have arrived."));
    })
}

pub(super) fn end(route: Route, field: &FileField) -> Route {
    let route = named(route, field, "endUploadOf", "End a resumable upload of").problems([Code::NotFound]);
    route.description("Removes what has arrived.").describe(|operation| {
        respond(operation, "204", plain("The upload is ended."));
    })
}

fn binary() -> Content {
    let bytes = ObjectBuilder::new().schema_type(SchemaType::new(Type::String));
    let bytes = bytes.format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)));
    ContentBuilder::new().schema(Some(Schema::Object(bytes.build()))).build()
}

fn text() -> Schema {
    Schema::Object(ObjectBuilder::new().schema_type(SchemaType::new(Type::String)).build())
}

/// The schema of a number of bytes.
fn number(max: Option<u64>) -> Schema {
    let bytes = ObjectBuilder::new().schema_type(SchemaType::new(Type::Integer));
    let bytes = bytes.format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)));
    Schema::Object(bytes.minimum(Some(0)).maximum(max).build())
}

fn header(words: &str) -> crud_runtime::utoipa::openapi::Header {
    HeaderBuilder::new().schema(Some(text())).description(Some(words)).build()
}

fn plain(words: &str) -> Response {
    ResponseBuilder::new().description(words).build()
}

/// Sets the answer of a status, in place of the one from the handler's type.
fn respond(operation: &mut Operation, status: &str, response: Response) {
    operation.responses.responses.remove("2XX");
    operation.responses.responses.insert(status.to_owned(), RefOr::T(response));
}

fn parameter(operation: &mut Operation, name: &str, words: &str) {
    add(operation, of_header(name, words).build());
}

fn required(operation: &mut Operation, name: &str, words: &str, schema: Schema) {
    add(operation, of_header(name, words).required(Required::True).schema(Some(schema)).build());
}

fn of_header(name: &str, words: &str) -> ParameterBuilder {
    let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Header).required(Required::False);
    parameter.description(Some(words)).schema(Some(text()))
}

fn add(operation: &mut Operation, parameter: Parameter) {
    operation.parameters.get_or_insert_default().push(RefOr::T(parameter));
}
