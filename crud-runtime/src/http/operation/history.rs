//! The audit log of a record: `GET {prefix}/{id}/history`.

use axum::http::{Method, StatusCode};
use axum::response::Response;

use super::audit_log::page;
use super::links;
use super::route::{Handler, Route};
use super::unlogged;
use crate::http::handler::ResourceRequest;
use crate::http::openapi::documented_resource::DocumentedResource;
use crate::http::openapi::json_schema::Schema;
use crate::http::openapi::name::AUDIT_LOG_PAGE;
use crate::http::openapi::words::{Answer, Words};
use crate::http::param;
use crate::http::param::log::{LogQuery, PARAMETERS};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Operation;
use crate::model::key::Key;
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::query::{Scope, Select};
use crate::store::audit_record::{Action, AuditRecord, EntityId};

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
    // A record that policies hide looks like one that was purged.
    let sees_purged = is_logged && sees_deleted && !request.state.has_policies();
    let is_visible = sees_purged || request.find(&id, scope, &mut DiscardRows).await?;
    if !is_visible {
        return Err(Problem::record_not_found(resource, &id));
    }
    let query = if is_logged { query } else { query.after(last_move(&request, &id).await?) };
    let query = if links::are_shown(&request) { query } else { query.without_links() };
    let reader = request.identity.principal.as_deref();
    let is_unlogged = unlogged::is_changed_without_entry(&request, &id).await?;
    let (response, rows) =
        page(&request.state, request.storage(), reader, query.into_list_query(), request.room(), is_unlogged).await?;
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

/// The key of the latest entry that changed the owner, the tenant or the field of a claim, or that removed an earlier
/// record of the same key: it and those before it have values of records that the reader may not have reached.
///
/// # Errors
/// When the database fails.
async fn last_move(request: &ResourceRequest, id: &Key) -> Result<Option<i64>, Problem> {
    let fields = AuditRecord::FIELDS;
    let resource = request.resource();
    let (entity_id, entity_key) = EntityId::from_key(id).into_columns();
    let of_record = AuditRecord::is_of(resource).and(fields.entity_id.eq(entity_id));
    let of_record = of_record.and(fields.entity_key.eq(entity_key)).and(fields.action.ne(Action::Create.as_str()));
    let columns = request.identity.records.columns();
    let mut latest = Latest { fields: columns.map(|column| resource.columns[column].json).collect(), found: None };
    // Entries are not kept: a record may have a long history of large changes.
    let query = Select::from(of_record).into_list_query();
    let read = request.adapter().list(AuditRecord::DESCRIPTOR, &query, &mut latest).await;
    read.map_err(|error| request.problem(error))?;
    Ok(latest.found)
}

/// Keeps the greatest key of an entry that changed one of the fields, or removed the record.
struct Latest {
    fields: Vec<&'static str>,
    found: Option<i64>,
}

impl RowSink for Latest {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let entry = AuditRecord::from_row(row)?;
        let changes = |field: &&str| entry.changes.as_ref().is_some_and(|changes| changes.get(*field).is_some());
        if entry.action == Action::Delete.as_str() || self.fields.iter().any(changes) {
            self.found = self.found.max(Some(entry.id));
        }
        Ok(())
    }
}

/// The operation in the document.
fn document(resource: &DocumentedResource<'_>, _: &Route) -> Words {
    let summary = format!("List the changes of {}", resource.singular());
    let answer = Answer::json("The entries, the oldest first.", Schema::reference(AUDIT_LOG_PAGE));
    let description = "The changes of the record from the audit log, the oldest first. `unlogged` is there where another \
                       program has changed the record since.";
    Words::about(summary, description)
        .parameters(param::document(&[PARAMETERS]))
        .answer(StatusCode::OK, answer)
        .problems(&[Code::ValidationFailed, Code::NotFound])
}
