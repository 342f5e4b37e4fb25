//! [`ExpandingSink`]: records as JSON, with expanded records in them: those that they refer to, that refer to them, or that a
//! junction links to them.
//!
//! The expanded records are read after the first ones, by one statement for each path whatever the number of records,
//! and by two where a junction links them. Only records that the principal sees are expanded: another one is `null`,
//! like a missing reference, or is left out of its list. A principal that may not list them sees none.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;

use super::JsonSink;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::Value;
use crate::query::expansion::{Expandable, Expansion, Links, child_rows};
use crate::query::visibility::Visibility;
use crate::query::{JoinedColumn, ListQuery, Predicate, total_order};
use crate::storage::adapter::Adapter;
use crate::storage::future::BoxFuture;
use crate::store::each_row::each_row;
use crate::store::scope::subqueries::resolved;

/// A row sink that writes records as JSON objects, and adds to each its expanded records.
pub(crate) struct ExpandingSink<'a> {
    /// The records without expanded ones.
    pub(crate) json: JsonSink,
    expansions: &'a [Expansion],
    /// The columns by which the records refer to others; `None` where others refer to the records by their key.
    reference: Option<&'a [usize]>,
    /// Whether the places of records are kept although nothing is expanded.
    by_key: bool,
    /// The number of bytes after which records are deferred: only their keys are kept.
    budget: usize,
    written: Vec<Written>,
    /// The keys of the remaining records.
    remaining: Vec<Key>,
    /// Numbers of places and remaining records at the mark.
    mark: (usize, usize),
}

/// The JSON of records, as far as the budget allows.
pub(crate) struct Assembled {
    pub(crate) json: Vec<u8>,
    /// The keys of the remaining records, in order.
    pub(crate) remaining: Vec<Key>,
    /// The records in the JSON, where their places are kept.
    written: Vec<Written>,
}

/// A record in the JSON.
struct Written {
    key: Key,
    /// Position of the record's closing brace.
    end: usize,
    /// The keys that lead to its expanded records, one for each expansion.
    references: Vec<Key>,
}

impl<'a> ExpandingSink<'a> {
    /// A sink that writes to another one.
    pub(crate) fn new(json: JsonSink, expansions: &'a [Expansion]) -> Self {
        let (written, remaining) = (Vec::new(), Vec::new());
        let (budget, mark) = (usize::MAX, (0, 0));
        Self { json, expansions, reference: None, by_key: false, budget, written, remaining, mark }
    }

    /// The key of a record, or the key by which it refers to another one.
    fn key_of(&self, row: &dyn Row) -> Result<Key, AdapterError> {
        match self.reference {
            Some(columns) => key_of(self.json.resource(), columns, row),
            None => Key::of_row(self.json.resource(), row),
        }
    }

    /// Defers the records that begin after this many bytes.
    pub(crate) fn within(self, budget: usize) -> Self {
        Self { budget, ..self }
    }

    /// The number of records, the remaining ones included.
    pub(crate) fn rows(&self) -> u64 {
        self.json.rows + self.remaining.len() as u64
    }

    /// Keeps the places of the records, so that they can be reversed.
    pub(crate) fn keeping_places(self) -> Self {
        Self { by_key: true, ..self }
    }

    /// The JSON with the records in the opposite order; the first one begins at `start`. `None` where a record is
    /// deferred.
    ///
    /// # Errors
    /// Errors of [`finish`](Self::finish).
    pub(crate) async fn finish_reversed(
        self,
        start: usize,
        adapter: &dyn Adapter,
        visibility: Visibility<'_>,
    ) -> Result<Option<Vec<u8>>, AdapterError> {
        let Some((json, written)) = self.whole(adapter, visibility).await? else { return Ok(None) };
        let mut reversed = json[..start].to_vec();
        for (position, record) in written.iter().enumerate().rev() {
            // A comma is between two records.
            let begin = position.checked_sub(1).map_or(start, |before| written[before].end + 2);
            reversed.extend_from_slice(&json[begin..=record.end]);
            if position > 0 {
                reversed.push(b',');
            }
        }
        Ok(Some(reversed))
    }

    /// The JSON and the places of the records in it; `None` where a record is deferred.
    async fn whole(
        self,
        adapter: &dyn Adapter,
        visibility: Visibility<'_>,
    ) -> Result<Option<(Vec<u8>, Vec<Written>)>, AdapterError> {
        if !self.remaining.is_empty() {
            return Ok(None);
        }
        let Assembled { json, remaining, written } = self.finish(adapter, visibility).await?;
        Ok(remaining.is_empty().then_some((json, written)))
    }

    /// Whether records are expanded.
    pub(crate) fn is_expanding(&self) -> bool {
        !self.expansions.is_empty()
    }

