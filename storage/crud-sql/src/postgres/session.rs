//! [`PostgresSession`]: the database under the variables of one caller, which policies of row-level security read.
//!
//! The reads of a request share a transaction, and each change has its own:
//!
//! ```sql
//! BEGIN ISOLATION LEVEL READ COMMITTED
//! SELECT set_config(v.name, v.value, true) FROM unnest($1::text[], $2::text[]) AS v(name, value)
//! …
//! COMMIT
//! ```
//!
//! A change is not in the transaction of the reads before it: it must be committed when its call returns, it takes one
//! of the writers' connections, and its error must not abort reads. Nothing is lost by that: each statement has its own
//! snapshot in either case.
//!
//! `true`: the values end with the transaction, so that later transactions on the connection do not see them. Both
//! lists are bound, so that the statement has one text for all callers and variables. Calls of different callers never
//! share a statement or a commit.

use std::sync::Arc;
use std::time::Instant;

use crud_core::retry;

use super::dialect::Postgres;
use super::error::is_conflict;
use super::session_reads::{self, SessionReads};
use super::value::argument::Argument;
use super::value::types::Type;
use super::{PostgresAdapter, PostgresConnections};
use crate::connections::{self, Connections};
use crate::dialect::Dialect;
use crate::facts::Facts;
use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::{Count, Descriptor};
use crate::model::key::Key;
use crate::model::row::{Row, RowSink};
use crate::model::value::Value;
use crate::pool::connection_cache::{ConnectionCache, cached_connections};
use crate::query::{AggregateQuery, Group, ListQuery, Predicate, Total};
use crate::slow_lists;
use crate::slow_statements::SlowStatements;
use crate::statement::Statement;
use crate::storage::adapter::{Adapter, AdapterFuture};
use crate::storage::capabilities::Capabilities;
use crate::storage::session_variables::SessionVariables;
use crate::storage::transaction::Transaction;
use crate::storage::write::{Outcome, Write, WriteSink, WriteWhere};
use crate::transaction::SqlTransaction;

const SET: &str = "SELECT set_config(v.name, v.value, true) FROM unnest($1::text[], $2::text[]) AS v(name, value)";

/// Runs a call in a transaction. If another transaction is in its way, the call is repeated, unless it has already
/// passed rows on. A call without a sink passes nothing on.
macro_rules! in_transaction {
    ($session:ident, $begin:ident, $end:ident, $sink:ident, |$transaction:ident, $passed:ident| $call:expr) => {{
        let (result, _) = retry!(
            async {
                let mut passed = Passed::to(&mut *$sink);
                let result = async {
                    let mut $transaction = $session.$begin().await?;
                    let $passed = &mut passed;
                    let done = $call.await?;
                    $session.$end($transaction).await?;
                    Ok(done)
                };
                let result = result.await;
                let is_repeated = passed.is_repeated(&result);
                (result, is_repeated)
            },
            |ended: &(_, bool)| ended.1
        );
        result
    }};
    ($session:ident, $begin:ident, $end:ident, |$transaction:ident| $call:expr) => {
        retry!(
            async {
                let mut $transaction = $session.$begin().await?;
                let done = $call.await?;
                $session.$end($transaction).await?;
                Ok(done)
            },
            in_the_way
        )
    };
}

/// The database under the variables of one caller.
#[derive(Debug)]
pub(super) struct PostgresSession {
    connections: Arc<ConnectionCache<Postgres>>,
    slow: Arc<SlowStatements>,
    facts: Arc<Facts>,
    variables: Arc<SessionVariables>,
    reads: Arc<SessionReads>,
}

impl PostgresSession {
    pub(super) fn new(service: &PostgresConnections, variables: &Arc<SessionVariables>) -> Self {
        let (connections, slow, facts) = (service.connections.clone(), service.slow.clone(), service.facts.clone());
        Self { connections, slow, facts, variables: variables.clone(), reads: Arc::default() }
    }

    /// The open transaction of the reads, or a new one on a reader's connection.
    async fn reading(&self) -> Result<SqlTransaction<Self>, AdapterError> {
        match self.reads.take() {
            Some(transaction) => Ok(transaction),
            None => SqlTransaction::begin_with(self.reader().await?, &self.facts, self.set()).await,
        }
    }

    /// Leaves a transaction open for the next read.
    async fn read(&self, transaction: SqlTransaction<Self>) -> Result<(), AdapterError> {
        match self.reads.put(transaction) {
            Some(mut another) => another.commit().await,
            None => Ok(()),
        }
    }

    /// Begins a transaction on a writer's connection. The transaction of the reads ends first, so that a request holds
    /// one connection.
    async fn writing(&self) -> Result<SqlTransaction<Self>, AdapterError> {
        if let Some(reads) = self.reads.take() {
            session_reads::end(reads).await;
        }
        SqlTransaction::begin_with(self.writer().await?, &self.facts, self.set()).await
    }

    /// The statement that sets the variables until the end of the transaction.
    fn set(&self) -> Statement<Postgres> {
        let (names, values) = self.variables.lists();
        let list = |texts: &[String]| Argument::One(Type::Texts, Value::TextList(texts.to_vec()));
        Statement::fixed(SET, vec![list(names), list(values)])
    }

