//! PostgreSQL's errors as [`AdapterError`]s (codes: <https://www.postgresql.org/docs/current/errcodes-appendix.html>).

use sqlx::postgres::PgDatabaseError;

use super::dialect::Postgres;
use crate::TARGET;
use crate::column_names::column_names;
use crate::connection_error::speaks_of_connection;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::pool::server::Refusal;
use crate::raised::raised;
use crate::schema::ddl::check_name;

/// The server's error report; `None` for errors that are not the server's.
fn report(error: &sqlx::Error) -> Option<&PgDatabaseError> {
    error.as_database_error()?.try_downcast_ref()
}

/// The server's error report behind an error of storage.
fn report_behind<'e>(source: &'e (dyn std::error::Error + Send + Sync + 'static)) -> Option<&'e PgDatabaseError> {
    source.downcast_ref().and_then(report)
}

/// Whether an error is about the connection, not reported by the server.
const fn is_of_connection(error: &sqlx::Error) -> bool {
    use sqlx::Error::{BeginFailed, Io, PoolClosed, PoolTimedOut, Tls, WorkerCrashed};
    matches!(error, Io(_) | Tls(_) | PoolTimedOut | PoolClosed | WorkerCrashed | BeginFailed)
}

/// The reason why the server refused a connection.
pub(super) fn refusal_of_connection(error: &sqlx::Error) -> Option<Refusal> {
    match report(error)?.code() {
        NO_DATABASE => Some(Refusal::NoDatabase),
        WRONG_PASSWORD | WRONG_USER => Some(Refusal::User),
        DENIED => Some(Refusal::Denied),
        _ => None,
    }
}

/// Translates an error of a statement on the resource's table.
pub(super) fn translate(resource: &'static Descriptor, error: sqlx::Error) -> AdapterError {
    let Some(report) = report(&error) else { return general(error) };
    match report.code() {
        UNIQUE => match (columns(resource, report), report.constraint()) {
            // The message lacks columns that the user may not read, as on tables with row-level security policies.
            (columns, Some(index)) if columns.is_empty() => AdapterError::UniqueIndex { index: index.to_owned() },
            (columns, _) => AdapterError::Unique { columns },
        },
        FOREIGN_KEY => AdapterError::ReferenceNotFound { columns: columns(resource, report) },
        NOT_NULL => match report.column().map(|name| column(resource, name)) {
            // The column belongs to no field.
            Some(None) => AdapterError::Unfit(error.into()),
            found => AdapterError::Constraint { column: found.flatten() },
        },
        CHECK => AdapterError::Constraint { column: check_column(resource, report) },
        EXCLUSION => AdapterError::Overlaps,
        RAISED => raised(report.message()),
        _ if is_of_rule(report) => replaced(report.message()),
        // A text can be too long for its index.
        TOO_LARGE => AdapterError::Constraint { column: None },
        code if matches!(class(code), INTEGRITY | DATA) => AdapterError::Constraint { column: None },
        _ => general(error),
    }
}

/// Translates an error of a delete: if a constraint refuses it, a record refers to the deleted one.
pub(super) fn translate_delete(error: sqlx::Error) -> AdapterError {
    match report(&error) {
        Some(report) if class(report.code()) == INTEGRITY => AdapterError::Referenced,
        Some(report) if report.code() == RAISED => raised(report.message()),
        Some(report) if is_of_rule(report) => replaced(report.message()),
        _ => general(error),
    }
}

/// Translates an error of the commit of a transaction on any tables, which a deferred constraint or trigger can refuse.
pub(super) fn translate_commit(error: sqlx::Error) -> AdapterError {
    let Some(report) = report(&error) else { return general(error) };
    match report.code() {
        UNIQUE => AdapterError::UniqueIndex { index: report.constraint().unwrap_or_default().to_owned() },
        FOREIGN_KEY => AdapterError::ReferenceNotFound { columns: Vec::new() },
        EXCLUSION => AdapterError::Overlaps,
        RAISED => raised(report.message()),
        code if class(code) == INTEGRITY => AdapterError::Constraint { column: None },
        _ => general(error),
    }
}

/// Translates an error that the statement's values did not cause.
pub(super) fn general(error: sqlx::Error) -> AdapterError {
    let away = match report(&error).map(|report| (report.code(), report.message())) {
        Some((CANCELLED, _)) => return AdapterError::Timeout,
        Some((NO_TABLE, _)) => return AdapterError::MissingTable(error.into()),
        // The value was cast to the type of a column or of a domain.
        Some((INVALID_TEXT | INVALID_TIME | CHECK, _)) => return AdapterError::Constraint { column: None },
        Some((DENIED, _)) => {
            let of_record = report(&error).is_some_and(is_of_policy);
            return AdapterError::Denied { of_record, source: error.into() };
        }
        // An operator is missing for these types because a column has another type.
        Some((NO_COLUMN | NO_OPERATOR | OTHER_TYPE, _)) => return AdapterError::Unfit(error.into()),
        _ if is_stale(&error) => true,
        Some((DISK_FULL | SYSTEM_IO, _)) => return AdapterError::of_disk(error),
        Some((UNKNOWN_END | UNKNOWN_END_OF_TRANSACTION, _)) => return AdapterError::Undecided(error.into()),
        Some((SERIALIZATION | DEADLOCK | LOCKED | READ_ONLY | SYSTEM, _)) => true,
        // Citus and proxies report lost connections as internal errors.
        Some((INTERNAL, message)) => speaks_of_connection(message),
        Some((code, _)) => matches!(class(code), CONNECTION | RESOURCES | OPERATOR),
        None => is_of_connection(&error),
    };
    if away { AdapterError::Unavailable(error.into()) } else { AdapterError::Other(error.into()) }
}

/// Whether a retry may succeed: other writers were in the way, and nothing was changed.
pub(super) fn is_conflict(error: &AdapterError) -> bool {
    let AdapterError::Unavailable(source) = error else { return false };
    let report = report_behind(&**source);
    report.is_some_and(|report| matches!(report.code(), SERIALIZATION | DEADLOCK) || is_of_plan(report))
}

/// Whether the error is that of a stale prepared statement; see `is_stale`.
pub(super) fn is_outdated(error: &AdapterError) -> bool {
    let AdapterError::Unavailable(source) = error else { return false };
    report_behind(&**source).is_some_and(is_of_plan)
}

/// Whether the statement was prepared before a column's type changed.
pub(super) fn is_stale(error: &sqlx::Error) -> bool {
    report(error).is_some_and(is_of_plan)
}

/// Whether the report means `cannot change result type` of a cached plan, in any language.
fn is_of_plan(report: &PgDatabaseError) -> bool {
    report.code() == UNSUPPORTED && report.routine() == Some("RevalidateCachedQuery")
}

/// Whether the report is `cannot perform INSERT RETURNING on relation`, in any language: a rule replaces the change.
fn is_of_rule(report: &PgDatabaseError) -> bool {
    report.code() == UNSUPPORTED && report.routine() == Some("RewriteQuery")
}

/// The refusal of a change that a rule replaces and that therefore returns no record.
fn replaced(message: &str) -> AdapterError {
    tracing::info!(target: TARGET, reason = message, "a rule of the table replaces a change, and returns no record");
    AdapterError::Constraint { column: None }
}

/// Whether a row-level security policy refuses a new record, in any language. The code alone could also mean a missing
/// right to the table.
fn is_of_policy(report: &PgDatabaseError) -> bool {
    report.routine() == Some("ExecWithCheckOptions")
}

/// Whether a statement failed because another transaction had a lock.
pub(super) fn is_locked(error: &sqlx::Error) -> bool {
    report(error).is_some_and(|report| matches!(report.code(), LOCKED | DEADLOCK))
}

const UNIQUE: &str = "23505";
const FOREIGN_KEY: &str = "23503";
const NOT_NULL: &str = "23502";
const CHECK: &str = "23514";
const EXCLUSION: &str = "23P01";
/// The code of PL/pgSQL's `RAISE EXCEPTION`.
const RAISED: &str = "P0001";
const INVALID_TEXT: &str = "22P02";
const INVALID_TIME: &str = "22007";
const TOO_LARGE: &str = "54000";
const CANCELLED: &str = "57014";
const NO_TABLE: &str = "42P01";
/// `insufficient_privilege`.
const DENIED: &str = "42501";
const NO_DATABASE: &str = "3D000";
const WRONG_PASSWORD: &str = "28P01";
const WRONG_USER: &str = "28000";
const NO_COLUMN: &str = "42703";
const NO_OPERATOR: &str = "42883";
const OTHER_TYPE: &str = "42804";
const UNSUPPORTED: &str = "0A000";
const SERIALIZATION: &str = "40001";
const DEADLOCK: &str = "40P01";
const LOCKED: &str = "55P03";
/// The server has become a replica.
const READ_ONLY: &str = "25006";

/// `statement_completion_unknown` and `transaction_resolution_unknown`.
const UNKNOWN_END: &str = "40003";
const UNKNOWN_END_OF_TRANSACTION: &str = "08007";
/// Errors of the operating system or of proxies.
const SYSTEM: &str = "58000";
const SYSTEM_IO: &str = "58030";
const DISK_FULL: &str = "53100";
/// The code of errors that have no other.
const INTERNAL: &str = "XX000";

/// The class of a code: its first two characters.
fn class(code: &str) -> &str {
    code.get(..2).unwrap_or_default()
}

const CONNECTION: &str = "08";
const DATA: &str = "22";
const INTEGRITY: &str = "23";
const RESOURCES: &str = "53";
/// Class of errors of a server that shuts down or starts.
const OPERATOR: &str = "57";

fn column(resource: &Descriptor, name: &str) -> Option<usize> {
    resource.columns.iter().position(|column| column.column == name)
}

/// The columns in a detail such as `Key (customer, lower(email))=(1, a@b.c) already exists.`, in any language.
fn columns(resource: &Descriptor, report: &PgDatabaseError) -> Vec<usize> {
    let list = report.detail().and_then(|detail| detail.split_once(")=(")).map_or("", |(head, _)| head);
    let list = list.split_once('(').map_or("", |(_, list)| list);
    let mut columns = Vec::new();
    for column in column_names(list).iter().filter_map(|name| column(resource, name)) {
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    columns
}

fn check_column(resource: &Descriptor, report: &PgDatabaseError) -> Option<usize> {
    let name = report.constraint()?;
    resource.columns.iter().position(|column| check_name::<Postgres>(resource, column.column) == name)
}

/// Whether a DDL statement failed because it was executed before: it creates an existing object or drops a missing one.
/// Invalid indexes were dropped before the statement ran.
pub(super) fn is_done(error: &sqlx::Error) -> bool {
    // Duplicate tables and indexes, columns, and other objects; undefined tables, columns, and other objects.
    const DONE: [&str; 6] = ["42P07", "42701", "42710", "42P01", "42703", "42704"];
    report(error).is_some_and(|report| DONE.contains(&report.code()))
}
