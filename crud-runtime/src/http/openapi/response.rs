//! Responses: the headers, and the problems that operations share.

use serde_json::Value;

use super::json_schema::Schema;
use super::refusal::Refusals;
use super::wording::{sentence, words};
use super::words::Answer;
use crate::http::problem_format::ProblemFormat;
use crate::model::problem::Code;

/// The status of all problems of the service's own.
const SERVER_ERROR: &str = "5XX";

/// The problem codes of a service; those of authentication only with authentication.
pub(crate) fn codes(secured: bool) -> impl Iterator<Item = Code> {
    Code::ALL.into_iter().filter(move |code| secured || !Code::OF_AUTHENTICATION.contains(code))
}

/// The problems by status, each list in the order of the table.
pub(crate) fn grouped(problems: &[Code]) -> Vec<(String, Vec<Code>)> {
    let mut groups: Vec<(String, Vec<Code>)> = Vec::new();
    for code in Code::ALL.into_iter().filter(|code| problems.contains(code)) {
        let status = code.status();
        let key = if status.is_server_error() { SERVER_ERROR } else { status.as_str() };
        match groups.iter_mut().find(|(known, _)| known == key) {
            Some((_, codes)) => codes.push(code),
            None => groups.push((key.to_owned(), vec![code])),
        }
    }
    groups
}

/// The name of the response with these codes, such as `ConflictOrReferenceNotFound`.
pub(crate) fn component_key(codes: &[Code]) -> String {
    let pascal = |code: &Code| words(code.as_str()).split(' ').map(sentence).collect::<String>();
    codes.iter().map(pascal).collect::<Vec<_>>().join("Or")
}

/// The response headers by name.
pub(crate) fn headers(secured: bool) -> Vec<(&'static str, &'static str, Schema)> {
    let range =
        "The range of the records and the exact total: `products 20-39/1234`, or `products 20-39/*` without one.";
    let seconds = Schema::integer().with("minimum", 0);
    let mut headers = vec![
        ("Content-Range", range, Schema::text()),
        ("ETag", "The entity tag of the record's version.", Schema::text()),
        ("Location", "The path of the record.", Schema::text().with("format", "uri-reference")),
        ("Preference-Applied", "The preferences that were followed (RFC 7240).", Schema::text()),
        ("Retry-After", "The number of seconds to wait before a retry.", seconds.clone()),
        ("X-Request-Id", "The id of the request, as in the service's log.", Schema::text()),
        ("Link", "The next and the previous page (RFC 8288).", Schema::text()),
        ("X-Total-Count", "The exact number of matching records.", seconds),
    ];
    if secured {
        headers.push(("WWW-Authenticate", "The authentication challenge (RFC 6750).", Schema::text()));
    }
    headers
}

/// The responses with problems.
pub(crate) struct ProblemAnswers<'a> {
    pub(crate) refusals: Refusals<'a>,
    pub(crate) format: Option<&'a ProblemFormat>,
}

impl ProblemAnswers<'_> {
    /// The response with one of these codes, which have one status or are all of the service's own; with an example of each.
    pub(crate) fn answer(&self, codes: &[Code]) -> (Answer, Vec<(&'static str, Value)>) {
        let names: Vec<_> = codes.iter().map(|code| format!("`{}`", code.as_str())).collect();
        let is_of_server = codes.iter().any(|code| code.status().is_server_error());
        let title = if is_of_server { "Server Error" } else { codes.first().map_or("", |code| code.title()) };
        let retries = [Code::Unavailable, Code::TooManyRequests, Code::IdempotencyInFlight];
        let mut answer = Answer::empty(&format!("{title}: {}", names.join(" or ")));
        if codes.iter().any(|code| retries.contains(code)) {
            answer.headers.push("Retry-After");
        }
        if codes.iter().any(|code| code.challenge().is_some()) {
            answer.headers.push("WWW-Authenticate");
        }
        let (media_type, schema, examples) = match self.format {
            Some(format) => (format.media_type, Schema::from(format.schema.clone()), Vec::new()),
            None => {
                let examples = codes.iter().map(|code| (code.as_str(), self.refusals.example(*code))).collect();
                ("application/problem+json", Schema::reference("Problem"), examples)
            }
        };
        answer.content.push((media_type, Some(schema)));
        (answer, examples)
    }
}
