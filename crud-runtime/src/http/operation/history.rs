//! The audit log of a record: `GET {prefix}/{id}/history`.

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::as_of::is_changed_without_entry;
use super::audit_log::{ShownEntries, page};
use super::links;
use super::moves::{last_move, require_known_past};
use super::route::{OperationRoute, handler};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::description::json_schema::Schema;
use crate::http::description::name::AUDIT_LOG_PAGE;
use crate::http::description::operation_doc::{Answer, OperationDoc};
use crate::http::handler::ResourceRequest;
use crate::http::param;
use crate::http::param::log::{LogQuery, PARAMETERS};
use crate::model::descriptor::Operation;
use crate::model::problem::{Code, Problem};
use crate::query::Scope;
use crate::store::writer::no_sink::NoSink;

pub(super) fn route() -> OperationRoute {
    OperationRoute {
        parameters: None,
        ..OperationRoute::new(
            Method::GET,
            "/{id}/history",
            Operation::History,
            "get{one}History",
            handler!(history),
            document,
        )
    }
}

/// The audit log of one record, also after its purge.
///
/// As with `?as_of=`, the log of a deleted record needs the access of `restore` too. Where a principal sees only some
/// records, the log begins when the record became one of them.
async fn history(mut request: Box<ResourceRequest>) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    require_known_past(&request)?;
    let query = LogQuery::parse_for_record(request.parts.uri.query().unwrap_or_default(), resource, &id)?;
    let unfiltered = query.is_unfiltered();
    // The owner of a purged record is unknown; its tenant is in the log.
    let tenant = request.identity.records.tenant_alone();
    let is_logged = request.identity.records.is_unrestricted() || tenant.is_some();
    let query = query.of_tenant(tenant);
    let sees_deleted = request.identity.sees_deleted;
    let scope = if sees_deleted { Scope::All } else { Scope::Active };
    // A record that policies hide looks like one that was purged.
    let sees_purged = is_logged && sees_deleted && !request.state.has_policies();
    let is_visible = sees_purged || request.find(&id, scope, &mut NoSink).await?;
    if !is_visible {
        return Err(Problem::record_not_found(resource, &id));
    }
    let query = if is_logged { query } else { query.after(last_move(&request, &id).await?.map(|moved| moved.entry)) };
    let query = if links::are_shown(&request) { query } else { query.without_links() };
    let reader = request.identity.principal.as_deref();
    let shown = ShownEntries::OfRecord { resource, is_unlogged: is_changed_without_entry(&request, &id).await? };
    let (response, rows) =
        page(&request.state, request.storage(), reader, query.into_list_query(), request.budget(), shown).await?;
    // A log without entries exists only beside its record.
    if rows == 0 && unfiltered && !request.find(&id, Scope::All, &mut NoSink).await? {
        return Err(Problem::record_not_found(resource, &id));
    }
    Ok(response)
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &OperationRoute) -> OperationDoc {
    let summary = format!("List the changes of {}", resource.singular());
    let answer = Answer::json("The entries.", Schema::reference(AUDIT_LOG_PAGE));
    let description = "The changes of the record from the audit log, the oldest first. `unlogged` is there where another \
                       program has changed the record since.";
    OperationDoc::about(summary, description)
        .parameters(param::document(&[PARAMETERS]))
        .answer(StatusCode::OK, answer)
        .problems(&[Code::ValidationFailed, Code::NotFound])
}
