//! The writer of the document: the JSON of its parts.
//!
//! The members of each object are in the order of the specification, but for extensions, which are last.

mod added_responses;
mod meaning;
pub(crate) mod merge;

use std::collections::BTreeMap;

use axum::http::Method;
use serde_json::{Map, Value, json};

use crate::http::description::auth::SCHEME;
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::{Answer, Body, Link, OperationDoc, ParameterObject, Path, Token};
use crate::http::description::security::Security;
use crate::http::description::security_scheme::SecurityScheme;
use crate::http::description::written_schema::written as schema;
use crate::http::openapi::info::Info;
use crate::http::openapi::problem::{component_key, grouped};
use crate::http::openapi::refusal::Refusals;
use crate::http::openapi::tag_tree::Tag;
use crate::model::problem::Code;

/// Writes a document of OpenAPI 3.2. The components contain the parameters, headers and problems that operations refer
/// to.
pub(crate) fn write(
    info: &Info,
    tags: &[Tag],
    paths: &[Path],
    schemas: &[(String, Schema)],
    refusals: Refusals<'_>,
    security: Option<&Security>,
) -> Value {
    let schemes = security.map(schemes).unwrap_or_default();
    let requirements = schemes.keys().map(|name| json!({ name: [] })).collect();
    let operations = || paths.iter().flat_map(|path| &path.operations).map(|(_, words)| words);
    let problems: Vec<Code> = operations().flat_map(|words| words.problems.iter().copied()).collect();
    let problems = grouped(&problems);
    let mut writer = Writer { refusals, problems, components: Components::default(), requirements };
    let written: Map<_, _> = paths.iter().map(|path| (path.template.clone(), writer.path_item(path))).collect();
    let schemas = schemas.iter().map(|(name, of)| (name.clone(), schema(of))).collect();
    json!({
        "openapi": "3.2.0",
        "info": info.written(),
        "servers": [{ "url": "/" }],
        "paths": written,
        "components": writer.components.written(schemas, schemes),
        "tags": tags.iter().map(Tag::written).collect::<Vec<_>>(),
    })
}

/// An object of the members that have a value.
pub(crate) fn members<'n>(members: impl IntoIterator<Item = (&'n str, Option<Value>)>) -> Value {
    let members = members.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(members.collect())
}

/// A text; `None` where it is empty.
pub(crate) fn filled(text: &str) -> Option<Value> {
    Some(text).filter(|text| !text.is_empty()).map(Value::from)
}

/// An object by the names of its members; `None` where it is empty.
fn sorted(members: BTreeMap<String, Value>) -> Option<Value> {
    (!members.is_empty()).then(|| members.into_iter().collect())
}

/// The security schemes by name: that of tokens, and those of the program.
fn schemes(security: &Security) -> BTreeMap<String, Value> {
    let tokens = security.has_tokens.then(|| (SCHEME.to_owned(), security_scheme(&security.scheme)));
    let all = tokens.into_iter().chain(security.schemes.iter().cloned());
    all.map(|(name, scheme)| (name, scheme.json())).collect()
}

fn security_scheme(scheme: &str) -> SecurityScheme {
    if scheme == "Bearer" {
        return SecurityScheme::bearer().bearer_format("JWT").description("An access token.");
    }
    SecurityScheme::header("Authorization").description(&format!("An access token: `{scheme} <token>`."))
}

/// The extension that states an access rule.
const ACCESS: &str = "x-access";

/// The extension that states the codes of an operation's problems: the shared responses list the codes of all
/// operations. It omits codes that the status tells: the only code of a status, and the service's own failures, which
/// any operation may answer.
const PROBLEMS: &str = "x-problems";

/// The codes that an operation's extension states.
fn stated_codes(words: &OperationDoc) -> Option<Value> {
    let has_others = |code: &Code| Code::ALL.iter().filter(|other| other.status() == code.status()).count() > 1;
    let is_stated = |code: &Code| !code.status().is_server_error() && has_others(code);
    let codes = Code::ALL.into_iter().filter(|code| words.problems.contains(code)).filter(is_stated);
    let codes: Vec<&str> = codes.map(Code::as_str).collect();
    (!codes.is_empty()).then(|| codes.into())
}

/// The components that operations refer to, by their names.
#[derive(Default)]
struct Components {
    responses: BTreeMap<String, Value>,
    parameters: BTreeMap<String, Value>,
    headers: BTreeMap<String, Value>,
}

