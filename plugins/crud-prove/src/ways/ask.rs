//! [`Ask`]: sends requests of one caller about one resource, and compares the answers with the rules.

use std::collections::BTreeSet;

use crud_runtime::descriptor::{Descriptor, Operation};
use crud_runtime::testing::Test;
use serde_json::Value as Json;

use crate::client::{Client, Reply, Sent};
use crate::report::{CellPosition, Difference, Findings};
use crate::rules::{Caller, Reading, key_text, text_of};
use crate::world::{Record, Served, World};

/// The columns of the table.
pub(crate) const COLUMNS: [&str; 12] = [
    "list",
    "get",
    "deleted",
    "aggregate",
    "history",
    "create",
    "update",
    "delete",
    "restore",
    "purge",
    "batch",
    "transitions",
];

/// One caller and one resource of a proof.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask<'a> {
    pub(crate) test: &'a Test,
    pub(crate) world: &'a World,
    pub(crate) reading: Reading<'a>,
    pub(crate) findings: &'a Findings,
    pub(crate) caller: &'a Caller,
    /// The position of the caller among all callers.
    pub(crate) number: usize,
    pub(crate) client: &'a Client,
    pub(crate) resource: usize,
}

/// Which records a list has: active, all, or soft-deleted ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Among {
    Active,
    All,
    Deleted,
}