    /// The JSON with the expanded records in each record.
    ///
    /// # Errors
    /// Errors of [`Adapter::list`].
    pub(crate) async fn finish(
        self,
        adapter: &dyn Adapter,
        visibility: Visibility<'_>,
    ) -> Result<Assembled, AdapterError> {
        let Self { json, expansions, mut written, mut remaining, budget, .. } = self;
        if expansions.is_empty() {
            return Ok(Assembled { json: json.out, remaining, written });
        }
        let mut out = Vec::with_capacity(json.out.len() * 2);
        let (mut copied, mut done, mut group) = (0, 0, written.len());
        while done < written.len() && out.len() < budget {
            let end = written.len().min(done + group);
            // The expanded records of one record are not divided; the limits of `expand` bound them.
            let budget_of_group = if end - done > 1 { budget } else { usize::MAX };
            let related = RelatedRecords { adapter, visibility, budget: budget_of_group };
            let Some(expanded) = related.expanded(expansions, &written[done..end]).await? else {
                group = (end - done) / 2;
                continue;
            };
            while done < end && out.len() < budget {
                let record = &mut written[done];
                out.extend_from_slice(&json.out[copied..record.end]);
                copied = record.end;
                for ((expansion, records), key) in expansions.iter().zip(&expanded).zip(&record.references) {
                    out.extend_from_slice(expansion.member.as_bytes());
                    let found = if key.is_null() { None } else { records.get(&key.to_string()) };
                    match (found, expansion.of.limit()) {
                        (Some(json), _) => out.extend_from_slice(json),
                        (None, None) => out.extend_from_slice(b"null"),
                        (None, Some(limit)) => write_list(&mut out, &[], limit, false),
                    }
                }
                record.end = out.len();
                done += 1;
            }
        }
        if done == written.len() {
            out.extend_from_slice(&json.out[copied..]);
        } else {
            out.push(b'}');
            remaining.splice(0..0, written.drain(done..).map(|record| record.key));
        }
        Ok(Assembled { json: out, remaining, written })
    }
}

impl RowSink for ExpandingSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        // A record without a key could not be read later.
        if self.json.out.len() >= self.budget
            && let Some(key) = known(self.key_of(row))?
        {
            self.remaining.push(key);
            return Ok(());
        }
        self.json.row(row)?;
        if self.by_key || !self.expansions.is_empty() {
            let resource = self.json.resource();
            let references =
                self.expansions.iter().map(|expansion| readable(key_of(resource, &expansion.of.columns, row)));
            self.written.push(Written {
                key: readable(self.key_of(row))?,
                end: self.json.out.len() - 1,
                references: references.collect::<Result<_, _>>()?,
            });
        }
        Ok(())
    }

    fn mark(&mut self) -> bool {
        self.mark = (self.written.len(), self.remaining.len());
        self.json.mark()
    }

    fn return_to_mark(&mut self) {
        self.written.truncate(self.mark.0);
        self.remaining.truncate(self.mark.1);
        self.json.return_to_mark();
    }
}

/// The key in some columns of a row.
///
/// # Errors
/// Errors of reading them.
pub(crate) fn key_of(resource: &Descriptor, columns: &[usize], row: &dyn Row) -> Result<Key, AdapterError> {
    match columns {
        [column] => stored_value(resource, *column, row).map(Key::from),
        columns => {
            let values = columns.iter().map(|column| stored_value(resource, *column, row));
            Ok(Key::composite(values.collect::<Result<_, _>>()?))
        }
    }
}

/// A value; `None` for one that cannot be read.
///
/// # Errors
/// Other errors of reading it.
fn known<T>(value: Result<T, AdapterError>) -> Result<Option<T>, AdapterError> {
    match value {
        Err(AdapterError::Corrupt { .. }) => Ok(None),
        value => value.map(Some),
    }
}

/// A value, or null for one that cannot be read.
///
/// # Errors
/// Errors of [`known`].
fn readable<T: From<Value>>(value: Result<T, AdapterError>) -> Result<T, AdapterError> {
    known(value).map(|value| value.unwrap_or_else(|| Value::Null.into()))
}

/// Records as JSON, or lists of them, by the keys that lead to them.
type ByKey = HashMap<String, Vec<u8>>;

/// The records of other resources, as JSON of a limited number of bytes.
#[derive(Clone, Copy)]
struct RelatedRecords<'r> {
    adapter: &'r dyn Adapter,
    visibility: Visibility<'r>,
    budget: usize,
}

