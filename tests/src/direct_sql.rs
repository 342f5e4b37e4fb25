//! Direct SQL: statements that tests send to the database as other programs do, not through the service.

use std::time::Duration;

use sqlx::mysql::MySqlConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, Connection, MySqlConnection, PgConnection, Row, SqliteConnection};
use tokio::sync::Mutex;

use crate::backend::{Backend, Database, no_sql};
use crate::kitchen::{Entry, NewEntry};
use crate::wait::{pause, wait_until};

impl Database {
    /// Runs statements directly.
    ///
    /// # Panics
    /// When the database rejects them.
    pub async fn execute(&self, sql: &str) {
        assert!(self.try_execute(sql).await, "the database rejects {sql}");
    }

    /// Runs statements directly; returns whether the database accepts them.
    ///
    /// # Panics
    /// When the database cannot be reached.
    pub async fn try_execute(&self, sql: &str) -> bool {
        let mut connection = SqlConnection::open(self).await;
        let accepted = connection.run(sql).await.is_ok();
        connection.close().await.expect("the connection closes");
        accepted
    }

    /// The texts that a query selects directly, one for each record.
    ///
    /// # Panics
    /// When the database rejects it.
    pub async fn texts(&self, query: &str) -> Vec<String> {
        self.texts_of_each(&[query]).await.concat()
    }

    /// The texts that each of several queries selects directly.
    ///
    /// # Panics
    /// When the database rejects one.
    pub async fn texts_of_each(&self, queries: &[impl AsRef<str>]) -> Vec<Vec<String>> {
        let mut connection = SqlConnection::open(self).await;
        let mut all = Vec::with_capacity(queries.len());
        for query in queries.iter().map(AsRef::as_ref) {
            let texts = connection.texts(query).await;
            all.push(texts.unwrap_or_else(|error| panic!("the database rejects {query}: {error}")));
        }
        connection.close().await.expect("the connection closes");
        all
    }

    /// Begins a direct transaction, as another program would.
    ///
    /// # Panics
    /// When the database cannot be reached.
    pub async fn begin_transaction(&self) -> SqlTransaction {
        let mut connection = SqlConnection::open(self).await;
        connection.run("BEGIN").await.expect("a transaction begins");
        SqlTransaction(connection)
    }

    /// Terminates all other connections, including the service's.
    ///
    /// # Panics
    /// When the database reports an error.
    pub async fn terminate_connections(&self) {
        let kill = match self.backend() {
            Backend::Postgres => {
                "SELECT 'SELECT pg_terminate_backend(' || pid || ')' FROM pg_stat_activity \
                 WHERE datname = current_database() AND pid <> pg_backend_pid()"
            }
            Backend::MySql => {
                "SELECT CONCAT('KILL ', ID) FROM information_schema.PROCESSLIST \
                 WHERE DB = DATABASE() AND ID <> CONNECTION_ID()"
            }
            Backend::Sqlite | Backend::MongoDb | Backend::Memory => no_sql(),
        };
        let mut connection = SqlConnection::open(self).await;
        for kill in connection.texts(kill).await.expect("the connections") {
            // The connection may have ended already.
            connection.run(&kill).await.ok();
        }
    }

    /// Waits until a connection is blocked by a lock.
    ///
    /// # Panics
    /// When none is blocked within the timeout.
    pub async fn wait_until_blocked(&self) {
        let waiting = match self.backend() {
            Backend::Postgres => {
                "SELECT pid::text FROM pg_stat_activity \
                 WHERE wait_event_type = 'Lock' AND datname = current_database()"
            }
            Backend::MySql => {
                "SELECT CAST(trx_id AS CHAR) FROM information_schema.INNODB_TRX \
                 JOIN information_schema.PROCESSLIST p ON p.ID = trx_mysql_thread_id \
                 WHERE trx_state = 'LOCK WAIT' AND p.DB = DATABASE() UNION ALL \
                 SELECT CAST(ID AS CHAR) FROM information_schema.PROCESSLIST WHERE STATE IN ('User lock', 'Waiting for table metadata lock') AND DB = DATABASE()"
            }
            Backend::Sqlite | Backend::MongoDb | Backend::Memory => no_sql(),
        };
        let connection = Mutex::new(SqlConnection::open(self).await);
        wait_until("a connection is blocked", async || {
            if self.backend() == Backend::MySql {
                pause("MySQL refreshes its tables of locks after 0.1 s without a read", Duration::from_millis(110))
                    .await;
            }
            !connection.lock().await.texts(waiting).await.expect("the blocked connections").is_empty()
        })
        .await;
    }

