//! Optimistic changes: one change with its audit entry, without a transaction around it.
//!
//! An insert and its entry are one statement, unless the client chose the key. Other changes read the record with its
//! version, and only overwrite that version. They take two statements instead of five, and hold no lock in between.
//!
//! ```sql
//! SELECT "id", "name", …, xmin::text FROM "products" WHERE "id" = $1
//!
//! WITH "changed" AS (UPDATE "products" SET "name" = $1 WHERE "id" = $2 AND xmin::text = $3 RETURNING …),
//!      "logged" AS (INSERT INTO "audit_logs" (…) SELECT … FROM "changed")
//! SELECT * FROM "changed"
//! ```
//!
//! If the statement changed nothing, the record has another version by then: a locking transaction decides.

use chrono::{DateTime, Utc};
use sqlx::Row as _;
use sqlx::postgres::PgConnection;

use super::dialect::Postgres;
use super::error::{general, translate, translate_delete};
use super::placeholder::{KeyPosition, Placeholder};
use super::value::argument::Argument;
use super::value::types::Type;
use crate::change::{Attempt, Change};
use crate::dialect::{ColumnRef, Dialect};
use crate::driver::{Execution as _, Record};
use crate::model::adapter_error::AdapterError;
use crate::model::changes::Changes;
use crate::model::descriptor::{ColumnDescriptor, Descriptor, Role};
use crate::model::key::Key;
use crate::model::row::Row;
use crate::model::value::{Kind, Value, ValueRef};
use crate::query::{Predicate, deletion};
use crate::statement::change::{deletion_timestamp, insert_arguments, touch};
use crate::statement::select::filter;
use crate::statement::{Sql, is_of_record};
use crate::storage::decide::{Decision, Intent, begun_references, decide, guarded_references, has};
use crate::storage::write::{Outcome, Recorder, Work, Write};

/// Applies the one change of a write.
pub(super) async fn change(
    connection: &mut PgConnection,
    resource: &'static Descriptor,
    write: &Write<'_>,
) -> Result<Attempt<Postgres>, AdapterError> {
    let recorder = write.recorder.as_deref();
    let (id, changes) = match write.work {
        Work::Insert([record]) => return insert(connection, resource, record, write).await,
        Work::Update([update]) => (update.id, Some(update.changes)),
        Work::SoftDelete([target]) | Work::Restore([target]) | Work::Delete([target]) | Work::Purge([target]) => {
            (target.id, None)
        }
        _ => return Ok(Attempt::Undecided),
    };
    let Some((intent, guard)) = Intent::of(write.work, 0) else { return Ok(Attempt::Undecided) };
    let row =
        Postgres::all(connection, versioned(resource, (id, write.tenant))?.finish()).await.map_err(general)?.pop();
    // The time is later than the version that was read, and only that version is overwritten.
    let time = write.clock.stamp();
    let record = row.as_ref().map(|row| Record::<Postgres>::new(resource, row));
    let decision = decide(resource, intent, record.as_ref().map(|record| record as &dyn Row), guard)?;
    let (None, Some(record), Some(version)) = (decision.outcome(), &record, &row) else {
        drop(record);
        let outcome = decision.outcome().unwrap_or(Outcome::Missing);
        return Ok(Attempt::Settled(Change::new(outcome, row.filter(|_| decision == Decision::Unchanged))));
    };
    let effect = Effect::of(resource, decision, record, changes, time)?;
    if recorder.is_some() && effect.is_respelt() {
        return Ok(Attempt::Undecided);
    }
    let version: String = version.try_get(resource.columns.len()).map_err(general)?;
    let statement = match statement(resource, (id, write.tenant), &version, record, &effect, recorder, time) {
        Ok(statement) => statement,
        Err(error) => return Change::refused(error).map(Attempt::Settled),
    };
    let removes = matches!(effect, Effect::Remove);
    let translate = |error| if removes { translate_delete(error) } else { translate(resource, error) };
    run(connection, statement, translate).await
}

