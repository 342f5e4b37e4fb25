//! Records that are written in the body of a parent: each needs access to a change of its own resource.

use crud_runtime::axum::http::Method;
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Children, Operation};
use serde_json::{Map, Value as Json, json};

use super::target::PEOPLE;
use super::update::new_value;
use crate::client::{Reply, Sent};
use crate::rules::{Reading, json_of};
use crate::ways::ask::Ask;
use crate::world::Record;

/// The name of this way.
const WAY: &str = "nested";

/// The items of a relation, written in bodies of their parent.
struct Items<'a> {
    /// The resource of the parent.
    around: Ask<'a>,
    of: Ask<'a>,
    children: &'static Children,
}

pub(crate) async fn nested(ask: &Ask<'_>) {
    let descriptor = ask.descriptor();
    if !descriptor.offers(Operation::Update) {
        return;
    }
    for children in descriptor.children.iter().filter(|children| children.nested) {
        let Some(resource) = ask.world.position((children.resource)()) else { continue };
        let items = Items { around: *ask, of: Ask { resource, ..*ask }, children };
        items.create().await;
        for person in PEOPLE {
            items.update(person).await;
            items.delete(person).await;
        }
    }
}

impl Items<'_> {
    /// Creates an item of the caller's record.
    async fn create(&self) {
        let Ok(mut values) = self.of.draft(self.of.caller.person).await else { return };
        let Some(parent) = self.parent(&values) else { return };
        values.retain(|(column, _)| !self.children.columns().contains(column));
        let before = self.of.keys().await;
        let reply = self.send(parent, Json::Object(self.of.body(&values))).await;
        let made = self.of.beside(&before).await;
        let (depends, may_lack) = (
            Reading::depends_on_others(self.of.descriptor(), self.of.caller),
            Reading::may_lack_claim(self.of.descriptor(), self.of.caller),
        );
        for record in &made {
            if !depends && !self.of.sees(record) {
                self.of.differs(WAY, &reply, "creates a record that is not its own, in the body of another one,");
            }
            self.of.remove(record).await;
        }
        let may = self.may_change(parent) && self.of.admits(Operation::Create);
        if !may || !may_lack {
            self.judge(may, !made.is_empty(), &reply);
        }
    }

    /// Updates an item of a person.
    async fn update(&self, person: usize) {
        let Some((column, value)) = new_value(&self.of, person, |column| column.visible.is_none()) else { return };
        let Some(record) = self.of.new_record(WAY, person, Vec::new()).await else { return };
        if let Some(parent) = self.parent_of(&record) {
            let mut item = self.key(&record);
            item.insert(self.of.descriptor().columns[column].json.to_owned(), json_of(&value));
            let reply = self.send(parent, Json::Object(item)).await;
            let made = self.of.stored(&record).await.is_some_and(|stored| stored.values[column] == value);
            self.judge(self.may(parent, &record, Operation::Update), made, &reply);
        }
        self.of.remove(&record).await;
    }

    async fn delete(&self, person: usize) {
        let Some(record) = self.of.new_record(WAY, person, Vec::new()).await else { return };
        if let Some(parent) = self.parent_of(&record) {
            let mut item = self.key(&record);
            item.insert("_delete".to_owned(), json!(true));
            let reply = self.send(parent, Json::Object(item)).await;
            let made = self.of.stored(&record).await.is_none_or(|stored| stored.is_deleted);
            self.judge(self.may(parent, &record, Operation::Delete), made, &reply);
        }
        self.of.remove(&record).await;
    }

    /// Sends an update of the parent with one item.
    async fn send(&self, parent: &Record, item: Json) -> Reply {
        let body = json!({ self.children.name: [item] });
        self.around.send(Sent::new(Method::PATCH, self.around.path_of(parent, "")).json(&body)).await
    }

    /// The parent that values refer to.
    fn parent(&self, values: &[(usize, Value)]) -> Option<&Record> {
        let pairs = self.children.pairs(self.around.descriptor());
        let has = |parent: &Record, key: usize, own: usize| {
            values.iter().any(|(column, value)| *column == own && *value == parent.values[key])
        };
        let is_parent = |it: &&Record| !it.is_deleted && pairs.iter().all(|(key, own)| has(it, *key, *own));
        self.around.records().iter().find(is_parent)
    }

    fn parent_of(&self, record: &Record) -> Option<&Record> {
        let values: Vec<_> = record.values.iter().cloned().enumerate().collect();
        self.parent(&values)
    }

    /// The key of a record, as members of an item.
    fn key(&self, record: &Record) -> Map<String, Json> {
        let descriptor = self.of.descriptor();
        let member = |column: &usize| (descriptor.columns[*column].json.to_owned(), json_of(&record.values[*column]));
        descriptor.key().iter().map(member).collect()
    }

    /// Whether the caller may change the parent.
    fn may_change(&self, parent: &Record) -> bool {
        let around = &self.around;
        let is_its = around.sees(parent) && around.reading.changes(around.descriptor(), &parent.values, around.caller);
        is_its && around.admits(Operation::Update)
    }

    /// Whether the caller may change an item of the parent.
    fn may(&self, parent: &Record, record: &Record, operation: Operation) -> bool {
        let of = &self.of;
        let is_its = of.sees(record) && of.reading.changes(of.descriptor(), &record.values, of.caller);
        is_its && of.admits(operation) && self.may_change(parent)
    }

    /// Checks the outcome of an item by the rules.
    fn judge(&self, may: bool, made: bool, reply: &Reply) {
        let name = self.of.descriptor().name;
        match (made, may) {
            (true, true) => self.of.findings.changed(name, WAY),
            (true, false) => {
                self.of.differs(WAY, reply, "makes a change that the rules refuse, in the body of another record,");
            }
            (false, true) if matches!(reply.status, 401 | 403 | 404) => {
                let words = format!(
                    "is refused ({}) in the body of another record, and the rules admit it: a change",
                    reply.said()
                );
                self.of.differs(WAY, reply, &words);
            }
            (false, true) => self.of.findings.refused(name, WAY, reply.said()),
            (false, false) => {}
        }
    }
}
