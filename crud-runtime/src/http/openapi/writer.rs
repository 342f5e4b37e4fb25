//! The writer of the document: its parts in utoipa's model.

use std::collections::BTreeMap;

use axum::http::Method;
use utoipa::openapi::example::Example;
use utoipa::openapi::extensions::Extensions;
use utoipa::openapi::header::Header;
use utoipa::openapi::link::Link;
use utoipa::openapi::path::{Operation, Parameter, ParameterIn, ParameterStyle, PathItem};
use utoipa::openapi::request_body::RequestBody;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{
    Components, Content, Deprecated, OpenApi, Paths, Ref, RefOr, Required, Response, Responses, Server, Tag,
};

use super::auth::SCHEME;
use super::info::Info;
use super::json_schema::Schema;
use super::response::{ProblemAnswers, component_key, grouped};
use super::words::{self, Answer, Body, OwnParameter, Path, Place, Token, Words};
use super::written_schema::schema;

/// The parts of a document.
pub(super) struct Parts<'a> {
    pub(super) info: &'a Info,
    /// The tags with their descriptions.
    pub(super) tags: Vec<(String, String)>,
    pub(super) paths: Vec<Path>,
    pub(super) schemas: Vec<(String, Schema)>,
    pub(super) parameters: Vec<(&'static str, OwnParameter)>,
    /// The response headers by name, with their descriptions.
    pub(super) headers: Vec<(&'static str, &'static str, Schema)>,
    pub(super) problems: ProblemAnswers<'a>,
    /// The scheme of the `Authorization` header, where the service has authentication.
    pub(super) scheme: Option<&'a str>,
}

/// Writes a document.
pub(super) fn write(parts: Parts<'_>) -> OpenApi {
    let mut components = Components::new();
    let mut paths = Paths::new();
    for path in parts.paths {
        let item = path_item(&path, &parts.problems, &mut components);
        paths.paths.insert(path.template, item);
    }
    components.schemas = parts.schemas.iter().map(|(name, of)| (name.clone(), schema(of))).collect();
    let parameters = parts.parameters.iter().map(|(name, of)| ((*name).to_owned(), RefOr::T(parameter(of))));
    components.parameters = parameters.collect();
    let headers = parts.headers.iter().map(|(name, description, of)| {
        let mut header = Header::new(schema(of));
        header.description = Some((*description).to_owned());
        ((*name).to_owned(), RefOr::T(header))
    });
    components.headers = headers.collect();
    if let Some(scheme) = parts.scheme {
        components.security_schemes = BTreeMap::from([(SCHEME.to_owned(), RefOr::T(security_scheme(scheme)))]);
    }
    let mut document = OpenApi::new(parts.info.written(), paths);
    document.servers = Some(vec![Server::new("/")]);
    document.components = Some(components);
    document.tags = Some(parts.tags.into_iter().map(|(name, description)| tag(&name, description)).collect());
    document
}

fn tag(name: &str, description: String) -> Tag {
    let mut tag = Tag::new(name);
    tag.description = Some(description).filter(|description| !description.is_empty());
    tag
}

fn security_scheme(scheme: &str) -> SecurityScheme {
    if scheme != "Bearer" {
        let description = format!("An access token: `{scheme} <token>`.");
        return SecurityScheme::ApiKey(ApiKey::Header(ApiKeyValue::with_description(
            "Authorization".to_owned(),
            description,
        )));
    }
    let mut bearer = Http::new(HttpAuthScheme::Bearer);
    bearer.bearer_format = Some("JWT".to_owned());
    bearer.description = Some("An access token.".to_owned());
    SecurityScheme::Http(bearer)
}

fn path_item(path: &Path, problems: &ProblemAnswers<'_>, components: &mut Components) -> PathItem {
    let mut item = PathItem::default();
    if !path.parameters.is_empty() {
        item.parameters = Some(path.parameters.iter().map(|of| RefOr::T(parameter(of))).collect());
    }
    for (method, words) in &path.operations {
        let place = match *method {
            Method::GET => &mut item.get,
            Method::PUT => &mut item.put,
            Method::POST => &mut item.post,
            Method::DELETE => &mut item.delete,
            Method::PATCH => &mut item.patch,
            Method::HEAD => &mut item.head,
            Method::OPTIONS => &mut item.options,
            Method::TRACE => &mut item.trace,
            _ => continue,
        };
        *place = Some(operation(words, problems, components));
    }
    item
}

