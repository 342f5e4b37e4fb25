//! List: `GET {prefix}` and `POST {prefix}/search`, a page or a streamed array.

pub(crate) mod cursor;
pub(crate) mod page;
mod stream;

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::route::{Route, handler};
use crate::http::body::malformed;
use crate::http::handler::{ResourceRequest, require_access};
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::json_schema::Schema;
use crate::http::openapi::schema::has_cursors;
use crate::http::openapi::words::{Answer, Words};
use crate::http::param;
use crate::http::param::header::prefer::{self, Prefer};
use crate::http::param::list::{Json as SearchBody, LIST, ListRequest, parse, parse_search};
use crate::http::render::expand::check_storage;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor, Operation};
use crate::model::problem::{FieldError, FieldErrors, Problem};
use crate::query::{Comparison, Predicate, Scope};

/// The path of a resource's records.
pub(super) const PATH: &str = "";

pub(super) fn route() -> Route {
    Route {
        parameters: None,
        more_access: deleted,
        ..Route::new(Method::GET, PATH, Operation::List, "list{many}", handler!(list), document)
    }
}

/// The access of lists with deleted records.
pub(crate) fn deleted(resource: &Descriptor) -> Vec<(String, Operation)> {
    let Some(soft_delete) = resource.soft_delete else { return Vec::new() };
    let included = (!soft_delete.include_deleted_by_default).then_some("include_deleted=true");
    let parameters = ["only_deleted=true"].into_iter().chain(included);
    parameters.map(|parameter| (parameter.to_owned(), Operation::Restore)).collect()
}

pub(super) async fn list(mut request: ResourceRequest) -> Result<Response, Problem> {
    let prefer = request.prefer();
    let mut list = list_request(&mut request, prefer).await?;
    restrict(&request, &mut list).await?;
    let pagination = request.mounted.options().pagination;
    let (count, applied) = match (&list.cursor, prefer.count) {
        // A count costs more with each record, and a page by a cursor does not.
        (Some(_), None) => (Count::None, None),
        _ => prefer.count(pagination.map_or(Count::Exact, |pagination| pagination.count)),
    };
    let mut response = match (list.query.limit, pagination.is_some_and(|pagination| pagination.cursor)) {
        (Some(limit), true) => cursor::page(request, list, limit, count).await?,
        (Some(limit), false) => page::page(request, list, limit, count).await?,
        (None, _) => stream::stream(request, list.query, list.expand, count).await?,
    };
    if let Some(applied) = applied {
        Prefer::applied(response.headers_mut(), applied);
    }
    if prefer.lenient {
        Prefer::applied(response.headers_mut(), "handling=lenient");
    }
    Ok(response)
}

/// Reads what the list is to have: from the query string, or of a search from the body.
async fn list_request(request: &mut ResourceRequest, prefer: Prefer) -> Result<ListRequest, Problem> {
    let is_search = request.parts.method == Method::POST;
    let body = if is_search { Some(request.json_body(request.state.limits().search_body()).await?) } else { None };
    let (context, query) = (request.list_context(LIST), request.query());
    let Some(body) = body else { return parse(context, query, prefer.lenient) };
    if !query.is_empty() && !prefer.lenient {
        let detail = "a search has no parameters: its body has them as members";
        return Err(Problem::validation([FieldError::parameter("query", "unknown_parameter", detail)]));
    }
    let body = SearchBody::read(&body).map_err(|error| malformed(&error))?;
    parse_search(context, &body)
}

/// Restricts a list to the records that the request may have.
///
/// # Errors
/// 401 and 403 where it lacks the access to deleted records; `unsupported_here`; those of [`check_texts`].
pub(super) async fn restrict(request: &ResourceRequest, list: &mut ListRequest) -> Result<(), Problem> {
    check_storage(&list.query.joined, &list.expand, request.adapter()).map_err(|error| request.problem(error))?;
    if list.scope != Scope::Active && list.scope != Scope::default_of(request.resource()) {
        require_access(&request.state, &request.identity, Operation::Restore, request.resource())?;
    }
    check_texts(request, list).await?;
    let filter = std::mem::replace(&mut list.query.filter, Predicate::All);
    list.query.filter = request.visible(filter).await?;
    Ok(())
}

/// Refuses the filters by texts that an enum does not know, unless a record of the list's scope has the text.
///
/// # Errors
/// `validation_failed`.
async fn check_texts(request: &ResourceRequest, list: &ListRequest) -> Result<(), Problem> {
    let mut errors = FieldErrors::default();
    for unknown in &list.unknown {
        let (column, value) = (unknown.column, unknown.value.clone());
        let has_text = Predicate::Compare { column, operator: Comparison::Eq, value };
        let filter = request.visible(list.scope.predicate(request.resource()).and(has_text)).await?;
        let found = match request.adapter().count_up_to(request.resource(), &filter, 1).await {
            // The column's own type has no such value.
            Err(AdapterError::Constraint { .. }) => 0,
            found => found.map_err(|error| request.problem(error))?,
        };
        if found == 0 {
            errors.push(unknown.error.clone());
        }
    }
    errors.into_result(())
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Words {
    let DocumentedResource { options, names, .. } = resource;
    let description = if options.pagination.is_some() {
        "A page of the records that satisfy all filters."
    } else {
        "Every record that satisfies all filters."
    };
    let mut headers = HEADERS.to_vec();
    headers.extend(has_cursors(options).then_some("Link"));
    Words::about(format!("List {}", resource.plural()), description)
        .parameters(param::list::document(options, LIST, &names.schema("Where")))
        .parameters([prefer::document_list()])
        .answer(StatusCode::OK, answer(resource).headers(&headers))
        .problems(&resource.list_problems())
}

/// The headers of a list.
pub(super) const HEADERS: [&str; 3] = ["X-Total-Count", "Content-Range", "Preference-Applied"];

/// The page or the array of records.
pub(super) fn answer(resource: &DocumentedResource<'_>) -> Answer {
    let DocumentedResource { options, names, .. } = resource;
    let schema = match options.pagination {
        Some(_) => Schema::reference(&names.schema("List")),
        None => Schema::array(resource.record()),
    };
    Answer::json("The records.", schema)
}
