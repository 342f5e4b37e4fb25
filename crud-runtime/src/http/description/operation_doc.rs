//! [`OperationDoc`]: an operation in the document.

use std::borrow::Cow;
use std::sync::Arc;

use axum::http::{Method, StatusCode};
use serde_json::{Map, Value};

use super::json_schema::Schema;
use crate::http::deprecation;
use crate::model::descriptor::{Deprecation, Descriptor};
use crate::model::problem::Code;

/// The media type of bodies.
pub(crate) const JSON: &str = "application/json";

/// The problems of every operation that uses the database.
const DATABASE: [Code; 3] = [Code::Internal, Code::Unavailable, Code::Timeout];

/// The problems of a query string. Each operation that uses the database has them: unknown parameters count too.
const QUERY: [Code; 2] = [Code::QueryTooLong, Code::QueryTooComplex];

/// The problems of every operation with a body.
const BODY: [Code; 5] =
    [Code::MalformedJson, Code::RequestTimeout, Code::BodyTooLarge, Code::UnsupportedMediaType, Code::ValidationFailed];

/// An operation in the document.
#[derive(Clone, Default)]
pub(crate) struct OperationDoc {
    pub(crate) tags: Vec<String>,
    pub(crate) id: String,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) parameters: Vec<ParameterObject>,
    pub(crate) body: Option<Body>,
    pub(crate) answers: Vec<(StatusCode, Answer)>,
    /// The problems, in any order and possibly repeated.
    pub(crate) problems: Vec<Code>,
    /// Whether clients should not use the operation.
    pub(crate) is_deprecated: bool,
    pub(crate) token: Token,
    /// The access rule, as `access(…)` writes it.
    pub(crate) access: Option<String>,
    /// The responses that the program adds.
    pub(crate) responses: Vec<AddedResponses>,
    /// Changes the operation that is written.
    pub(crate) describe: Option<DescribeOperation>,
}

/// Responses that the program adds to an operation, as JSON by their statuses.
pub(crate) type AddedResponses = fn() -> Map<String, Value>;

/// A change of an operation's JSON, which the program makes.
pub(crate) type DescribeOperation = Arc<dyn Fn(&mut Value) + Send + Sync>;

/// The access token of an operation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Token {
    #[default]
    None,
    Optional,
    Required,
}

/// The place of a parameter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    #[default]
    Query,
    Header,
}

impl Place {
    /// The place as the document has it.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::Header => "header",
        }
    }
}

/// A parameter of an operation or a path.
#[derive(Debug, Clone, Default)]
pub(crate) struct ParameterObject {
    /// The parameter's name in the components, where operations share it.
    pub(crate) component: Option<Cow<'static, str>>,
    pub(crate) place: Place,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) schema: Schema,
    pub(crate) is_required: bool,
    /// Whether the value is a comma-separated list.
    pub(crate) is_list: bool,
    pub(crate) is_deprecated: bool,
    /// The access rule of requests with the parameter, where they need more.
    pub(crate) access: Option<String>,
}

/// The body of a request.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    pub(crate) description: String,
    pub(crate) content: Vec<(&'static str, Schema)>,
    /// Whether requests must have the body; with `None`, the document does not say it.
    pub(crate) is_required: Option<bool>,
}

