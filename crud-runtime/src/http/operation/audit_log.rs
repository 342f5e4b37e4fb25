//! The audit log: `GET /audit-logs`.

use std::iter::repeat;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::response::Response;
use serde_json::Value as Json;
use tokio::time::timeout;

use super::list::{DATA, PageEnd, page_body};
use crate::http::handler::chunked::{Chunked, Unread};
use crate::http::handler::request::observed;
use crate::http::handler::{authorization, response};
use crate::http::param::log::LogQuery;
use crate::http::request_policy;
use crate::http::request_policy::RequestPolicy;
use crate::http::server::memory_budget::CHUNK;
use crate::http::state::ServiceState;
use crate::model::adapter_error::AdapterError;
use crate::model::column::owned_value;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::json;
use crate::model::key::Key;
use crate::model::principal::Principal;
use crate::model::problem::Problem;
use crate::model::resource::Resource;
use crate::model::row::{Row, RowSink};
use crate::model::value::{Kind, Value, ValueRef};
use crate::query::visibility::FieldVisibility;
use crate::query::{ListQuery, Predicate, Total};
use crate::storage::adapter::Adapter;
use crate::store::audit_record::{Action, AuditRecord};
use crate::store::each_row::each_row;

/// The audit log of all resources.
pub(crate) async fn list(state: ServiceState, request: Request) -> Response {
    if request_policy::method(&request) != Method::GET {
        return request_policy::not_allowed(&[Method::GET], request.method());
    }
    let resources: Vec<&'static Descriptor> = state.mounted().iter().map(|mounted| mounted.resource()).collect();
    let respond = async |request: Request, _| {
        let reader = authorization::authorize_log(&state, (&request).into()).await?;
        let state = state.clone().of_caller(reader.as_ref())?;
        let query = LogQuery::parse(request.uri().query().unwrap_or_default(), &resources)?;
        let query = query.visible(authorization::visible_entries(&state, reader.as_ref())?);
        let storage = state.reader(request.headers()).await?;
        let reads = state.tenant_reads(reader.clone().map(Arc::new).as_ref(), (request.method(), request.uri().path()));
        let storage = observed(storage, reads);
        // An auditor sees each entry, also one whose every field is hidden.
        let shown = ShownEntries::All;
        let (response, _) = page(&state, &storage, reader.as_ref(), query.into_list_query(), CHUNK, shown).await?;
        Ok(response)
    };
    RequestPolicy::new(true).answer(&state, request, respond).await
}

/// The entries of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ShownEntries {
    /// All entries of the query.
    All,
    /// Entries of one record, without updates of fields that the reader may not see.
    OfRecord {
        resource: &'static Descriptor,
        /// Whether the page says that the record differs from the one of its last entry.
        is_unlogged: bool,
    },
}

/// A page of the log, and its number of entries. Entries beyond `budget` bytes are read while the page is sent.
pub(crate) async fn page(
    state: &ServiceState,
    storage: &Arc<dyn Adapter>,
    reader: Option<&Principal>,
    query: ListQuery,
    budget: usize,
    shown: ShownEntries,
) -> Result<(Response, u64), Problem> {
    let log = AuditRecord::DESCRIPTOR;
    let problem = |error| Problem::from_adapter(log, error);
    let mut entries = EntrySink::new(Rendering::of(state, reader), budget);
    entries.out.extend_from_slice(DATA);
    let hiding = match shown {
        ShownEntries::OfRecord { resource, .. } => entries.rendering.hides_fields_of(resource),
        ShownEntries::All => false,
    };
    let total = if hiding {
        Some(Total::Exactly(page_of_shown(&**storage, &query, &mut entries).await.map_err(problem)?))
    } else {
        storage.page(log, &query, Count::Exact, &mut entries).await.map_err(problem)?
    };
    let limit = query.limit.unwrap_or(u64::MAX);
    let EntrySink { out, rows, rendering, remaining, .. } = entries;
    let found = rows + remaining.len() as u64;
    let mut end = Vec::new();
    PageEnd { page: Some(query.skip / limit + 1), skip: query.skip, limit, total }.write(&mut end);
    if matches!(shown, ShownEntries::OfRecord { is_unlogged: true, .. }) && end.pop().is_some() {
        end.extend_from_slice(b",\"unlogged\":true}");
    }
    let body = page_body(out, end, remaining, |unread, end| {
        let (storage, limit) = (storage.clone(), state.limits().request);
        EntryReader { storage, query, rendering, unread, limit, end }
    });
    Ok((response::json(StatusCode::OK, body), found))
}

