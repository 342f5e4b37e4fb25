//! Records that refer to another one, written in the body of that one: `{"customer_id": 1, "lines": [{…}, {…}]}`.
//!
//! In an update, an item with a key changes the record of that key, one without is created, and `{"id": 3, "_delete":
//! true}` is deleted; other records stay. All changes are one transaction with the record around. The access, hooks,
//! validation, scope and audit log of the items' resource apply.

use std::collections::HashSet;
use std::sync::Arc;

use axum::body::Bytes;
use axum::response::Response;
use serde_json::Value as Json;

use super::written::{check_id, updated};
use super::{create, update};
use crate::http::body::{self, BodyKind, BodyRules, NestedItems, NestingBody, RecordBody, nested_item};
use crate::http::description::documented_resource::DocumentedResource;
use crate::http::handler::precondition::Several;
use crate::http::handler::{ResourceRequest, require_access};
use crate::http::param::header::idempotency_key;
use crate::http::render::expand::ExpandingSink;
use crate::model::changes::Changes;
use crate::model::descriptor::{Children, Descriptor, Operation};
use crate::model::key::Key;
use crate::model::problem::{Code, FieldError, FieldErrors, Problem};
use crate::model::value::{Value, is_same};
use crate::query::claims::require_tenant;
use crate::query::expansion::{Expandable, Expansion, expandable};
use crate::query::{ListQuery, Predicate, Scope};
use crate::storage::future::BoxFuture;
use crate::storage::write::{Mode, Work};
use crate::store::each_row::each_row;
use crate::store::owned_record::{KeepingSink, OwnedRecord};
use crate::store::transaction::shared::SharedTransaction;
use crate::store::writer::RecordWriter;
use crate::store::writer::no_sink::NoSink;
use crate::store::writer::reference_rule::ReferenceRule;
use crate::store::writer::write_error::WriteError;

/// The problems that nested items can have.
pub(super) fn problems(resource: &DocumentedResource<'_>) -> Vec<Code> {
    if !resource.options.descriptor.nests_children() {
        return Vec::new();
    }
    let of_items = [
        Code::BatchTooLarge,
        Code::Conflict,
        Code::ReferenceNotFound,
        Code::Referenced,
        Code::IllegalTransition,
        Code::LastMember,
        Code::ConstraintFailed,
    ];
    let is_keyed = |children: &Children| children.nested && (children.resource)().requires_idempotency_key();
    let needs_key = resource.options.descriptor.children.iter().any(is_keyed);
    let of_keys = needs_key.then_some(Code::IdempotencyKeyRequired);
    let of_access = [Code::AuthenticationFailed, Code::PermissionDenied, Code::TenantRequired];
    of_items.into_iter().chain(of_keys).chain(of_access.into_iter().filter(|_| resource.service.secured)).collect()
}

/// Creates a record with its nested records.
pub(super) async fn create(mut request: Box<ResourceRequest>, expand: Vec<Expansion>) -> Result<Response, Problem> {
    let bytes = request.json_body(request.state.limits().body).await?;
    let body = Nesting::read(&request, BodyKind::Create, &bytes)?;
    if body.nested.is_empty() {
        return create::insert(&request, body.record, &expand).await;
    }
    let body = Arc::new(body);
    let run = move |attempt: Box<ResourceRequest>| -> BoxFuture<'static, Result<Response, Problem>> {
        let (body, expand) = (body.clone(), expand.clone());
        Box::pin(async move { insert(attempt, &body, expand).await })
    };
    request.in_transaction(Bytes::new(), run).await
}

/// Changes a record and its nested records.
pub(super) async fn update(
    mut request: Box<ResourceRequest>,
    id: Key,
    expand: Vec<Expansion>,
) -> Result<Response, Problem> {
    let bytes = request.json_body(request.state.limits().body).await?;
    let body = Nesting::read(&request, BodyKind::Update, &bytes)?;
    check_id(&request, &id, &body.record)?;
    if body.nested.is_empty() {
        let mut sink = ExpandingSink::new(request.sink(), &expand);
        update::change(&request, &request.writer(), &id, body.record.changes, &mut sink).await?;
        return updated(&request, sink).await;
    }
    let (body, id) = (Arc::new(body), Arc::new(id));
    let run = move |attempt: Box<ResourceRequest>| -> BoxFuture<'static, Result<Response, Problem>> {
        let (body, id, expand) = (body.clone(), id.clone(), expand.clone());
        Box::pin(async move { change(attempt, &id, &body, expand).await })
    };
    request.in_transaction(Bytes::new(), run).await
}

