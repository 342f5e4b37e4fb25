//! [`BACKENDS`]: the table of the databases that this build knows.
//!
//! A new database is a crate with its adapter and a row here, beside its names in `crud_shared::database`.

use std::sync::Arc;

#[cfg(feature = "config")]
use crud_shared::catalogue::Catalogue;
use crud_shared::database::{DATABASES, Database};
#[cfg(feature = "migrations")]
use crud_sql::EmptyDatabase;

use super::administration::Storage;
use super::capabilities::Capabilities;
use super::error::{Error, Result};
use super::future::AdapterFuture;
#[cfg(feature = "migrations")]
use super::migrate_error::MigrateError;
use crate::model::adapter_error::AdapterError;

/// A database that services run on.
#[derive(Debug, Clone, Copy)]
pub struct Backend {
    /// The database's name, the schemes of its URLs, and its feature.
    pub database: Database,
    /// The capabilities that every server of the database has. A server may have more: see
    /// [`Adapter::capabilities`](super::adapter::Adapter::capabilities).
    pub capabilities: Capabilities,
    /// Whether a URL names a database that ends with the program.
    in_memory: fn(&str) -> bool,
    /// Whether a URL names a file that is created when it is opened.
    missing_file: fn(&str) -> bool,
    connect: Connect,
    /// Opens storage in each replica of a URL, which may be unreachable; only of databases with replicas.
    replicas: Option<Replicas>,
    /// Describes the tables of a URL's database; only of databases whose columns have types.
    #[cfg(feature = "config")]
    describe: Option<Describe>,
    /// Creates an empty database beside that of a URL; only of databases with migrations.
    #[cfg(feature = "migrations")]
    shadow: Option<Shadow>,
}

/// Opens storage in the database of a URL.
type Connect = fn(&str) -> AdapterFuture<'_, Arc<dyn Storage>>;

/// Describes the tables of a URL's database: of a schema, with these names.
#[cfg(feature = "config")]
type Describe = for<'a> fn(&'a str, Option<&'a str>, &'a [String]) -> AdapterFuture<'a, Catalogue>;

#[cfg(feature = "migrations")]
type Shadow = fn(&str) -> AdapterFuture<'_, EmptyDatabase>;

type Replicas = fn(&str) -> Result<Vec<Arc<dyn Storage>>, AdapterError>;

/// The databases whose features are on.
pub const BACKENDS: &[Backend] = &[
    #[cfg(feature = "sqlite")]
    Backend {
        database: crud_shared::database::SQLITE,
        capabilities: crud_sql::SqliteAdapter::CAPABILITIES,
        in_memory: crud_sql::SqliteAdapter::is_in_memory,
        missing_file: crud_sql::SqliteAdapter::is_missing_file,
        connect: |url| Box::pin(async move { opened(crud_sql::SqliteAdapter::connect(url).await) }),
        replicas: None,
        #[cfg(feature = "config")]
        describe: Some(|url, schema, tables| Box::pin(crud_sql::SqliteAdapter::describe(url, schema, tables))),
        #[cfg(feature = "migrations")]
        shadow: Some(|url| Box::pin(std::future::ready(crud_sql::SqliteAdapter::shadow(url)))),
    },
    #[cfg(feature = "postgres")]
    Backend {
        database: crud_shared::database::POSTGRES,
        capabilities: crud_sql::PostgresAdapter::CAPABILITIES,
        in_memory: |_| false,
        missing_file: |_| false,
        connect: |url| Box::pin(async move { opened(crud_sql::PostgresAdapter::connect(url).await) }),
        replicas: Some(|url| {
            let replicas = crud_sql::PostgresAdapter::replicas(url)?;
            Ok(replicas.into_iter().map(|replica| Arc::new(replica) as Arc<dyn Storage>).collect())
        }),
        #[cfg(feature = "config")]
        describe: Some(|url, schema, tables| Box::pin(crud_sql::PostgresAdapter::describe(url, schema, tables))),
        #[cfg(feature = "migrations")]
        shadow: Some(|url| Box::pin(crud_sql::PostgresAdapter::shadow(url))),
    },
    #[cfg(feature = "mysql")]
    Backend {
        database: crud_shared::database::MYSQL,
        capabilities: crud_sql::MySqlAdapter::CAPABILITIES,
        in_memory: |_| false,
        missing_file: |_| false,
        connect: |url| Box::pin(crud_sql::MySqlAdapter::open(url)),
        replicas: None,
        #[cfg(feature = "config")]
        describe: Some(|url, schema, tables| Box::pin(crud_sql::MySqlAdapter::describe(url, schema, tables))),
        #[cfg(feature = "migrations")]
        shadow: Some(|url| Box::pin(crud_sql::MySqlAdapter::shadow(url))),
    },
    #[cfg(feature = "mongodb")]
    Backend {
        database: crud_shared::database::MONGODB,
        capabilities: crud_mongodb::MongoDbAdapter::CAPABILITIES,
        in_memory: |_| false,
        missing_file: |_| false,
        connect: |url| Box::pin(async move { opened(crud_mongodb::MongoDbAdapter::connect(url).await) }),
        replicas: None,
        #[cfg(feature = "config")]
        describe: None,
        #[cfg(feature = "migrations")]
        shadow: None,
    },
];

