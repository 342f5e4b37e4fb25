#![doc = include_str!("docs/front.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

extern crate self as crud_runtime;

pub mod audit;
pub mod auth;
mod http;
pub mod prelude;
mod service;
mod storage;
mod store;

#[doc(inline)]
pub use crud_core::query;
use crud_core::{model, response};

pub mod access {
    //! Access rules, and the table of access that [`Model::access_table`](crate::Model::access_table) returns.
    pub use crate::http::access::explain::{ExplainedOperation, ExplainedRecord, Explanation};
    pub use crate::http::access::names::{AccessName, NameKind};
    pub use crate::http::access::table::{AccessTable, RouteAccess};
    #[doc(inline)]
    pub use crud_core::access::*;
}

pub mod adapter {
    //! [`Adapter`]: storage as a service uses it, and the types of its interface.
    #[doc(hidden)]
    pub use crate::storage::backends;
    #[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
    pub use crate::storage::pool::Pool;
    #[doc(inline)]
    pub use crud_core::adapter::*;
    #[doc(inline)]
    pub use crud_core::{Changes, text};
    #[cfg(feature = "mongodb")]
    #[doc(inline)]
    pub use crud_mongodb::MongoDbAdapter;
    #[cfg(feature = "mysql")]
    #[doc(inline)]
    pub use crud_sql::MySqlAdapter;
    #[cfg(feature = "postgres")]
    #[doc(inline)]
    pub use crud_sql::PostgresAdapter;
    #[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite"))]
    #[doc(inline)]
    pub use crud_sql::SqlAdapter;
    #[cfg(feature = "sqlite")]
    #[doc(inline)]
    pub use crud_sql::SqliteAdapter;
    #[cfg(feature = "sqlite-pool")]
    #[doc(inline)]
    pub use crud_sql::SqlitePoolAdapter;
}

pub mod column {
    //! Types of fields: their values in storage, and the traits of what fields can be compared with.
    #[doc(inline)]
    pub use crud_core::{
        Check, ColumnAttribute, ColumnError, ComparableColumn, FieldLocation, IntoColumn, Keywords, Kind,
        NullableColumn, NumberColumn, OrderedColumn, Returned, SqlValue, TextColumn, Value, ValueRef, ZoneColumn,
        owned_value,
    };

    #[cfg(feature = "time-zones")]
    pub use crate::store::time_zone::column::TimeZone;
}

pub mod hooks {
    //! Hooks: the program's own rules about changes, which `#[crud(hooks(…, validate(…)))]` names.
    pub use crate::store::hooks::changed::Changed;
    pub use crate::store::hooks::changeset::Changeset;
    pub use crate::store::hooks::context::HookContext;
}

#[cfg(feature = "jobs")]
pub mod jobs {
    //! Jobs: work that a transaction enqueues for later. A [`Job`](crate::Job) is a type of job.
    pub use crate::store::jobs::job::NewJob;
    pub use crate::store::jobs::queue::{JobQueue, JobState, QueuedJob};
}

pub mod transaction {
    //! The program's own SQL statements, in a transaction.
    #[cfg(any(feature = "mysql", feature = "postgres", feature = "sqlite-pool"))]
    pub use crate::store::transaction::sqlx_connection::{SqlxConnection, TxConnection};
    pub use crate::store::transaction::{SqlRow, TxSql};
}

pub mod routing {
    #![doc = include_str!("docs/routing.md")]

    pub mod plain {
        //! Routes with axum's own handlers: any extractor and any response, which the document does not describe.
        //!
        //! Access, limits and errors are those of other routes; [`Route::describe_json`](super::Route::describe_json) adds what
        //! the document says. [`Valid`](super::Valid), [`Query`](super::Query), [`Path`](super::Path),
        //! [`ListParameters`](super::ListParameters) and [`Locked`](super::Locked) are read before a handler is called.
        //! So they need a route of [`routing`](crate::routing): here they are 500 `internal`.
        pub use crate::http::routing::route::plain::{delete, get, on, patch, post, put};
    }

