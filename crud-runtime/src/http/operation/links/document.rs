//! Linked records in the document.

use axum::http::{Method, StatusCode};

use super::MOST;
use crate::http::body::batch::IDS;
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::json_schema::Schema;
use crate::http::openapi::schema;
use crate::http::openapi::wording;
use crate::http::openapi::words::{Answer, ParameterObject, Place, Words};
use crate::http::operation::route::Route;
use crate::http::param::header::{etag, prefer};
use crate::model::descriptor::{Descriptor, ManyToMany};
use crate::model::problem::Code;

/// The operation in the document.
pub(crate) fn document(
    resource: &DocumentedResource<'_>,
    resources: &[DocumentedResource<'_>],
    route: &Route,
    many: &ManyToMany,
) -> Words {
    let Some(junction) = many.junction(resource.options.descriptor) else { return Words::default() };
    let (singular, plural) = (resource.singular(), wording::words(many.name));
    let set = schema::expanded_many(junction.target, MOST, resources);
    let answer = Answer::json("The linked records.", set).headers(&["ETag"]);
    if route.method == Method::GET {
        let description = "The records that are linked to this one, and the entity tag of the set.";
        return Words::about(format!("List the {plural} of {singular}"), description)
            .parameters([etag::document_if_none_match()])
            .answer(StatusCode::OK, answer)
            .answer(StatusCode::NOT_MODIFIED, Answer::empty("The client's version is current.").headers(&["ETag"]))
            .problems(&[Code::ValidationFailed, Code::NotFound]);
    }
    let (verb, description) = match route.method {
        Method::PUT => (
            "Replace",
            "Links these records, and removes the links to others. Links to records that the request does not see stay.",
        ),
        Method::POST => ("Add to", "Links these records too. Those that are linked already stay so."),
        _ => ("Remove one of", "Removes the link to this record."),
    };
    let answer = Answer { description: "The linked records after the change.".to_owned(), ..answer };
    let minimal = Answer::empty("The links are changed.").headers(&["ETag", "Preference-Applied"]);
    let words = Words::about(format!("{verb} the {plural} of {singular}"), description)
        .parameters([etag::document_if_match(), prefer::document_change()])
        .answer(StatusCode::OK, answer)
        .answer(StatusCode::NO_CONTENT, minimal)
        .problems(&[Code::NotFound, Code::PreconditionFailed, Code::ValidationFailed])
        .problems(if junction.resource.requires_idempotency_key() { &[Code::IdempotencyKeyRequired] } else { &[] });
    if route.method == Method::DELETE {
        return words.problems(&[Code::Referenced, Code::Conflict]);
    }
    let conflicts = [Code::ReferenceNotFound, Code::Referenced, Code::Conflict, Code::ConstraintFailed];
    words.json("The keys of the records.", body(junction.target)).problems(&conflicts).problems(&[Code::BatchTooLarge])
}

/// The parameter of the linked record's key, where the path has it.
pub(crate) fn linked_parameter(path: &str, routes: &[Route], resource: &'static Descriptor) -> Option<ParameterObject> {
    let many = routes.iter().find_map(|route| route.links).filter(|many| many.link_path == path)?;
    let target = many.junction(resource)?.target;
    let description = format!("The `{}` of the linked record.", target.key_names());
    Some(ParameterObject::new(Place::Path, "linked", description, schema::key_schema(target)))
}

fn body(target: &'static Descriptor) -> Schema {
    let list = Schema::array(schema::key_schema(target)).with("maxItems", MOST).with("uniqueItems", true);
    Schema::object().member(IDS, list.about("The keys, each once.")).closed()
}
