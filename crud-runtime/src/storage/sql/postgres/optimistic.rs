//! One change with its audit entry, without a transaction around it. A record is inserted with its entry by one
//! statement. Another change reads the record, and writes it if its version is still the same: that is two statements
//! where locking takes five, and holds nothing between them.

use chrono::{DateTime, Utc};
use sqlx::Row as _;
use sqlx::postgres::{PgConnection, PgRow};

use super::argument::Argument;
use super::dialect::Postgres;
use super::entry::{Entry, Place};
use super::error::{general, translate, translate_delete};
use super::types::Type;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, Role};
use crate::model::row::Row;
use crate::model::text;
use crate::model::value::{Value, ValueRef};
use crate::storage::sql::dialect::{Dialect, Of};
use crate::storage::sql::driver::{Engine, Record};
use crate::storage::sql::statement::change::{deletion_timestamp, insert_arguments, soft_references, touch};
use crate::storage::sql::statement::{Sql, key};
use crate::storage::sql::write::locking::Item;
use crate::storage::write::{Guard, Mode, Outcome, Recorder, Work, Write};

/// Makes a change, unless it takes a transaction: `None` then, and nothing has happened.
pub(super) async fn change(
    connection: &mut PgConnection,
    resource: &'static Descriptor,
    write: &Write<'_>,
) -> Result<Option<Item<Postgres>>, AdapterError> {
    let (id, guard) = match write.work {
        _ if write.mode == Mode::Rehearsal => return Ok(None),
        Work::Insert([record]) => return insert(connection, resource, record, write.recorder.as_deref()).await,
        Work::Update([update]) => (update.id, update.guard.as_deref()),
        Work::SoftDelete([target]) | Work::Restore([target]) | Work::Delete([target]) | Work::Purge([target]) => {
            (target.id, target.guard.as_deref())
        }
        _ => return Ok(None),
    };
    let Some(row) = Postgres::all(connection, versioned(resource, id)?.finish()).await.map_err(general)?.pop() else {
        return Ok(Some(Item::at_once(Outcome::Missing, None)));
    };
    // Later than the version that was read, and what is written is written over that version alone.
    let time = text::stamp();
    let Some(effect) = effect(resource, &row, write.work, guard, time)? else {
        return Ok(Some(Item::at_once(Outcome::Done, Some(row))));
    };
    let effect = match effect {
        Ok(effect) => effect,
        Err(outcome) => return Ok(Some(Item::at_once(outcome, None))),
    };
    let removes = matches!(effect, Effect::Remove);
    let statement =
        match statement(resource, id, &row, &effect, write.recorder.as_deref().map(|recorder| (recorder, time))) {
            Ok(statement) => statement,
            Err(error) => return failed(error),
        };
    let translate = |error| if removes { translate_delete(error) } else { translate(resource, error) };
    done(connection, statement, translate).await
}