    pub mod prelude {
        //! The names that a file of own routes needs: `use crud_runtime::routing::prelude::*;`
        //!
        //! `Json`, `Path` and `State` are axum's. A path whose parameters are fields of a `Schema` is taken by
        //! [`routing::Path`](super::Path).
        pub use super::{
            Context, Created, ListParameters, Located, Locked, Query, Record, Route, Routes, Status, Undescribed,
            Valid, delete, get, patch, post, put, role,
        };
        pub use axum::Json;
        pub use axum::extract::{Path, State};
        pub use crud_core::access::Access;
    }

    pub use crate::http::description::documented_type::Documented;
    pub use crate::http::routing::answer::Answer;
    #[doc(hidden)]
    pub use crate::http::routing::answer::record::OptionalRecord;
    pub use crate::http::routing::answer::record::{Created, Record};
    #[doc(hidden)]
    pub use crate::http::routing::answer::records::RecordList;
    pub use crate::http::routing::answer::status::{Located, Status};
    #[doc(hidden)]
    pub use crate::http::routing::answer::{IsARecord, RecordResponseHint, WithParts, WithStatus};
    pub use crate::http::routing::argument::list_parameters::ListParameters;
    pub use crate::http::routing::argument::locked::Locked;
    pub use crate::http::routing::argument::path::Path;
    #[doc(hidden)]
    pub use crate::http::routing::argument::path_types::{ByIntoParams, BySchema, Segment, Segments};
    pub use crate::http::routing::argument::path_types::{PathTypes, PathValue, QueryTypes};
    pub use crate::http::routing::argument::query::Query;
    #[doc(hidden)]
    pub use crate::http::routing::argument::rejected::Rejected;
    pub use crate::http::routing::argument::undescribed::Undescribed;
    pub use crate::http::routing::argument::valid::Valid;
    pub use crate::http::routing::argument::{Arguments, HeadArgument, LastArgument};
    pub use crate::http::routing::bypass::Bypass;
    pub use crate::http::routing::context::Context;
    #[cfg(feature = "auth")]
    pub use crate::http::routing::cookie_session::CookieSession;
    pub use crate::http::routing::describe::{DescribeArgument, DescribeArguments, Described};
    pub use crate::http::routing::function::{Function, HandlerFuture};
    pub use crate::http::routing::handler::{Handler, handler};
    pub use crate::http::routing::next::Next;
    pub use crate::http::routing::records::{Records, RecordsAnswer};
    pub use crate::http::routing::route::layer::RouteLayer;
    pub use crate::http::routing::route::routes::Routes;
    pub use crate::http::routing::route::{Route, delete, get, on, patch, post, put};
    pub use crate::http::routing::rule::{IntoRouteRule, RouteRule, role};
    #[cfg(feature = "pages")]
    pub use crate::http::static_files::StaticFiles;
    pub use crud_core::descriptor::{Deprecation, RateLimit};
}

