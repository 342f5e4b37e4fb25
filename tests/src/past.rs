//! What tests do to a database past the service, as other programs would.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, MySqlConnection, PgConnection, Row, SqliteConnection};
use tokio::time::sleep;

use crate::backend::{Backend, Database, no_sql};
use crate::kitchen::{Entry, NewEntry};

impl Database {
    /// Runs statements past the service.
    ///
    /// # Panics
    /// When the database refuses them.
    pub async fn execute(&self, sql: &str) {
        assert!(self.try_execute(sql).await, "the database takes {sql}");
    }

    /// Runs statements past the service; gives whether the database takes them.
    ///
    /// # Panics
    /// When the database cannot be reached.
    pub async fn try_execute(&self, sql: &str) -> bool {
        let mut connection = Own::open(self).await;
        let taken = connection.run(sql).await.is_ok();
        connection.close().await.expect("the connection closes");
        taken
    }

    /// Another program, in a transaction.
    ///
    /// # Panics
    /// When the database cannot be reached.
    pub async fn other_program(&self) -> Other {
        let mut connection = Own::open(self).await;
        connection.run("BEGIN").await.expect("a transaction begins");
        Other(connection)
    }

    /// Breaks off all connections, those of the service among them.
    ///
    /// # Panics
    /// When the database refuses that.
    pub async fn cut_connections(&self) {
        let kill = match self.backend() {
            Backend::Postgres => {
                "SELECT 'SELECT pg_terminate_backend(' || pid || ')' FROM pg_stat_activity \
                 WHERE datname = current_database() AND pid <> pg_backend_pid()"
            }
            Backend::MySql => {
                "SELECT CONCAT('KILL ', ID) FROM information_schema.PROCESSLIST \
                 WHERE DB = DATABASE() AND ID <> CONNECTION_ID()"
            }
            Backend::Sqlite | Backend::Memory => no_sql(),
        };
        let mut connection = Own::open(self).await;
        for kill in connection.texts(kill).await.expect("the connections") {
            // It may have gone by itself.
            connection.run(&kill).await.ok();
        }
    }

    /// Waits until a connection waits for a lock that another holds.
    ///
    /// # Panics
    /// When none does.
    pub async fn wait_for_a_lock(&self) {
        let waiting = match self.backend() {
            Backend::Postgres => {
                "SELECT pid::text FROM pg_stat_activity \
                 WHERE wait_event_type = 'Lock' AND datname = current_database()"
            }
            Backend::MySql => {
                "SELECT CAST(trx_id AS CHAR) FROM information_schema.INNODB_TRX \
                 JOIN information_schema.PROCESSLIST p ON p.ID = trx_mysql_thread_id \
                 WHERE trx_state = 'LOCK WAIT' AND p.DB = DATABASE()"
            }
            Backend::Sqlite | Backend::Memory => no_sql(),
        };
        let mut connection = Own::open(self).await;
        for _ in 0..30 {
            if !connection.texts(waiting).await.expect("who waits").is_empty() {
                return;
            }
            // MySQL renews what it shows of this when nobody has looked for a tenth of a second.
            sleep(Duration::from_millis(150)).await;
        }
        panic!("nobody waits");
    }

    /// A time as a literal of its dialect, from the text that the service writes.
    pub fn time_literal(&self, time: &str) -> String {
        match self.backend() {
            Backend::Sqlite | Backend::Postgres => format!("'{time}'"),
            // In UTC without saying so.
            Backend::MySql => format!("'{}'", time.trim_end_matches('Z')),
            Backend::Memory => no_sql(),
        }
    }

    /// Keeps other writers from the database for as long as the result lives.
    ///
    /// # Panics
    /// When somebody else holds it.
    pub async fn lock_for_writing(&self) -> impl Sized {
        // In the mode EXCLUSIVE, nothing but reads goes on beside.
        const LOCK: &str = "DO $$ DECLARE name text; BEGIN \
            FOR name IN SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public' LOOP \
            EXECUTE 'LOCK TABLE ' || name || ' IN EXCLUSIVE MODE NOWAIT'; END LOOP; END $$";
        // Others may read them too.
        const TABLES: &str = "SELECT GROUP_CONCAT('`', TABLE_NAME, '` READ') FROM information_schema.TABLES \
            WHERE TABLE_SCHEMA = DATABASE()";
        const ALONE: &str = "nobody else writes";
        let mut connection = Own::open(self).await;
        match connection {
            Own::Sqlite(_) => connection.run("BEGIN IMMEDIATE").await.expect(ALONE),
            Own::Postgres(_) => {
                connection.run("BEGIN").await.expect(ALONE);
                connection.run(LOCK).await.expect(ALONE);
            }
            Own::MySql(_) => {
                let tables = connection.texts(TABLES).await.expect("the tables").concat();
                connection.run(&format!("LOCK TABLES {tables}")).await.expect(ALONE);
            }
        }
        connection
    }

