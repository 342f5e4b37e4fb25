//! [`RecordView`]: the records of a list as a principal sees them, apart from a request.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use super::handler::operation_override::OperationOverrides;
use super::head;
use super::param::list::{Group, Json, ListContext, parse, parse_search};
use super::render::write_record;
use super::routing::context::Context;
use super::routing::route_context::RouteContext;
use super::state::ServiceState;
use crate::http::body::malformed;
use crate::http::handler::authorization::denied;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Operation, SortKey};
use crate::model::key::Key;
use crate::model::principal::Principal;
use crate::model::problem::{Code, Problem};
use crate::model::value::Value;
use crate::query::claims::require_tenant;
use crate::query::record_scope::RecordScope;
use crate::query::visibility::{FieldVisibility, ReachedAt, Visibility};
use crate::query::{Comparison, InSubquery, ListQuery, Predicate, Scope};
use crate::storage::future::BoxFuture;
use crate::store::each_row::each_row;
use crate::store::scope::subqueries;
use crate::store::stored_record::StoredRecord;

/// The parameters of a list that select its records.
const TAKES: &[Group] = &[Group::Condition, Group::Deleted];

/// Maximum number of keys in one query.
const KEYS: usize = 500;

/// The conditions of a view: those of a list.
#[derive(Debug, Clone, Copy, Default)]
pub enum ViewConditions<'c> {
    /// No condition: every record that the principal sees.
    #[default]
    None,
    /// A query string, such as `price__gte=5&where=…`.
    Query(&'c str),
    /// The body of a search.
    Body(&'c [u8]),
}

impl ServiceState {
    /// The records of a resource as a principal sees them by a list with conditions on their own fields. `None` is a request
    /// without a token.
    ///
    /// ```
    /// use crud_runtime::error::Problem;
    /// use crud_runtime::prelude::*;
    /// use crud_runtime::{ServiceState, StoredRecord, ViewConditions};
    ///
    /// # #[derive(Debug, Clone, Resource)]
    /// # #[crud(filter(price))]
    /// # struct Product { id: i64, price: i64 }
    /// /// Whether a list of cheap products has a record; `None` where the database alone knows.
    /// fn is_cheap(state: &ServiceState, user: &Principal, record: &StoredRecord) -> Result<Option<bool>, Problem> {
    ///     let cheap = state.view(Product::DESCRIPTOR, Some(user), ViewConditions::Query("price__lt=5"))?;
    ///     Ok(cheap.shows(record))
    /// }
    /// ```
    ///
    /// # Errors
    /// 401 and 403 for a principal that may not list the records; `validation_failed` for conditions that the list does
    /// not have; `unsupported_here` for conditions on other records and text searches (`q`), and where the program
    /// answers lists itself or the database has policies for callers.
    pub fn view(
        &self,
        resource: &'static Descriptor,
        principal: Option<&Principal>,
        conditions: ViewConditions<'_>,
    ) -> Result<RecordView, Problem> {
        RecordView::new(self, resource, principal, conditions, None)
    }
}

impl Context {
    /// The view of [`ServiceState::view`], whose computed URLs have the address at which the request reached the
    /// service.
    ///
    /// # Errors
    /// Errors of [`ServiceState::view`].
    pub fn view(
        &self,
        resource: &'static Descriptor,
        principal: Option<&Principal>,
        conditions: ViewConditions<'_>,
    ) -> Result<RecordView, Problem> {
        let reached = self.route_context().identity.view.reached();
        RecordView::new(self.state(), resource, principal, conditions, reached)
    }

    /// Copies the head of a request, to ask for its [principal](Self::principal_of) again while a long response is sent. The
    /// head that a handler gets keeps the read buffer of its connection, 8 KiB, and the state of its route in memory.
    ///
    /// ```
    /// use crud_runtime::axum::http::request::Parts;
    /// use crud_runtime::prelude::*;
    /// use crud_runtime::routing::Context;
    ///
    /// /// The sender of a stream, which is checked now and then.
    /// struct Reader { ctx: Context, head: Parts, principal: Option<Principal> }
    ///
    /// impl Reader {
    ///     fn new(ctx: Context, head: Parts, principal: Option<Principal>) -> Self {
    ///         Self { head: ctx.detached(head), ctx, principal }
    ///     }
    ///
    ///     async fn has_the_same_rights(&self) -> bool {
    ///         self.ctx.principal_of(&self.head).await.is_ok_and(|now| now == self.principal)
    ///     }
    /// }
    /// ```
    pub fn detached(&self, mut head: axum::http::request::Parts) -> axum::http::request::Parts {
        RouteContext::unshare(&mut head.extensions);
        head::detached(head)
    }

    /// The principal of a request with this head, as the service authenticates it now: [`ServiceState::principal_of`].
    ///
    /// # Errors
    /// Errors of [`ServiceState::principal_of`].
    pub async fn principal_of(&self, head: &axum::http::request::Parts) -> Result<Option<Principal>, Problem> {
        self.state().principal_of(head).await
    }
}

/// The records of a list as a principal sees them, apart from a request: [`ServiceState::view`].
#[derive(Clone)]
pub struct RecordView(Arc<Parts>);

struct Parts {
    state: ServiceState,
    resource: &'static Descriptor,
    fields: FieldVisibility,
    condition: Predicate,
    /// The columns in the condition.
    columns: BTreeSet<usize>,
    /// The conditions on other records.
    related: Vec<Related>,
    identity: String,
}

/// A condition on records of another resource.
struct Related {
    resource: &'static Descriptor,
    condition: Predicate,
    columns: BTreeSet<usize>,
}

impl fmt::Debug for RecordView {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RecordView").field(&self.0.identity).finish()
    }
}

