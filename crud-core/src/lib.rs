//! The words of a CRUD service: descriptors, values and conditions of resources, errors with their codes, and storage as a
//! service uses it ([`adapter`]).
//!
//! Programs depend on `crud-runtime`, which has these items under the same names. An adapter or a client that depends on
//! this crate alone compiles neither a web framework nor a database.

#![cfg_attr(docsrs, feature(doc_cfg))]

#[doc(hidden)]
pub mod model;
pub mod query;
#[doc(hidden)]
#[cfg(feature = "axum")]
pub mod response;
#[doc(hidden)]
pub mod storage;

pub mod adapter {
    //! [`Adapter`]: storage as a service uses it, and the types of its interface.
    pub use crate::model::adapter_error::{AdapterError, BoxError};
    pub use crate::model::key::{Key, NoKey, RecordKey};
    pub use crate::model::row::{Row, RowSink};
    pub use crate::model::value::{is_same, order, order_in};
    pub use crate::storage::adapter::{Adapter, AdapterFuture, BoxFuture, list_and_count};
    pub use crate::storage::adapter_layer::AdapterLayer;
    pub use crate::storage::administration::{Administration, Storage};
    pub use crate::storage::aggregate::{aggregate_by_list, aggregate_by_list_in};
    pub use crate::storage::capabilities::Capabilities;
    pub use crate::storage::decide::{
        Decision, GuardedReference, Intent, IntentCondition, RecordState, begun_references, decide, managed_columns,
    };
    pub use crate::storage::facts::{ColumnFacts, TableFacts, TriggerFacts, UniqueFacts};
    pub use crate::storage::index_use::{CountedIndex, IndexCounts, IndexUse, TableIndexes};
    pub use crate::storage::migrate_error::MigrateError;
    pub use crate::storage::migrations;
    pub use crate::storage::position::Position;
    pub use crate::storage::rights::Rights;
    pub use crate::storage::shards::{PlacedTable, Shards};
    pub use crate::storage::status::{GroupCount, StorageStatus};
    pub use crate::storage::transaction::{RawStatement, Transaction, list_and_count_in};
    pub use crate::storage::transaction_layer::TransactionLayer;
    pub use crate::storage::transfer::{Load, Refused, Transfer};
    pub use crate::storage::uniques::{Unique, of as uniques};
    pub use crate::storage::unused_table::UnusedTable;
    pub use crate::storage::write::{
        Guard, Mode, Outcome, Recorder, Target, Update, Work, WorkWhere, Write, WriteSink, WriteWhere,
    };
}

pub mod error {
    //! Errors: the table of codes, problem documents with these codes, and the reasons why a service could not start.
    pub use crate::model::problem::{Code, FieldError, Problem};
    pub use crate::storage::error::{Error, Result};
}

pub use error::{Error, Result};
pub use model::changes::Changes;
pub use model::clock::Clock;
pub use model::column::{
    Check, Column, ColumnAttribute, ComparableColumn, FieldLocation, IntoColumn, Keywords, NullableColumn,
    NumberColumn, OrderedColumn, Returned, TextColumn, ZoneColumn, owned_value,
};
pub use model::column_error::ColumnError;
pub use model::principal::Principal;
pub use model::resource::{Resource, Searchable, Writable};
pub use model::schema::Schema;
pub use model::value::{Kind, Value, ValueRef};
pub use model::{access, descriptor, text};
pub use storage::schema;
pub use storage::session_variables::SessionVariables;
pub use storage::sql_value::SqlValue;