impl Components {
    fn written(self, schemas: BTreeMap<String, Value>, schemes: BTreeMap<String, Value>) -> Value {
        let Self { responses, parameters, headers } = self;
        members([
            ("schemas", sorted(schemas)),
            ("responses", sorted(responses)),
            ("parameters", sorted(parameters)),
            ("headers", sorted(headers)),
            ("securitySchemes", sorted(schemes)),
        ])
    }
}

struct Writer<'a> {
    refusals: Refusals<'a>,
    /// The problems of all operations by status.
    problems: Vec<(String, Vec<Code>)>,
    components: Components,
    /// One requirement for each security scheme.
    requirements: Vec<Value>,
}

/// The methods of a path item, in the order of the specification.
const METHODS: [(Method, &str); 6] = [
    (Method::GET, "get"),
    (Method::PUT, "put"),
    (Method::POST, "post"),
    (Method::DELETE, "delete"),
    (Method::PATCH, "patch"),
    (Method::QUERY, "query"),
];

impl Writer<'_> {
    fn path_item(&mut self, path: &Path) -> Value {
        let parameters = self.parameters(&path.parameters);
        let operations = METHODS.iter().map(|(method, name)| {
            let words = path.operations.iter().rfind(|(of, _)| of == method).map(|(_, words)| words);
            (*name, words.map(|words| self.operation(words)))
        });
        members([("parameters", parameters)].into_iter().chain(operations))
    }

    fn operation(&mut self, words: &OperationDoc) -> Value {
        let any = self.requirements.iter().cloned();
        let security: Vec<Value> = match words.token {
            Token::None => Vec::new(),
            Token::Optional => std::iter::once(json!({})).chain(any).collect(),
            Token::Required => any.collect(),
        };
        let parameters = self.parameters(&words.parameters);
        let mut responses = self.responses(words);
        for added in &words.responses {
            added_responses::add(&mut responses, added(), &self.components.responses);
        }
        let mut operation = members([
            ("tags", Some(words.tags.clone().into())),
            ("summary", filled(&words.summary)),
            ("description", filled(&words.description)),
            ("operationId", filled(&words.id)),
            ("parameters", parameters),
            ("requestBody", words.body.as_ref().map(request_body)),
            ("responses", Some(responses.into_iter().collect())),
            ("deprecated", words.is_deprecated.then_some(true.into())),
            ("security", Some(security.into())),
            (ACCESS, words.access.as_deref().map(Value::from)),
            (PROBLEMS, stated_codes(words)),
        ]);
        if let Some(describe) = &words.describe {
            describe(&mut operation);
        }
        operation
    }

    fn parameters(&mut self, parameters: &[ParameterObject]) -> Option<Value> {
        let written = parameters.iter().map(|own| match own.component.as_deref() {
            Some(name) => {
                let components = &mut self.components.parameters;
                components.entry(name.to_owned()).or_insert_with(|| parameter(own));
                reference("parameters", name)
            }
            None => parameter(own),
        });
        Some(written.collect::<Vec<_>>()).filter(|written| !written.is_empty()).map(Value::from)
    }

    /// The responses of an operation by their statuses. Problems are responses of the components, one for each status.
    fn responses(&mut self, words: &OperationDoc) -> BTreeMap<String, Value> {
        let mut responses = BTreeMap::new();
        for (status, answer) in &words.answers {
            let status = if answer.has_any_status { "2XX" } else { status.as_str() };
            let response = self.response(answer, Vec::new());
            let response = match &answer.component {
                Some(name) => self.shared(name, answer, response),
                None => response,
            };
            responses.insert(status.to_owned(), response);
        }
        for (status, codes) in grouped(&words.problems) {
            let name = component_key(&codes);
            if !self.components.responses.contains_key(&name) {
                let response = self.problem(&status);
                self.components.responses.insert(name.clone(), response);
            }
            responses.insert(status, reference("responses", &name));
        }
        responses
    }

    /// The reference to a response of the components, by its name and headers.
    fn shared(&mut self, name: &str, answer: &Answer, response: Value) -> Value {
        let name = [name].iter().chain(&answer.headers).copied().collect::<Vec<_>>().join(".");
        let reference = reference("responses", &name);
        self.components.responses.entry(name).or_insert(response);
        reference
    }

    /// The response with the problems of a status, with an example of each.
    fn problem(&mut self, status: &str) -> Value {
        let codes = self.problems.iter().find(|(known, _)| known == status);
        let (answer, examples) = self.refusals.answer(codes.map_or(&[], |(_, codes)| codes));
        self.response(&answer, examples)
    }

    /// A response. The examples are of its first media type.
    fn response(&mut self, answer: &Answer, mut examples: Vec<(&'static str, Value)>) -> Value {
        let mut headers = BTreeMap::new();
        for name in answer.headers.iter().chain(&["X-Request-Id"]) {
            let components = &mut self.components.headers;
            components.entry((*name).to_owned()).or_insert_with(|| response_header(name));
            headers.insert((*name).to_owned(), reference("headers", name));
        }
        let own = answer.own_headers.iter().map(|(name, about)| (name.clone(), header(&Schema::text(), about)));
        headers.extend(own);
        let mut content = Map::new();
        for (media_type, of) in &answer.content {
            let items = answer.items.iter().find(|(of_items, _)| of_items == media_type);
            let examples = std::mem::take(&mut examples).into_iter();
            let examples = examples.map(|(code, value)| (code.to_owned(), json!({ "value": value }))).collect();
            let item_schema = items.map(|(_, of)| schema(of));
            let members =
                members([("schema", Some(schema(of))), ("itemSchema", item_schema), ("examples", sorted(examples))]);
            content.insert((*media_type).to_owned(), members);
        }
        let links = answer.links.iter().map(|(name, to)| ((*name).to_owned(), link(to))).collect();
        members([
            ("description", filled(&answer.description)),
            ("headers", sorted(headers)),
            ("content", (!content.is_empty()).then(|| content.into())),
            ("links", sorted(links)),
        ])
    }
}