/// Creates the records of a body, in the request's transaction.
async fn insert(request: Box<ResourceRequest>, body: &Nesting, expand: Vec<Expansion>) -> Result<Response, Problem> {
    let resource = request.resource();
    let expand = body.expanded(&request, expand);
    let record = [request.new_record(body.record.changes.clone())];
    let mut sink = create::sink(&request, &expand);
    let records = &request.identity.records;
    let waiting = records.before_children(resource);
    let writer = RecordWriter { scope: Some(waiting.as_ref().unwrap_or(records)), ..request.writer() };
    let mut written = KeepingSink::new(resource, &mut sink);
    writer.write_one(Work::Insert(&record), &mut written).await.map_err(WriteError::unguarded)?;
    let written = written.record;
    let key = sink.key.clone().ok_or_else(|| Problem::internal("the adapter returned no record"))?;
    if body.write(&writer, &request, &key, written, true).await? {
        sink.json = ExpandingSink::new(request.sink(), &expand);
        writer.reread(&key, &mut sink.json).await?;
    }
    if waiting.is_some() {
        request.writer().require_in_scope(&key).await?;
    }
    sink.created(&request).await
}

/// Changes the records of a body, in the request's transaction.
async fn change(
    request: Box<ResourceRequest>,
    id: &Key,
    body: &Nesting,
    expand: Vec<Expansion>,
) -> Result<Response, Problem> {
    let expand = body.expanded(&request, expand);
    let transaction = transaction_of(&request)?;
    // The lock lets the second of two requests for one record wait before it writes nested records.
    let tenant = request.identity.records.tenant();
    let locked = transaction.lock(request.resource(), id, tenant, &mut NoSink).await;
    locked.map_err(|error| request.problem(error))?;
    let (writer, mut sink) = (request.writer(), ExpandingSink::new(request.sink(), &expand));
    let mut written = KeepingSink::new(request.resource(), &mut sink);
    update::change(&request, &writer, id, body.record.changes.clone(), &mut written).await?;
    let written = written.record;
    if body.write(&writer, &request, id, written, false).await? {
        sink = ExpandingSink::new(request.sink(), &expand);
        writer.reread(id, &mut sink).await?;
    }
    updated(&request, sink).await
}

fn transaction_of(request: &ResourceRequest) -> Result<Arc<SharedTransaction>, Problem> {
    request.transaction().ok_or_else(|| Problem::internal("the change is in no transaction"))
}

/// The body of a record with nested records.
#[derive(Debug)]
struct Nesting {
    record: RecordBody,
    nested: Vec<NestedChanges>,
}

/// Changes of nested records, each with the index of its item.
#[derive(Debug)]
struct NestedChanges {
    children: &'static Children,
    creates: Vec<(usize, NewItem)>,
    updates: Vec<(usize, ChangedItem)>,
    deletes: Vec<(usize, DeletedItem)>,
}

/// A record to create.
#[derive(Debug)]
struct NewItem {
    changes: Changes,
    /// The value of the reference to the record around, where the item's body has one.
    parent: Option<Value>,
}

/// A record to change.
#[derive(Debug)]
struct ChangedItem {
    changes: Changes,
    key: Changes,
    parent: Option<Value>,
    /// The record to create where none has the key, if clients choose keys.
    new: Option<Result<NewItem, Vec<FieldError>>>,
}

/// A record to delete.
#[derive(Debug)]
struct DeletedItem {
    key: Changes,
    parent: Option<Value>,
}

/// A nested item: its members say whether its record is created, changed or deleted.
enum Item {
    Create(NewItem),
    Update(ChangedItem),
    Delete(DeletedItem),
}

