//! The audit log: `GET /audit-logs` and `GET {prefix}/{id}/history`.

use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value as Json;
use tokio::time::timeout;

use super::page::{PageEnd, write_page_end};
use super::request::ResourceRequest;
use super::{authorization, response};
use crate::audit::LogQuery;
use crate::http::routes::allow_response;
use crate::http::state::ServiceState;
use crate::model::adapter_error::AdapterError;
use crate::model::column::owned_value;
use crate::model::descriptor::{ColumnDescriptor, Count, Descriptor};
use crate::model::json;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::model::value::{Kind, Value, ValueRef};
use crate::query::visibility::FieldVisibility;
use crate::query::{ListQuery, Scope, parse};
use crate::storage::adapter::Adapter;
use crate::store::audit_record::AuditRecord;

/// The audit log of all resources.
pub(crate) async fn list(state: ServiceState, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let head = parts.method == Method::HEAD;
    if !head && parts.method != Method::GET {
        return allow_response(&["GET", "HEAD", "OPTIONS"], &parts.method);
    }
    let resources: Vec<&'static Descriptor> = state.mounted().iter().map(|mounted| mounted.resource()).collect();
    let respond = async {
        parse::check_bounds(parts.uri.query())?;
        let _permit = state.admit()?;
        let reader = authorization::authorize_role(&state, &parts.headers, state.audit_role()).await?;
        let query = LogQuery::parse(parts.uri.query().unwrap_or_default(), &resources)?;
        let query = query.of_tenant(authorization::visible_tenant(&state, reader.as_ref())?);
        let storage = state.reader(&parts.headers).await?;
        page(&state, &*storage, reader.as_ref(), &query.into_list_query()).await
    };
    let response = match timeout(state.limits().request, respond).await {
        Ok(Ok((response, _))) => response,
        Ok(Err(problem)) => problem.into_response(),
        Err(_) => Problem::new(Code::Timeout, "the request took too long").into_response(),
    };
    if head { response::without_body(response) } else { response }
}

/// The audit log of one record, also after its purge.
pub(super) async fn history(mut request: ResourceRequest) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    let query = LogQuery::parse_for_record(request.parts.uri.query().unwrap_or_default(), resource, &id)?;
    let unfiltered = query.is_unfiltered();
    // The owner of a purged record is unknown; its tenant is in the log.
    let tenant = request.identity.records.tenant_alone(resource);
    let is_logged = request.identity.records.is_unrestricted() || tenant.is_some();
    let query = query.of_tenant(tenant);
    let is_visible = is_logged || request.find(&id, Scope::All, &mut DiscardRows).await?;
    if !is_visible {
        return Err(Problem::record_not_found(resource, &id));
    }
    let reader = request.identity.principal.as_ref();
    let (response, rows) = page(&request.state, request.adapter(), reader, &query.into_list_query()).await?;
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

/// A page of the log, and its number of entries.
async fn page(
    state: &ServiceState,
    storage: &dyn Adapter,
    reader: Option<&Principal>,
    query: &ListQuery,
) -> Result<(Response, u64), Problem> {
    let log = AuditRecord::DESCRIPTOR;
    let problem = |error| Problem::from_adapter(log, error);
    let mut entries = EntrySink::new(state, reader);
    let total = storage.page(log, query, Count::Exact, &mut entries).await.map_err(problem)?;
    let limit = query.limit.unwrap_or(u64::MAX);
    let EntrySink { mut out, rows, .. } = entries;
    let page = Some(query.skip / limit + 1);
    write_page_end(&mut out, &PageEnd { page, skip: query.skip, limit, total });
    Ok((response::json(StatusCode::OK, out), rows))
}

/// A row sink that renders entries: the two key columns as one field, without untracked and invisible fields.
struct EntrySink {
    out: Vec<u8>,
    rows: u64,
    /// The resources whose entries are redacted: without the actor, or without fields that the reader may not see.
    redacted: Vec<(&'static Descriptor, FieldVisibility)>,
}

impl EntrySink {
    fn new(state: &ServiceState, reader: Option<&Principal>) -> Self {
        let resources = state.mounted().iter().map(|mounted| mounted.resource());
        let redacted = resources.filter(|resource| {
            resource.audit.is_some_and(|audit| !audit.track_user)
                || resource.columns.iter().any(|column| column.visible.is_some())
        });
        let redacted = redacted.map(|resource| (resource, FieldVisibility::new(resource, reader))).collect();
        Self { out: b"{\"data\":[".to_vec(), rows: 0, redacted }
    }
}

impl RowSink for EntrySink {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let mut redacted = None::<(&'static Descriptor, FieldVisibility)>;
        self.out.extend_from_slice(if self.rows > 0 { b",{" } else { b"{" });
        self.rows += 1;
        let mut first = true;
        for (index, column) in AuditRecord::DESCRIPTOR.columns.iter().enumerate() {
            let value = row.value(index)?;
            let absent = matches!(value, ValueRef::Null);
            let omitted = match column.name {
                "entity_type" => {
                    let matches_name = |name: &str| matches!(value, ValueRef::Text(text) if text == name);
                    redacted = self.redacted.iter().find(|(resource, _)| matches_name(resource.name)).cloned();
                    false
                }
                "user_id" | "actor" => redacted.as_ref().is_some_and(|(resource, _)| !tracks_user(resource)),
                "id" | "action" => false,
                _ => absent,
            };
            if omitted {
                continue;
            }
            match &redacted {
                Some((resource, view)) if ["changes", "previous"].contains(&column.name) => {
                    let visible = visible_fields(resource, view, value)?;
                    self.member(column, ValueRef::Json(&visible), &mut first);
                }
                _ => self.member(column, value, &mut first),
            }
        }
        self.out.push(b'}');
        Ok(())
    }
}

fn tracks_user(resource: &Descriptor) -> bool {
    resource.audit.is_some_and(|audit| audit.track_user)
}

/// The fields of an entry that the view shows.
fn visible_fields(
    resource: &'static Descriptor,
    view: &FieldVisibility,
    value: ValueRef<'_>,
) -> Result<Json, AdapterError> {
    let value =
        owned_value(Kind::Json, value).map_err(|error| AdapterError::Other(error.message().to_owned().into()))?;
    let Value::Json(mut json) = value else { return Ok(Json::Null) };
    if let Some(object) = json.as_object_mut() {
        for (_, column) in resource.columns.iter().enumerate().filter(|(index, _)| !view.shows(*index)) {
            object.shift_remove(column.json);
        }
    }
    Ok(json)
}

impl EntrySink {
    fn member(&mut self, column: &'static ColumnDescriptor, value: ValueRef<'_>, first: &mut bool) {
        if !std::mem::take(first) {
            self.out.push(b',');
        }
        let key = if column.name == "entity_key" { "\"entity_id\":" } else { column.key };
        self.out.extend_from_slice(key.as_bytes());
        json::write_value(&mut self.out, column, value);
    }
}
