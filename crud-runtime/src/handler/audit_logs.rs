//! `GET /audit-logs` and `GET {prefix}/{id}/history`

use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{Method, StatusCode};
use axum::response::{IntoResponse, Response};
use tokio::time::timeout;

use super::list::end_page;
use super::request::Incoming;
use super::{no_operation, reply};
use crate::adapter::{AdapterError, Row, RowSink};
use crate::audit::{AuditRecord, LogQuery};
use crate::descriptor::{ColumnDescriptor, Descriptor};
use crate::error::{Code, Problem};
use crate::find::find;
use crate::query::{ListQuery, Scope};
use crate::render;
use crate::resource::Resource;
use crate::state::State;
use crate::value::ValueRef;

/// The log of all resources.
pub(crate) async fn list(state: State, request: Request) -> Response {
    let (Parts { method, uri, .. }, _) = request.into_parts();
    let head = method == Method::HEAD;
    if !head && method != Method::GET {
        return no_operation(&["GET", "HEAD", "OPTIONS"], &method);
    }
    let resources: Vec<&'static Descriptor> = state.mounted().iter().map(|mounted| mounted.resource()).collect();
    let answer = async {
        let query = LogQuery::parse(uri.query().unwrap_or_default(), &resources)?;
        page(&state, &query.into_list_query()).await
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
    let query = LogQuery::parse_of_record(request.parts.uri.query().unwrap_or_default(), resource, &id)?;
    let unfiltered = query.is_unfiltered();
    let (response, rows) = page(&request.state, &query.into_list_query()).await?;
    if rows == 0 && unfiltered {
        // Without entries, the record itself has to be there.
        let mut nobody = Nobody;
        let found = find(request.adapter(), resource, &id, Scope::All, &mut nobody).await;
        if !found.map_err(|error| request.problem(error))? {
            return Err(Problem::record_not_found(resource, &id));
        }
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
async fn page(state: &State, query: &ListQuery) -> Result<(Response, u64), Problem> {
    let log = AuditRecord::DESCRIPTOR;
    let problem = |error| Problem::from_adapter(log, error);
    let mut entries = Entries::new(state);
    state.adapter().list(log, query, &mut entries).await.map_err(problem)?;
    let limit = query.limit.unwrap_or(u64::MAX);
    let total = if entries.rows < limit && (entries.rows > 0 || query.skip == 0) {
        query.skip + entries.rows
    } else {
        state.adapter().count(log, &query.filter).await.map_err(problem)?
    };
    let Entries { mut out, rows, .. } = entries;
    end_page(&mut out, query.skip, limit, Some(total));
    Ok((reply::json(StatusCode::OK, out), rows))
}

/// Renders entries: the two columns of a key as one field, and what is not tracked left out.
struct Entries {
    out: Vec<u8>,
    rows: u64,
    /// The types of the records whose actor is not tracked.
    anonymous: Vec<&'static str>,
}

impl Entries {
    fn new(state: &State) -> Self {
        let resources = state.mounted().iter().map(|mounted| mounted.resource());
        let anonymous = resources.filter(|resource| resource.audit.is_some_and(|audit| !audit.track_user));
        Self { out: b"{\"data\":[".to_vec(), rows: 0, anonymous: anonymous.map(|resource| resource.name).collect() }
    }
}

impl RowSink for Entries {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        let mut anonymous = false;
        self.out.extend_from_slice(if self.rows > 0 { b",{" } else { b"{" });
        self.rows += 1;
        let mut first = true;
        for (index, column) in AuditRecord::DESCRIPTOR.columns.iter().enumerate() {
            let value = row.value(index)?;
            let absent = matches!(value, ValueRef::Null);
            let left_out = match column.name {
                "entity_type" => {
                    anonymous = matches!(value, ValueRef::Text(name) if self.anonymous.contains(&name));
                    false
                }
                "user_id" | "actor" => anonymous,
                "id" | "action" => false,
                _ => absent,
            };
            if !left_out {
                self.member(column, value, &mut first);
            }
        }
        self.out.push(b'}');
        Ok(())
    }
}

impl Entries {
    fn member(&mut self, column: &'static ColumnDescriptor, value: ValueRef<'_>, first: &mut bool) {
        if !std::mem::take(first) {
            self.out.push(b',');
        }
        let key = if column.name == "entity_key" { "\"entity_id\":" } else { column.key };
        self.out.extend_from_slice(key.as_bytes());
        render::write_value(&mut self.out, column, value);
    }
}