/// What becomes of a record.
enum Effect {
    /// It has these values. A reference among them that may be to a soft-deleted record is new.
    Set { values: Vec<(Of, Value)>, references: Vec<(&'static Descriptor, Value)> },
    /// It goes.
    Remove,
}

/// What the work does to this record, if anything; or why it may not.
fn effect(
    resource: &'static Descriptor,
    row: &PgRow,
    work: Work<'_>,
    guard: Option<&dyn Guard>,
    time: DateTime<Utc>,
) -> Result<Option<Result<Effect, Outcome>>, AdapterError> {
    let record = Record::<Postgres>::new(resource, row);
    if let Some(guard) = guard
        && !guard.admits(&record)?
    {
        return Ok(Some(Err(Outcome::Refused)));
    }
    let deleted_at = resource.soft_delete.map(|soft_delete| soft_delete.deleted_at);
    let deleted = match deleted_at {
        Some(column) => !record.owned(column)?.is_null(),
        None => false,
    };
    let set = |column: usize, value: Value| {
        Some(Ok(Effect::Set { values: vec![(Of { resource, column }, value)], references: Vec::new() }))
    };
    Ok(match work {
        Work::SoftDelete(_) if !deleted => set(deletion_timestamp(resource)?, Value::DateTime(time)),
        Work::Restore(_) if deleted => set(deletion_timestamp(resource)?, Value::Null),
        Work::Purge(_) if deleted => Some(Ok(Effect::Remove)),
        Work::Delete(_) => Some(Ok(Effect::Remove)),
        Work::Update([update]) => {
            let restores = deleted && resource.soft_delete.is_some_and(|soft| soft.auto_restore_on_update);
            if !restores && !record.differs(update.changes) {
                return Ok(None);
            }
            let references = soft_references(resource).filter_map(|(column, target)| {
                let value = update.changes.get(column).filter(|value| !value.is_null())?;
                (!record.has(column, value)).then(|| (target, value.clone()))
            });
            let changes = update.changes.iter().map(|(column, value)| (Of { resource, column }, value.clone()));
            let values = changes.chain(touch(resource, time, restores)).collect();
            Some(Ok(Effect::Set { values, references: references.collect() }))
        }
        _ => Some(Err(Outcome::WrongState)),
    })
}

/// The record of a key, and after its columns the version of it.
fn versioned(resource: &'static Descriptor, id: &Value) -> Result<Sql<Postgres>, AdapterError> {
    let mut sql = Sql::new("SELECT ");
    sql.push(Postgres::statements(resource)?.returning.trim_start_matches(" RETURNING "));
    sql.push(", xmin::text FROM ");
    sql.identifier(resource.table);
    of_key(&mut sql, resource, id);
    Ok(sql)
}

fn of_key(sql: &mut Sql<Postgres>, resource: &'static Descriptor, id: &Value) {
    sql.push(" WHERE ");
    sql.column(Of { resource, column: resource.id });
    sql.push(" = ");
    sql.bind(key::<Postgres>(resource, id));
}

/// The statement that changes this version of a record, with the entry.
fn statement(
    resource: &'static Descriptor,
    id: &Value,
    row: &PgRow,
    effect: &Effect,
    recorder: Option<(&dyn Recorder, DateTime<Utc>)>,
) -> Result<Sql<Postgres>, AdapterError> {
    let statements = Postgres::statements(resource)?;
    let mut sql = begin(recorder.is_some());
    match effect {
        Effect::Set { values, .. } => {
            sql.update(resource);
            for (position, (column, value)) in values.iter().enumerate() {
                if position > 0 {
                    sql.push(", ");
                }
                sql.column(*column);
                sql.push(" = ");
                sql.bind_stored(*column, value)?;
            }
        }
        Effect::Remove => {
            sql.push("DELETE FROM ");
            sql.identifier(resource.table);
        }
    }
    of_key(&mut sql, resource, id);
    let version: String = row.try_get(row.len() - 1).map_err(general)?;
    sql.push(" AND xmin::text = ");
    sql.bind(Argument::One(Type::Text, Value::Text(version)));
    if let Effect::Set { references, .. } = effect {
        for (target, value) in references {
            sql.push(" AND ");
            active(&mut sql, target, value)?;
        }
    }
    sql.push(statements.returning);
    if let Some((recorder, time)) = recorder {
        let before = Record::<Postgres>::new(resource, row);
        let after = match effect {
            Effect::Set { values, .. } => Some(Planned::new(resource, Some(&before), values.iter().cloned())),
            Effect::Remove => None,
        };
        let after = after.as_ref().map(|after| after as &dyn Row);
        let entry = Entry::new(recorder.entry(time, Some(&before), after)?);
        log(&mut sql, resource, recorder.log(), &entry, time)?;
    }
    Ok(sql)
}

/// Inserts a record whose entry or references take more than an `INSERT`.
async fn insert(
    connection: &mut PgConnection,
    resource: &'static Descriptor,
    record: &[Value],
    recorder: Option<&dyn Recorder>,
) -> Result<Option<Item<Postgres>>, AdapterError> {
    let time = text::stamp();
    match insert_statement(resource, record, recorder, time) {
        Ok(Some(statement)) => done(connection, statement, |error| translate(resource, error)).await,
        Ok(None) => Ok(None),
        Err(error) => failed(error),
    }
}

/// The statement of an insert with its entry; none where the entry cannot be made before the key is known.
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
    sql.push("INSERT INTO ");
    sql.identifier(resource.table);
    for (position, &column) in statements.insert_columns.iter().enumerate() {
        sql.push(if position == 0 { " (" } else { ", " });
        sql.column(Of { resource, column });
    }
    sql.push(") SELECT ");
    for (position, argument) in insert_arguments::<Postgres>(resource, record, time)?.into_iter().enumerate() {
        if position > 0 {
            sql.push(", ");
        }
        sql.bind(argument);
    }
    let references = soft_references(resource).filter(|(column, _)| !record[*column].is_null());
    for (position, (column, target)) in references.enumerate() {
        sql.push(if position == 0 { " WHERE " } else { " AND " });
        active(&mut sql, target, &record[column])?;
    }
    sql.push(statements.returning);
    if let Some(recorder) = recorder {
        let of_key = |key: Value| {
            let values = resource.columns.iter().enumerate().map(|(column, descriptor)| {
                let value = match descriptor.role {
                    Role::CreatedAt | Role::UpdatedAt => Value::DateTime(time),
                    Role::DeletedAt => Value::Null,
                    Role::IsDeleted => Value::Bool(false),
                    Role::Id => key.clone(),
                    Role::Plain => record[column].clone(),
                };
                (Of { resource, column }, value)
            });
            recorder.entry(time, None, Some(&Planned::new(resource, None, values)))
        };
        let entry = if statements.insert_columns.contains(&resource.id) {
            Some(Entry::new(of_key(record[resource.id].clone())?))
        } else {
            Entry::before_key(of_key)?
        };
        let Some(entry) = entry else { return Ok(None) };
        log(&mut sql, resource, recorder.log(), &entry, time)?;
    }
    Ok(Some(sql))
}

/// A condition that a record is there and not soft-deleted, which it stays until the statement has ended.
fn active(sql: &mut Sql<Postgres>, target: &'static Descriptor, id: &Value) -> Result<(), AdapterError> {
    sql.push("EXISTS (SELECT 1 FROM ");
    sql.identifier(target.table);
    of_key(sql, target, id);
    sql.push(" AND ");
    sql.column(Of { resource: target, column: deletion_timestamp(target)? });
    sql.push(" IS NULL FOR SHARE)");
    Ok(())
}

fn begin(logged: bool) -> Sql<Postgres> {
    Sql::new(if logged { "WITH \"changed\" AS (" } else { "" })
}

/// Adds the audit entry to a statement, for the case that it changes the record.
fn log(
    sql: &mut Sql<Postgres>,
    resource: &'static Descriptor,
    log: &'static Descriptor,
    entry: &Entry,
    time: DateTime<Utc>,
) -> Result<(), AdapterError> {
    let text = |text: &str| Argument::One(Type::Text, Value::Text(text.to_owned()));
    let key = |sql: &mut Sql<Postgres>| {
        sql.push("\"changed\".");
        sql.column(Of { resource, column: resource.id });
    };
    sql.push("), \"logged\" AS (INSERT INTO ");
    sql.identifier(log.table);
    let columns = Postgres::statements(log)?.insert_columns;
    for (position, &column) in columns.iter().enumerate() {
        sql.push(if position == 0 { " (" } else { ", " });
        sql.column(Of { resource: log, column });
    }
    let arguments = insert_arguments::<Postgres>(log, &entry.values, time)?;
    for (position, (argument, column)) in arguments.into_iter().zip(columns).enumerate() {
        sql.push(if position == 0 { ") SELECT " } else { ", " });
        match entry.place(*column) {
            Place::Nowhere => drop(sql.bind(argument)),
            Place::Whole => key(sql),
            Place::Within { before, after } => {
                sql.push("(");
                sql.bind(text(before));
                sql.push(" || ");
                key(sql);
                sql.push("::text || ");
                sql.bind(text(after));
                sql.push(if Type::of(&log.columns[*column]) == Type::Json { ")::jsonb" } else { ")::json" });
            }
        }
    }
    sql.push(" FROM \"changed\") SELECT * FROM \"changed\"");
    Ok(())
}

/// A record as it will be.
struct Planned<'a> {
    before: Option<&'a Record<'a, Postgres>>,
    /// The values of columns, in the form that storage will return; else they are as before.
    values: Vec<Option<Value>>,
}

