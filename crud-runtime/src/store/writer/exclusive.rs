//! Spans of which no two overlap: `exclusive(room_id, starts_at..ends_at)`.
//!
//! A change is checked after it is written and before its transaction ends. Before the check, the change locks the row
//! of a counter of its room. Other changes of the room wait for that row, so that the check of a later change finds the
//! record of an earlier one.

use std::cmp::Ordering;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Exclusive, Operation, SortKey, States};
use crate::model::key::Key;
use crate::model::problem::{Code, FieldError, Problem};
use crate::model::resource::Resource;
use crate::model::value::{Value, is_same};
use crate::query::visibility::RecordVisibility;
use crate::query::{Comparison, ListQuery, Predicate, Scope};
use crate::storage::adapter::Adapter;
use crate::storage::decide::{RecordState, state};
use crate::storage::uniques::led_by_tenant;
use crate::storage::write::{Outcome, Work, Write};
use crate::store::app::App;
use crate::store::each_row::each_row;
use crate::store::hooks::changeset::ChangeKind;
use crate::store::owned_record::OwnedRecord;
use crate::store::scope::visible_record::read_visible;
use crate::store::tables::counter::Counter;
use crate::store::transaction::shared::SharedTransaction;
use crate::store::writer::no_sink::NoSink;

/// A written change whose spans are checked.
pub(in crate::store) struct Spans<'a> {
    pub(in crate::store) app: &'a App,
    pub(in crate::store) transaction: &'a Arc<SharedTransaction>,
    pub(in crate::store) resource: &'static Descriptor,
}