impl RecordView {
    fn new(
        state: &ServiceState,
        resource: &'static Descriptor,
        principal: Option<&Principal>,
        conditions: ViewConditions<'_>,
        reached: Option<&Arc<ReachedAt>>,
    ) -> Result<Self, Problem> {
        check_service(state, resource)?;
        let admits = |operation| state.enforcement().admits(&resource.access, operation, principal);
        if !resource.offers(Operation::List) || !admits(Operation::List) {
            return Err(denied(principal));
        }
        require_tenant(resource, principal)?;
        let fields = FieldVisibility::new(resource, principal).reached_at(reached.cloned());
        let visibility = Visibility { principal, enforcement: state.enforcement(), reached };
        let limits = state.limits().query;
        let context = ListContext { resource, pagination: None, view: &fields, visibility, limits, takes: TAKES };
        let list = match conditions {
            ViewConditions::None => parse(context, "", false)?,
            ViewConditions::Query(query) => parse(context, query, false)?,
            ViewConditions::Body(body) => parse_search(context, &Json::read(body).map_err(|error| malformed(&error))?)?,
        }
        .known()?;
        if list.scope != Scope::Active && list.scope != Scope::default_of(resource) && !admits(Operation::Restore) {
            return Err(denied(principal));
        }
        if is_on_others(&list.query.filter) || !list.query.joined.is_empty() {
            let detail =
                "the conditions of a view are on fields of its own records: neither `q` nor fields of other records";
            return Err(Problem::new(Code::UnsupportedHere, detail));
        }
        let condition = RecordScope::new(resource, principal).predicate().and(list.query.filter);
        Ok(Self::of(state.clone(), resource, fields, condition))
    }

    fn of(state: ServiceState, resource: &'static Descriptor, fields: FieldVisibility, condition: Predicate) -> Self {
        let (mut columns, mut related) = (BTreeSet::new(), Vec::new());
        collect(&condition, &mut columns, &mut related);
        let shown: Vec<usize> = fields.returned(resource).map(|(column, _)| column).collect();
        let base = fields.request();
        let identity = format!("{}::{} {shown:?} {base:?} {condition:?}", resource.module, resource.name);
        Self(Arc::new(Parts { state, resource, fields, condition, columns, related, identity }))
    }

