//! The schemas of a problem document (RFC 9457).

use super::json_schema::Schema;
use super::response;
use crate::model::problem::Code;

/// The schemas' names.
pub(crate) const SCHEMAS: [&str; 2] = ["Problem", "ProblemPlace"];

/// The schemas by name.
pub(crate) fn schemas(secured: bool) -> [(String, Schema); 2] {
    [(SCHEMAS[0].to_owned(), problem_schema(secured)), (SCHEMAS[1].to_owned(), error_schema())]
}

/// A status of a problem.
pub(crate) fn status() -> Schema {
    Schema::at_least(400, "int32").with("maximum", 599)
}

fn problem_schema(secured: bool) -> Schema {
    let kind = Schema::text().with("format", "uri-reference");
    let codes = Schema::choice(response::codes(secured).map(Code::as_str));
    let errors = Schema::array(Schema::reference(SCHEMAS[1])).with("minItems", 1);
    Schema::object()
        .about("A problem document (RFC 9457).")
        .member("type", kind.about("Always `about:blank`: `code` identifies the problem."))
        .member("title", Schema::text().about("The phrase of the status."))
        .member("status", status().about("The status."))
        .member("code", codes.about("The problem's code, for programs."))
        .member("detail", Schema::text().about("The problem's description, for people."))
        .optional("errors", errors.about("The errors in the request."))
        .optional("request_id", Schema::text().about("The id of the request, as in the service's log."))
}

fn error_schema() -> Schema {
    let index = "The index of a batch's item, from 0; the pointer is then into the item.";
    let line = "The line of a file that a record begins on, from 1; the pointer is then into the record.";
    let pointer = "The place in the body (RFC 6901), or in the value of the parameter; for a missing field, its expected \
                   place.";
    let allowed = "Of an illegal transition: the names of those that are legal.";
    Schema::object()
        .about("An error at a place in the request.")
        .optional("index", Schema::at_least(0, "int32").about(index))
        .optional("line", Schema::at_least(1, "int64").about(line))
        .optional("pointer", Schema::text().with("format", "json-pointer").about(pointer))
        .optional("parameter", Schema::text().about("The parameter in the query or the path."))
        .member("code", Schema::text().about("The kind of error, such as `type` or `required`."))
        .member("detail", Schema::text().about("The error's description, for people."))
        .optional("allowed", Schema::array(Schema::text()).about(allowed))
}