impl Nesting {
    /// Reads a body, and reports every error of the record and its items.
    ///
    /// # Errors
    /// `malformed_json`, `validation_failed`, `batch_too_large`; 401 and 403 where the request lacks the access to the items.
    fn read(request: &ResourceRequest, kind: BodyKind, bytes: &[u8]) -> Result<Self, Problem> {
        let rules = request.body_rules(kind)?;
        let NestingBody { mut record, nested, mut errors } = body::parse_nesting(&request.mounted, &rules, bytes)?;
        request.assign(&mut record.changes)?;
        let mut all = Vec::with_capacity(nested.len());
        for NestedItems { children, items } in nested {
            let reader = ItemReader::new(request, children)?;
            let most = nested_item::most(reader.request.mounted.options()) as usize;
            if items.len() > most {
                let detail = format!("must have at most {most} items, found {}", items.len());
                let error =
                    FieldError::pointer(format!("/{}", children.name), "too_many", detail).with_params([("max", most)]);
                return Err(Problem::with_errors(Code::BatchTooLarge, [error]));
            }
            let mut changes = NestedChanges { children, creates: Vec::new(), updates: Vec::new(), deletes: Vec::new() };
            for (index, item) in items.into_iter().enumerate() {
                match reader.item(item, kind)? {
                    Ok(Item::Create(item)) => changes.creates.push((index, item)),
                    Ok(Item::Update(item)) => changes.updates.push((index, item)),
                    Ok(Item::Delete(item)) => changes.deletes.push((index, item)),
                    Err(found) => {
                        let pointer = changes.pointer(index);
                        for error in found {
                            errors.push(error.inside(&pointer));
                        }
                    }
                }
            }
            reader.check_access(&changes)?;
            changes.refuse_duplicates(reader.resource(), &mut errors);
            if changes.len() > 0 {
                all.push(changes);
            }
        }
        errors.into_result(Self { record, nested: all })
    }

    /// The expanded records of the answer, including those of the body, as `expand` returns them.
    fn expanded(&self, request: &ResourceRequest, mut expand: Vec<Expansion>) -> Vec<Expansion> {
        add_expansions(request, &mut expand, self.nested.iter().map(|changes| changes.children.name));
        expand
    }

    /// Writes the nested records of the record that the request has written. Returns whether hooks or triggers of the
    /// nested records may have changed that record.
    async fn write(
        &self,
        writer: &RecordWriter<'_>,
        request: &ResourceRequest,
        key: &Key,
        written: Option<OwnedRecord>,
        is_created: bool,
    ) -> Result<bool, Problem> {
        let parent = key.single().ok_or_else(|| Problem::internal("a reference is to a key of one column"))?;
        if let Some(written) = &written {
            writer.watch(written).await?;
        }
        let transaction = transaction_of(request)?;
        let writing_hooks = transaction.writing_hooks();
        let mut may_differ = false;
        for changes in &self.nested {
            changes.write(request, parent, is_created.then_some(key)).await?;
            may_differ |= transaction.has_triggers((changes.children.resource)()).await;
        }
        let may_differ = may_differ || transaction.writing_hooks() != writing_hooks;
        if let (false, Some(written)) = (may_differ, &written) {
            writer.unwatch(written)?;
        }
        Ok(may_differ)
    }
}

/// Adds relations by their names to the expanded records of an answer, as `expand` returns them. Relations to a
/// resource that the sender may not list are left out: an empty list would deny records that the request has written.
pub(crate) fn add_expansions<'n>(
    request: &ResourceRequest,
    expand: &mut Vec<Expansion>,
    names: impl Iterator<Item = &'n str>,
) {
    let legal = expandable(request.resource(), &request.identity.view, request.visibility());
    for name in names {
        let is_asked = expand.iter().any(|expansion| expansion.of.name == name);
        let is_added = |of: &&Expandable| of.name == name && !is_asked && request.visibility().lists(of.target);
        if let Some(of) = legal.iter().find(is_added).cloned() {
            expand.push(Expansion { of, member: format!(",\"{name}\":"), inside: Vec::new() });
        }
    }
}