impl<'r> RelatedRecords<'r> {
    /// Reads the expanded records of these records, for each expansion; `None` where an expansion exceeds the budget.
    async fn expanded(self, expansions: &[Expansion], written: &[Written]) -> Result<Option<Vec<ByKey>>, AdapterError> {
        let mut expanded = Vec::with_capacity(expansions.len());
        for (position, expansion) in expansions.iter().enumerate() {
            let keys = written.iter().map(|record| &record.references[position]).filter(|key| !key.is_null());
            // Each key once, in an order that does not depend on that of the records.
            let keys: BTreeMap<String, Key> = keys.map(|key| (key.to_string(), key.clone())).collect();
            match self.records(expansion, keys.into_values().collect()).await? {
                Some(records) => expanded.push(records),
                None => return Ok(None),
            }
        }
        Ok(Some(expanded))
    }

    /// The visible records with these keys, as JSON by key; or the lists of visible records that refer to the keys or
    /// are linked to them. `None` where they exceed the budget.
    fn records<'e>(self, expansion: &'e Expansion, keys: Vec<Key>) -> BoxFuture<'e, Result<Option<ByKey>, AdapterError>>
    where
        'r: 'e,
    {
        Box::pin(async move {
            let Expandable { target, children, links, .. } = &expansion.of;
            let (target, children, links) = (*target, *children, *links);
            let are_listed = links
                .map_or_else(|| self.visibility.lists(target), |links| self.visibility.lists_links(links.junction));
            if keys.is_empty() || !are_listed {
                return Ok(Some(HashMap::new()));
            }
            if let Some(links) = links {
                let lists = self.linked(links, &expansion.inside, keys).await?;
                return Ok(lists.map(|lists| lists.into_iter().map(|(key, list)| (key, list.json)).collect()));
            }
            let Some(children) = children else {
                return self.referenced(target, &expansion.inside, keys).await;
            };
            let (limit, is_one) = (u64::from(children.limit), keys.len() == 1);
            let with_key = Predicate::of_values(children.columns(), &keys);
            let query = self.query(target, with_key, self.visibility.records(target)).await?;
            let json = JsonSink::new(target, &self.visibility.fields(target), Vec::new());
            let reference = Some(children.columns());
            let budget = self.budget;
            let mut records =
                ExpandingSink { by_key: true, reference, budget, ..ExpandingSink::new(json, &expansion.inside) };
            let query = query.sort(total_order(target, children.order()));
            let query = first_of_each(query, children.columns(), limit, is_one);
            // The number of records found for each key; only the first ones are written.
            let mut rows = HashMap::<String, u64>::new();
            let mut sink = each_row(|row| {
                let of_key = rows.entry(readable(records.key_of(row))?.to_string()).or_default();
                *of_key += 1;
                if *of_key > limit { Ok(()) } else { records.row(row) }
            });
            self.adapter.list(target, &query, &mut sink).await?;
            let Some((json, written)) = records.whole(self.adapter, self.visibility).await? else { return Ok(None) };
            let mut lists = HashMap::<String, Vec<&[u8]>>::new();
            for (key, record) in slices(&json, written) {
                lists.entry(key).or_default().push(record);
            }
            let list = |(key, records): (String, Vec<&[u8]>)| {
                let mut out = Vec::new();
                let more = rows.get(&key).is_some_and(|rows| *rows > limit);
                write_list(&mut out, &records, children.limit, more);
                (key, out)
            };
            Ok(Some(lists.into_iter().map(list).collect()))
        })
    }

    /// The records with these keys that the principal sees, as JSON, by their keys. `None` where they exceed the
    /// budget.
    async fn referenced(
        self,
        target: &'static Descriptor,
        inside: &[Expansion],
        keys: Vec<Key>,
    ) -> Result<Option<ByKey>, AdapterError> {
        // Each key has at most one record. Storage reads a list with a small limit at less cost than one without.
        let most = keys.len() as u64;
        let with_key = Predicate::of_values(target.key(), &keys);
        let query = self.query(target, with_key, self.visibility.records(target)).await?;
        let query = query.sort(SortKey::of_key(target, false)).limit(most);
        let json = JsonSink::new(target, &self.visibility.fields(target), Vec::new());
        let mut sink = ExpandingSink { by_key: true, budget: self.budget, ..ExpandingSink::new(json, inside) };
        self.adapter.list(target, &query, &mut sink).await?;
        let Some((json, written)) = sink.whole(self.adapter, self.visibility).await? else { return Ok(None) };
        Ok(Some(slices(&json, written).map(|(key, record)| (key, record.to_vec())).collect()))
    }

    /// The lists of records that a junction links to the records with these keys. `None` where they exceed the budget.
    async fn linked(
        self,
        links: Links,
        inside: &[Expansion],
        keys: Vec<Key>,
    ) -> Result<Option<HashMap<String, LinkedList>>, AdapterError> {
        let Links { junction, limit } = links;
        let (most, is_one) = (u64::from(limit), keys.len() == 1);
        let with_key = Predicate::of_values(junction.near_columns(), &keys);
        let visible = self.visibility.links(junction, Predicate::All);
        let query = self.query(junction.resource, with_key, visible).await?;
        let query = query.sort(total_order(junction.resource, junction.order()));
        let query = first_of_each(query, junction.near_columns(), most, is_one);
        let mut lists = HashMap::<String, Vec<Key>>::new();
        let mut sink = each_row(|row| {
            let near = key_of(junction.resource, junction.near_columns(), row)?;
            let far = key_of(junction.resource, junction.far_columns(), row)?;
            lists.entry(near.to_string()).or_default().push(far);
            Ok(())
        });
        self.adapter.list(junction.resource, &query, &mut sink).await?;
        if lists.is_empty() {
            return Ok(Some(HashMap::new()));
        }
        let returned = lists.values().flat_map(|list| list.iter().take(limit as usize));
        // Each key once, in an order that does not depend on that of the links.
        let targets: BTreeMap<String, Key> = returned.map(|key| (key.to_string(), key.clone())).collect();
        let targets = targets.into_values().collect();
        let Some(records) = self.referenced(junction.target, inside, targets).await? else {
            return Ok(None);
        };
        let list = |(key, list): (String, Vec<Key>)| {
            let records = list.iter().take(limit as usize).filter_map(|key| records.get(&key.to_string()));
            let records: Vec<&[u8]> = records.map(Vec::as_slice).collect();
            let (mut json, more) = (Vec::new(), list.len() as u64 > most);
            write_list(&mut json, &records, limit, more);
            (key, LinkedList { json, more })
        };
        Ok(Some(lists.into_iter().map(list).collect()))
    }

    /// The query of visible records with keys, also where storage has no subqueries.
    async fn query(
        self,
        resource: &'static Descriptor,
        with_key: Predicate,
        visible: Predicate,
    ) -> Result<ListQuery, AdapterError> {
        let visible = resolved(self.adapter, &visible, None).await?.into_owned();
        Ok(ListQuery::all(resource).filter(with_key.and(visible)))
    }
}

