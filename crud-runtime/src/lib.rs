//! Turns an annotated struct into a production CRUD service over HTTP.

extern crate self as crud_runtime;

pub mod access;
pub mod adapter;
pub mod audit;
pub mod auth;
mod body;
mod caller;
mod change;
mod changes;
mod column;
#[cfg(feature = "config")]
pub mod config;
pub mod descriptor;
pub mod error;
mod etag;
mod find;
mod handler;
#[doc(hidden)]
pub mod ide;
#[cfg(feature = "migrations")]
pub mod migrations;
mod mounted;
mod observe;
pub mod openapi;
mod options;
mod prefer;
pub mod prelude;
pub mod query;
mod record;
mod render;
mod replicas;
mod request_id;
mod resource;
mod router;
mod rules;
mod scalar;
pub mod schema;
mod serve;
mod service;
mod service_routes;
mod state;
mod store;
pub mod text;
mod value;

/// The web framework that a service is a router of, for programs that depend on this crate alone.
pub use audit::Actor;
pub use axum;
pub use changes::Changes;
pub use column::{
    Check, Column, ColumnError, ComparableColumn, IntoColumn, NullableColumn, OrderedColumn, TextColumn, own,
};
#[doc = include_str!("docs/derive.md")]
pub use crud_macros::Resource;
pub use crud_macros::ResourceEnum;
pub use error::{Error, Result};
pub use options::ResourceOptions;
pub use resource::Resource;
pub use service::Service;
/// The SQL drivers, for programs that have a pool of their own.
#[cfg(any(feature = "sqlite", feature = "postgres"))]
pub use sqlx;
pub use state::State;
pub use store::{Batch, BatchError, Page, Store};
pub use value::{Kind, Value, ValueRef};

#[doc(hidden)]
pub mod __private {
    //! What expansions call. Not a public interface: it changes with any release.
    pub use crate::access::{Access, AccessRules};
    pub use crate::adapter::{AdapterError, Row};
    pub use crate::changes::Changes;
    pub use crate::column::{
        Check, Column, ColumnError, ComparableColumn, IntoColumn, NullableColumn, OrderedColumn, TextColumn,
    };
    pub use crate::descriptor::{
        Audit, Batch, ColumnDescriptor, Descriptor, Literal, OnDelete, Operation, Operations, OverLimit, Owner,
        Pagination, PartialIndex, Role, Rule, SoftDelete, SortKey, Statements, Uniqueness,
    };
    pub use crate::ide;
    pub use crate::query::Field;
    pub use crate::resource::{
        Decoded, RefersTo, Resource, RowReader, check_custom, enum_error, enum_text, enum_value,
    };
    pub use crate::value::{Kind, Value, ValueRef};
    pub use std::fmt::{Formatter, Result as Formatted};
    pub use std::option::Option::{None, Some};
    pub use std::result::Result::{Err, Ok};
}

/// The examples of the README compile.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