    /// A time as a literal of the dialect, from the canonical text.
    pub fn time_literal(&self, time: &str) -> String {
        match self.backend() {
            Backend::Sqlite | Backend::Postgres => format!("'{time}'"),
            // UTC, without a zone.
            Backend::MySql => format!("'{}'", time.trim_end_matches('Z')),
            Backend::MongoDb | Backend::Memory => no_sql(),
        }
    }

    /// Blocks other writers until the result is dropped.
    ///
    /// # Panics
    /// When another transaction holds a lock.
    pub async fn block_writers(&self) -> impl Sized {
        // EXCLUSIVE mode allows only concurrent reads.
        const LOCK: &str = "DO $$ DECLARE name text; BEGIN \
            FOR name IN SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' LOOP \
            EXECUTE 'LOCK TABLE ' || name || ' IN EXCLUSIVE MODE NOWAIT'; END LOOP; END $$";
        // A READ lock still allows other readers.
        const TABLES: &str = "SELECT GROUP_CONCAT('`', TABLE_NAME, '` READ') FROM information_schema.TABLES \
            WHERE TABLE_SCHEMA = DATABASE()";
        const LOCKED: &str = "no other writer";
        let mut connection = SqlConnection::open(self).await;
        match connection {
            SqlConnection::Sqlite(_) => connection.run("BEGIN IMMEDIATE").await.expect(LOCKED),
            SqlConnection::Postgres(_) => {
                connection.run("BEGIN").await.expect(LOCKED);
                connection.run(LOCK).await.expect(LOCKED);
            }
            SqlConnection::MySql(_) => {
                let tables = connection.texts(TABLES).await.expect("the tables").concat();
                connection.run(&format!("LOCK TABLES {tables}")).await.expect(LOCKED);
            }
        }
        connection
    }

    /// Adds a CHECK constraint to a table.
    pub async fn add_check(&self, table: &str, condition: &str) {
        match self.backend() {
            // SQLite adds constraints only with a column; that column's CHECK may refer to other columns.
            Backend::Sqlite => {
                self.execute(&format!("ALTER TABLE \"{table}\" ADD COLUMN \"__check\" INTEGER CHECK ({condition})"))
                    .await;
            }
            Backend::Postgres | Backend::MySql => {
                self.execute(&format!("ALTER TABLE \"{table}\" ADD CONSTRAINT \"__check\" CHECK ({condition})")).await;
            }
            Backend::MongoDb | Backend::Memory => no_sql(),
        }
    }

    /// Inserts the entries `1` to `count` into the kitchen's `entries`, past the service.
    ///
    /// # Panics
    /// When the database rejects them.
    pub async fn fill_entries(&self, count: u32) {
        match self.backend() {
            Backend::Sqlite => {
                self.execute(&format!(
                    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count}) \
                     INSERT INTO \"entries\" (\"id\", \"text\") SELECT i, 'entry ' || i FROM n"
                ))
                .await;
            }
            Backend::Postgres => {
                self.execute(&format!(
                    "INSERT INTO \"entries\" (\"text\") SELECT 'entry ' || i FROM generate_series(1, {count}) i"
                ))
                .await;
            }
            Backend::MySql => {
                // The default recursion limit is 1000.
                self.execute(&format!(
                    "SET @crud = 0 /*M!, SESSION max_recursive_iterations = {count} */ /*!80000 , SESSION cte_max_recursion_depth = {count} */; \
                     INSERT INTO \"entries\" (\"text\") WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL \
                     SELECT i + 1 FROM n WHERE i < {count}) SELECT CONCAT('entry ', i) FROM n"
                ))
                .await;
            }
            Backend::MongoDb => self.fill_documents(count).await,
            Backend::Memory => {
                let entries = (1..=count).map(|number| NewEntry::new(format!("entry {number}")));
                self.service().await.store::<Entry>().create_batch(entries).await.expect("the entries");
            }
        }
    }
}

/// A direct transaction.
#[derive(Debug)]
pub struct SqlTransaction(SqlConnection);