/// Reads the entries of a page, without entries that only change hidden fields, and returns the number of shown entries
/// in all pages. Queries cannot have a condition on an entry's changes, so every entry of the record is read.
async fn page_of_shown(storage: &dyn Adapter, query: &ListQuery, entries: &mut EntrySink) -> Result<u64, AdapterError> {
    let page = query.skip..query.skip.saturating_add(query.limit.unwrap_or(u64::MAX));
    let mut shown = 0;
    let mut sink = each_row(|row| {
        if entries.rendering.hides(row)? {
            return Ok(());
        }
        let position = shown;
        shown += 1;
        if page.contains(&position) { entries.row(row) } else { Ok(()) }
    });
    let mut all = query.clone().skip(0);
    all.limit = None;
    storage.list(AuditRecord::DESCRIPTOR, &all, &mut sink).await?;
    Ok(shown)
}

/// Reads the rest of a page of large entries.
struct EntryReader {
    storage: Arc<dyn Adapter>,
    query: ListQuery,
    rendering: Rendering,
    unread: Unread,
    /// Time limit of a query.
    limit: Duration,
    /// JSON that follows the entries.
    end: Vec<u8>,
}

impl Chunked for EntryReader {
    fn resource(&self) -> &'static Descriptor {
        AuditRecord::DESCRIPTOR
    }

    async fn chunk(&mut self) -> Result<(Bytes, bool), AdapterError> {
        let keys = self.unread.next();
        let limit = keys.len() as u64;
        let with_key = Predicate::of_keys(AuditRecord::DESCRIPTOR, &keys);
        let query = self.query.clone().filter(with_key).skip(0).limit(limit);
        // One entry is counted as written, so that a comma follows the entries before.
        let mut entries = EntrySink { rows: 1, ..EntrySink::new(self.rendering.clone(), CHUNK) };
        let read = timeout(self.limit, self.storage.list(AuditRecord::DESCRIPTOR, &query, &mut entries)).await;
        read.map_err(|_| AdapterError::Timeout)??;
        let EntrySink { mut out, rows, remaining, .. } = entries;
        self.unread.put_back(remaining, usize::try_from(rows - 1).unwrap_or(usize::MAX));
        let more = !self.unread.is_empty();
        if !more {
            out.append(&mut self.end);
        }
        Ok((out.into(), more))
    }
}

/// The resources whose entries are rendered in another form than the stored one.
#[derive(Clone)]
struct Rendering {
    /// Resources whose entries lack the actor, or fields that the reader may not see.
    redacted: Vec<(&'static Descriptor, FieldVisibility)>,
    /// Former names of resources, each with the present one. A name that another resource has now is not replaced.
    renamed: Vec<(&'static str, &'static str)>,
}

impl Rendering {
    fn of(state: &ServiceState, reader: Option<&Principal>) -> Self {
        let resources = state.mounted().iter().map(|mounted| mounted.resource());
        let redacted = resources.clone().filter(|resource| {
            let mut columns = resource.columns.iter().enumerate();
            resource.audit.is_some_and(|audit| !audit.track_user)
                || columns.any(|(index, column)| column.visible.is_some() || is_mark(resource, index))
        });
        let redacted = redacted.map(|resource| (resource, FieldVisibility::new(resource, reader))).collect();
        let is_present = |name: &str| resources.clone().any(|resource| resource.name == name);
        let formers = resources.clone().flat_map(|resource| resource.names().map(move |name| (name, resource.name)));
        Self { redacted, renamed: formers.filter(|(former, _)| !is_present(former)).collect() }
    }

    /// Whether entries of a resource have fields that the reader may not see.
    fn hides_fields_of(&self, resource: &'static Descriptor) -> bool {
        let mut of_resource = self.redacted.iter().filter(|(redacted, _)| std::ptr::eq(*redacted, resource));
        of_resource.any(|(_, view)| (0..resource.columns.len()).any(|column| !view.shows(column)))
    }

