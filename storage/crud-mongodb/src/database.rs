//! [`Database`]: the commands that the adapter sends, with their time limit; [`Session`]: the commands of a change, in
//! a transaction or not.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mongodb::bson::{Document, RawDocument, RawDocumentBuf, doc};
use mongodb::error::{ErrorKind, UNKNOWN_TRANSACTION_COMMIT_RESULT};
use mongodb::options::{CountOptions, FindOptions, ReturnDocument};
use mongodb::{ClientSession, Collection};
use tokio::time::timeout;

use super::command::Command;
use super::error::{Failure, adapter_error, failed};
use super::field::{KEY, field};
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Descriptor, SortKey};
use crate::storage::trace;

/// The time limit of a command until [`Database::set_limit`] sets another.
const LIMIT: Duration = Duration::from_secs(30);

/// The most times that a commit is repeated.
const MAX_REPETITIONS: u32 = 3;

/// Time that the adapter waits for an answer beyond the server's limit.
const GRACE: Duration = Duration::from_millis(500);

/// A database of the server.
#[derive(Debug)]
pub(super) struct Database {
    handle: mongodb::Database,
    /// In milliseconds.
    limit: AtomicU64,
}

impl Database {
    pub(super) fn new(handle: mongodb::Database) -> Self {
        Self { handle, limit: AtomicU64::new(to_millis(LIMIT)) }
    }

    /// The time limit of a command, and of all attempts at a change.
    pub(super) fn limit(&self) -> Duration {
        Duration::from_millis(self.limit.load(Ordering::Relaxed))
    }

    pub(super) fn set_limit(&self, limit: Duration) {
        self.limit.store(to_millis(limit), Ordering::Relaxed);
    }

    pub(super) fn collection(&self, name: &str) -> Collection<RawDocumentBuf> {
        self.handle.collection(name)
    }

    /// A session without a transaction.
    pub(super) const fn session(&self) -> Session<'_> {
        Session { database: self, transaction: None }
    }

    /// A session in a new transaction.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub(super) async fn transaction(&self) -> Result<Session<'_>, AdapterError> {
        let mut session = self.within(async { self.handle.client().start_session().await }).await?;
        session.start_transaction().await.map_err(adapter_error)?;
        Ok(Session { database: self, transaction: Some(session) })
    }

    /// Runs a command of the database.
    ///
    /// # Errors
    /// The server's.
    pub(super) async fn command(&self, command: Document) -> Result<Document, AdapterError> {
        self.within(async { self.handle.run_command(command).await }).await
    }

    /// The names of the database's collections.
    ///
    /// # Errors
    /// The server's.
    pub(super) async fn collections(&self) -> Result<Vec<String>, AdapterError> {
        self.within(async { self.handle.list_collection_names().await }).await
    }

    /// Creates a collection, unless it is there.
    ///
    /// # Errors
    /// The server's.
    pub(super) async fn create(&self, name: &str) -> Result<(), AdapterError> {
        /// The code of the error `NamespaceExists`.
        const EXISTS: i32 = 48;
        let created = self.within_limit(async { self.handle.create_collection(name).await }).await?;
        match created {
            Err(error) if matches!(&*error.kind, ErrorKind::Command(error) if error.code == EXISTS) => Ok(()),
            created => created.map_err(adapter_error),
        }
    }

    /// Passes documents to `each` until it returns `false`.
    ///
    /// # Errors
    /// The server's, and those of `each`.
    pub(super) async fn find(
        &self,
        collection: &str,
        find: Find,
        mut each: impl FnMut(&RawDocument) -> Result<bool, AdapterError>,
    ) -> Result<(), AdapterError> {
        report(collection, "find", &[&find.filter]);
        let collection = self.collection(collection);
        let mut action = collection.find(find.filter).sort(find.sort).max_time(self.limit());
        if find.skip > 0 {
            action = action.skip(find.skip);
        }
        if let Some(limit) = find.limit {
            // The first answer has all documents.
            action = action.limit(limit).batch_size(u32::try_from(limit).unwrap_or(u32::MAX));
        }
        let mut cursor = self.within(async { action.await }).await?;
        while self.within(cursor.advance()).await? {
            if !each(cursor.current())? {
                break;
            }
        }
        Ok(())
    }

    /// The result of the work, with errors as the adapter's, or a timeout.
    pub(super) async fn within<T>(
        &self,
        work: impl Future<Output = mongodb::error::Result<T>>,
    ) -> Result<T, AdapterError> {
        self.within_limit(work).await?.map_err(adapter_error)
    }

    /// The result of the work, or a timeout.
    pub(super) async fn within_limit<T>(&self, work: impl Future<Output = T>) -> Result<T, AdapterError> {
        timeout(self.limit() + GRACE, work).await.map_err(|_| AdapterError::Timeout)
    }
}