/// The reader of the items of one relation.
struct ItemReader {
    /// The sender's request for the items' resource.
    request: Box<ResourceRequest>,
    /// The column that refers to the record around.
    column: usize,
}

impl ItemReader {
    fn new(request: &ResourceRequest, children: &Children) -> Result<Self, Problem> {
        let request = request.of_other((children.resource)())?;
        require_tenant(request.resource(), request.identity.principal.as_deref())?;
        Ok(Self { request, column: children.column })
    }

    fn resource(&self) -> &'static Descriptor {
        self.request.resource()
    }

    /// Refuses changes whose access the sender lacks, or that need an idempotency key which the request lacks.
    fn check_access(&self, changes: &NestedChanges) -> Result<(), Problem> {
        let may_create = changes.updates.iter().any(|(_, item)| item.new.is_some());
        let needed = [
            (Operation::Create, !changes.creates.is_empty() || may_create),
            (Operation::Update, !changes.updates.is_empty()),
            (Operation::Delete, !changes.deletes.is_empty()),
        ];
        for (operation, _) in needed.into_iter().filter(|(_, is_needed)| *is_needed) {
            require_access(&self.request.state, &self.request.identity, operation, self.resource())?;
            idempotency_key::check(self.request.headers(), self.resource(), operation)?;
        }
        Ok(())
    }

    /// Reads an item, or returns its errors.
    fn item(&self, item: Json, kind: BodyKind) -> Result<Result<Item, Vec<FieldError>>, Problem> {
        let Json::Object(mut members) = item else {
            return Ok(Err(vec![FieldError::pointer("", "type", "must be an object")]));
        };
        let resource = self.resource();
        let delete = if kind == BodyKind::Update { members.remove(nested_item::DELETE) } else { None };
        let reference = self.column;
        let own_key = || resource.key().iter().filter(move |column| **column != reference);
        let is_keyed = own_key().all(|column| members.contains_key(resource.columns[*column].json));
        let bytes = serde_json::to_vec(&Json::Object(members)).map_err(Problem::internal)?;
        if kind == BodyKind::Create || !is_keyed && delete.is_none() {
            return Ok(self.new_item(&bytes)?.map(Item::Create));
        }
        let RecordBody { mut changes, mut key } = match self.parse(BodyKind::Update, &bytes)? {
            Ok(body) => body,
            Err(errors) => return Ok(Err(errors)),
        };
        let parent = changes.take(self.column).or_else(|| key.take(self.column));
        if let Some(delete) = delete {
            let item =
                deletion(resource, &delete, is_keyed, &changes).map(|()| Item::Delete(DeletedItem { key, parent }));
            return Ok(item);
        }
        // Where the service assigns keys, a key without a record is a mistake.
        let is_assigned = own_key().any(|column| resource.columns[*column].is_assigned());
        let new = if is_assigned { None } else { Some(self.new_item(&bytes)?) };
        Ok(Ok(Item::Update(ChangedItem { changes, key, parent, new })))
    }

    fn new_item(&self, bytes: &[u8]) -> Result<Result<NewItem, Vec<FieldError>>, Problem> {
        let body = self.parse(BodyKind::Create, bytes)?;
        Ok(body.map(|RecordBody { mut changes, .. }| {
            let parent = changes.take(self.column);
            NewItem { changes, parent }
        }))
    }

    /// Reads a record of the items' resource, or returns its errors.
    fn parse(&self, kind: BodyKind, bytes: &[u8]) -> Result<Result<RecordBody, Vec<FieldError>>, Problem> {
        let rules = BodyRules { filled: Some(self.column), ..self.request.body_rules(kind)? };
        match body::parse(&self.request.mounted, &rules, bytes) {
            Ok(body) => Ok(Ok(body)),
            Err(problem) if problem.code() == Code::ValidationFailed => Ok(Err(problem.into_details().errors)),
            Err(problem) => Err(problem),
        }
    }
}

