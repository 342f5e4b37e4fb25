//! Steps of operations that change records: bodies, and the writer.

use axum::body::Bytes;
use axum::http::header;

use super::request::ResourceRequest;
use crate::http::body;
use crate::http::body::{BodyKind, BodyRules};
use crate::model::changes::Changes;
use crate::model::descriptor::Batch;
use crate::model::problem::Problem;
use crate::model::value::Value;
use crate::query::assignments::Assignments;
use crate::store::writer::reference_rule::ReferenceRule;
use crate::store::writer::state_change::StateChange;
use crate::store::writer::{RecordWriter, record_values};

impl ResourceRequest {
    /// A complete record of these values.
    pub(crate) fn new_record(&self, changes: Changes) -> Vec<Value> {
        record_values::with_defaults(self.resource(), changes)
    }

    /// The writer that records the principal as the actor.
    pub(crate) fn writer(&self) -> RecordWriter<'_> {
        RecordWriter {
            app: self.state.app(),
            mounted: &self.mounted,
            transaction: self.transaction.as_ref(),
            actor: self.identity.actor.as_ref(),
            caller: Some(self.identity.caller(self.state.enforcement())),
            state_change: StateChange { enforcement: self.state.enforcement(), route: None },
            references: ReferenceRule::Principal {
                principal: self.identity.principal.as_deref(),
                enforcement: self.state.enforcement(),
                created: None,
            },
            scope: Some(&self.identity.records),
            most_failures: None,
            reads: self.reads(),
        }
    }

    /// Reads the body as a record of the resource.
    pub(crate) async fn record_body(&mut self, body_kind: BodyKind) -> Result<body::RecordBody, Problem> {
        let limit = self.state.limits().body;
        let bytes = self.json_body(limit).await?;
        body::parse(&self.mounted, &self.body_rules(body_kind)?, &bytes)
    }

    /// Rules for the fields that this principal's bodies may set.
    ///
    /// # Errors
    /// Errors of [`Assignments::new`](crate::query::assignments::Assignments::new) for a create.
    pub(crate) fn body_rules(&self, body_kind: BodyKind) -> Result<BodyRules<'_>, Problem> {
        let assignments = match body_kind {
            BodyKind::Create => self.identity.assignments(self.resource())?,
            BodyKind::Update => Assignments::default(),
        };
        let key = self.key.as_ref().filter(|_| body_kind == BodyKind::Create);
        let principal = self.identity.principal.as_deref();
        let (view, may_keep) = (&self.identity.view, body_kind == BodyKind::Update);
        Ok(BodyRules { view, principal, body_kind, assignments, key, may_keep, filled: None })
    }

    /// Reads the body of a batch; with the resource's batch options.
    pub(crate) async fn batch_body(&mut self) -> Result<(Bytes, Batch), Problem> {
        let Some(batch) = self.mounted.options().batch else {
            return Err(Problem::internal(format!("{} has no batches", self.resource().name)));
        };
        let limit = self.state.limits().batch_body;
        Ok((self.json_body(limit).await?, batch))
    }

    /// Whether the request announces a body.
    pub(crate) fn has_body(&self) -> bool {
        let headers = self.headers();
        let length = headers.get(header::CONTENT_LENGTH).map(|length| length != "0");
        length.unwrap_or_else(|| headers.contains_key(header::TRANSFER_ENCODING))
    }

    /// Reads the bytes of a JSON body of at most `limit` bytes.
    pub(crate) async fn json_body(&mut self, limit: usize) -> Result<Bytes, Problem> {
        self.body_reader.json(&self.parts, limit).await
    }
}
