//! The responses with problems (RFC 9457) that operations share.

use serde_json::Value;

use super::refusal::Refusals;
use crate::http::description::json_schema::Schema;
use crate::http::description::name::{PROBLEM, pascal};
use crate::http::description::operation_doc::Answer;
use crate::model::problem::Code;

/// The status of all problems that the service itself causes.
const SERVER_ERROR: &str = "5XX";

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

/// The name of the response with codes of one status, such as `UnprocessableEntity`.
pub(crate) fn component_key(codes: &[Code]) -> String {
    pascal(title(codes))
}

/// The phrase of the status of these codes.
fn title(codes: &[Code]) -> &'static str {
    let is_of_server = codes.iter().any(|code| code.status().is_server_error());
    if is_of_server { "Server Error" } else { codes.first().map_or("", |code| code.title()) }
}

impl Refusals<'_> {
    /// The response with one of these codes, which have one status or are all caused by the service; with an example of
    /// each.
    pub(crate) fn answer(&self, codes: &[Code]) -> (Answer, Vec<(&'static str, Value)>) {
        let names: Vec<_> = codes.iter().map(|code| format!("`{}`", code.as_str())).collect();
        let retries = [Code::Unavailable, Code::TooManyRequests, Code::IdempotencyInFlight];
        let mut answer = Answer::empty(&format!("{}: {}", title(codes), names.join(" or ")));
        if codes.iter().any(|code| retries.contains(code)) {
            answer.headers.push("Retry-After");
        }
        if codes.iter().any(|code| code.challenge().is_some()) {
            answer.headers.push("WWW-Authenticate");
        }
        let (media_type, schema, examples) = match self.format {
            Some(format) => (format.media_type, Schema::from(format.schema.clone()), Vec::new()),
            None => {
                let examples = codes.iter().map(|code| (code.as_str(), self.example(*code))).collect();
                ("application/problem+json", Schema::reference(PROBLEM), examples)
            }
        };
        answer.content.push((media_type, schema));
        (answer, examples)
    }
}