impl<'a> Planned<'a> {
    fn new(
        resource: &'static Descriptor,
        before: Option<&'a Record<'a, Postgres>>,
        new: impl Iterator<Item = (Of, Value)>,
    ) -> Self {
        let mut values = vec![None; resource.columns.len()];
        for (column, mut value) in new {
            if before.is_some_and(|before| before.has(column.column, &value)) {
                continue;
            }
            if let Value::Decimal(decimal) = &mut value {
                decimal.rescale(column.descriptor().scale);
            }
            let deletes = column.descriptor().role == Role::DeletedAt;
            if deletes && let Some(state) = resource.columns.iter().position(|other| other.role == Role::IsDeleted) {
                values[state] = Some(Value::Bool(!value.is_null()));
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

/// Runs the statement of a change. One that changed nothing was for another state of the database, which a
/// transaction tells apart.
async fn done(
    connection: &mut PgConnection,
    statement: Sql<Postgres>,
    translate: impl Fn(sqlx::Error) -> AdapterError,
) -> Result<Option<Item<Postgres>>, AdapterError> {
    match Postgres::all(connection, statement.finish()).await.map_err(translate) {
        Ok(mut rows) => Ok(rows.pop().map(|row| Item::at_once(Outcome::Done, Some(row)))),
        Err(error) => failed(error),
    }
}

/// A change that the database refused, or an error of the database's own.
fn failed(error: AdapterError) -> Result<Option<Item<Postgres>>, AdapterError> {
    if error.is_refusal() { Ok(Some(Item::at_once(Outcome::Failed(error), None))) } else { Err(error) }
}