    /// The description of the resource.
    pub fn descriptor(&self) -> &'static Descriptor {
        self.0.resource
    }

    /// The identity of the view: views with equal identities have the same records with the same fields.
    pub fn identity(&self) -> &str {
        &self.0.identity
    }

    /// This view, narrowed to the record with a key, which is written as in paths.
    ///
    /// # Errors
    /// `validation_failed` for a text that is not a key.
    pub fn only(&self, key: &str) -> Result<Self, Problem> {
        let Parts { state, resource, fields, condition, .. } = &*self.0;
        let key = Key::parse(resource, key).map_err(|error| {
            Problem::validation([crate::model::problem::FieldError::parameter("id", "type", error.message())])
        })?;
        let condition = Predicate::of_key(resource, &key).and(condition.clone());
        Ok(Self::of(state.clone(), resource, fields.clone(), condition))
    }

    /// Whether the view has a record with these values; `None` where only the database can tell ([`find`](Self::find)),
    /// or where values that decide are missing.
    pub fn shows(&self, record: &StoredRecord) -> Option<bool> {
        record.truth(&self.0.condition).is_satisfied()
    }

    /// Whether the view has a record with these values, as [`shows`](Self::shows) tells. Conditions on records of other
    /// resources are checked in the database now.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn would_show(&self, record: &StoredRecord) -> Result<Option<bool>, Problem> {
        let known = self.shows(record);
        if known.is_some() || self.0.related.is_empty() {
            return Ok(known);
        }
        let resolved = self.decided(&self.0.condition, record).await;
        let resolved = resolved.map_err(|error| Problem::from_adapter(self.0.resource, error))?;
        Ok(record.truth(&resolved).is_satisfied())
    }

    /// The condition for one record: its parts on other records are replaced by their results.
    fn decided<'a>(
        &'a self,
        condition: &'a Predicate,
        record: &'a StoredRecord,
    ) -> BoxFuture<'a, Result<Predicate, AdapterError>> {
        Box::pin(async move {
            let all = async |terms: &'a [Predicate]| {
                let mut decided = Vec::with_capacity(terms.len());
                for term in terms {
                    decided.push(self.decided(term, record).await?);
                }
                Ok::<_, AdapterError>(decided)
            };
            Ok(match condition {
                Predicate::And(terms) => Predicate::And(all(terms).await?),
                Predicate::Or(terms) => Predicate::Or(all(terms).await?),
                Predicate::Not(term) => Predicate::Not(Box::new(self.decided(term, record).await?)),
                Predicate::InSubquery(select) => match self.leads(select, record).await? {
                    Some(true) => Predicate::All,
                    Some(false) => Predicate::Or(Vec::new()),
                    None => condition.clone(),
                },
                other => other.clone(),
            })
        })
    }

    /// Whether a subquery finds a record for a record's values; `None` where they are not known.
    async fn leads(&self, select: &InSubquery, record: &StoredRecord) -> Result<Option<bool>, AdapterError> {
        let adapter = self.0.state.parts().app.adapter();
        let mut filter = subqueries::resolved(&**adapter, &select.filter, None).await?.into_owned();
        for (own, other) in &select.columns {
            match record.get(*own) {
                None => return Ok(None),
                Some(Value::Null) => return Ok(Some(false)),
                Some(value) => {
                    let (column, operator, value) = (*other, Comparison::Eq, value.clone());
                    filter = filter.and(Predicate::Compare { column, operator, value });
                }
            }
        }
        Ok(Some(adapter.count_up_to(select.resource, &filter, 1).await? > 0))
    }

    /// Whether the view's condition has a field: changes of other fields neither add records to the view nor remove
    /// any.
    pub fn depends_on(&self, field: &str) -> bool {
        self.0.resource.json_field(field).is_some_and(|(column, _)| self.0.columns.contains(&column))
    }

    /// Whether answers to the principal have a field, by its name in JSON.
    pub fn shows_field(&self, field: &str) -> bool {
        let found = self.0.resource.json_field(field);
        found.is_some_and(|(column, of)| of.is_returned() && self.0.fields.shows(column))
    }

    /// Resources whose records decide which ones the view has.
    pub fn related(&self) -> impl Iterator<Item = &'static Descriptor> {
        self.0.related.iter().map(|related| related.resource)
    }

    /// Whether a change of a record of a [related](Self::related) resource may change which records the view has. The
    /// arguments are the record's values before and after the change, and which fields have changed: all of a record
    /// that was created or removed.
    pub fn may_follow(
        &self,
        before: Option<&StoredRecord>,
        after: Option<&StoredRecord>,
        is_changed: impl Fn(&str) -> bool,
    ) -> bool {
        let Some(resource) = before.or(after).map(StoredRecord::descriptor) else { return true };
        let concerns = |related: &&Related| {
            std::ptr::eq(related.resource, resource)
                && related.columns.iter().any(|column| is_changed(resource.columns[*column].json))
        };
        let may_hold = |record: Option<&StoredRecord>, related: &Related| {
            record.is_some_and(|record| record.truth(&related.condition).is_satisfied() != Some(false))
        };
        self.0.related.iter().filter(concerns).any(|related| may_hold(before, related) || may_hold(after, related))
    }

    /// The keys among these whose records the database has in the view now. Keys are written as in paths.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn find(&self, keys: &[String]) -> Result<BTreeSet<String>, Problem> {
        let Parts { state, resource, condition, .. } = &*self.0;
        let problem = |error: AdapterError| Problem::from_adapter(resource, error);
        let parsed = keys.iter().filter_map(|key| Some((Key::parse_stored(resource, key).ok()?, key.clone())));
        let parsed: Vec<(Key, String)> = parsed.collect();
        let texts: BTreeMap<String, &String> = parsed.iter().map(|(key, text)| (key.lookup(), text)).collect();
        let mut found = BTreeSet::new();
        let adapter = state.parts().app.adapter();
        let condition = subqueries::resolved(&**adapter, condition, None).await.map_err(problem)?;
        for chunk in parsed.chunks(KEYS) {
            let of_keys = Predicate::of_keys(resource, chunk.iter().map(|(key, _)| key));
            let query = ListQuery::all(resource).filter(of_keys.and(Predicate::clone(&condition)));
            let query = query.sort(SortKey::of_key(resource, false));
            let mut sink = each_row(|row| {
                let key = Key::of_row(resource, row)?.lookup();
                found.extend(texts.get(&key).map(|text| (*text).clone()));
                Ok(())
            });
            adapter.list(resource, &query, &mut sink).await.map_err(problem)?;
        }
        Ok(found)
    }

    /// A record as answers to the principal have it.
    ///
    /// # Errors
    /// Errors of computing its fields.
    pub fn json(&self, record: &StoredRecord) -> Result<Bytes, Problem> {
        let mut out = Vec::with_capacity(256);
        let written = write_record(&mut out, self.0.resource, &self.0.fields, record);
        written.map_err(|error| Problem::from_adapter(self.0.resource, error))?;
        Ok(out.into())
    }
}

