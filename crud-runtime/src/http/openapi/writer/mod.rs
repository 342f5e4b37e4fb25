//! The writer of the document: its parts in utoipa's model.

mod added_responses;
mod meaning;
pub(crate) mod merge;
pub(crate) use std::collections::BTreeMap;

use axum::http::Method;
use serde_json::Value;
use utoipa::openapi::example::Example;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::Header;
use utoipa::openapi::path::{Operation, Parameter, ParameterStyle, PathItem};
use utoipa::openapi::request_body::RequestBody;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Components, Content, Deprecated, OpenApi, Paths, Ref, RefOr, Required, Response, Responses, Server, Tag,
};

use crate::http::description::auth::SCHEME;
use crate::http::description::json_schema::Schema;
use crate::http::description::operation_doc::{Answer, Body, OperationDoc, ParameterObject, Path, Token};
use crate::http::description::security::Security;
use crate::http::description::utoipa_schema::schema;
use crate::http::openapi::info::Info;
use crate::http::openapi::problem::{component_key, grouped};
use crate::http::openapi::refusal::Refusals;
use crate::model::problem::Code;

/// Writes a document of OpenAPI 3.2, whose tags are given with their descriptions. The components contain the
/// parameters, headers and problems that operations refer to.
pub(crate) fn write(
    info: &Info,
    tags: &[(String, String)],
    paths: &[Path],
    schemas: &[(String, Schema)],
    refusals: Refusals<'_>,
    security: Option<&Security>,
) -> OpenApi {
    let schemes = security.map(schemes).unwrap_or_default();
    let requirements = schemes.keys().map(|name| SecurityRequirement::new(name, Vec::<String>::new())).collect();
    let operations = || paths.iter().flat_map(|path| &path.operations).map(|(_, words)| words);
    let problems: Vec<Code> = operations().flat_map(|words| words.problems.iter().copied()).collect();
    let mut writer = Writer { refusals, problems: grouped(&problems), components: Components::new(), requirements };
    let mut written = Paths::new();
    for path in paths {
        written.paths.insert(path.template.clone(), writer.path_item(path));
    }
    let mut components = writer.components;
    components.schemas = schemas.iter().map(|(name, of)| (name.clone(), schema(of))).collect();
    components.security_schemes = schemes;
    let mut document = OpenApi::new(info.written(), written);
    document.servers = Some(vec![Server::new("/")]);
    document.components = Some(components);
    let tag = |(name, about): &(String, String)| Tag::builder().name(name).description(filled(about)).build();
    document.tags = Some(tags.iter().map(tag).collect());
    document
}

/// The security schemes by name: that of tokens, and those of the program.
fn schemes(security: &Security) -> BTreeMap<String, RefOr<SecurityScheme>> {
    let tokens = security.has_tokens.then(|| (SCHEME.to_owned(), security_scheme(&security.scheme)));
    let all = tokens.into_iter().chain(security.schemes.iter().cloned());
    all.map(|(name, scheme)| (name, RefOr::T(scheme))).collect()
}

fn security_scheme(scheme: &str) -> SecurityScheme {
    if scheme != "Bearer" {
        let description = format!("An access token: `{scheme} <token>`.");
        let header = ApiKeyValue::with_description("Authorization".to_owned(), description);
        return SecurityScheme::ApiKey(ApiKey::Header(header));
    }
    let bearer = Http::builder().scheme(HttpAuthScheme::Bearer).bearer_format("JWT");
    SecurityScheme::Http(bearer.description(Some("An access token.")).build())
}

/// The extension that states an access rule.
const ACCESS: &str = "x-access";

/// The extension that states the codes of an operation's problems: the shared responses list the codes of all
/// operations. It omits codes that the status tells: the only code of a status, and the service's own failures, which
/// any operation may answer.
const PROBLEMS: &str = "x-problems";

/// The extensions of an operation.
fn extensions(words: &OperationDoc) -> Option<Extensions> {
    let access = words.access.as_deref().map(|rule| (ACCESS, Value::from(rule)));
    let has_others = |code: &Code| Code::ALL.iter().filter(|other| other.status() == code.status()).count() > 1;
    let is_stated = |code: &Code| !code.status().is_server_error() && has_others(code);
    let codes = Code::ALL.into_iter().filter(|code| words.problems.contains(code)).filter(is_stated);
    let codes: Vec<&str> = codes.map(Code::as_str).collect();
    let problems = (!codes.is_empty()).then(|| (PROBLEMS, Value::from(codes)));
    (access.is_some() || problems.is_some()).then(|| access.into_iter().chain(problems).collect())
}

struct Writer<'a> {
    refusals: Refusals<'a>,
    /// The problems of all operations by status.
    problems: Vec<(String, Vec<Code>)>,
    components: Components,
    /// One requirement for each security scheme.
    requirements: Vec<SecurityRequirement>,
}