/// Effect of a decision on the database.
enum Effect {
    /// The record gets these values. Its new references must not lead to soft-deleted records.
    Set { values: Vec<(ColumnRef, Value)>, references: Vec<(&'static Descriptor, Key)> },
    /// The record is removed.
    Remove,
}

impl Effect {
    fn of(
        resource: &'static Descriptor,
        decision: Decision,
        record: &Record<'_, Postgres>,
        changes: Option<&Changes>,
        time: DateTime<Utc>,
    ) -> Result<Self, AdapterError> {
        let deleted_at = |time: Option<DateTime<Utc>>| {
            let column = ColumnRef { resource, column: deletion_timestamp(resource)? };
            let value = column.descriptor().deletion(time);
            Ok(Self::Set { values: vec![(column, value)], references: Vec::new() })
        };
        match (decision, changes) {
            (Decision::Update { restores }, Some(changes)) => {
                let references = begun_references(resource, record, changes)?;
                let values = changes.iter().map(|(column, value)| (ColumnRef { resource, column }, value.clone()));
                Ok(Self::Set {
                    values: values.chain(touch(resource, time, restores)).collect(),
                    references: references.into_iter().map(|(guarded, key)| (guarded.target, key)).collect(),
                })
            }
            (Decision::SoftDelete, _) => deleted_at(Some(time)),
            (Decision::Restore, _) => deleted_at(None),
            _ => Ok(Self::Remove),
        }
    }
}

impl Effect {
    /// Whether storage may spell a new value differently, so that the entry must be made from the returned value.
    fn is_respelt(&self) -> bool {
        match self {
            Self::Set { values, .. } => values.iter().any(|(column, _)| is_respelt(column.descriptor())),
            Self::Remove => false,
        }
    }
}

/// Whether storage may spell a column's values differently: its type is another one, to which text is cast.
fn is_respelt(column: &ColumnDescriptor) -> bool {
    column.text_cast().is_some() && !matches!(column.kind, Kind::Enum(_))
}

/// The statement that reads a record by its key, with its version after its columns.
fn versioned(
    resource: &'static Descriptor,
    (id, tenant): (&Key, Option<&Value>),
) -> Result<Sql<Postgres>, AdapterError> {
    let mut sql = Sql::columns(resource)?;
    sql.push(", xmin::text FROM ");
    sql.table(resource);
    of_record(&mut sql, resource, id, tenant);
    Ok(sql)
}

fn of_record(sql: &mut Sql<Postgres>, resource: &'static Descriptor, id: &Key, tenant: Option<&Value>) {
    sql.push(" WHERE ");
    is_of_record(sql, resource, id, tenant);
}

/// The statement that overwrites this version of a record and adds the entry.
fn statement(
    resource: &'static Descriptor,
    (id, tenant): (&Key, Option<&Value>),
    version: &str,
    before: &Record<'_, Postgres>,
    effect: &Effect,
    recorder: Option<&dyn Recorder>,
    time: DateTime<Utc>,
) -> Result<Sql<Postgres>, AdapterError> {
    let mut sql = begin(recorder.is_some());
    match effect {
        Effect::Set { values, .. } => {
            sql.update(resource);
            for (position, (column, value)) in values.iter().enumerate() {
                sql.comma(position);
                sql.set(*column, value)?;
            }
        }
        Effect::Remove => {
            sql.push("DELETE FROM ");
            sql.table(resource);
        }
    }
    of_record(&mut sql, resource, id, tenant);
    sql.push(" AND xmin::text = ");
    sql.bind(Argument::One(Type::Text, Value::Text(version.to_owned())));
    if let Effect::Set { references, .. } = effect {
        for (target, key) in references {
            sql.push(" AND ");
            active(&mut sql, (resource, tenant), (target, key))?;
        }
    }
    sql.returning(resource)?;
    if let Some(recorder) = recorder {
        let after = match effect {
            Effect::Set { values, .. } => Some(Planned::new(resource, Some(before), values.iter().cloned())),
            Effect::Remove => None,
        };
        let after = after.as_ref().map(|after| after as &dyn Row);
        let entry = recorder.entry(time, Some(before), after)?;
        log(&mut sql, resource, recorder.log(), &entry, Vec::new(), time)?;
    }
    Ok(sql)
}

/// Inserts a record with its entry.
async fn insert(
    connection: &mut PgConnection,
    resource: &'static Descriptor,
    record: &[Value],
    write: &Write<'_>,
) -> Result<Attempt<Postgres>, AdapterError> {
    // The insert of a client's key can wait for a delete of the same key, and must then be the later one in the log. So
    // the time of its entry is taken after the insert, in a transaction.
    let is_undecided = !resource.columns[resource.id].is_assigned() || resource.columns.iter().any(is_respelt);
    if write.recorder.is_some() && is_undecided {
        return Ok(Attempt::Undecided);
    }
    // The entry would be made before the database fills in the omitted values.
    if resource.is_filled && record.iter().any(Value::is_default) {
        return Ok(Attempt::Undecided);
    }
    match insert_statement(resource, record, write.recorder.as_deref(), write.clock.stamp()) {
        Ok(Some(statement)) => run(connection, statement, |error| translate(resource, error)).await,
        Ok(None) => Ok(Attempt::Undecided),
        Err(error) => Change::refused(error).map(Attempt::Settled),
    }
}

/// The statement of an insert with its entry; `None` where the entry cannot be made before the key is known.
fn insert_statement(
    resource: &'static Descriptor,
    record: &[Value],
    recorder: Option<&dyn Recorder>,
    time: DateTime<Utc>,
) -> Result<Option<Sql<Postgres>>, AdapterError> {
    let statements = Postgres::statements(resource)?;
    if statements.insert_columns.is_empty() {
        return Ok(None);
    }
    let mut sql = begin(recorder.is_some());
    sql.insert(resource, statements.insert_columns);
    sql.push(") SELECT ");
    sql.bind_list(insert_arguments::<Postgres>(resource, record, time)?);
    let references = guarded_references(resource).filter_map(|guarded| Some((guarded.target, guarded.key_in(record)?)));
    let tenant = resource.tenant.map(|of| &record[of.column]);
    for (position, (target, key)) in references.enumerate() {
        sql.push(if position == 0 { " WHERE " } else { " AND " });
        active(&mut sql, (resource, tenant), (target, &key))?;
    }
    sql.returning(resource)?;
    if let Some(recorder) = recorder {
        let placeholder = (!statements.insert_columns.contains(&resource.id)).then(Placeholder::new);
        let values = resource.columns.iter().enumerate().map(|(column, descriptor)| {
            let value = match descriptor.role {
                Role::CreatedAt | Role::UpdatedAt => descriptor.time(time),
                Role::DeletedAt => descriptor.deletion(None),
                Role::IsDeleted => Value::Bool(false),
                Role::Id => placeholder.map_or_else(|| record[column].clone(), Placeholder::value),
                Role::Plain => record[column].clone(),
            };
            (ColumnRef { resource, column }, value)
        });
        let planned = Planned::new(resource, None, values);
        let entry = recorder.entry(time, None, Some(&planned))?;
        let places = placeholder.map_or(Some(Vec::new()), |placeholder| placeholder.places(&entry));
        let Some(places) = places else { return Ok(None) };
        log(&mut sql, resource, recorder.log(), &entry, places, time)?;
    }
    Ok(Some(sql))
}

/// Writes a condition that a record exists and is not soft-deleted, and stays so until the statement ends. It must have
/// the same tenant as the record that refers to it, where both have tenants.
fn active(
    sql: &mut Sql<Postgres>,
    (resource, tenant): (&'static Descriptor, Option<&Value>),
    (target, id): (&'static Descriptor, &Key),
) -> Result<(), AdapterError> {
    sql.push("EXISTS (SELECT 1 FROM ");
    sql.table(target);
    of_record(sql, target, id, None);
    sql.push(" AND ");
    let of_tenant = Predicate::of_shared_tenants(resource, target, tenant);
    filter(sql, target, &deletion(target, deletion_timestamp(target)?, false).and(of_tenant))?;
    sql.push(" FOR SHARE)");
    Ok(())
}

fn begin(logged: bool) -> Sql<Postgres> {
    Sql::new(if logged { "WITH \"changed\" AS (" } else { "" })
}

/// Appends the audit entry to a statement, which adds the entry only if it changes the record.
///
/// If the statement assigns the key, the database fills it in at its places in the entry's values:
///
/// ```sql
/// INSERT INTO "audit_logs" ("entity_id", "changes", …)
///   SELECT "changed"."id", overlay($7 PLACING "changed"."id"::text FROM $8::int FOR 0)::json, … FROM "changed"
/// ```
fn log(
    sql: &mut Sql<Postgres>,
    resource: &'static Descriptor,
    log: &'static Descriptor,
    entry: &[Value],
    mut places: Vec<KeyPosition>,
    time: DateTime<Utc>,
) -> Result<(), AdapterError> {
    let key = |sql: &mut Sql<Postgres>| {
        sql.push("\"changed\".");
        sql.column(ColumnRef { resource, column: resource.id });
    };
    sql.push("), \"logged\" AS (");
    let columns = Postgres::statements(log)?.insert_columns;
    sql.insert(log, columns);
    let arguments = insert_arguments::<Postgres>(log, entry, time)?;
    for (position, (argument, &column)) in arguments.into_iter().zip(columns).enumerate() {
        sql.push(if position == 0 { ") SELECT " } else { ", " });
        match places.get_mut(column).map(std::mem::take) {
            Some(KeyPosition::Whole) => key(sql),
            Some(KeyPosition::Json { without, characters }) => {
                sql.push("overlay(");
                sql.bind(Argument::One(Type::Text, Value::Text(without)));
                sql.push(" PLACING ");
                key(sql);
                sql.push("::text FROM ");
                sql.bind(Postgres::number(characters as u64 + 1));
                sql.push(if Type::of_column(&log.columns[column]) == Type::Json {
                    "::int FOR 0)::jsonb"
                } else {
                    "::int FOR 0)::json"
                });
            }
            _ => drop(sql.bind(argument)),
        }
    }
    sql.push(" FROM \"changed\") SELECT * FROM \"changed\"");
    Ok(())
}

/// A record as it will be after the change.
struct Planned<'a> {
    before: Option<&'a Record<'a, Postgres>>,
    /// New values of columns, in the form that storage will return; `None` for unchanged columns.
    values: Vec<Option<Value>>,
}

impl<'a> Planned<'a> {
    fn new(
        resource: &'static Descriptor,
        before: Option<&'a Record<'a, Postgres>>,
        new: impl Iterator<Item = (ColumnRef, Value)>,
    ) -> Self {
        let mut values = vec![None; resource.columns.len()];
        for (column, mut value) in new {
            if before.is_some_and(|before| has(resource, before, column.column, &value)) {
                continue;
            }
            if let Value::Decimal(decimal) = &mut value {
                decimal.rescale(column.descriptor().scale);
            }
            let deletes = column.descriptor().role == Role::DeletedAt;
            if deletes && let Some(state) = resource.columns.iter().position(|other| other.role == Role::IsDeleted) {
                values[state] = Some(Value::Bool(!matches!(value, Value::Null | Value::Bool(false))));
            }
            values[column.column] = Some(value);
        }
        Self { before, values }
    }
}

impl Row for Planned<'_> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, AdapterError> {
        match (&self.values[column], self.before) {
            (Some(value), _) => Ok(value.borrow()),
            (None, Some(before)) => before.value(column),
            (None, None) => Err(AdapterError::Other("a planned record has every value".into())),
        }
    }
}

/// Runs the statement of a change.
async fn run(
    connection: &mut PgConnection,
    statement: Sql<Postgres>,
    translate: impl Fn(sqlx::Error) -> AdapterError,
) -> Result<Attempt<Postgres>, AdapterError> {
    match Postgres::all(connection, statement.finish()).await.map_err(translate) {
        Ok(rows) if rows.is_empty() => Ok(Attempt::Undecided),
        Ok(rows) => Ok(Attempt::Settled(Change::of_rows(rows, Outcome::Missing))),
        Err(error) => Change::refused(error).map(Attempt::Settled),
    }
}
