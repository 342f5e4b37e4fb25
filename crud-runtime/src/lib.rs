//! Turns an annotated struct into a production CRUD service over HTTP.

extern crate self as crud_runtime;

pub mod audit;
pub mod auth;
mod http;
mod model;
pub mod prelude;
pub mod query;
mod service;
mod storage;
mod store;

pub mod adapter {
    //! [`Adapter`]: what a database has to do for a service, and the words of it.
    pub use crate::model::adapter_error::{AdapterError, BoxError};
    pub use crate::model::equality::is_same;
    pub use crate::model::row::{Row, RowSink};
    pub use crate::storage::adapter::{Adapter, BoxFuture};
    #[doc(hidden)]
    pub use crate::storage::backends;
    pub use crate::storage::capabilities::Capabilities;
    pub use crate::storage::decide::{Decision, Intent, RecordState, begun_references, columns_beside, decide};
    pub use crate::storage::migrate_error::MigrateError;
    #[cfg(feature = "migrations")]
    pub use crate::storage::migrations;
    pub use crate::storage::position::Position;
    #[cfg(feature = "mysql")]
    pub use crate::storage::sql::MySqlAdapter;
    #[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
    pub use crate::storage::sql::Pool;
    #[cfg(feature = "postgres")]
    pub use crate::storage::sql::PostgresAdapter;
    #[cfg(feature = "sqlite")]
    pub use crate::storage::sql::SqliteAdapter;
    pub use crate::storage::write::{
        Guard, KeylessEntry, Mode, Outcome, Recorder, Target, Update, Work, WorkWhere, Write, WriteSink, WriteWhere,
    };
}

pub mod error {
    //! Errors: the one table of codes, the problem documents that carry them, and why a service could not start.
    pub use crate::model::problem::{Code, FieldError, Problem};
    pub use crate::storage::error::{Error, Result};
}

/// The web framework that a service is a router of, for programs that depend on this crate alone.
pub use axum;
#[doc = include_str!("docs/derive.md")]
pub use crud_macros::Resource;
pub use crud_macros::ResourceEnum;
pub use error::{Error, Result};
pub use http::openapi;
pub use http::resource_routes::ResourceRoutes;
pub use http::state::State;
pub use model::actor::Actor;
pub use model::changes::Changes;
pub use model::column::{Check, Column, ComparableColumn, IntoColumn, NullableColumn, OrderedColumn, TextColumn, own};
pub use model::column_error::ColumnError;
pub use model::resource::Resource;
pub use model::value::{Kind, Value, ValueRef};
pub use model::{access, descriptor, text};
pub use service::builder::Service;
#[cfg(feature = "config")]
pub use service::config;
#[cfg(feature = "migrations")]
pub use service::migrations;
/// The SQL drivers, for programs that have a pool of their own.
#[cfg(any(feature = "sqlite", feature = "postgres", feature = "mysql"))]
pub use sqlx;
pub use storage::schema;
pub use store::resource_options::ResourceOptions;
pub use store::typed_store::{Batch, BatchError, Page, Store};

#[doc(hidden)]
pub mod __private {
    //! What expansions call. Not a public interface: it changes with any release.
    pub use crate::adapter::{AdapterError, Row};
    pub use crate::model::access::{Access, AccessRules};
    pub use crate::model::changes::Changes;
    pub use crate::model::column::{
        Check, Column, ComparableColumn, IntoColumn, NullableColumn, OrderedColumn, TextColumn,
    };
    pub use crate::model::column_error::ColumnError;
    pub use crate::model::completion;
    pub use crate::model::descriptor::{
        Audit, Batch, ColumnDescriptor, Descriptor, Literal, OnDelete, Operation, Operations, OverLimit, Owner,
        Pagination, PartialIndex, Role, Rule, SoftDelete, SortKey, Statements, Uniqueness,
    };
    pub use crate::model::resource::{RefersTo, Resource, check_custom, enum_error, enum_text, enum_value};
    pub use crate::model::row::{Decoded, RowReader};
    pub use crate::model::value::{Kind, Value, ValueRef};
    pub use crate::query::Field;
    pub use std::fmt::{Formatter, Result as Formatted};
    pub use std::option::Option::{None, Some};
    pub use std::result::Result::{Err, Ok};
}

/// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
