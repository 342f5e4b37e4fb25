//! `GET /audit-logs` and `GET {prefix}/{id}/history`

use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::Value as Json;
use tokio::time::timeout;

use super::list::end_page;
use super::request::Incoming;
use super::{admission, reply};
use crate::audit::LogQuery;
use crate::http::routes::no_operation;
use crate::http::state::State;
use crate::model::adapter_error::AdapterError;
use crate::model::column::own;
use crate::model::descriptor::{ColumnDescriptor, Descriptor};
use crate::model::json;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::model::value::{Kind, Value, ValueRef};
use crate::query::visibility::View;
use crate::query::{ListQuery, Scope};
use crate::storage::adapter::Adapter;
use crate::store::audit_record::AuditRecord;

/// The log of all resources.
pub(crate) async fn list(state: State, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let head = parts.method == Method::HEAD;
    if !head && parts.method != Method::GET {
        return no_operation(&["GET", "HEAD", "OPTIONS"], &parts.method);
    }
    let resources: Vec<&'static Descriptor> = state.mounted().iter().map(|mounted| mounted.resource()).collect();
    let answer = async {
        let reader = admission::reader_of_the_log(&state, &parts).await?;
        let query = LogQuery::parse(parts.uri.query().unwrap_or_default(), &resources)?;
        let storage = state.reader(&parts.headers).await?;
        page(&state, &*storage, reader.as_ref(), &query.into_list_query()).await
    };
    let response = match timeout(state.limits().request, answer).await {
        Ok(Ok((response, _))) => response,
        Ok(Err(problem)) => problem.into_response(),
        Err(_) => Problem::new(Code::Timeout, "the request took too long").into_response(),
    };
    if head { reply::without_body(response) } else { response }
}

/// The log of one record, which outlives it.
pub(super) async fn history(mut request: Incoming) -> Result<Response, Problem> {
    let resource = request.resource();
    let id = request.id().await?;
    let query = LogQuery::parse_for_record(request.parts.uri.query().unwrap_or_default(), resource, &id)?;
    let unfiltered = query.is_unfiltered();
    // Whose record it was that is gone, nobody can tell any more.
    let is_seen = request.caller.owner.is_none() || request.find(&id, Scope::All, &mut Nobody).await?;
    if !is_seen {
        return Err(Problem::record_not_found(resource, &id));
    }
    let reader = request.caller.principal.as_ref();
    let (response, rows) = page(&request.state, request.adapter(), reader, &query.into_list_query()).await?;
    // Without entries, the record itself has to be there.
    if rows == 0 && unfiltered && !request.find(&id, Scope::All, &mut Nobody).await? {
        return Err(Problem::record_not_found(resource, &id));
    }
    Ok(response)
}

struct Nobody;

impl RowSink for Nobody {
    fn row(&mut self, _: &dyn Row) -> Result<(), AdapterError> {
        Ok(())
    }
}

/// A page of the log, and how many entries it has.
async fn page(
    state: &State,
    storage: &dyn Adapter,
    reader: Option<&Principal>,
    query: &ListQuery,
) -> Result<(Response, u64), Problem> {
    let log = AuditRecord::DESCRIPTOR;
    let problem = |error| Problem::from_adapter(log, error);
    let mut entries = Entries::new(state, reader);
    storage.list(log, query, &mut entries).await.map_err(problem)?;
    let limit = query.limit.unwrap_or(u64::MAX);
    let total = if entries.rows < limit && (entries.rows > 0 || query.skip == 0) {
        query.skip + entries.rows
    } else {
        storage.count(log, &query.filter).await.map_err(problem)?
    };
    let Entries { mut out, rows, .. } = entries;
    end_page(&mut out, query.skip, limit, Some(total));
    Ok((reply::json(StatusCode::OK, out), rows))
}

/// Renders entries: the two columns of a key as one field, and what is not tracked left out.
struct Entries {
    out: Vec<u8>,
    rows: u64,
    /// The resources of which something is left out: the actor, or fields that the reader does not see.
    partly: Vec<(&'static Descriptor, View)>,
}

impl Entries {
    fn new(state: &State, reader: Option<&Principal>) -> Self {
        let resources = state.mounted().iter().map(|mounted| mounted.resource());
        let partly = resources.filter(|resource| {
            resource.audit.is_some_and(|audit| !audit.track_user)
                || resource.columns.iter().any(|column| column.visible.is_some())
        });
        let partly = partly.map(|resource| (resource, View::of(resource, reader))).collect();
        Self { out: b"{\"data\":[".to_vec(), rows: 0, partly }
    }
}

impl RowSink for Entries {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let mut of = None::<(&'static Descriptor, View)>;
        self.out.extend_from_slice(if self.rows > 0 { b",{" } else { b"{" });
        self.rows += 1;
        let mut first = true;
        for (index, column) in AuditRecord::DESCRIPTOR.columns.iter().enumerate() {
            let value = row.value(index)?;
            let absent = matches!(value, ValueRef::Null);
            let left_out = match column.name {
                "entity_type" => {
                    let is = |name: &str| matches!(value, ValueRef::Text(text) if text == name);
                    of = self.partly.iter().find(|(resource, _)| is(resource.name)).cloned();
                    false
                }
                "user_id" | "actor" => of.as_ref().is_some_and(|(resource, _)| !tracks_user(resource)),
                "id" | "action" => false,
                _ => absent,
            };
            if left_out {
                continue;
            }
            match &of {
                Some((resource, view)) if ["changes", "previous"].contains(&column.name) => {
                    let seen = seen(resource, view, value)?;
                    self.member(column, ValueRef::Json(&seen), &mut first);
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

/// The fields of an entry that the reader sees.
fn seen(resource: &'static Descriptor, view: &View, value: ValueRef<'_>) -> Result<Json, AdapterError> {
    let value = own(Kind::Json, value).map_err(|error| AdapterError::Other(error.message().to_owned().into()))?;
    let Value::Json(mut json) = value else { return Ok(Json::Null) };
    if let Some(object) = json.as_object_mut() {
        for (_, column) in resource.columns.iter().enumerate().filter(|(index, _)| !view.sees(*index)) {
            object.shift_remove(column.json);
        }
    }
    Ok(json)
}

impl Entries {
    fn member(&mut self, column: &'static ColumnDescriptor, value: ValueRef<'_>, first: &mut bool) {
        if !std::mem::take(first) {
            self.out.push(b',');
        }
        let key = if column.name == "entity_key" { "\"entity_id\":" } else { column.key };
        self.out.extend_from_slice(key.as_bytes());
        json::write_value(&mut self.out, column, value);
    }
}