    /// Whether an entry is an update of nothing but fields that the reader may not see. An entry that marks a move of
    /// the record is shown.
    fn hides(&self, row: &dyn Row) -> Result<bool, AdapterError> {
        let fields = AuditRecord::FIELDS;
        let action = row.value(fields.action.column())?;
        if !matches!(action, ValueRef::Text(action) if action == Action::Update.as_str()) {
            return Ok(false);
        }
        let redacted = self.redactions(row.value(fields.entity_type.column())?);
        let is_hidden = |name: &String| {
            let mut columns = redacted.iter().flat_map(|(of, view)| of.columns.iter().enumerate().zip(repeat(view)));
            columns.any(|((index, column), view)| column.json == *name && !view.shows(index))
        };
        let changes = visible_fields(&[], row.value(fields.changes.column())?)?;
        Ok(changes.as_object().is_some_and(|changes| !changes.is_empty() && changes.keys().all(is_hidden)))
    }

    /// The present name of the resource that an entry names.
    fn present<'v>(&self, name: ValueRef<'v>) -> ValueRef<'v> {
        let ValueRef::Text(text) = name else { return name };
        let renamed = self.renamed.iter().find(|(former, _)| *former == text);
        renamed.map_or(name, |(_, present)| ValueRef::Text(present))
    }

    /// The redactions of an entry: those of every struct that may have written it.
    fn redactions(&self, name: ValueRef<'_>) -> Vec<(&'static Descriptor, FieldVisibility)> {
        let ValueRef::Text(text) = name else { return Vec::new() };
        self.redacted.iter().filter(|(resource, _)| resource.is_named(text)).cloned().collect()
    }
}

/// A row sink that renders entries: the two key columns as one field, without untracked and invisible fields.
struct EntrySink {
    out: Vec<u8>,
    rows: u64,
    rendering: Rendering,
    /// The number of bytes after which entries are deferred.
    budget: usize,
    /// The keys of the remaining entries.
    remaining: Vec<Key>,
}

impl EntrySink {
    const fn new(rendering: Rendering, budget: usize) -> Self {
        Self { out: Vec::new(), rows: 0, rendering, budget, remaining: Vec::new() }
    }
}

impl RowSink for EntrySink {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        if self.out.len() >= self.budget {
            self.remaining.push(Key::of_row(AuditRecord::DESCRIPTOR, row)?);
            return Ok(());
        }
        let mut redacted: Vec<(&'static Descriptor, FieldVisibility)> = Vec::new();
        self.out.extend_from_slice(if self.rows > 0 { b",{" } else { b"{" });
        self.rows += 1;
        let mut first = true;
        for (index, column) in AuditRecord::DESCRIPTOR.columns.iter().enumerate() {
            let mut value = row.value(index)?;
            let absent = matches!(value, ValueRef::Null);
            let visible;
            let omitted = match column.name {
                "entity_type" => {
                    redacted = self.rendering.redactions(value);
                    value = self.rendering.present(value);
                    false
                }
                "user_id" | "actor" => redacted.iter().any(|(resource, _)| !tracks_user(resource)),
                "id" | "action" => false,
                _ => absent,
            };
            if omitted {
                continue;
            }
            if !redacted.is_empty() && ["changes", "previous"].contains(&column.name) {
                visible = visible_fields(&redacted, value)?;
                value = ValueRef::Json(&visible);
            }
            if !std::mem::take(&mut first) {
                self.out.push(b',');
            }
            let key = if column.name == "entity_key" { "\"entity_id\":" } else { column.key };
            self.out.extend_from_slice(key.as_bytes());
            json::write_value(&mut self.out, column, value);
        }
        self.out.push(b'}');
        Ok(())
    }
}

/// Whether entries have only a column's name, as a mark that the record has moved: no answer has the field's value.
fn is_mark(resource: &Descriptor, column: usize) -> bool {
    !resource.columns[column].is_returned() && resource.restricts_by(column)
}

fn tracks_user(resource: &Descriptor) -> bool {
    resource.audit.is_some_and(|audit| audit.track_user)
}

/// The fields of an entry that every view shows.
fn visible_fields(views: &[(&'static Descriptor, FieldVisibility)], value: ValueRef<'_>) -> Result<Json, AdapterError> {
    let value =
        owned_value(Kind::Json, value).map_err(|error| AdapterError::Other(error.message().to_owned().into()))?;
    let Value::Json(mut json) = value else { return Ok(Json::Null) };
    if let Some(object) = json.as_object_mut() {
        for (resource, view) in views {
            let columns = resource.columns.iter().enumerate();
            for (_, column) in columns.filter(|(index, _)| !view.shows(*index) || is_mark(resource, *index)) {
                object.shift_remove(column.json);
            }
        }
    }
    Ok(json)
}