fn link(Link { operation_id, id }: &Link) -> Value {
    json!({ "operationId": operation_id, "parameters": { "id": id } })
}

fn parameter(own: &ParameterObject) -> Value {
    members([
        ("name", Some(own.name.as_str().into())),
        ("in", Some(own.place.as_str().into())),
        ("description", filled(&own.description)),
        ("required", Some(own.is_required.into())),
        ("deprecated", own.is_deprecated.then_some(true.into())),
        ("schema", Some(schema(&own.schema))),
        ("style", own.is_list.then_some("form".into())),
        ("explode", own.is_list.then_some(false.into())),
        (ACCESS, own.access.as_deref().map(Value::from)),
    ])
}

fn request_body(body: &Body) -> Value {
    let content: BTreeMap<_, _> =
        body.content.iter().map(|(name, of)| ((*name).to_owned(), json!({ "schema": schema(of) }))).collect();
    members([
        ("description", Some(body.description.as_str().into())),
        ("content", Some(content.into_iter().collect())),
        ("required", body.is_required.map(Value::from)),
    ])
}

/// A response header of the components.
fn response_header(name: &str) -> Value {
    let seconds = || Schema::integer().with("minimum", 0);
    let (description, of) = match name {
        "Content-Range" => (
            "The range of the records and the exact total: `products 20-39/1234`, or `products 20-39/*` without one.",
            Schema::text(),
        ),
        "ETag" => ("The entity tag of the record's version.", Schema::text()),
        "Deprecation" => ("Since when clients should not use it (RFC 9745): `@1767225600`.", Schema::text()),
        "Idempotency-Replayed" => (
            "`true` where an earlier request with the key was carried out, and this is its answer.",
            Schema::choice(["true"]),
        ),
        "Link" => ("The next and the previous page (RFC 8288).", Schema::text()),
        "Location" => ("The path of the record.", Schema::text().with("format", "uri-reference")),
        "Preference-Applied" => ("The preferences that were followed (RFC 7240).", Schema::text()),
        "RateLimit" => (
            "What is left of the limit of requests: `\"default\";r=42;t=17`, 42 requests in the next 17 seconds.",
            Schema::text(),
        ),
        "RateLimit-Policy" => {
            ("The limit of requests: `\"default\";q=100;w=60`, 100 requests in 60 seconds.", Schema::text())
        }
        "Retry-After" => ("The number of seconds to wait before a retry.", seconds()),
        "Sunset" => ("From when on it may be gone (RFC 8594).", Schema::text()),
        "WWW-Authenticate" => ("The authentication challenge (RFC 6750).", Schema::text()),
        "X-Request-Id" => ("The id of the request, as in the service's log.", Schema::text()),
        "X-Session-Token" => (
            "The session token of this change: the response to a request that sends it shows the change.",
            Schema::text(),
        ),
        "X-Total-Count" => ("The exact number of matching records.", seconds()),
        _ => ("", Schema::text()),
    };
    header(&of, description)
}

fn header(of: &Schema, description: &str) -> Value {
    members([("schema", Some(schema(of))), ("description", filled(description))])
}

fn reference(component: &str, name: &str) -> Value {
    json!({ "$ref": format!("#/components/{component}/{name}") })
}
