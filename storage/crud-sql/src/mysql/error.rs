//! MySQL's and MariaDB's errors as [`AdapterError`]s (numbers:
//! <https://dev.mysql.com/doc/mysql-errors/8.4/en/server-error-reference.html>,
//! <https://mariadb.com/kb/en/mariadb-error-code-reference/>).

use std::ops::RangeInclusive;

use sqlx::mysql::MySqlDatabaseError;

use super::definition::MAX_NAME;
use super::dialect::MySql;
use super::transaction_guard::is_lost;
use super::vtgate::{self, Meaning, VtgateError, is_of_vtgate};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::pool::server::Refusal;
use crate::raised::raised;
use crate::schema::ddl::{check_name, shortened};
use crate::storage::indexes::uniques;

/// Translates an error of a statement on the resource's table.
pub(super) fn translate(resource: &'static Descriptor, error: sqlx::Error) -> AdapterError {
    let error = vtgate::without_values(error);
    let Some(Details { number, message, .. }) = details(&error) else { return general(error) };
    match number {
        DUPLICATE | DUPLICATE_NAMED => duplicate(resource, message),
        NO_REFERENCED | NO_REFERENCED_NAMED => {
            AdapterError::ReferenceNotFound { columns: foreign_key_columns(resource, message) }
        }
        CHECK | CHECK_OF_MARIADB => AdapterError::Constraint { column: check_column(resource, message) },
        RAISED => raised(message),
        NO_DEFAULT if message_column(resource, message).is_none() => AdapterError::Unfit(error.into()),
        NULL | NO_DEFAULT | TOO_LONG | OUT_OF_RANGE | INCORRECT | TRUNCATED | NO_SUCH_VALUE => {
            AdapterError::Constraint { column: message_column(resource, message) }
        }
        ROW_TOO_LARGE | PACKET_TOO_LARGE | NUMBER_TOO_LARGE => AdapterError::Constraint { column: None },
        _ => general(error),
    }
}

/// Translates an error of a delete: if a constraint refuses it, a record refers to the deleted one.
pub(super) fn translate_delete(error: sqlx::Error) -> AdapterError {
    let error = vtgate::without_values(error);
    match details(&error).map(|details| (details.number, details.message)) {
        Some((REFERENCED | REFERENCED_NAMED | NULL | CHECK | CHECK_OF_MARIADB, _)) => AdapterError::Referenced,
        Some((RAISED, message)) => raised(message),
        _ => general(error),
    }
}

/// Translates an error of a commit: no constraint is deferred. One of vtgate may come after a shard has committed.
pub(super) fn translate_commit(error: sqlx::Error) -> AdapterError {
    let error = vtgate::without_values(error);
    if is_of_vtgate(&error) { AdapterError::Undecided(error.into()) } else { general(error) }
}

/// Translates an error that the statement's values did not cause.
pub(super) fn general(error: sqlx::Error) -> AdapterError {
    use sqlx::Error::{BeginFailed, Io, PoolClosed, PoolTimedOut, Tls, WorkerCrashed};
    let error = vtgate::without_values(error);
    let away = match details(&error).map(|details| (details.number, details.state, details.message)) {
        Some((TIMEOUT | TIMEOUT_OF_MARIADB, ..)) => return AdapterError::Timeout,
        Some((NO_TABLE, ..)) => return AdapterError::MissingTable(error.into()),
        Some((TABLE_DENIED | COLUMN_DENIED | DATABASE_DENIED, ..)) => {
            return AdapterError::Denied { of_record: false, source: error.into() };
        }
        Some((NO_COLUMN, ..)) => return AdapterError::Unfit(error.into()),
        Some((DISK_FULL | WRITE_FAILED | TABLE_FULL, ..)) => return AdapterError::of_disk(error),
        Some((STORAGE_ENGINE, _, message)) if message.contains("error 28") => return AdapterError::of_disk(error),
        Some((_, Some(UNKNOWN_END), _)) => return AdapterError::Undecided(error.into()),
        Some((number, state, message)) => match vtgate::meaning(number, message) {
            Meaning::Timeout => return AdapterError::Timeout,
            Meaning::Unavailable => true,
            Meaning::Unknown => {
                UNAVAILABLE.contains(&number)
                    || OF_PROXIES.iter().any(|numbers| numbers.contains(&number))
                    || state.is_some_and(|state| state.starts_with(CONNECTION))
            }
        },
        None if is_lost(&error) => true,
        None => matches!(error, Io(_) | Tls(_) | PoolTimedOut | PoolClosed | WorkerCrashed | BeginFailed),
    };
    if away { AdapterError::Unavailable(error.into()) } else { AdapterError::Other(error.into()) }
}