/// Checks that records of a resource can be viewed apart from a request.
fn check_service(state: &ServiceState, resource: &'static Descriptor) -> Result<(), Problem> {
    let unsupported = |detail: String| Err(Problem::new(Code::UnsupportedHere, detail));
    if state.parts().variables.is_some() {
        return unsupported("the database has policies for callers, which a view does not know".to_owned());
    }
    for operation in [Operation::List, Operation::Get] {
        if OperationOverrides::find(state, resource, operation).is_some() {
            return unsupported(format!(
                "a handler of the program answers `{}` of {}, whose records a view does not know",
                format!("{operation:?}").to_lowercase(),
                resource.name
            ));
        }
    }
    Ok(())
}

/// Whether a condition is on other records, or is a text search.
fn is_on_others(condition: &Predicate) -> bool {
    match condition {
        Predicate::InSubquery(_) | Predicate::Search { .. } => true,
        Predicate::And(terms) | Predicate::Or(terms) => terms.iter().any(is_on_others),
        Predicate::Not(term) => is_on_others(term),
        _ => false,
    }
}

/// Collects the columns of a condition, and its conditions on other records.
fn collect(condition: &Predicate, columns: &mut BTreeSet<usize>, related: &mut Vec<Related>) {
    match condition {
        Predicate::All => {}
        Predicate::Compare { column, .. }
        | Predicate::In { column, .. }
        | Predicate::Like { column, .. }
        | Predicate::IsNull { column, .. } => drop(columns.insert(*column)),
        Predicate::Search { search, .. } => columns.extend(search.columns.iter().copied()),
        Predicate::And(terms) | Predicate::Or(terms) => {
            for term in terms {
                collect(term, columns, related);
            }
        }
        Predicate::Not(term) => collect(term, columns, related),
        Predicate::InSubquery(select) => {
            columns.extend(select.columns.iter().map(|(own, _)| *own));
            let mut of_other = select.columns.iter().map(|(_, other)| *other).collect();
            collect(&select.filter, &mut of_other, related);
            related.push(Related { resource: select.resource, condition: select.filter.clone(), columns: of_other });
        }
    }
}
