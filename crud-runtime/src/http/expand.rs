//! [`ExpandingSink`]: records as JSON, with the records that they refer to beside them.
//!
//! The other records are read after the first ones, by one statement for each path whatever the number of records. They
//! are those that the principal reaches; another one is `null`, as no reference is.

use std::collections::{BTreeMap, HashMap};

use super::render::JsonSink;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::SortKey;
use crate::model::row::{Row, RowSink};
use crate::model::stored_value::stored_value;
use crate::model::value::Value;
use crate::query::expansion::Expansion;
use crate::query::reach::Reach;
use crate::query::{ListQuery, Predicate};
use crate::storage::adapter::Adapter;
use crate::storage::future::BoxFuture;

/// A row sink that writes records as JSON objects, and adds to each what was asked for beside it.
pub(crate) struct ExpandingSink<'a> {
    /// The records without what is beside them.
    pub(crate) json: JsonSink,
    expansions: &'a [Expansion],
    /// Whether the places of records are kept though nothing is beside them.
    by_key: bool,
    written: Vec<Written>,
}

/// A record in the JSON.
struct Written {
    key: Value,
    /// Where its closing brace is.
    end: usize,
    /// The keys of the records that it refers to, one for each expansion.
    references: Vec<Value>,
}

impl<'a> ExpandingSink<'a> {
    /// A sink that writes to another one.
    pub(crate) fn new(json: JsonSink, expansions: &'a [Expansion]) -> Self {
        Self { json, expansions, by_key: false, written: Vec::new() }
    }

    /// Keeps the places of the records, so that they can be reversed.
    pub(crate) fn keeping_places(self) -> Self {
        Self { by_key: true, ..self }
    }

    /// The JSON with the records in the opposite order; the first one begins at `start`.
    ///
    /// # Errors
    /// Those of [`finish`](Self::finish).
    pub(crate) async fn finish_reversed(
        self,
        start: usize,
        adapter: &dyn Adapter,
        reach: Reach<'_>,
    ) -> Result<Vec<u8>, AdapterError> {
        let (json, written) = self.assemble(adapter, reach).await?;
        let mut reversed = json[..start].to_vec();
        for (position, record) in written.iter().enumerate().rev() {
            // A comma is between two records.
            let begin = position.checked_sub(1).map_or(start, |before| written[before].end + 2);
            reversed.extend_from_slice(&json[begin..=record.end]);
            if position > 0 {
                reversed.push(b',');
            }
        }
        Ok(reversed)
    }

    /// Whether anything is beside the records.
    pub(crate) fn is_expanding(&self) -> bool {
        !self.expansions.is_empty()
    }

    /// The JSON with what is beside each record.
    ///
    /// # Errors
    /// Those of [`Adapter::list`].
    pub(crate) async fn finish(self, adapter: &dyn Adapter, reach: Reach<'_>) -> Result<Vec<u8>, AdapterError> {
        self.assemble(adapter, reach).await.map(|(json, _)| json)
    }

    /// The JSON, and the records in it.
    async fn assemble(self, adapter: &dyn Adapter, reach: Reach<'_>) -> Result<(Vec<u8>, Vec<Written>), AdapterError> {
        let Self { json, expansions, mut written, .. } = self;
        if expansions.is_empty() {
            return Ok((json.out, written));
        }
        let mut beside = Vec::with_capacity(expansions.len());
        for (position, expansion) in expansions.iter().enumerate() {
            let keys = written.iter().map(|record| &record.references[position]).filter(|key| !key.is_null());
            // Each once, in an order that does not depend on the records'.
            let keys: BTreeMap<String, Value> = keys.map(|key| (key.to_string(), key.clone())).collect();
            beside.push(records(adapter, reach, expansion, keys.into_values().collect()).await?);
        }
        let mut out = Vec::with_capacity(json.out.len() * 2);
        let mut copied = 0;
        for record in &mut written {
            out.extend_from_slice(&json.out[copied..record.end]);
            copied = record.end;
            for ((expansion, records), key) in expansions.iter().zip(&beside).zip(&record.references) {
                out.extend_from_slice(expansion.member.as_bytes());
                let found = if key.is_null() { None } else { records.get(&key.to_string()) };
                out.extend_from_slice(found.map_or(b"null", Vec::as_slice));
            }
            record.end = out.len();
        }
        out.extend_from_slice(&json.out[copied..]);
        Ok((out, written))
    }
}

impl RowSink for ExpandingSink<'_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.json.row(row)?;
        if self.by_key || !self.expansions.is_empty() {
            let resource = self.json.resource();
            let references = self.expansions.iter().map(|expansion| stored_value(resource, expansion.column, row));
            self.written.push(Written {
                key: stored_value(resource, resource.id, row)?,
                end: self.json.out.len() - 1,
                references: references.collect::<Result<_, _>>()?,
            });
        }
        Ok(())
    }
}

/// The records with these keys that the principal reaches, as JSON, by their keys.
fn records<'r>(
    adapter: &'r dyn Adapter,
    reach: Reach<'r>,
    expansion: &'r Expansion,
    keys: Vec<Value>,
) -> BoxFuture<'r, Result<HashMap<String, Vec<u8>>, AdapterError>> {
    Box::pin(async move {
        if keys.is_empty() {
            return Ok(HashMap::new());
        }
        let target = expansion.target;
        let with_key = Predicate::In { column: target.id, negated: false, values: keys };
        let order = vec![SortKey::ascending(target.id)];
        let query = ListQuery::all(target).sort(order).filter(with_key.and(reach.records(target)));
        let json = JsonSink::new(target, &reach.fields(target), Vec::new());
        let mut sink = ExpandingSink { by_key: true, ..ExpandingSink::new(json, &expansion.inside) };
        adapter.list(target, &query, &mut sink).await?;
        let (json, written) = sink.assemble(adapter, reach).await?;
        let mut start = 0;
        let record = |written: Written| {
            let record = json[start..=written.end].to_vec();
            // A comma is between two records.
            start = written.end + 2;
            (written.key.to_string(), record)
        };
        Ok(written.into_iter().map(record).collect())
    })
}