/// The query for the first records of each value of a column. It has one more than is returned, to tell whether there
/// are more. For a single value, storage needs no subselects.
fn first_of_each(query: ListQuery, columns: &[usize], limit: u64, is_one: bool) -> ListQuery {
    if is_one { query.limit(limit + 1) } else { query.limit_per(columns.to_vec(), limit + 1) }
}

/// A list of linked records as JSON.
#[derive(Debug)]
pub(crate) struct LinkedList {
    pub(crate) json: Vec<u8>,
    /// Whether there are further records.
    pub(crate) more: bool,
}

/// The list of the records that a junction links to a record, as `expand` returns it.
///
/// # Errors
/// Errors of [`Adapter::list`].
pub(crate) async fn linked_list(
    adapter: &dyn Adapter,
    visibility: Visibility<'_>,
    links: Links,
    key: &Key,
) -> Result<LinkedList, AdapterError> {
    let related = RelatedRecords { adapter, visibility, budget: usize::MAX };
    let lists = related.linked(links, &[], vec![key.clone()]).await?;
    let list = lists.and_then(|mut lists| lists.remove(&key.to_string()));
    Ok(list.unwrap_or_else(|| {
        let mut json = Vec::new();
        write_list(&mut json, &[], links.limit, false);
        LinkedList { json, more: false }
    }))
}

/// The records in the JSON, with their keys.
fn slices(json: &[u8], written: Vec<Written>) -> impl Iterator<Item = (String, &[u8])> {
    let mut start = 0;
    written.into_iter().map(move |written| {
        let record = &json[start..=written.end];
        // A comma is between two records.
        start = written.end + 2;
        (written.key.to_string(), record)
    })
}

/// Writes a list of expanded records: `{"data":[…],"limit":20,"more":true}`.
fn write_list(out: &mut Vec<u8>, records: &[&[u8]], limit: u32, more: bool) {
    out.extend_from_slice(b"{\"data\":[");
    out.extend_from_slice(&records.join(&b','));
    // Writing to memory cannot fail.
    let _ = write!(out, "],\"limit\":{limit},\"more\":{more}}}");
}

/// Refuses what storage cannot do without subselects: orders by fields of other records, and the first referring
/// records of each of several.
///
/// # Errors
/// [`AdapterError::Unsupported`].
pub(crate) fn check_storage(
    joined: &[JoinedColumn],
    expansions: &[Expansion],
    adapter: &dyn Adapter,
) -> Result<(), AdapterError> {
    let what = match (joined, child_rows(expansions)) {
        _ if adapter.capabilities().subqueries => return Ok(()),
        ([], 0) => return Ok(()),
        ([], _) => "lists of related records for several records",
        _ => "orders by fields of other records",
    };
    Err(AdapterError::Unsupported { what })
}