/// A response that is not a problem.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    pub(crate) description: String,
    /// The first part of the response's name in the components, where operations share it; its headers are the other
    /// parts.
    pub(crate) component: Option<Cow<'static, str>>,
    /// Whether its success status is known only when the handler runs: `2XX`.
    pub(crate) has_any_status: bool,
    pub(crate) headers: Vec<&'static str>,
    /// Headers of plugins, with their descriptions.
    pub(crate) own_headers: Vec<(String, &'static str)>,
    /// The media types.
    pub(crate) content: Vec<(&'static str, Schema)>,
    /// The schemas of items, for media types that are sequences.
    pub(crate) items: Vec<(&'static str, Schema)>,
    /// The links to further operations, with their names.
    pub(crate) links: Vec<(&'static str, Link)>,
}

/// A link to an operation on the record of a response.
#[derive(Debug, Clone)]
pub(crate) struct Link {
    pub(crate) operation_id: String,
    /// The runtime expression of the record's key, such as `$response.body#/id`.
    pub(crate) id: String,
}

/// A path of the document.
#[derive(Clone, Default)]
pub(crate) struct Path {
    /// The path with its parameters, such as `/products/{id}`.
    pub(crate) template: String,
    pub(crate) parameters: Vec<ParameterObject>,
    pub(crate) operations: Vec<(Method, OperationDoc)>,
    /// The resource of the path, if there is one.
    pub(crate) resource: Option<&'static Descriptor>,
}

impl Path {
    /// A path with one operation, without parameters.
    pub(crate) fn of(template: &str, method: Method, words: OperationDoc) -> Self {
        Self { template: template.to_owned(), operations: vec![(method, words)], ..Self::default() }
    }

    /// Changes each schema of the path.
    pub(crate) fn visit(&mut self, change: &mut impl FnMut(&mut Schema)) {
        self.parameters.iter_mut().for_each(|parameter| parameter.schema.visit(change));
        for (_, words) in &mut self.operations {
            let parameters = words.parameters.iter_mut().map(|parameter| &mut parameter.schema);
            let body = words.body.iter_mut().flat_map(|body| body.content.iter_mut().map(|(_, schema)| schema));
            let answers = words.answers.iter_mut().map(|(_, answer)| answer);
            let answers = answers.flat_map(|answer| answer.content.iter_mut().chain(&mut answer.items));
            let answers = answers.map(|(_, schema)| schema);
            parameters.chain(body).chain(answers).for_each(|schema| schema.visit(change));
        }
    }
}

impl OperationDoc {
    /// An operation of the service itself.
    pub(crate) fn new(tag: &str, id: &str, summary: &str, description: &str) -> Self {
        Self { tags: vec![tag.to_owned()], id: id.to_owned(), ..Self::about(summary, description) }
    }

    /// An operation of a resource, which has the tags and the id of its route.
    pub(crate) fn about(summary: impl Into<String>, description: impl Into<String>) -> Self {
        Self { summary: summary.into(), description: description.into(), ..Self::default() }
    }

    /// Adds the problems of every operation that uses the database.
    pub(crate) fn of_database(self) -> Self {
        self.problems(&QUERY).problems(&DATABASE)
    }

    pub(crate) fn parameters(mut self, parameters: impl IntoIterator<Item = ParameterObject>) -> Self {
        self.parameters.extend(parameters);
        self
    }

    /// Sets a body that is JSON, with its problems.
    pub(crate) fn json(self, description: &str, schema: Schema) -> Self {
        self.body(Body::new(description, [(JSON, schema)]))
    }

    /// Sets the body, with its problems.
    pub(crate) fn body(mut self, body: Body) -> Self {
        self.body = Some(body);
        self.problems(&BODY)
    }

    pub(crate) fn answer(mut self, status: StatusCode, answer: Answer) -> Self {
        self.answers.push((status, answer));
        self
    }

    /// Adds the answers of a change: the changed record, or no body where the client prefers that.
    pub(crate) fn changed(self, record: Answer) -> Self {
        let minimal = Answer::shared("Changed", "The change is made.").headers(&["ETag", "Preference-Applied"]);
        self.answer(StatusCode::OK, record).answer(StatusCode::NO_CONTENT, minimal)
    }

    pub(crate) fn problems(mut self, problems: &[Code]) -> Self {
        self.problems.extend_from_slice(problems);
        self
    }

    /// Adds a problem, if it is possible.
    pub(crate) fn problem_if(mut self, is_possible: bool, code: Code) -> Self {
        self.problems.extend(is_possible.then_some(code));
        self
    }

    /// States the headers and the refusal of a request limit, if there is one.
    pub(crate) fn limit_requests(&mut self, has_limit: bool) {
        if has_limit {
            self.problems.push(Code::TooManyRequests);
            self.header("RateLimit");
            self.header("RateLimit-Policy");
        }
    }

    /// States a deprecation, if there is one.
    pub(crate) fn deprecate(&mut self, deprecation: Option<Deprecation>) {
        let Some(deprecation) = deprecation else { return };
        self.is_deprecated = true;
        deprecation::headers(&deprecation).for_each(|name| self.header(name));
    }

    /// States the access rule of requests with a parameter.
    pub(crate) fn restrict_parameter(&mut self, name: &str, access: &str) {
        for parameter in self.parameters.iter_mut().filter(|parameter| parameter.name == name) {
            parameter.access = Some(access.to_owned());
            // The shared parameter in the components lacks the rule.
            parameter.component = None;
        }
    }

    /// Adds a header to each answer.
    pub(crate) fn header(&mut self, name: &'static str) {
        for (_, answer) in &mut self.answers {
            answer.headers.push(name);
        }
    }
}

impl ParameterObject {
    pub(crate) fn new(place: Place, name: impl Into<String>, description: impl Into<String>, schema: Schema) -> Self {
        let (name, description, is_required) = (name.into(), description.into(), place == Place::Path);
        Self { place, name, description, schema, is_required, ..Self::default() }
    }

    /// A header with this name in the components. It has no example: Swagger UI would send one with every request.
    pub(crate) fn header(component: &'static str, name: &str, description: &str, schema: Schema) -> Self {
        Self { component: Some(component.into()), ..Self::new(Place::Header, name, description, schema) }
    }

    /// A parameter of the query string.
    pub(crate) fn query(name: impl Into<String>, description: impl Into<String>, schema: Schema) -> Self {
        Self::new(Place::Query, name, description, schema)
    }

    /// Sets the name in the components: parameters with the same name are equal.
    pub(crate) fn component(self, name: impl Into<Cow<'static, str>>) -> Self {
        Self { component: Some(name.into()), ..self }
    }

    /// A parameter of the query string with a comma-separated list.
    pub(crate) fn list(name: impl Into<String>, description: impl Into<String>, schema: Schema) -> Self {
        Self { is_list: true, ..Self::query(name, description, schema) }
    }

    /// A parameter of the query string that is true or false.
    pub(crate) fn flag(name: &str, description: &str, by_default: bool) -> Self {
        Self::query(name, description, Schema::boolean().with("default", by_default))
    }
}

impl Body {
    pub(crate) fn new<const N: usize>(description: &str, content: [(&'static str, Schema); N]) -> Self {
        Self { description: description.to_owned(), content: content.into(), is_required: Some(true) }
    }
}

impl Answer {
    /// A response with a JSON body.
    pub(crate) fn json(description: &str, schema: Schema) -> Self {
        Self { content: vec![(JSON, schema)], ..Self::empty(description) }
    }

    /// A response without a body.
    pub(crate) fn empty(description: &str) -> Self {
        Self { description: description.to_owned(), ..Self::default() }
    }

    /// A response without a body, which operations share by this name.
    pub(crate) fn shared(component: &'static str, description: &str) -> Self {
        Self { component: Some(component.into()), ..Self::empty(description) }
    }

    pub(crate) fn headers(mut self, names: &[&'static str]) -> Self {
        self.headers.extend_from_slice(names);
        self
    }
}

/// A path as the document has it: OpenAPI has no parameter for the rest of a path.
pub(crate) fn template_of(path: &str) -> String {
    path.replace("{*", "{")
}