/// Whether a retry may succeed: other writers were in the way, and nothing was changed.
pub(super) fn is_conflict(error: &AdapterError) -> bool {
    let AdapterError::Unavailable(source) = error else { return false };
    let Some(error) = source.downcast_ref::<sqlx::Error>() else { return false };
    is_lost(error) || details(error).is_some_and(|details| matches!(details.number, DEADLOCK | CHANGED))
}

/// Whether a table, a column, an index or a foreign key could not be created because another node of a cluster has done
/// so.
pub(super) fn is_there_already(error: &sqlx::Error) -> bool {
    details(error).is_some_and(|details| {
        matches!(details.number, TABLE_EXISTS | COLUMN_EXISTS | INDEX_EXISTS | FOREIGN_KEY_EXISTS)
    })
}

/// Whether a DDL statement failed because it was executed before.
#[cfg(feature = "migrations")]
pub(super) fn is_done(error: &sqlx::Error) -> bool {
    details(error).is_some_and(|details| DONE.contains(&details.number))
}

/// The refusal of a connection by the server.
pub(super) fn refusal_of_connection(error: &sqlx::Error) -> Option<Refusal> {
    match details(error)?.number {
        NO_DATABASE => Some(Refusal::NoDatabase),
        USER_DENIED | USER_UNKNOWN => Some(Refusal::User),
        DATABASE_DENIED => Some(Refusal::Denied),
        _ => None,
    }
}

/// Whether the connection's user lacks a right to a table.
pub(super) fn is_denied(error: &sqlx::Error) -> bool {
    details(error).is_some_and(|details| matches!(details.number, TABLE_DENIED | COLUMN_DENIED | DATABASE_DENIED))
}

/// Whether a statement failed because another transaction had a lock.
pub(super) fn is_locked(error: &sqlx::Error) -> bool {
    details(error).is_some_and(|details| matches!(details.number, LOCKED | DEADLOCK))
}

/// Codes of DDL that was executed before. It creates an existing table or view, column, index, CHECK (3822), foreign
/// key (1826, 1005 on MariaDB) or trigger (1359), or drops or renames a missing table (1051, 1146), column (1054),
/// index or constraint (1091, 1176), view (4092) or trigger (1360).
#[cfg(feature = "migrations")]
const DONE: [u16; 14] = [
    TABLE_EXISTS,
    COLUMN_EXISTS,
    INDEX_EXISTS,
    3822,
    FOREIGN_KEY_EXISTS,
    1005,
    1359,
    1051,
    NO_TABLE,
    1054,
    1091,
    1176,
    4092,
    1360,
];

const DISK_FULL: u16 = 1021;
const WRITE_FAILED: u16 = 1026;
/// An error of the storage engine, whose number is in the message: 28 means a full disk.
const STORAGE_ENGINE: u16 = 1030;
const TABLE_FULL: u16 = 1114;
const DATABASE_DENIED: u16 = 1044;
const USER_DENIED: u16 = 1045;
/// The server refuses a user whose authentication needs no password, such as one by a socket.
const USER_UNKNOWN: u16 = 1698;
const NO_DATABASE: u16 = 1049;
const TABLE_DENIED: u16 = 1142;
const COLUMN_DENIED: u16 = 1143;
const CHANGED: u16 = 1020;
const TABLE_EXISTS: u16 = 1050;
const COLUMN_EXISTS: u16 = 1060;
const INDEX_EXISTS: u16 = 1061;
const FOREIGN_KEY_EXISTS: u16 = 1826;
/// A cluster's node has no quorum, or is not synchronised with the other nodes.
const NOT_READY: u16 = 1047;
/// A commit failed, typically on a cluster's node that has lost the others.
const NO_COMMIT: u16 = 1180;
const NO_TABLE: u16 = 1146;
const NO_COLUMN: u16 = 1054;
const NULL: u16 = 1048;
const DUPLICATE: u16 = 1062;
const ROW_TOO_LARGE: u16 = 1118;
const PACKET_TOO_LARGE: u16 = 1153;
const LOCKED: u16 = 1205;
const DEADLOCK: u16 = 1213;
const NO_REFERENCED: u16 = 1216;
const REFERENCED: u16 = 1217;
const OUT_OF_RANGE: u16 = 1264;
const TRUNCATED: u16 = 1265;
const INCORRECT: u16 = 1292;
const NO_DEFAULT: u16 = 1364;
const NO_SUCH_VALUE: u16 = 1366;
const TOO_LONG: u16 = 1406;
const REFERENCED_NAMED: u16 = 1451;
const NO_REFERENCED_NAMED: u16 = 1452;
const DUPLICATE_NAMED: u16 = 1586;
/// The error of `SIGNAL SQLSTATE '45000'`.
const RAISED: u16 = 1644;
const NUMBER_TOO_LARGE: u16 = 1690;
const TIMEOUT_OF_MARIADB: u16 = 1969;
const TIMEOUT: u16 = 3024;
const CHECK: u16 = 3819;
const CHECK_OF_MARIADB: u16 = 4025;

