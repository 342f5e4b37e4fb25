//! Steps of operations that return records: parameters, conditions, the JSON of records.

use std::borrow::Cow;

use axum::http::StatusCode;
use axum::response::Response;

use super::request::ResourceRequest;
use super::response;
use crate::http::param::list::{Group, ListContext, expand};
use crate::http::render::JsonSink;
use crate::http::render::expand::{Assembled, ExpandingSink, check_storage};
use crate::http::server::memory::CHUNK;
use crate::model::key::Key;
use crate::model::problem::Problem;
use crate::model::row::RowSink;
use crate::query::expansion::{Expansion, Expansions};
use crate::query::visibility::{RecordVisibility, Visibility};
use crate::query::{Predicate, Scope};
use crate::store::scope::subqueries;
use crate::store::scope::visible_record::read_visible;

/// Limit of related records that a condition resolves to on storage without subqueries.
const MAX_VALUES: u64 = 1_000;

/// Limit of related records that a scope resolves to there.
const MAX_SCOPE: u64 = 50_000;

impl ResourceRequest {
    /// Sends the record of a key to `sink` if it is visible in this scope; whether it is.
    pub(crate) async fn find(&self, id: &Key, scope: Scope, sink: &mut dyn RowSink) -> Result<bool, Problem> {
        let visibility = RecordVisibility { scope, records: Some(&self.identity.records) };
        read_visible(self.adapter(), self.resource(), id, visibility, sink).await.map_err(|error| self.problem(error))
    }

    /// A sink that renders the visible fields.
    pub(crate) fn sink(&self) -> JsonSink {
        JsonSink::new(self.resource(), &self.identity.view, Vec::with_capacity(256))
    }

    /// Visibility of other resources for the request's principal.
    pub(crate) fn visibility(&self) -> Visibility<'_> {
        Visibility {
            principal: self.identity.principal.as_deref(),
            enforcement: self.state.enforcement(),
            base: self.identity.view.base(),
        }
    }

    /// The resource, view and limits that the parameters of a list are read against.
    pub(crate) fn list_context(&self, takes: &'static [Group]) -> ListContext<'_> {
        ListContext {
            resource: self.resource(),
            pagination: self.mounted.options().pagination.filter(|_| takes.contains(&Group::Page)),
            view: &self.identity.view,
            visibility: self.visibility(),
            limits: self.state.limits().query,
            takes,
        }
    }

    /// The records that the parameter `expand` adds to one.
    ///
    /// # Errors
    /// `validation_failed` where it names none; `query_too_complex`.
    pub(crate) fn expansions(&self) -> Result<Vec<Expansion>, Problem> {
        let limits = self.state.limits().query;
        let expansions = Expansions::new(self.resource(), &self.identity.view, self.visibility(), limits);
        let expansions = expand::parse(expansions, self.query())?;
        check_storage(&[], &expansions, self.adapter()).map_err(|error| self.problem(error))?;
        Ok(expansions)
    }

    /// The bytes of a response from which on the rest is streamed. Within a transaction, which ends before the response is
    /// sent, it is all buffered.
    pub(crate) fn budget(&self) -> usize {
        // Without a key, a record is not read later.
        if self.transaction.is_some() || self.resource().keyless { usize::MAX } else { CHUNK }
    }

    /// The JSON of a sink, with the expanded records in each record.
    pub(crate) async fn expanded(&self, sink: ExpandingSink<'_>) -> Result<Assembled, Problem> {
        sink.finish(self.adapter(), self.visibility()).await.map_err(|error| self.problem(error))
    }

    /// Finishes the JSON with the records in the opposite order; the first one begins at `start`. None, where a record
    /// remains unread.
    pub(crate) async fn expanded_reversed(
        &self,
        sink: ExpandingSink<'_>,
        start: usize,
    ) -> Result<Option<Vec<u8>>, Problem> {
        let json = sink.finish_reversed(start, self.adapter(), self.visibility()).await;
        json.map_err(|error| self.problem(error))
    }

    /// The response with a record and its expanded records. The entity tag is the record's.
    pub(crate) async fn record_response(
        &self,
        status: StatusCode,
        sink: ExpandingSink<'_>,
    ) -> Result<Response, Problem> {
        if !sink.is_expanding() {
            return Ok(response::record(status, sink.json.out));
        }
        let mut response = response::record(status, sink.json.out.clone());
        *response.body_mut() = self.expanded(sink).await?.json.into();
        Ok(response)
    }

    /// The condition on the records that the request sees and that satisfy a filter, as storage knows it.
    ///
    /// # Errors
    /// Errors of [`resolved`](Self::resolved).
    pub(crate) async fn visible(&self, filter: Predicate) -> Result<Predicate, Problem> {
        self.within(self.identity.records.predicate(), filter).await
    }

    /// The condition on the records that the request may change and that satisfy a filter, as storage knows it.
    ///
    /// # Errors
    /// Errors of [`resolved`](Self::resolved).
    pub(crate) async fn changeable(&self, filter: Predicate) -> Result<Predicate, Problem> {
        self.within(self.identity.records.change_predicate(), filter).await
    }

    async fn within(&self, scope: Predicate, filter: Predicate) -> Result<Predicate, Problem> {
        let scope = self.resolved_up_to(scope, MAX_SCOPE).await?;
        Ok(scope.and(self.resolved(filter).await?))
    }

    /// A condition as storage knows it: where it has no subqueries, those on other records are read first.
    ///
    /// # Errors
    /// `unsupported_here` where there are too many of them.
    pub(crate) async fn resolved(&self, filter: Predicate) -> Result<Predicate, Problem> {
        self.resolved_up_to(filter, MAX_VALUES).await
    }

    async fn resolved_up_to(&self, filter: Predicate, most: u64) -> Result<Predicate, Problem> {
        let resolved = subqueries::resolved(self.adapter(), &filter, Some(most)).await;
        let changed = match resolved.map_err(|error| self.problem(error))? {
            Cow::Owned(resolved) => Some(resolved),
            Cow::Borrowed(_) => None,
        };
        Ok(changed.unwrap_or(filter))
    }
}