/// Refuses an item with `_delete` that has more than a key.
fn deletion(resource: &Descriptor, delete: &Json, is_keyed: bool, changes: &Changes) -> Result<(), Vec<FieldError>> {
    let error = |name: &str, code, detail: &str| Err(vec![FieldError::field(name, code, detail)]);
    if *delete != Json::Bool(true) {
        return error(nested_item::DELETE, "value", "must be true, or absent");
    }
    if !is_keyed {
        return error(&resource.key_names(), "required", "is required");
    }
    if !changes.is_empty() {
        return error(nested_item::DELETE, "value", "must be the only member with the key");
    }
    Ok(())
}

impl NestedChanges {
    fn len(&self) -> usize {
        self.creates.len() + self.updates.len() + self.deletes.len()
    }

    /// The place of an item in the body.
    fn pointer(&self, index: usize) -> String {
        format!("/{}/{index}", self.children.name)
    }

    /// Reports keys that two items have.
    fn refuse_duplicates(&self, resource: &Descriptor, errors: &mut FieldErrors) {
        let updates = self.updates.iter().map(|(index, item)| (*index, &item.key));
        let deletes = self.deletes.iter().map(|(index, item)| (*index, &item.key));
        let mut keys: Vec<_> = updates.chain(deletes).collect();
        keys.sort_by_key(|(index, _)| *index);
        let mut seen = HashSet::new();
        let names = resource.key_names();
        for (index, key) in keys {
            let mut values: Vec<_> = key.iter().map(|(column, value)| (column, value.to_string())).collect();
            values.sort_unstable();
            if !seen.insert(values) {
                let error = FieldError::field(&names, "duplicate", "must not repeat an earlier item's");
                errors.push(error.inside(&self.pointer(index)));
            }
        }
    }

    /// Writes the changes: deletes, then updates, then creates.
    async fn write(&self, request: &ResourceRequest, parent: &Value, created: Option<&Key>) -> Result<(), Problem> {
        let created = created.map(|key| (request.resource(), key));
        let of_items = request.of_other((self.children.resource)())?;
        let items = Items { changes: self, request: of_items, parent, created };
        let there = items.there().await?;
        items.check(&there)?;
        items.delete().await?;
        items.update(&there).await?;
        items.create(&there).await
    }
}

/// The items of one relation, while they are written.
struct Items<'a> {
    changes: &'a NestedChanges,
    /// The sender's request for the items' resource.
    request: Box<ResourceRequest>,
    /// The key of the record around.
    parent: &'a Value,
    /// The record around, where the request has created it.
    created: Option<(&'static Descriptor, &'a Key)>,
}