/// The web framework: a service is an [`axum::Router`]. For programs that depend on this crate alone.
pub use axum;
pub use crud_core::adapter::BoxError;
pub use crud_core::descriptor::{RateLimit, RequestContext};
#[doc(inline)]
pub use crud_core::{
    Clock, Column, Error, Resource, Result, Schema, Searchable, SessionVariables, Writable, descriptor, error, schema,
};
#[doc = include_str!("docs/derive.md")]
pub use crud_macros::Resource;
pub use crud_macros::ResourceEnum;
pub use crud_macros::Schema;
pub use http::layer::cors::Cors;
pub use http::layer::problem_format::ProblemFormat;
pub use http::limits::Limits;
pub use http::model::{Model, ServedResource};
pub use http::openapi;
pub use http::record_view::{RecordView, ViewConditions};
pub use http::router::ResourceRoutes;
pub use http::service_paths::ServicePaths;
pub use http::state::{ServiceState, WeakServiceState};
pub use service::access::options::AccessOptions;
pub use service::background::Background;
pub use service::builder::Service;
#[cfg(feature = "config")]
pub use service::config;
pub use service::document_options::DocumentOptions;
pub use service::extension_options::ExtensionOptions;
#[cfg(feature = "migrations")]
pub use service::migrations;
pub use service::moving;
pub use service::plugin::Plugin;
pub use service::plugin_command::PluginCommand;
pub use service::plugin_settings::PluginSettings;
pub use service::server_options::ServerOptions;
#[cfg(feature = "testing")]
pub use service::testing;
/// The SQL drivers, for programs that open the pool themselves.
#[cfg(any(feature = "sqlite-pool", feature = "postgres", feature = "mysql"))]
pub use sqlx;
pub use store::app::{App, LogChanges};
#[cfg(feature = "jobs")]
pub use store::jobs::job::Job;
pub use store::mounted::options::ResourceOptions;
pub use store::observer::{ChangeObserver, ObservedChange, ObservedKind};
pub use store::stored_record::StoredRecord;
pub use store::stored_records::StoredRecords;
pub use store::transaction::Tx;
pub use store::typed::increment::{Increment, SetSome};
pub use store::typed::page::Page;
pub use store::typed::store::Store;
pub use store::typed::tenant_store::TenantStore;
pub use store::typed::writes::{Batch, BatchError, Upserted};
/// The model of OpenAPI documents. For programs that depend on this crate alone.
#[cfg(feature = "utoipa")]
pub use utoipa;

#[doc(hidden)]
pub mod __private {
    //! The items that expansions name. Not a public interface: it changes with any release.
    pub mod completion;

    pub use crate::__documented as documented;
    #[cfg(feature = "auth")]
    pub use crate::auth::users::users;
    pub use crate::http::body::typed::{deserialize_new, deserialize_patch};
    pub use crate::http::description::documented_type::{
        DocumentedType, create_type, fields_type, patch_type, record_type,
    };
    pub use crate::http::render::serialize::serialize;
    pub use crate::model::access::{Access, AccessRules};
    pub use crate::model::changes::Changes;
    pub use crate::model::column::{
        Check, Column, ColumnAttribute, ComparableColumn, IntoColumn, NullableColumn, OrderedColumn, TextColumn,
        checked_attribute,
    };
    pub use crate::model::column_error::{ColumnError, Parsed};
    pub use crate::model::descriptor::{
        Aggregate, Audit, Batch, Children, ClaimScope, ColumnDescriptor, Computed, Count, Deprecation, Descriptor,
        Exclusive, FieldPath, Former, Idempotency, Import, Literal, ManyToMany, OnDelete, Operation, Operations,
        OverLimit, Owner, Pagination, PartialIndex, Presentation, RateLimit, RequestContext, Role, Rule, ScopePath,
        Search, SoftDelete, SortKey, StoredFormat, Tenant, Transition, UniqueGroup, Uniqueness, View, ZonePath,
    };
    pub use crate::model::key::NoKey;
    pub use crate::model::resource::{
        HoldsKey, NoTenant, RefersTo, RefersToUser, Resource, Searchable, Writable, check_custom, check_requirement,
        enum_error, enum_other, enum_text, enum_value, record_values,
    };
    pub use crate::model::row::{Decoded, RowReader};
    pub use crate::model::schema::Schema;
    pub use crate::model::value::{Kind, Value, ValueRef};
    pub use crate::query::{Field, ToMany, ToOne};
    pub use crate::store::hooks::Hooks;
    pub use crate::store::hooks::erased_hooks::ErasedHooks;
    pub use crud_core::adapter::{AdapterError, Row};
    #[cfg(all(feature = "postgres", feature = "testing"))]
    pub use crud_sql::postgres_fuzzing;
    pub use serde::{Deserialize, Deserializer, Serialize, Serializer};
    pub use std::fmt::{Formatter, Result as Formatted};
    pub use std::option::Option::{None, Some};
    pub use std::result::Result::{Err, Ok};
    pub use std::vec::Vec;
    #[cfg(feature = "utoipa")]
    pub use utoipa::__dev::ComposeSchema;
}

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