/// A query.
#[derive(Debug, Default)]
pub(super) struct Find {
    pub(super) filter: Document,
    pub(super) sort: Document,
    pub(super) skip: u64,
    pub(super) limit: Option<i64>,
}

impl Find {
    /// A query of the documents that satisfy a filter, at most `limit`.
    pub(super) fn new(filter: Document, limit: i64) -> Self {
        Self { filter, limit: Some(limit), ..Self::default() }
    }
}

/// The commands of a change: in a transaction, where there is one.
pub(super) struct Session<'a> {
    pub(super) database: &'a Database,
    transaction: Option<ClientSession>,
}

impl fmt::Debug for Session<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session").field("transaction", &self.transaction.is_some()).finish_non_exhaustive()
    }
}

/// A command with the session's transaction, if there is one.
macro_rules! command {
    ($self:ident, $action:expr) => {{
        let database = $self.database;
        let mut action = $action;
        if let Some(session) = &mut $self.transaction {
            action = action.session(session);
        }
        match database.within_limit(async { action.await }).await {
            Ok(done) => done.map_err(Failure::of),
            Err(timeout) => Err(Failure::Adapter(timeout)),
        }
    }};
}

impl Session<'_> {
    /// Whether the session is in a transaction.
    pub(super) const fn is_in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// The first document that satisfies a filter.
    pub(super) async fn find_one(&mut self, name: &str, filter: Document) -> Result<Option<RawDocumentBuf>, Failure> {
        report(name, "findOne", &[&filter]);
        let collection = self.database.collection(name);
        command!(self, collection.find_one(filter).max_time(self.database.limit()))
    }

    /// The documents that satisfy a filter, at most `limit`.
    pub(super) async fn find(
        &mut self,
        name: &str,
        filter: Document,
        limit: i64,
    ) -> Result<Vec<RawDocumentBuf>, Failure> {
        let mut found = Vec::new();
        let keep = |document: &RawDocument| {
            found.push(document.to_owned());
            Ok(())
        };
        self.each(name, filter, Some(limit), keep).await?;
        Ok(found)
    }

    /// Passes the documents that satisfy a filter to `each`, at most `limit`.
    pub(super) async fn each(
        &mut self,
        name: &str,
        filter: Document,
        limit: Option<i64>,
        mut each: impl FnMut(&RawDocument) -> Result<(), AdapterError>,
    ) -> Result<(), Failure> {
        report(name, "find", &[&filter]);
        let collection = self.database.collection(name);
        let options = FindOptions::builder().limit(limit).max_time(self.database.limit()).build();
        let action = collection.find(filter).with_options(options);
        let Some(session) = &mut self.transaction else {
            let find = async {
                let mut cursor = action.await.map_err(Failure::of)?;
                while cursor.advance().await.map_err(Failure::of)? {
                    each(cursor.current())?;
                }
                Ok(())
            };
            return self.database.within_limit(find).await?;
        };
        let find = async {
            let mut cursor = action.session(&mut *session).await.map_err(Failure::of)?;
            while cursor.advance(&mut *session).await.map_err(Failure::of)? {
                each(cursor.current())?;
            }
            Ok(())
        };
        self.database.within_limit(find).await?
    }

    pub(super) async fn insert(&mut self, name: &str, document: &RawDocumentBuf) -> Result<(), Failure> {
        report(name, "insertOne", &[]);
        let collection = self.database.collection(name);
        command!(self, collection.insert_one(document)).map(drop)
    }

    /// Updates the document that satisfies a filter; returns whether there is one.
    pub(super) async fn update(&mut self, name: &str, filter: Document, update: Document) -> Result<bool, Failure> {
        report(name, "updateOne", &[&filter, &update]);
        let collection = self.database.collection(name);
        command!(self, collection.update_one(filter, update)).map(|result| result.matched_count > 0)
    }

    /// Deletes the document that satisfies a filter; returns whether there is one.
    pub(super) async fn delete(&mut self, name: &str, filter: Document) -> Result<bool, Failure> {
        report(name, "deleteOne", &[&filter]);
        let collection = self.database.collection(name);
        command!(self, collection.delete_one(filter)).map(|result| result.deleted_count > 0)
    }

    /// The number of documents that satisfy a filter, up to a limit.
    pub(super) async fn count(&mut self, name: &str, filter: Document, limit: Option<u64>) -> Result<u64, Failure> {
        // The server refuses a limit of zero.
        if limit == Some(0) {
            return Ok(0);
        }
        report(name, "countDocuments", &[&filter]);
        let collection = self.database.collection(name);
        let options = CountOptions::builder().limit(limit).build();
        command!(self, collection.count_documents(filter).with_options(options).max_time(self.database.limit()))
    }

    /// Adds to a number, which is 0 in a missing document, and returns the sum.
    ///
    /// The addition is never part of the transaction: an assigned number is not assigned again.
    pub(super) async fn add(&mut self, name: &str, key: &str, counted: &str, by: i64) -> Result<i64, Failure> {
        let (filter, update) = (doc! { KEY: key }, doc! { "$inc": { counted: by } });
        report(name, "findOneAndUpdate", &[&filter, &update]);
        let collection = self.database.collection(name);
        let action = collection
            .find_one_and_update(filter, update)
            .upsert(true)
            .return_document(ReturnDocument::After)
            .max_time(self.database.limit());
        let document = self.database.within_limit(async { action.await }).await?.map_err(Failure::of)?;
        let number = document.as_ref().and_then(|document| document.get_i64(counted).ok());
        Ok(number.ok_or_else(|| failed(format!("the counter `{key}` is not an integer of 64 bits")))?)
    }

    /// Commits the transaction, if there is one.
    ///
    /// A commit whose result is unknown is repeated: the server then reports what became of it.
    pub(super) async fn commit(mut self) -> Result<(), Failure> {
        let Some(session) = &mut self.transaction else { return Ok(()) };
        let mut repetitions = 0..MAX_REPETITIONS;
        loop {
            let committed = async { session.commit_transaction().await };
            match self.database.within_limit(committed).await? {
                Err(error)
                    if error.contains_label(UNKNOWN_TRANSACTION_COMMIT_RESULT) && repetitions.next().is_some() => {}
                committed => return committed.map_err(Failure::of),
            }
        }
    }

    /// Undoes everything that was done in the transaction.
    pub(super) async fn abort(mut self) {
        if let Some(session) = &mut self.transaction {
            // A transaction that cannot be aborted is aborted by the server's time limit.
            let aborted = async { session.abort_transaction().await };
            drop(self.database.within_limit(aborted).await);
        }
    }
}

/// Reports a command that is about to be sent.
fn report(collection: &str, name: &'static str, documents: &[&Document]) {
    trace::statement(tracing::field::display(Command { collection, name, documents }));
}

/// The sort document of these keys.
pub(super) fn order(resource: &Descriptor, keys: &[SortKey]) -> Document {
    let direction = |key: &SortKey| if key.descending { -1_i32 } else { 1 };
    keys.iter().map(|key| (field(resource, key.column).to_owned(), direction(key).into())).collect()
}

fn to_millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
