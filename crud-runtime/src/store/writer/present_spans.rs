//! The records that are there when a struct gets `exclusive`: no two of them may overlap.
//!
//! The records are read once. A row of the counters stores what was checked, so that later starts read only that row.

use xxhash_rust::xxh3::xxh3_64;

use super::exclusive::{competes, counts, order};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Exclusive, SortKey};
use crate::model::key::Key;
use crate::model::value::{Value, is_same};
use crate::query::{ListQuery, Scope};
use crate::storage::adapter::Adapter;
use crate::storage::error::{Error, Result};
use crate::storage::uniques::led_by_tenant;
use crate::store::app::App;
use crate::store::each_row::each_row;
use crate::store::owned_record::OwnedRecord;
use crate::store::tables::counter::{Counter, NewCounter};

/// Number of pairs that an error names.
const NAMED: usize = 5;

/// Refuses a table with records that overlap, if it was not checked for these spans before.
///
/// # Errors
/// [`Error::Setup`] with the keys of records that overlap; when the database fails.
pub(crate) async fn check(app: &App, resource: &'static Descriptor) -> Result<()> {
    let counters = app.own_store::<Counter>();
    let id = format!("exclusive/checked/{}/{:016x}", resource.table, hash(resource));
    if counters.find(id.as_str()).await?.is_some() {
        return Ok(());
    }
    for exclusive in resource.exclusives {
        let pairs = overlaps(&**app.adapter(), resource, exclusive).await.map_err(Error::Database)?;
        if !pairs.is_empty() {
            return Err(refused(resource, exclusive, &pairs));
        }
    }
    counters.create_if_absent(NewCounter { id, value: 0 }).await?;
    Ok(())
}

/// The hash of the fields and states of a struct's `exclusive` attributes.
fn hash(resource: &Descriptor) -> u64 {
    let name = |column: &usize| resource.columns[*column].column;
    let of_one = |exclusive: &Exclusive| {
        let columns: Vec<_> = exclusive.group().iter().chain([&exclusive.end]).map(name).collect();
        let states = exclusive.when.map(|states| {
            let values: Vec<Value> = states.values.iter().map(|value| value()).collect();
            (name(&states.column), values)
        });
        format!("{columns:?} {} {states:?}", exclusive.inclusive)
    };
    let all: Vec<String> = resource.exclusives.iter().map(of_one).collect();
    xxh3_64(all.join(";").as_bytes())
}

/// The record whose span ends last, among the records of a group so far.
struct Last {
    record: OwnedRecord,
    key: Key,
}

/// The keys of records that overlap, as many pairs as an error names. The records of a group are read in the order of their
/// starts: one overlaps an earlier one if it starts before that which ends last.
async fn overlaps(
    adapter: &dyn Adapter,
    resource: &'static Descriptor,
    exclusive: &Exclusive,
) -> std::result::Result<Vec<(Key, Key)>, AdapterError> {
    let group = led_by_tenant(resource, exclusive.columns);
    let columns = group.iter().copied().chain([exclusive.start]).map(SortKey::ascending);
    let query = ListQuery::all(resource).filter(Scope::Active.predicate(resource));
    let query = query.sort(columns.chain(SortKey::of_key(resource, false)).collect());
    let (mut last, mut pairs): (Option<Last>, Vec<(Key, Key)>) = (None, Vec::new());
    let mut sink = each_row(|row| {
        let record = OwnedRecord::read(resource, row)?;
        if pairs.len() == NAMED || !competes(&group, &record) || !counts(resource, exclusive, &record)? {
            return Ok(());
        }
        let key = Key::of_row(resource, &record)?;
        let is_same_group = |last: &Last| group.iter().all(|it| is_same(last.record.get(*it), record.get(*it)));
        let before = last.take().filter(is_same_group);
        if let Some(before) = &before
            && starts_within(exclusive, &record, &before.record)
        {
            pairs.push((before.key.clone(), key.clone()));
        }
        let ends_later = before.as_ref().is_none_or(|before| ends_after(exclusive, &record, &before.record));
        last = if ends_later { Some(Last { record, key }) } else { before };
        Ok(())
    });
    adapter.list(resource, &query, &mut sink).await?;
    Ok(pairs)
}

/// Whether a record starts before the end of one that does not start later.
fn starts_within(exclusive: &Exclusive, record: &OwnedRecord, before: &OwnedRecord) -> bool {
    let (start, end) = (record.get(exclusive.start), before.get(exclusive.end));
    start.is_null()
        || end.is_null()
        || order(start, end).is_some_and(|order| order.is_lt() || exclusive.inclusive && order.is_eq())
}

/// Whether a record ends after another one.
fn ends_after(exclusive: &Exclusive, record: &OwnedRecord, before: &OwnedRecord) -> bool {
    let (end, earlier) = (record.get(exclusive.end), before.get(exclusive.end));
    !earlier.is_null() && (end.is_null() || order(end, earlier).is_some_and(std::cmp::Ordering::is_gt))
}

fn refused(resource: &Descriptor, exclusive: &Exclusive, pairs: &[(Key, Key)]) -> Error {
    let name = |column: usize| resource.columns[column].name;
    let named: Vec<String> = pairs.iter().map(|(one, other)| format!("{one} and {other}")).collect();
    let more = if pairs.len() == NAMED { ", …" } else { "" };
    let (resource, start, end) = (resource.name, name(exclusive.start), name(exclusive.end));
    Error::Setup(format!(
        "records of {resource} overlap, which `exclusive` with `{start}` and `{end}` forbids: {}{more}: change, cancel or \
         delete one of each, then start again",
        named.join(", ")
    ))
}