/// Codes of an unavailable server: storage engine error, too many connections, no memory, shutdown, lock timeout,
/// read-only server, ended connection, or a cluster's node that is not ready or has lost the others.
const UNAVAILABLE: [u16; 18] = [
    CHANGED,
    STORAGE_ENGINE,
    1037,
    1038,
    1040,
    1041,
    NOT_READY,
    1053,
    1080,
    1152,
    NO_COMMIT,
    LOCKED,
    DEADLOCK,
    1290,
    1792,
    1836,
    1927,
    3168,
];

/// Codes that proxies and clusters pass on: those of MySQL's client library, which are all about the connection, and
/// those of `ProxySQL` and `TiDB` for a server that does not answer.
const OF_PROXIES: [RangeInclusive<u16>; 2] = [2_000..=2_999, 9_001..=9_005];

/// The SQLSTATE class of connection errors.
const CONNECTION: &str = "08";
/// The SQLSTATE `statement_completion_unknown`.
const UNKNOWN_END: &str = "40003";

/// An error of the server.
struct Details<'e> {
    number: u16,
    /// The SQLSTATE.
    state: Option<&'e str>,
    message: &'e str,
}

fn details(error: &sqlx::Error) -> Option<Details<'_>> {
    let error = error.as_database_error()?;
    let (number, state) = match error.try_downcast_ref::<MySqlDatabaseError>() {
        Some(error) => (error.number(), error.code()),
        None => error.try_downcast_ref::<VtgateError>().map(|error| (error.number(), error.state()))?,
    };
    Some(Details { number, state, message: error.message() })
}

fn column(resource: &Descriptor, name: &str) -> Option<usize> {
    resource.columns.iter().position(|column| column.column.eq_ignore_ascii_case(name))
}

/// The error of a duplicate. The message ends with the name of the index, as in `Duplicate entry 'a' for key
/// 'ux_products__sku'`; MySQL puts the table and a dot before the name.
fn duplicate(resource: &Descriptor, message: &str) -> AdapterError {
    let name = message.strip_suffix('\'').and_then(|rest| rest.rsplit_once('\'')).map_or("", |(_, name)| name);
    let name = name.strip_prefix(resource.own_table()).and_then(|rest| rest.strip_prefix('.')).unwrap_or(name);
    if name == "PRIMARY" {
        return AdapterError::Unique { columns: resource.key().to_vec() };
    }
    let is = |name_of_one: String| shortened(name_of_one, MAX_NAME).eq_ignore_ascii_case(name);
    match uniques(resource).into_iter().find(|unique| is(unique.name(resource))) {
        Some(unique) => AdapterError::Unique { columns: unique.columns },
        None => AdapterError::UniqueIndex { index: name.to_owned() },
    }
}

/// The columns in a message that ends like ``CONSTRAINT `a` FOREIGN KEY (`b`) REFERENCES `c` (`d`))``.
fn foreign_key_columns(resource: &Descriptor, message: &str) -> Vec<usize> {
    let list = message.rsplit_once("FOREIGN KEY (").and_then(|(_, rest)| rest.split_once(") REFERENCES "));
    let list = list.map_or("", |(list, _)| list);
    let names = list.split(", ").map(|name| name.trim_matches('`').replace("``", "`"));
    names.filter_map(|name| column(resource, &name)).collect()
}

/// The column in a message such as `Data too long for column 'name' at row 1` or `Column 'name' cannot be null`.
fn message_column(resource: &Descriptor, message: &str) -> Option<usize> {
    quoted(message).find_map(|name| column(resource, name))
}

/// The column in a message such as ``CONSTRAINT `check_a__b` failed for `shop`.`a` `` or `Check constraint 'check_a__b'
/// is violated.`.
fn check_column(resource: &Descriptor, message: &str) -> Option<usize> {
    let name = quoted(message).next()?;
    resource.columns.iter().position(|column| check_name::<MySql>(resource, column.column) == name)
}

/// The quoted parts of a message.
fn quoted(message: &str) -> impl Iterator<Item = &str> {
    message.split(['\'', '`']).skip(1).step_by(2)
}
