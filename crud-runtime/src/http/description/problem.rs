//! Problems (RFC 9457): their schema, and the schema of a failed part of a body.

use super::json_schema::Schema;
use super::name::PROBLEM_PLACE;
use crate::model::problem::Code;

/// The schema of a problem document.
pub(crate) fn schema(secured: bool) -> Schema {
    let kind = Schema::text().with("format", "uri-reference");
    let object = Schema::object()
        .about("A problem document (RFC 9457).")
        .member("type", kind.about("Always `about:blank`: `code` identifies the problem."))
        .member("title", Schema::text().about("The phrase of the status."))
        .member("status", status().about("The status."));
    described(object, secured, "The errors in the request.")
        .optional("request_id", Schema::text().about("The id of the request, as in the service's log."))
}

/// The schema of a failed part of a body, which has this member.
pub(crate) fn part_error(description: &str, part: &str, part_description: &str) -> Schema {
    let alone = "The status that a request for this one alone would have.";
    let object = Schema::object()
        .about(description)
        .member(part, Schema::at_least(0, "int32").about(part_description))
        .member("status", status().about(alone));
    // Authentication and permission fail for the body as a whole, not for a part.
    described(object, false, "The errors in it.")
}

/// Adds the code, the detail and the errors of a problem.
fn described(object: Schema, of_authentication: bool, about_errors: &str) -> Schema {
    let codes = Code::ALL.into_iter().filter(|code| of_authentication || !Code::OF_AUTHENTICATION.contains(code));
    object
        .member("code", Schema::choice(codes.map(Code::as_str)).about("The problem's code, for programs."))
        .member("detail", Schema::text().about("The problem's description, for people."))
        .optional("errors", errors().about(about_errors))
}

fn status() -> Schema {
    Schema::at_least(400, "int32").with("maximum", 599)
}

/// The errors of a problem.
fn errors() -> Schema {
    let index = "The index of a batch's item, from 0; the pointer is then into the item.";
    let line = "The line of a file that a record begins on, from 1; the pointer is then into the record.";
    let pointer = "The place in the body (RFC 6901), or in the value of the parameter; for a missing field, its expected \
                   place.";
    let allowed = "Of an illegal transition: the names of those that are legal.";
    let params = "Of a rule that the value breaks: its bounds, such as `{\"max\": 200}`, for texts of your own.";
    let error = Schema::object()
        .about("An error at a place in the request.")
        .optional("index", Schema::at_least(0, "int32").about(index))
        .optional("line", Schema::at_least(1, "int64").about(line))
        .optional("pointer", Schema::text().with("format", "json-pointer").about(pointer))
        .optional("parameter", Schema::text().about("The parameter in the query or the path."))
        .member("code", Schema::text().about("The kind of error, such as `type` or `required`."))
        .member("detail", Schema::text().about("The error's description, for people."))
        .optional("allowed", Schema::array(Schema::text()).about(allowed))
        .optional("params", Schema::map().about(params));
    Schema::array(Schema::named(PROBLEM_PLACE, error)).with("minItems", 1)
}