    async fn number(
        &self,
        resource: &'static Descriptor,
        filter: &Predicate,
        limit: Option<u64>,
    ) -> Result<u64, AdapterError> {
        let begin = Instant::now();
        let number = in_transaction!(self, reading, read, |transaction| match limit {
            Some(limit) => transaction.count_up_to(resource, filter, limit),
            None => transaction.count(resource, filter),
        })?;
        slow_lists::notice_count(self, resource, filter, begin.elapsed()).await;
        Ok(number)
    }

    /// Commits a change.
    async fn written(&self, mut transaction: SqlTransaction<Self>) -> Result<(), AdapterError> {
        transaction.commit().await
    }
}

/// Whether a call that has passed nothing on is repeated.
fn in_the_way<T>(result: &Result<T, AdapterError>) -> bool {
    result.as_ref().is_err_and(is_conflict)
}

/// Passes rows on, and notes whether there were any, as they cannot be taken back.
struct Passed<'a, S: ?Sized> {
    sink: &'a mut S,
    any: bool,
}

impl<'a, S: ?Sized> Passed<'a, S> {
    const fn to(sink: &'a mut S) -> Self {
        Self { sink, any: false }
    }

    /// Whether the call is repeated after this result.
    fn is_repeated<T>(&self, result: &Result<T, AdapterError>) -> bool {
        !self.any && in_the_way(result)
    }
}

impl RowSink for Passed<'_, dyn RowSink + '_> {
    fn row(&mut self, row: &dyn Row) -> Result<(), AdapterError> {
        self.any = true;
        self.sink.row(row)
    }
}

impl WriteSink for Passed<'_, dyn WriteSink + '_> {
    fn record(&mut self, index: usize, row: &dyn Row) -> Result<(), AdapterError> {
        self.any = true;
        self.sink.record(index, row)
    }
}

impl Connections for PostgresSession {
    type Driver = Postgres;

    const CAPABILITIES: Capabilities = PostgresAdapter::CAPABILITIES;

    cached_connections!();
}

/// The adapter of one caller only has records: tables belong to the service.
impl Adapter for PostgresSession {
    fn capabilities(&self) -> Capabilities {
        <Self as Connections>::CAPABILITIES
    }

    fn ping(&self) -> AdapterFuture<'_, ()> {
        let ping = Statement::fixed(<Postgres as Dialect>::PING, Vec::new());
        Box::pin(async move { connections::all(self, ping).await.map(drop) })
    }

    fn list<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, ()> {
        Box::pin(async move {
            let begin = Instant::now();
            in_transaction!(self, reading, read, sink, |transaction, rows| transaction
                .list(resource, query, false, rows))?;
            slow_lists::notice_list(self, resource, query, begin.elapsed()).await;
            Ok(())
        })
    }

    fn count<'a>(&'a self, resource: &'static Descriptor, filter: &'a Predicate) -> AdapterFuture<'a, u64> {
        Box::pin(Self::number(self, resource, filter, None))
    }

    fn count_up_to<'a>(
        &'a self,
        resource: &'static Descriptor,
        filter: &'a Predicate,
        limit: u64,
    ) -> AdapterFuture<'a, u64> {
        Box::pin(Self::number(self, resource, filter, Some(limit)))
    }

    fn aggregate<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a AggregateQuery,
    ) -> AdapterFuture<'a, Vec<Group>> {
        Box::pin(
            async move { in_transaction!(self, reading, read, |transaction| transaction.aggregate(resource, query)) },
        )
    }

    fn page<'a>(
        &'a self,
        resource: &'static Descriptor,
        query: &'a ListQuery,
        count: Count,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, Option<Total>> {
        Box::pin(async move {
            let begin = Instant::now();
            let total = in_transaction!(self, reading, read, sink, |transaction, rows| transaction
                .page(resource, query, count, rows))?;
            slow_lists::notice_list(self, resource, query, begin.elapsed()).await;
            Ok(total)
        })
    }

    fn get<'a>(
        &'a self,
        resource: &'static Descriptor,
        id: &'a Key,
        tenant: Option<&'a Value>,
        sink: &'a mut dyn RowSink,
    ) -> AdapterFuture<'a, bool> {
        Box::pin(async move {
            in_transaction!(self, reading, read, sink, |transaction, rows| transaction
                .get(resource, id, tenant, false, rows))
        })
    }

    fn write<'a>(
        &'a self,
        resource: &'static Descriptor,
        write: Write<'a>,
        sink: &'a mut dyn WriteSink,
    ) -> AdapterFuture<'a, Vec<Outcome>> {
        Box::pin(async move {
            in_transaction!(self, writing, written, sink, |transaction, records| transaction.write(
                resource,
                write.clone(),
                records
            ))
        })
    }

    fn write_where<'a>(&'a self, resource: &'static Descriptor, write: WriteWhere<'a>) -> AdapterFuture<'a, u64> {
        Box::pin(async move {
            in_transaction!(self, writing, written, |transaction| transaction.write_where(resource, write.clone()))
        })
    }

    fn begin(&self) -> AdapterFuture<'_, Box<dyn Transaction>> {
        Box::pin(async move { Ok(Box::new(self.writing().await?) as Box<dyn Transaction>) })
    }

    fn session(&self, variables: &Arc<SessionVariables>) -> Option<Arc<dyn Adapter>> {
        let (connections, slow, facts) = (self.connections.clone(), self.slow.clone(), self.facts.clone());
        Some(Arc::new(Self { connections, slow, facts, variables: variables.clone(), reads: Arc::default() }))
    }
}
