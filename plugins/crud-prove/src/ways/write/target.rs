//! New records to change, and checks of the changes.

use std::collections::BTreeSet;

use crud_runtime::column::Value;
use serde_json::{Map, Value as Json};

use crate::client::Reply;
use crate::rules::{json_of, key_text};
use crate::ways::ask::Ask;
use crate::world::{Record, Variant};

/// The people whose records are changed.
pub(crate) const PEOPLE: [usize; 3] = [0, 1, 2];

/// Values with the indexes of their columns.
pub(crate) type Values = Vec<(usize, Value)>;

impl Ask<'_> {
    /// The values of a new record of a person. A membership gets a new user each time, as the people are members
    /// already.
    ///
    /// # Errors
    /// The reason why there can be no such record, as a sentence.
    pub(crate) async fn draft(&self, person: usize) -> Result<Values, String> {
        let mut values = self.world.draft(self.resource, person, Variant::Own)?;
        let Some(members) = self.descriptor().tenant.and_then(|tenant| tenant.members) else { return Ok(values) };
        let name = uuid::Uuid::now_v7().to_string();
        let user = self.test.users().create_hashed(&name, "").await.map_err(|error| error.to_string())?;
        if let Ok(number) = user.subject.parse()
            && let Some((_, value)) = values.iter_mut().find(|(column, _)| *column == members.user)
        {
            *value = if matches!(value, Value::Int(_)) { Value::Int(number) } else { Value::Text(user.subject) };
        }
        Ok(values)
    }

    /// Inserts a record of a person, with the values `more`.
    pub(crate) async fn new_record(&self, way: &'static str, person: usize, more: Values) -> Option<Record> {
        let inserted = match self.draft(person).await {
            Ok(mut values) => {
                values.retain(|(column, _)| more.iter().all(|(other, _)| other != column));
                values.extend(more);
                let inserted = self.test.records(self.descriptor()).insert(values).await;
                inserted.map_err(|problem| problem.to_string())
            }
            Err(reason) => Err(reason),
        };
        match inserted {
            Ok(values) => Some(Record::new(self.descriptor(), values, Some(person))),
            Err(reason) => {
                self.findings.refused(self.descriptor().name, way, format!("there is no record to change: {reason}"));
                None
            }
        }
    }

    /// Inserts a record of a person, and soft-deletes it.
    pub(crate) async fn new_deleted(&self, way: &'static str, person: usize) -> Option<Record> {
        let record = self.new_record(way, person, Vec::new()).await?;
        let deleted = self.test.records(self.descriptor()).soft_delete(&record.key(self.descriptor())).await;
        deleted.ok()?;
        self.stored(&record).await
    }

    /// The record as it is stored now.
    pub(crate) async fn stored(&self, record: &Record) -> Option<Record> {
        let descriptor = self.descriptor();
        let values = self.test.records(descriptor).get(&record.key(descriptor)).await.ok()??;
        Some(Record::new(descriptor, values, record.person))
    }

    /// Removes a record that a way has inserted.
    pub(crate) async fn remove(&self, record: &Record) {
        let descriptor = self.descriptor();
        // A record that others refer to by now stays.
        let _ = self.test.records(descriptor).remove(&record.key(descriptor)).await;
    }

    /// The keys of all stored records.
    pub(crate) async fn keys(&self) -> BTreeSet<String> {
        let found = self.test.records(self.descriptor()).all().await.unwrap_or_default();
        found.iter().map(|values| key_text(self.descriptor(), values)).collect()
    }

    /// The stored records whose keys are not in `keys`.
    pub(crate) async fn beside(&self, keys: &BTreeSet<String>) -> Vec<Record> {
        let descriptor = self.descriptor();
        let found = self.test.records(descriptor).all().await.unwrap_or_default();
        let new = found.into_iter().filter(|values| !keys.contains(&key_text(descriptor, values)));
        new.map(|values| Record::new(descriptor, values, None)).collect()
    }

    /// Values as the body of a change, without fields that the caller does not see or that bodies cannot set.
    pub(crate) fn body(&self, values: &Values) -> Map<String, Json> {
        let descriptor = self.descriptor();
        let is_set = |index: usize| {
            let column = &descriptor.columns[index];
            let is_shown = column.visible.is_none() || self.shows(index);
            !column.read_only && !column.hidden && !column.is_assigned() && is_shown
        };
        let set = values.iter().filter(|(column, _)| is_set(*column));
        set.map(|(column, value)| (descriptor.columns[*column].json.to_owned(), json_of(value))).collect()
    }

    /// Checks the outcome of a change by the rules. Returns whether the change was made, and admitted by the rules.
    pub(crate) fn judge(&self, way: &'static str, change: &Change<'_>) -> bool {
        let Change { record, admitted, reply, made, compares_status } = *change;
        let (sees, changes) = (self.sees(record), self.reading.changes(self.descriptor(), &record.values, self.caller));
        let expected = match (admitted, sees, changes) {
            (false, ..) => {
                if made {
                    self.differs(way, reply, &format!("makes a change that access refuses: {way}"));
                }
                self.passes(way, false, reply);
                return false;
            }
            (true, false, _) => 404,
            (true, true, false) => 403,
            (true, true, true) => {
                return self.judge_admitted(way, reply, made);
            }
        };
        if made {
            let why = if sees { "may not change" } else { "does not see" };
            self.differs(way, reply, &format!("makes a change of a record that it {why}: {way}"));
        } else if compares_status && reply.status != expected {
            self.differs(way, reply, &format!("gets {}, expected {expected}: {way}", reply.said()));
        }
        false
    }

    /// Checks the outcome of a change that the rules admit. Returns whether it was made.
    pub(crate) fn judge_admitted(&self, way: &'static str, reply: &Reply, made: bool) -> bool {
        match (made, reply.status) {
            (true, _) => self.findings.changed(self.descriptor().name, way),
            (false, 401 | 403 | 404) => {
                self.differs(way, reply, &format!("is refused ({}), and the rules admit it: {way}", reply.said()));
            }
            (false, _) => self.findings.refused(self.descriptor().name, way, reply.said()),
        }
        made
    }
}

/// A change of one record, and its outcome.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change<'c> {
    pub(crate) record: &'c Record,
    pub(crate) admitted: bool,
    pub(crate) reply: &'c Reply,
    pub(crate) made: bool,
    pub(crate) compares_status: bool,
}

/// Collects the changed records, for a cell of the table.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    candidates: Vec<Record>,
    changed: Vec<Record>,
    denied: Option<u16>,
    is_refused: bool,
}

impl Reached {
    pub(crate) fn add(&mut self, ask: &Ask<'_>, change: &Change<'_>, was_made: bool) {
        let Change { record, admitted, reply, .. } = *change;
        let may = ask.sees(record) && ask.reading.changes(ask.descriptor(), &record.values, ask.caller);
        self.candidates.push(record.clone());
        if was_made {
            self.changed.push(record.clone());
        } else if !admitted {
            self.denied = Some(reply.status);
        } else if may {
            self.is_refused = true;
        }
    }

    pub(crate) fn text(&self, ask: &Ask<'_>) -> String {
        let (candidates, changed): (Vec<_>, Vec<_>) = (self.candidates.iter().collect(), self.changed.iter().collect());
        match self.denied {
            Some(status) => status.to_string(),
            None if self.is_refused => "refused".to_owned(),
            None => ask.reach(&candidates, &changed),
        }
    }
}