impl Writer<'_> {
    fn path_item(&mut self, path: &Path) -> PathItem {
        let mut item = PathItem::default();
        item.parameters = self.parameters(&path.parameters);
        for (method, words) in &path.operations {
            let place = match *method {
                Method::GET => &mut item.get,
                Method::PUT => &mut item.put,
                Method::POST => &mut item.post,
                Method::DELETE => &mut item.delete,
                Method::PATCH => &mut item.patch,
                Method::QUERY => &mut item.query,
                _ => continue,
            };
            *place = Some(self.operation(words));
        }
        item
    }

    fn operation(&mut self, words: &OperationDoc) -> Operation {
        let mut operation = Operation::new();
        operation.tags = Some(words.tags.clone());
        operation.summary = filled(&words.summary);
        operation.description = filled(&words.description);
        operation.operation_id = filled(&words.id);
        operation.parameters = self.parameters(&words.parameters);
        operation.request_body = words.body.as_ref().map(|body| RefOr::T(request_body(body)));
        operation.responses = self.responses(words);
        let any = self.requirements.iter().cloned();
        operation.security = Some(match words.token {
            Token::None => Vec::new(),
            Token::Optional => std::iter::once(SecurityRequirement::default()).chain(any).collect(),
            Token::Required => any.collect(),
        });
        operation.extensions = extensions(words);
        operation.deprecated = words.is_deprecated.then_some(Deprecated::True);
        for added in &words.responses {
            added_responses::add(&mut operation.responses.responses, &added(), &self.components.responses);
        }
        if let Some(describe) = &words.describe {
            describe(&mut operation);
        }
        operation
    }

    fn parameters(&mut self, parameters: &[ParameterObject]) -> Option<Vec<RefOr<Parameter>>> {
        let written = parameters.iter().map(|own| match own.component.as_deref() {
            Some(name) => {
                let components = &mut self.components.parameters;
                components.entry(name.to_owned()).or_insert_with(|| RefOr::T(parameter(own)));
                RefOr::Ref(reference("parameters", name))
            }
            None => RefOr::T(parameter(own)),
        });
        Some(written.collect::<Vec<_>>()).filter(|written| !written.is_empty())
    }

    /// The responses of an operation. Problems are responses of the components, one for each status.
    fn responses(&mut self, words: &OperationDoc) -> Responses {
        let mut responses = Responses::new();
        for (status, answer) in &words.answers {
            let status = if answer.has_any_status { "2XX" } else { status.as_str() };
            let response = self.response(answer);
            let response = match &answer.component {
                Some(name) => self.shared(name, answer, response),
                None => RefOr::T(response),
            };
            responses.responses.insert(status.to_owned(), response);
        }
        for (status, codes) in grouped(&words.problems) {
            let name = component_key(&codes);
            if !self.components.responses.contains_key(&name) {
                let response = self.problem(&status);
                self.components.responses.insert(name.clone(), RefOr::T(response));
            }
            responses.responses.insert(status, RefOr::Ref(reference("responses", &name)));
        }
        responses
    }

    /// The reference to a response of the components, by its name and headers.
    fn shared(&mut self, name: &str, answer: &Answer, response: Response) -> RefOr<Response> {
        let name = [name].iter().chain(&answer.headers).copied().collect::<Vec<_>>().join(".");
        let reference = RefOr::Ref(reference("responses", &name));
        self.components.responses.entry(name).or_insert(RefOr::T(response));
        reference
    }

    /// The response with the problems of a status, with an example of each.
    fn problem(&mut self, status: &str) -> Response {
        let codes = self.problems.iter().find(|(known, _)| known == status);
        let (answer, examples) = self.refusals.answer(codes.map_or(&[], |(_, codes)| codes));
        let mut response = self.response(&answer);
        if let Some(RefOr::T(content)) = response.content.values_mut().next() {
            let example = |value| RefOr::T(Example::builder().value(Some(value)).build());
            content.examples.extend(examples.into_iter().map(|(code, of)| (code.to_owned(), example(of))));
        }
        response
    }

    fn response(&mut self, answer: &Answer) -> Response {
        let mut response = Response::default();
        response.description.clone_from(&answer.description);
        for name in answer.headers.iter().chain(&["X-Request-Id"]) {
            let headers = &mut self.components.headers;
            headers.entry((*name).to_owned()).or_insert_with(|| RefOr::T(response_header(name)));
            response.headers.insert((*name).to_owned(), RefOr::Ref(reference("headers", name)));
        }
        for (name, about) in &answer.own_headers {
            let header = Header::builder().schema(Some(schema(&Schema::text()))).description(filled(about)).build();
            response.headers.insert(name.clone(), RefOr::T(header));
        }
        for (media_type, of) in &answer.content {
            let mut content = Content::new(Some(schema(of)));
            let items = answer.items.iter().find(|(of_items, _)| of_items == media_type);
            content.item_schema = items.map(|(_, of)| schema(of));
            response.content.insert((*media_type).to_owned(), RefOr::T(content));
        }
        for (name, link) in &answer.links {
            response.links.insert((*name).to_owned(), RefOr::T(link.clone()));
        }
        response
    }
}

fn filled(text: &str) -> Option<String> {
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

fn parameter(own: &ParameterObject) -> Parameter {
    Parameter::builder()
        .name(&own.name)
        .parameter_in(own.place.clone())
        .description(filled(&own.description))
        .required(required(own.is_required))
        .deprecated(own.is_deprecated.then_some(Deprecated::True))
        .extensions(own.access.as_deref().map(|rule| [(ACCESS, rule)].into_iter().collect()))
        .schema(Some(schema(&own.schema)))
        .style(own.is_list.then_some(ParameterStyle::Form))
        .explode(own.is_list.then_some(false))
        .build()
}

const fn required(is_required: bool) -> Required {
    if is_required { Required::True } else { Required::False }
}

fn request_body(body: &Body) -> RequestBody {
    let mut written = RequestBody::new();
    written.description = Some(body.description.clone());
    written.required = body.is_required.map(required);
    let content = |of| RefOr::T(Content::new(Some(schema(of))));
    written.content = body.content.iter().map(|(name, of)| ((*name).to_owned(), content(of))).collect();
    written
}

/// A response header of the components.
fn response_header(name: &str) -> Header {
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
    Header::builder().schema(Some(schema(&of))).description(filled(description)).build()
}

fn reference(component: &str, name: &str) -> Ref {
    Ref::new(format!("#/components/{component}/{name}"))
}