    /// Adds a CHECK constraint to a table.
    pub async fn add_check(&self, table: &str, condition: &str) {
        match self.backend() {
            // SQLite adds constraints with columns only, and a column's may speak of others.
            Backend::Sqlite => {
                self.execute(&format!("ALTER TABLE \"{table}\" ADD COLUMN \"__check\" INTEGER CHECK ({condition})"))
                    .await;
            }
            Backend::Postgres | Backend::MySql => {
                self.execute(&format!("ALTER TABLE \"{table}\" ADD CONSTRAINT \"__check\" CHECK ({condition})")).await;
            }
            Backend::Memory => no_sql(),
        }
    }

    /// Puts entries `1` to `count` into the kitchen's `entries`, faster than a service could.
    ///
    /// # Panics
    /// When the database refuses them.
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
                // They recurse a thousand times, if nobody says otherwise.
                self.execute(&format!(
                    "SET @crud = 0 /*M!, SESSION max_recursive_iterations = {count} */ /*!80000 , SESSION cte_max_recursion_depth = {count} */; \
                     INSERT INTO \"entries\" (\"text\") WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL \
                     SELECT i + 1 FROM n WHERE i < {count}) SELECT CONCAT('entry ', i) FROM n"
                ))
                .await;
            }
            Backend::Memory => {
                let entries = (1..=count).map(|number| NewEntry::new(format!("entry {number}")));
                self.service().await.store::<Entry>().create_batch(entries).await.expect("the entries");
            }
        }
    }
}

/// A program beside the service, in a transaction.
#[derive(Debug)]
pub struct Other(Own);

impl Other {
    /// Runs a statement.
    ///
    /// # Panics
    /// When the database refuses it.
    pub async fn execute(&mut self, sql: &str) {
        self.0.run(sql).await.unwrap_or_else(|error| panic!("the database takes {sql}: {error}"));
    }

    /// Sees to it that of a deadlock another is the victim, where it takes that by work that is in nobody's way.
    ///
    /// # Panics
    /// When the database refuses that.
    pub async fn outlast_deadlocks(&mut self, work: &str) {
        match self.0 {
            // The victim is the one that finds the deadlock.
            Own::Postgres(_) => self.execute("SET LOCAL deadlock_timeout = '60s'").await,
            // The victim is the one that has changed less.
            Own::MySql(_) => self.execute(work).await,
            Own::Sqlite(_) => no_sql(),
        }
    }

    /// Ends the transaction; what it did stands.
    ///
    /// # Panics
    /// When the database refuses that.
    pub async fn commit(mut self) {
        self.execute("COMMIT").await;
    }
}

/// A connection of a test's own.
#[derive(Debug)]
pub(crate) enum Own {
    Sqlite(SqliteConnection),
    Postgres(PgConnection),
    MySql(MySqlConnection),
}

impl Own {
    async fn open(database: &Database) -> Self {
        const CONNECTED: &str = "a connection of the test's own";
        let url = database.url();
        match database.backend() {
            Backend::Sqlite => Self::Sqlite(SqliteConnection::connect(url).await.expect(CONNECTED)),
            Backend::Postgres => Self::Postgres(PgConnection::connect(url).await.expect(CONNECTED)),
            Backend::MySql => {
                // The suite writes identifiers as the others do.
                const QUOTES: &str = "SET SESSION sql_mode = CONCAT(@@sql_mode, ',ANSI_QUOTES')";
                let mut connection = Self::MySql(MySqlConnection::connect(url).await.expect(CONNECTED));
                connection.run(QUOTES).await.expect(CONNECTED);
                connection
            }
            Backend::Memory => no_sql(),
        }
    }

    async fn run(&mut self, sql: &str) -> sqlx::Result<()> {
        let statements = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()));
        match self {
            Self::Sqlite(connection) => statements.execute(connection).await.map(drop),
            Self::Postgres(connection) => statements.execute(connection).await.map(drop),
            Self::MySql(connection) => statements.execute(connection).await.map(drop),
        }
    }

    /// The first column of a query's rows, which is text.
    async fn texts(&mut self, sql: &str) -> sqlx::Result<Vec<String>> {
        let query = AssertSqlSafe(sql.to_owned());
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

    async fn close(self) -> sqlx::Result<()> {
        match self {
            Self::Sqlite(connection) => connection.close().await,
            Self::Postgres(connection) => connection.close().await,
            Self::MySql(connection) => connection.close().await,
        }
    }
}