impl Spans<'_> {
    /// Refuses a change whose record ends before it starts, or overlaps another one.
    ///
    /// # Errors
    /// `validation_failed` and `conflict`.
    pub(in crate::store) async fn check(
        &self,
        kind: ChangeKind,
        old: Option<&OwnedRecord>,
        new: &OwnedRecord,
    ) -> Result<(), Problem> {
        if !matches!(kind, ChangeKind::Create | ChangeKind::Update | ChangeKind::Restore) {
            return Ok(());
        }
        for exclusive in self.resource.exclusives {
            let old = old.filter(|_| kind != ChangeKind::Restore);
            if old.is_none_or(|old| self.differs(exclusive, old, new)) {
                self.check_order(exclusive, new)?;
                self.check_overlap(exclusive, new).await?;
            }
        }
        Ok(())
    }

    /// Whether a change of the record may make it overlap.
    fn differs(&self, exclusive: &Exclusive, old: &OwnedRecord, new: &OwnedRecord) -> bool {
        let columns = self.group(exclusive).into_iter().chain([exclusive.start, exclusive.end]);
        let columns = columns.chain(exclusive.when.map(|states| states.column));
        columns.into_iter().any(|column| !is_same(old.get(column), new.get(column)))
    }

    /// The columns by whose equal values records compete: that of the tenant is one of them.
    fn group(&self, exclusive: &Exclusive) -> Vec<usize> {
        led_by_tenant(self.resource, exclusive.columns)
    }

    /// Refuses a span that ends before it starts, and one without length whose end does not belong to it.
    fn check_order(&self, exclusive: &Exclusive, new: &OwnedRecord) -> Result<(), Problem> {
        let (start, end) = (new.get(exclusive.start), new.get(exclusive.end));
        let is_ordered = start.is_null()
            || end.is_null()
            || order(start, end).is_none_or(|order| order.is_lt() || exclusive.inclusive && order.is_eq());
        if is_ordered {
            return Ok(());
        }
        let column = |index: usize| &self.resource.columns[index];
        let start = column(exclusive.start).json;
        let detail = if exclusive.inclusive { "must not be before" } else { "must be after" };
        let error = FieldError::field(column(exclusive.end).json, "order", format!("{detail} `{start}`"));
        Err(Problem::validation([error.with_params([("after", start)])]))
    }

    /// Refuses a record that overlaps another counted record.
    async fn check_overlap(&self, exclusive: &Exclusive, new: &OwnedRecord) -> Result<(), Problem> {
        let group = self.group(exclusive);
        let counts = counts(self.resource, exclusive, new).map_err(|error| self.problem(error))?;
        if !competes(&group, new) || !counts {
            return Ok(());
        }
        self.lock(&group, new).await?;
        let own = Key::of_row(self.resource, new).map_err(|error| self.problem(error))?;
        let others = Predicate::Not(Box::new(Predicate::of_key(self.resource, &own)));
        let filter = self.overlapping(exclusive, &group, new).and(others);
        let query = ListQuery::all(self.resource).filter(filter);
        let query = query.sort(SortKey::of_key(self.resource, false)).limit(1);
        let mut found = None;
        let mut sink = each_row(|row| {
            found = Some(Key::of_row(self.resource, row)?);
            Ok(())
        });
        let listed = self.transaction.list(self.resource, &query, &mut sink).await;
        listed.map_err(|error| self.problem(error))?;
        match found {
            Some(other) => Err(self.conflict(exclusive, &other).await?),
            None => Ok(()),
        }
    }

    /// Waits until no other transaction changes records of the group: the row of its counter is locked.
    async fn lock(&self, group: &[usize], new: &OwnedRecord) -> Result<(), Problem> {
        let values: Vec<Value> = group.iter().map(|column| new.get(*column).clone()).collect();
        let text = format!("{}/{}", self.resource.table, Key::composite(values));
        let id = Value::Text(format!("exclusive/{:032x}", xxh3_128(text.as_bytes())));
        let (key, problem) = (Key::from(id.clone()), |error| self.app.problem(Counter::DESCRIPTOR, error));
        // After a conflict, another transaction has created the row: it is locked in the next turn.
        loop {
            if self.transaction.lock(Counter::DESCRIPTOR, &key, None, &mut NoSink).await.map_err(problem)? {
                return Ok(());
            }
            let rows = [vec![id.clone(), Value::Int(0)]];
            let write = Write::atomic(Work::Insert(&rows), None).with_clock(self.app.clock());
            let outcomes = self.transaction.write(Counter::DESCRIPTOR, write, &mut NoSink).await.map_err(problem)?;
            match outcomes.into_iter().next() {
                Some(Outcome::Done) => return Ok(()),
                Some(Outcome::Failed(AdapterError::Unique { .. } | AdapterError::UniqueIndex { .. })) => {}
                Some(Outcome::Failed(error)) => return Err(problem(error)),
                _ => return Err(Problem::internal("the adapter returned no outcome")),
            }
        }
    }

    /// The counted records that overlap.
    fn overlapping(&self, exclusive: &Exclusive, group: &[usize], new: &OwnedRecord) -> Predicate {
        let compare = |column, operator, value: &Value| Predicate::Compare { column, operator, value: value.clone() };
        let mut all = vec![Scope::Active.predicate(self.resource)];
        all.extend(group.iter().map(|column| compare(*column, Comparison::Eq, new.get(*column))));
        let (before, after) =
            if exclusive.inclusive { (Comparison::Lte, Comparison::Gte) } else { (Comparison::Lt, Comparison::Gt) };
        let (start, end) = (new.get(exclusive.start), new.get(exclusive.end));
        let or_open = |column, bound| Predicate::Or(vec![Predicate::IsNull { column, null: true }, bound]);
        if !end.is_null() {
            all.push(or_open(exclusive.start, compare(exclusive.start, before, end)));
        }
        if !start.is_null() {
            all.push(or_open(exclusive.end, compare(exclusive.end, after, start)));
        }
        if let Some(States { column, values, .. }) = exclusive.when {
            all.push(Predicate::In { column, negated: false, values: values.iter().map(|value| value()).collect() });
        }
        Predicate::And(all)
    }

    /// The refusal of a change, which names the other record where the author of the change may see it.
    async fn conflict(&self, exclusive: &Exclusive, other: &Key) -> Result<Problem, Problem> {
        let name = self.resource.name;
        let field = self.resource.columns[exclusive.start].json;
        let error = if self.sees(other).await? {
            let detail = format!("overlaps {name} {other}");
            FieldError::field(field, "overlaps", detail).with_params([("id", other.to_string())])
        } else {
            FieldError::field(field, "overlaps", format!("overlaps another {name}"))
        };
        Ok(Problem::with_errors(Code::Conflict, [error]))
    }

    /// Whether the author of the change may see a record.
    async fn sees(&self, key: &Key) -> Result<bool, Problem> {
        let Some(scope) = self.app.scope().as_caller() else { return Ok(true) };
        if !scope.admits(Operation::List, self.resource) {
            return Ok(false);
        }
        let Ok(records) = scope.records(self.resource, self.app.actor()) else { return Ok(false) };
        let visibility = RecordVisibility { scope: Scope::Active, records: Some(&records) };
        let seen = read_visible(&**self.transaction as &dyn Adapter, self.resource, key, visibility, &mut NoSink).await;
        seen.map_err(|error| self.problem(error))
    }

    fn problem(&self, error: AdapterError) -> Problem {
        self.app.problem(self.resource, error)
    }
}

/// Whether the record competes with others: a record with a null in one of the columns does not.
pub(super) fn competes(group: &[usize], record: &OwnedRecord) -> bool {
    group.iter().all(|column| !record.get(*column).is_null())
}

/// Whether the record counts: it is active, and in one of the attribute's states.
pub(super) fn counts(resource: &Descriptor, exclusive: &Exclusive, record: &OwnedRecord) -> Result<bool, AdapterError> {
    let is_in_state = exclusive
        .when
        .is_none_or(|States { column, values, .. }| values.iter().any(|value| is_same(&value(), record.get(column))));
    Ok(is_in_state && state(resource, record)? == RecordState::Active)
}

/// The order of two ends of a span, which have one type.
pub(super) fn order(start: &Value, end: &Value) -> Option<Ordering> {
    Some(match (start, end) {
        (Value::Int(start), Value::Int(end)) => start.cmp(end),
        (Value::Decimal(start), Value::Decimal(end)) => start.cmp(end),
        (Value::DateTime(start), Value::DateTime(end)) => start.cmp(end),
        (Value::NaiveDateTime(start), Value::NaiveDateTime(end)) => start.cmp(end),
        (Value::Date(start), Value::Date(end)) => start.cmp(end),
        (Value::Time(start), Value::Time(end)) => start.cmp(end),
        _ => return None,
    })
}