#[cfg(any(feature = "mongodb", feature = "postgres", feature = "sqlite"))]
fn opened(storage: Result<impl Storage, AdapterError>) -> Result<Arc<dyn Storage>, AdapterError> {
    storage.map(|storage| Arc::new(storage) as Arc<dyn Storage>)
}

impl Backend {
    /// The database of a URL, by its scheme.
    pub fn of_url(url: &str) -> Option<&'static Self> {
        let scheme = scheme(url);
        BACKENDS.iter().find(|backend| backend.database.schemes.contains(&scheme))
    }

    /// Whether a URL names a database that begins and ends with the program.
    pub fn is_in_memory(url: &str) -> bool {
        Self::of_url(url).is_some_and(|backend| (backend.in_memory)(url))
    }

    /// Whether a URL names a file that does not exist and is created when it is opened.
    pub fn is_missing_file(url: &str) -> bool {
        Self::of_url(url).is_some_and(|backend| (backend.missing_file)(url))
    }
}

/// Opens the database of a URL.
///
/// # Errors
/// [`Error::Setup`] when this build does not know the scheme, [`Error::Database`] when the database cannot be opened.
pub(crate) async fn connect(url: &str) -> Result<Arc<dyn Storage>> {
    (of_url(url)?.connect)(url).await.map_err(Error::Database)
}

/// The database of a URL.
///
/// # Errors
/// [`Error::Setup`] when this build does not know the scheme, with the feature that it lacks.
pub(crate) fn of_url(url: &str) -> Result<&'static Backend> {
    Backend::of_url(url).ok_or_else(|| {
        let (scheme, known) = (scheme(url), known(|_| true));
        let reason = format!("no database for URLs that begin with `{scheme}:`; this build knows {known}");
        let lacking = DATABASES.iter().find(|database| database.schemes.contains(&scheme));
        Error::Setup(match lacking {
            Some(database) => format!("{reason}: {} needs crud-runtime's feature `{}`", database.title, database.name),
            None => reason,
        })
    })
}

/// Storage in each replica of a URL, which may be away.
///
/// # Errors
/// [`Error::Setup`] when the database of the URL has no replicas, [`Error::Database`] when the URL is malformed.
pub(crate) fn replicas(url: &str) -> Result<Vec<Arc<dyn Storage>>> {
    let Some(replicas) = Backend::of_url(url).and_then(|backend| backend.replicas) else {
        // The rest of the URL may hold a password.
        let (scheme, known) = (scheme(url), known(|backend| backend.replicas.is_some()));
        let reason = format!("no replicas for URLs that begin with `{scheme}:`; this build reads replicas of {known}");
        return Err(Error::Setup(reason));
    };
    replicas(url).map_err(Error::Database)
}

/// Creates an empty database beside that of a URL.
///
/// # Errors
/// [`MigrateError::Unsupported`] on storage without migrations, [`Error::Database`] when it cannot be created.
#[cfg(feature = "migrations")]
pub(crate) async fn shadow(url: &str) -> Result<EmptyDatabase> {
    let shadow = Backend::of_url(url).and_then(|backend| backend.shadow).ok_or(MigrateError::Unsupported)?;
    shadow(url).await.map_err(Error::Database)
}

/// Describes the tables of a URL's database: in a schema, or the connection's own; with these names, or all.
///
/// # Errors
/// [`Error::Setup`] when this build does not know the scheme, or the database has no types of columns; [`Error::Database`]
/// when it cannot be read.
#[cfg(feature = "config")]
pub(crate) async fn describe(url: &str, schema: Option<&str>, tables: &[String]) -> Result<Catalogue> {
    let backend = of_url(url)?;
    let Some(describe) = backend.describe else {
        let title = backend.database.title;
        return Err(Error::Setup(format!(
            "{title} does not say which fields its records have: expected a SQL database"
        )));
    };
    describe(url, schema, tables).await.map_err(Error::Database)
}

fn scheme(url: &str) -> &str {
    url.split(':').next().unwrap_or_default()
}

/// The usual schemes of the databases for which `has` holds, as text.
fn known(has: fn(&Backend) -> bool) -> String {
    let known = BACKENDS.iter().filter(|backend| has(backend)).filter_map(|backend| backend.database.schemes.first());
    let known: Vec<String> = known.map(|scheme| format!("`{scheme}:`")).collect();
    match known.split_last() {
        None => "none: enable a feature such as `postgres`".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}
