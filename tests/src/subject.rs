//! [`Subject`]: a service under test, on a database that has its tables already.

use std::fs;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crud_runtime::Service;
use tokio::runtime::Runtime;
use tokio::sync::OnceCell;

use crate::api::Api;
use crate::backend::{Backend, Database};
use crate::case::{Case, runtime};
use crate::openapi::OpenApi;
use crate::others;

/// A service under test.
///
/// To create the tables of 38 resources takes longer than most tests: a server's databases are emptied and used again,
/// SQLite's are copies of one file.
pub(crate) struct Subject {
    resources: fn(Service) -> Service,
    /// Its OpenAPI document, fetched once: it is equal in every test.
    document: OnceCell<Arc<OpenApi>>,
    /// The document for storage without transactions, which has fewer batches.
    document_without_transactions: OnceCell<Arc<OpenApi>>,
    /// The file of an SQLite database with its tables.
    template: OnceLock<Vec<u8>>,
    /// Databases of servers with its tables and no records.
    empty: Mutex<Vec<Database>>,
}

impl Subject {
    pub(crate) const fn new(resources: fn(Service) -> Service) -> Self {
        Self {
            resources,
            document: OnceCell::const_new(),
            document_without_transactions: OnceCell::const_new(),
            template: OnceLock::new(),
            empty: Mutex::new(Vec::new()),
        }
    }

    /// Runs a test that reaches the database through the service alone, so that the database can be used again.
    pub(crate) fn test(&self, backend: Backend, test: impl Fn(&Case, &Runtime, &Api)) {
        let database = self.run(backend, &|case, runtime, api, _| test(case, runtime, api));
        self.reuse(database);
    }

    /// Empties a server's database for the next test.
    fn reuse(&self, database: Database) {
        if matches!(database.backend(), Backend::Postgres | Backend::MySql) {
            runtime().block_on(database.remove_records());
            self.empty.lock().unwrap_or_else(PoisonError::into_inner).push(database);
        }
    }

    /// Runs a test that may change the database in any way.
    pub(crate) fn test_with_database(&self, backend: Backend, test: impl Fn(&Case, &Runtime, &Api, &Database)) {
        self.run(backend, &test);
    }

    fn run(&self, backend: Backend, test: &dyn Fn(&Case, &Runtime, &Api, &Database)) -> Database {
        let (database, has_tables) = self.database(backend);
        let case = Case::begin(backend).on(&database);
        let document = if backend.has_transactions() { &self.document } else { &self.document_without_transactions };
        let runtime = runtime();
        let api = runtime.block_on(async {
            let service = self.ready(&database, has_tables).await;
            let mut api = Api::start(&database, service).await;
            api.check_against(document).await;
            api
        });
        test(&case, &runtime, &api, &database);
        runtime.block_on(api.stop());
        database
    }

    async fn service(&self, database: &Database) -> Service {
        (self.resources)(database.service().await)
    }

    /// A service whose tables are there.
    async fn ready(&self, database: &Database, has_tables: bool) -> Service {
        if others::are_chosen() {
            if !has_tables {
                database.make_tables_of_others().await;
            }
            // The start finds the triggers, collations and keys, whether the database is new or used again.
            return self.service(database).await.check_schema().await.expect("the tables fit the resources");
        }
        let service = self.service(database).await;
        if has_tables {
            return service.with_compared_tables();
        }
        service.migrate().await.expect("the tables of the resources")
    }

    /// A database, and whether it has the tables. To compare 38 of them with their structs takes longer than most tests.
    fn database(&self, backend: Backend) -> (Database, bool) {
        if backend == Backend::Sqlite {
            let database = backend.fresh();
            fs::write(database.file(), self.template()).expect("a copy of the database with tables");
            return (database, true);
        }
        let mut empty = self.empty.lock().unwrap_or_else(PoisonError::into_inner);
        let found = empty.iter().position(|database| database.backend() == backend);
        found.map_or_else(|| (backend.fresh(), false), |index| (empty.swap_remove(index), true))
    }

    fn template(&self) -> &[u8] {
        self.template.get_or_init(|| {
            let database = Backend::Sqlite.fresh();
            let file = database.file().with_extension("template");
            runtime().block_on(async {
                drop(self.ready(&database, false).await);
                // One file, whatever is still in the database's log.
                database.execute(&format!("VACUUM INTO '{}'", file.display())).await;
            });
            fs::read(file).expect("the database with tables")
        })
    }
}