impl Items<'_> {
    fn resource(&self) -> &'static Descriptor {
        self.request.resource()
    }

    /// The whole key of an item: the body may leave out the part that refers to the record around.
    fn key(&self, key: &Changes) -> Key {
        let part = |column: &usize| match key.get(*column) {
            Some(value) => value.clone(),
            None if *column == self.changes.children.column => self.parent.clone(),
            None => Value::Null,
        };
        Key::composite(self.resource().key().iter().map(part).collect())
    }

    /// Locks the items' records that exist, refer to the record around and are visible to the sender. Returns the texts
    /// of their keys.
    async fn there(&self) -> Result<HashSet<String>, Problem> {
        let (resource, column) = (self.resource(), self.changes.children.column);
        let updates = self.changes.updates.iter().map(|(_, item)| &item.key);
        let deletes = self.changes.deletes.iter().map(|(_, item)| &item.key);
        let keys: Vec<Key> = updates.chain(deletes).map(|key| self.key(key)).collect();
        let mut there = HashSet::new();
        if keys.is_empty() {
            return Ok(there);
        }
        let transaction = transaction_of(&self.request)?;
        let of_parent = Predicate::In { column, negated: false, values: vec![self.parent.clone()] };
        let active = Scope::Active.predicate(resource);
        let filter = self.request.visible(Predicate::of_keys(resource, &keys).and(of_parent).and(active)).await?;
        let query = ListQuery::all(resource).filter(filter);
        let mut sink = each_row(|row| {
            there.insert(Key::of_row(resource, row)?.lookup());
            Ok(())
        });
        let listed = transaction.list_locked(resource, &query, &mut sink).await;
        listed.map_err(|error| self.request.problem(error))?;
        Ok(there)
    }

    fn is_there(&self, there: &HashSet<String>, key: &Changes) -> bool {
        there.contains(&self.key(key).lookup())
    }

    /// Refuses items whose records are not among `there`, and items that refer to another record than the one around.
    fn check(&self, there: &HashSet<String>) -> Result<(), Problem> {
        let mut errors = FieldErrors::default();
        let (resource, children) = (self.resource(), self.changes.children);
        let names = resource.key_names();
        let reference = resource.columns[children.column].json;
        let mut refuse = |index: usize, error: FieldError| errors.push(error.inside(&self.changes.pointer(index)));
        let NestedChanges { creates, updates, deletes, .. } = self.changes;
        let updates = updates.iter().map(|(index, item)| (*index, &item.parent, Some(&item.key), item.new.as_ref()));
        let deletes = deletes.iter().map(|(index, item)| (*index, &item.parent, Some(&item.key), None));
        let creates = creates.iter().map(|(index, item)| (*index, &item.parent, None, None));
        for (index, parent, key, new) in updates.chain(deletes).chain(creates) {
            if parent.as_ref().is_some_and(|parent| !is_same(parent, self.parent)) {
                let detail = "must be the record around it, or be absent";
                refuse(index, FieldError::field(reference, "immutable", detail));
            } else if key.is_some_and(|key| !self.is_there(there, key)) {
                match new {
                    None => {
                        let detail = format!("is none of the record's `{}`", children.name);
                        refuse(index, FieldError::field(&names, "not_found", detail));
                    }
                    Some(Err(found)) => found.iter().for_each(|error| refuse(index, error.clone())),
                    Some(Ok(_)) => {}
                }
            }
        }
        errors.into_result(())
    }

    async fn delete(&self) -> Result<(), Problem> {
        let deletes = self.changes.deletes.iter();
        let (indexes, keys) = deletes.map(|(index, item)| (*index, self.key(&item.key))).unzip();
        self.run(indexes, Several::Delete(keys)).await
    }

    async fn update(&self, there: &HashSet<String>) -> Result<(), Problem> {
        let updates = self.changes.updates.iter().filter(|(_, item)| self.is_there(there, &item.key));
        let updates = updates.map(|(index, item)| (*index, (self.key(&item.key), item.changes.clone())));
        let (indexes, updates) = updates.unzip();
        self.run(indexes, Several::Update(updates)).await
    }

    async fn create(&self, there: &HashSet<String>) -> Result<(), Problem> {
        let given = self.changes.updates.iter().filter(|(_, item)| !self.is_there(there, &item.key));
        let given = given.filter_map(|(index, item)| Some((*index, item.new.as_ref()?.as_ref().ok()?)));
        let new = self.changes.creates.iter().map(|(index, item)| (*index, item));
        let mut new: Vec<(usize, &NewItem)> = new.chain(given).collect();
        new.sort_by_key(|(index, _)| *index);
        let record = |(index, item): (usize, &NewItem)| {
            let changes = item.changes.clone().with(self.changes.children.column, self.parent.clone());
            (index, self.request.new_record(changes))
        };
        let (indexes, records) = new.into_iter().map(record).unzip();
        self.run(indexes, Several::Insert(records)).await
    }

    /// Applies changes, whose problems are reported at their items.
    async fn run(&self, indexes: Vec<usize>, changes: Several) -> Result<(), Problem> {
        if indexes.is_empty() {
            return Ok(());
        }
        let mut writer = self.request.writer();
        if let ReferenceRule::Principal { created, .. } = &mut writer.references {
            *created = self.created;
        }
        let results = changes.write(&self.request.identity, &writer, Mode::Atomic, &mut NoSink).await?;
        let failed = indexes.into_iter().zip(results);
        let failed = failed.filter_map(|(index, result)| Some((self.changes.pointer(index), result.err()?)));
        let failed: Vec<(String, Problem)> = failed.collect();
        if failed.is_empty() { Ok(()) } else { Err(Problem::from_pointers(failed)) }
    }
}
