//! The audit log of a record: `GET {prefix}/{id}/history`.

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::route::{Handler, Route};
use crate::http::handler::audit_logs::page;
use crate::http::handler::{ResourceRequest, last_move};
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::json_schema::Schema;
use crate::http::openapi::words::{Answer, Words};
use crate::http::openapi::{audit, wording};
use crate::http::param;
use crate::http::param::log::{LogQuery, PARAMETERS};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Operation;
use crate::model::problem::{Code, Problem};
use crate::model::row::{Row, RowSink};
use crate::query::Scope;

pub(super) fn route() -> Route {
    let handler: Handler = |request| Box::pin(history(request));
    Route {
        parameters: None,
        ..Route::new(Method::GET, "/{id}/history", Operation::History, "get{one}History", handler, document)
    }
}

/// The audit log of one record, also after its purge.
///
/// As of `?as_of=`, a record that is deleted needs the access of `restore` too. Where a principal reaches some records alone,
/// the log begins when the record became one of them.
async fn history(mut request: ResourceRequest) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    let query = LogQuery::parse_for_record(request.parts.uri.query().unwrap_or_default(), resource, &id)?;
    let unfiltered = query.is_unfiltered();
    // The owner of a purged record is unknown; its tenant is in the log.
    let tenant = request.identity.records.tenant_alone(resource);
    let is_logged = request.identity.records.is_unrestricted() || tenant.is_some();
    let query = query.of_tenant(tenant);
    let sees_deleted = request.identity.sees_deleted;
    let scope = if sees_deleted { Scope::All } else { Scope::Active };
    let is_visible = is_logged && sees_deleted || request.find(&id, scope, &mut DiscardRows).await?;
    if !is_visible {
        return Err(Problem::record_not_found(resource, &id));
    }
    let query = if is_logged { query } else { query.after(last_move::find(&request, &id).await?) };
    let reader = request.identity.principal.as_deref();
    let (query, extent) = (query.into_list_query(), (request.is_head(), request.room()));
    let (response, rows) = page(&request.state, request.storage(), reader, query, extent).await?;
    // A log without entries exists only beside its record.
    if rows == 0 && unfiltered && !request.find(&id, Scope::All, &mut DiscardRows).await? {
        return Err(Problem::record_not_found(resource, &id));
    }
    Ok(response)
}

/// A row sink that keeps nothing.
struct DiscardRows;

impl RowSink for DiscardRows {
    fn row(&mut self, _: &dyn Row) -> Result<(), AdapterError> {
        Ok(())
    }
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Words {
    let summary = format!("List the changes of {}", wording::with_article(resource.options.descriptor.name));
    let answer = Answer::json("The entries, the oldest first.", Schema::reference(audit::SCHEMAS[1]));
    Words::about(summary, "The changes of the record from the audit log, the oldest first.")
        .parameters(param::document(&[PARAMETERS]))
        .answer(StatusCode::OK, answer)
        .problems(&[Code::ValidationFailed, Code::NotFound])
}