impl<'a> Ask<'a> {
    pub(crate) fn served(&self) -> &'a Served {
        &self.world.served[self.resource]
    }

    pub(crate) fn descriptor(&self) -> &'static Descriptor {
        self.served().descriptor
    }

    pub(crate) fn records(&self) -> &'a [Record] {
        &self.world.records[self.resource]
    }

    pub(crate) async fn send(&self, sent: Sent) -> Reply {
        self.findings.request();
        let takes_keys = self.descriptor().idempotency.is_some();
        self.client.send(if takes_keys { sent.with_key() } else { sent }).await
    }

    /// Sends a request with an endless answer, and reads until `is_enough` accepts the text.
    pub(crate) async fn read(&self, sent: Sent, is_enough: impl Fn(&str) -> bool) -> Reply {
        self.findings.request();
        self.client.read(sent, is_enough).await
    }

    /// The path of a record, followed by `below`.
    pub(crate) fn path_of(&self, record: &Record, below: &str) -> String {
        format!("{}/{}{below}", self.served().prefix, record.key(self.descriptor()).segment())
    }

    /// Whether access rules admit the caller to an operation, and the caller has a tenant if one is needed.
    pub(crate) fn admits(&self, operation: Operation) -> bool {
        let resource = self.descriptor();
        self.reading.admits(resource, operation, self.caller) && !Reading::lacks_tenant(resource, self.caller)
    }

    /// Whether access rules admit the caller to a second operation that a route needs.
    pub(crate) fn admits_too(&self, operation: Operation) -> bool {
        self.reading.admits(self.descriptor(), operation, self.caller)
    }

    pub(crate) fn sees(&self, record: &Record) -> bool {
        self.reading.sees(self.descriptor(), &record.values, self.caller)
    }

    pub(crate) fn shows(&self, column: usize) -> bool {
        Reading::shows(self.descriptor(), column, self.caller)
    }

    /// The records that the caller's list should have.
    pub(crate) fn visible(&self, among: Among) -> Vec<&'a Record> {
        let is_among = |record: &&Record| match among {
            Among::Active => !record.is_deleted,
            Among::All => true,
            Among::Deleted => record.is_deleted,
        };
        self.records().iter().filter(is_among).filter(|record| self.sees(record)).collect()
    }

    /// Which records a list has by default.
    pub(crate) fn default_among(&self) -> Among {
        let includes = self.descriptor().soft_delete.is_some_and(|it| it.include_deleted_by_default);
        if includes { Among::All } else { Among::Active }
    }

    /// A request for a list with the largest page.
    pub(crate) fn list(&self) -> Sent {
        let sent = Sent::get(self.served().prefix.clone());
        match self.page_size() {
            Some(size) => sent.with("limit", &size.to_string()),
            None => sent,
        }
    }

    /// The size of the largest page, at most 100; `None` without pages.
    pub(crate) fn page_size(&self) -> Option<u32> {
        self.served().pagination.map(|pagination| pagination.max_limit.min(100))
    }

    /// Reports a difference. `words` follow the caller's name in its sentence.
    pub(crate) fn differs(&self, way: &'static str, reply: &Reply, words: &str) {
        let sentence = format!("{} {words} of {}", self.caller.name, self.descriptor().name);
        let curl = reply.sent.curl(self.caller);
        self.findings.difference(Difference { way, sentence, curl });
    }

    /// Checks whether access refused a request, as it should if `admitted` is false. Returns whether the answer should
    /// be compared further.
    pub(crate) fn passes(&self, way: &'static str, admitted: bool, reply: &Reply) -> bool {
        let expected = if self.caller.is_nobody() { 401 } else { 403 };
        if !self.reading.rules.are_enforced {
            return !reply.is_denied();
        }
        match (admitted, reply.is_denied()) {
            (true, false) => return true,
            (false, true) if reply.status == expected => {}
            (false, true) => {
                self.differs(way, reply, &format!("is refused with {} in place of {expected}: {way}", reply.status));
            }
            (false, false) => {
                let words = format!("gets {} where access refuses it, expected {expected}: {way}", reply.status);
                self.differs(way, reply, &words);
            }
            (true, true) => {
                self.differs(way, reply, &format!("is refused ({}), and access admits it: {way}", reply.said()));
            }
        }
        false
    }

    /// Checks the status of an answer.
    pub(crate) fn has_status(&self, way: &'static str, reply: &Reply, expected: u16, about: &str) -> bool {
        if reply.status == expected {
            return true;
        }
        self.differs(way, reply, &format!("gets {}, expected {expected}, for {about}", reply.said()));
        false
    }

    /// The keys of rows as texts, sorted.
    fn keys_of(&self, rows: &[Json]) -> Vec<String> {
        let resource = self.descriptor();
        let key = |row: &Json| {
            let parts = resource.key().iter().map(|column| text_of(&row[resource.columns[*column].json]));
            parts.collect::<Vec<_>>().join("|")
        };
        let mut keys: Vec<String> = rows.iter().map(key).collect();
        keys.sort();
        keys
    }

    /// Checks that the rows are the expected records, with the fields that the caller sees.
    pub(crate) fn has_rows(&self, way: &'static str, reply: &Reply, rows: &[Json], expected: &[&Record]) -> bool {
        let resource = self.descriptor();
        for row in rows {
            self.has_fields(way, reply, row);
        }
        if resource.keyless {
            let is_same = rows.len() == expected.len();
            if !is_same {
                self.differs(way, reply, &format!("gets {} records, expected {}", rows.len(), expected.len()));
            }
            return is_same;
        }
        let found = self.keys_of(rows);
        let mut keys: Vec<String> = expected.iter().map(|record| key_text(resource, &record.values)).collect();
        keys.sort();
        if found == keys {
            return true;
        }
        let (found, keys): (BTreeSet<_>, BTreeSet<_>) = (found.iter().collect(), keys.iter().collect());
        let words = match (found.difference(&keys).next(), keys.difference(&found).next()) {
            (Some(extra), _) => format!("gets record {extra}, which the rules hide,"),
            (None, Some(missing)) => format!("does not get record {missing}, which the rules show,"),
            (None, None) => "gets a record twice".to_owned(),
        };
        self.differs(way, reply, &words);
        false
    }

    /// Checks that a row has exactly the fields that the caller sees. It may have relations too.
    pub(crate) fn has_fields(&self, way: &'static str, reply: &Reply, row: &Json) {
        self.has_fields_of(way, reply, row, self.descriptor());
    }

    pub(crate) fn has_fields_of(&self, way: &'static str, reply: &Reply, row: &Json, of: &'static Descriptor) {
        let Some(members) = row.as_object() else { return };
        for (index, column) in of.columns.iter().enumerate() {
            let (is_there, is_shown) = (members.contains_key(column.json), Reading::shows(of, index, self.caller));
            let field = format!("`{}.{}`", of.name, column.json);
            match (is_there, is_shown) {
                (true, false) => self.differs(way, reply, &format!("gets the field {field}, which the rules hide,")),
                (false, true) => self.differs(way, reply, &format!("does not get the field {field}")),
                _ => {}
            }
        }
    }

    /// Sets the text of a cell in the table.
    pub(crate) fn cell(&self, column: &str, text: String) {
        let column = COLUMNS.iter().position(|other| *other == column);
        if let Some(column) = column {
            self.findings.cell(CellPosition { resource: self.resource, caller: self.number, column }, text);
        }
    }

    /// The table's word for the records that were reached: `all`, `tenant`, `own`, `some` or `none`.
    pub(crate) fn reach(&self, candidates: &[&Record], reached: &[&Record]) -> String {
        let is_same = |expected: &dyn Fn(&Record) -> bool| {
            let expected: Vec<&&Record> = candidates.iter().filter(|record| expected(record)).collect();
            expected.len() == reached.len() && expected.iter().all(|record| reached.contains(record))
        };
        let tenant = self.descriptor().tenant.map(|tenant| tenant.column);
        let own = self.world.people[self.caller.person].tenant.clone();
        let is_of_tenant = |record: &Record| tenant.is_some_and(|column| Some(&record.values[column]) == own.as_ref());
        let is_own = |record: &Record| record.person == Some(self.caller.person);
        let word = match () {
            () if candidates.is_empty() => "",
            () if reached.is_empty() => "none",
            () if is_same(&|_| true) => "all",
            () if is_same(&is_of_tenant) => "tenant",
            () if is_same(&is_own) => "own",
            () => "some",
        };
        word.to_owned()
    }

    /// The rows of a page, or of a list without pages.
    pub(crate) fn rows(reply: &Reply) -> Vec<Json> {
        let json = reply.json();
        let rows = json.get("data").unwrap_or(&json);
        rows.as_array().cloned().unwrap_or_default()
    }
}