impl SqlTransaction {
    /// Runs a statement.
    ///
    /// # Panics
    /// When the database rejects it.
    pub async fn execute(&mut self, sql: &str) {
        self.0.run(sql).await.unwrap_or_else(|error| panic!("the database rejects {sql}: {error}"));
    }

    /// Makes another transaction the victim of any deadlock. Where that takes work, it runs `work`, which must not
    /// conflict with another transaction.
    ///
    /// # Panics
    /// When the database rejects it.
    pub async fn survive_deadlocks(&mut self, work: &str) {
        match self.0 {
            // The victim is the transaction that detects the deadlock.
            SqlConnection::Postgres(_) => self.execute("SET LOCAL deadlock_timeout = '60s'").await,
            // The victim is the transaction with fewer changes.
            SqlConnection::MySql(_) => self.execute(work).await,
            SqlConnection::Sqlite(_) => no_sql(),
        }
    }

    /// Commits the transaction.
    ///
    /// # Panics
    /// When the database reports an error.
    pub async fn commit(mut self) {
        self.execute("COMMIT").await;
    }
}

/// The options of a connection to MySQL, MariaDB or vtgate, which refuses `PIPES_AS_CONCAT`.
pub(crate) fn mysql_options(url: &str) -> sqlx::Result<MySqlConnectOptions> {
    Ok(url.parse::<MySqlConnectOptions>()?.pipes_as_concat(false))
}

/// A connection of these options.
pub(crate) async fn mysql_connection(url: &str) -> sqlx::Result<MySqlConnection> {
    mysql_options(url)?.connect().await
}

/// A direct connection.
#[derive(Debug)]
pub(crate) enum SqlConnection {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
    MySql(MySqlConnection),
}

impl SqlConnection {
    pub(crate) async fn open(database: &Database) -> Self {
        const CONNECTED: &str = "a direct connection";
        let url = database.url();
        match database.backend() {
            Backend::Sqlite => Self::Sqlite(SqliteConnection::connect(url).await.expect(CONNECTED)),
            Backend::Postgres => Self::Postgres(PgConnection::connect(url).await.expect(CONNECTED)),
            Backend::MySql => Self::MySql(mysql_connection(url).await.expect(CONNECTED)),
            Backend::MongoDb | Backend::Memory => no_sql(),
        }
    }

    /// A statement with identifiers as the database quotes them: the tests quote as in standard SQL. Vitess has no
    /// `ANSI_QUOTES`.
    fn quoted(&self, sql: &str) -> String {
        if !matches!(self, Self::MySql(_)) {
            return sql.to_owned();
        }
        let (mut in_text, mut escaped) = (false, false);
        let quoted = |character: char| {
            let is_escape = in_text && !escaped && character == '\\';
            in_text ^= character == '\'' && !escaped;
            escaped = is_escape;
            if character == '"' && !in_text { '`' } else { character }
        };
        sql.chars().map(quoted).collect()
    }

    pub(crate) async fn run(&mut self, sql: &str) -> sqlx::Result<()> {
        let statements = sqlx::raw_sql(AssertSqlSafe(self.quoted(sql)));
        match self {
            Self::Sqlite(connection) => statements.execute(connection).await.map(drop),
            Self::Postgres(connection) => statements.execute(connection).await.map(drop),
            Self::MySql(connection) => statements.execute(connection).await.map(drop),
        }
    }

    /// The first column of a query's rows, as text.
    pub(crate) async fn texts(&mut self, sql: &str) -> sqlx::Result<Vec<String>> {
        let query = AssertSqlSafe(self.quoted(sql));
        match self {
            Self::Sqlite(connection) => {
                sqlx::query(query).fetch_all(connection).await?.iter().map(|row| row.try_get(0)).collect()
            }
            Self::Postgres(connection) => {
                sqlx::query(query).fetch_all(connection).await?.iter().map(|row| row.try_get(0)).collect()
            }
            Self::MySql(connection) => {
                sqlx::query(query).fetch_all(connection).await?.iter().map(|row| row.try_get_unchecked(0)).collect()
            }
        }
    }

    pub(crate) async fn close(self) -> sqlx::Result<()> {
        match self {
            Self::Sqlite(connection) => connection.close().await,
            Self::Postgres(connection) => connection.close().await,
            Self::MySql(connection) => connection.close().await,
        }
    }
}