fn operation(words: &Words, problems: &ProblemAnswers<'_>, components: &mut Components) -> Operation {
    let filled = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
    let mut operation = Operation::new();
    operation.tags = Some(words.tags.clone());
    operation.summary = filled(&words.summary);
    operation.description = filled(&words.description);
    operation.operation_id = filled(&words.id);
    let parameters = words.parameters.iter().map(|of| match of {
        words::Parameter::Shared(name) => RefOr::Ref(reference("parameters", name)),
        words::Parameter::Own(own) => RefOr::T(parameter(own)),
    });
    operation.parameters = Some(parameters.collect::<Vec<_>>()).filter(|parameters| !parameters.is_empty());
    operation.request_body = words.body.as_ref().map(|body| RefOr::T(request_body(body)));
    operation.responses = responses(words, problems, components);
    let token = SecurityRequirement::new(SCHEME, Vec::<String>::new());
    operation.security = Some(match words.token {
        Token::None => Vec::new(),
        Token::Optional => vec![SecurityRequirement::default(), token],
        Token::Required => vec![token],
    });
    operation.extensions = words.access.as_deref().map(access);
    operation
}

/// The extension that states an access rule.
fn access(rule: &str) -> Extensions {
    [("x-access", rule)].into_iter().collect()
}

fn parameter(own: &OwnParameter) -> Parameter {
    let mut parameter = Parameter::new(&own.name);
    parameter.parameter_in = match own.place {
        Place::Query => ParameterIn::Query,
        Place::Path => ParameterIn::Path,
        Place::Header => ParameterIn::Header,
    };
    parameter.description = Some(own.description.clone()).filter(|description| !description.is_empty());
    parameter.required = if own.is_required { Required::True } else { Required::False };
    parameter.deprecated = own.is_deprecated.then_some(Deprecated::True);
    parameter.extensions = own.access.as_deref().map(access);
    parameter.schema = Some(schema(&own.schema));
    if own.is_list {
        parameter.style = Some(ParameterStyle::Form);
        parameter.explode = Some(false);
    }
    parameter
}

fn request_body(body: &Body) -> RequestBody {
    let mut written = RequestBody::new();
    written.description = Some(body.description.clone());
    written.required = body.is_required.map(|required| if required { Required::True } else { Required::False });
    written.content = body.content.iter().map(|(name, of)| ((*name).to_owned(), content(Some(of)))).collect();
    written
}

fn content(of: Option<&Schema>) -> RefOr<Content> {
    let mut content = Content::default();
    content.schema = of.map(schema);
    RefOr::T(content)
}

/// The responses of an operation. Problems are responses of the components, which all operations with the same codes share.
fn responses(words: &Words, problems: &ProblemAnswers<'_>, components: &mut Components) -> Responses {
    let mut responses = Responses::new();
    for (status, answer) in &words.answers {
        responses.responses.insert(status.as_str().to_owned(), RefOr::T(response(answer)));
    }
    for (status, codes) in grouped(&words.problems) {
        let name = component_key(&codes);
        if !components.responses.contains_key(&name) {
            let (answer, examples) = problems.answer(&codes);
            let mut response = response(&answer);
            if let Some(RefOr::T(content)) = response.content.values_mut().next() {
                for (code, example) in examples {
                    let mut written = Example::default();
                    written.value = Some(example);
                    content.examples.insert(code.to_owned(), RefOr::T(written));
                }
            }
            components.responses.insert(name.clone(), RefOr::T(response));
        }
        responses.responses.insert(status, RefOr::Ref(reference("responses", &name)));
    }
    responses
}

fn response(answer: &Answer) -> Response {
    let mut response = Response::default();
    response.description.clone_from(&answer.description);
    for name in answer.headers.iter().chain(&["X-Request-Id"]) {
        response.headers.insert((*name).to_owned(), RefOr::Ref(reference("headers", name)));
    }
    for (media_type, of) in &answer.content {
        response.content.insert((*media_type).to_owned(), content(of.as_ref()));
    }
    for of in &answer.links {
        let mut link = Link::default();
        link.operation_id.clone_from(&of.operation_id);
        of.description.clone_into(&mut link.description);
        link.parameters.insert("id".to_owned(), of.id.as_str().into());
        response.links.insert(of.name.to_owned(), RefOr::T(link));
    }
    response
}

fn reference(component: &str, name: &str) -> Ref {
    Ref::new(format!("#/components/{component}/{name}"))
}
