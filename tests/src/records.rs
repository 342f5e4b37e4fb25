//! Removal of all records from a database, so that it can be used again: sequences begin anew.

use crate::backend::{Backend, Database, no_sql};
use crate::direct_sql::SqlConnection;

/// Tables that have had rows, and sequences that have been asked.
const POSTGRES: &str = "DO $$ DECLARE names text; BEGIN
    SELECT string_agg(oid::regclass::text, ', ') INTO names FROM pg_class
        WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND pg_relation_size(oid) > 0;
    IF names IS NOT NULL THEN EXECUTE 'TRUNCATE ' || names || ' RESTART IDENTITY CASCADE'; END IF;
    PERFORM setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false)
        FROM pg_sequences WHERE last_value IS NOT NULL;
END $$";

/// Every table, as a statement that selects its removal where it has rows.
const MYSQL_ROWS: &str = "SELECT CONCAT('SELECT ''DELETE FROM `', TABLE_NAME, '`'' WHERE EXISTS (SELECT 1 FROM `', \
    TABLE_NAME, '`)') FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'";

/// Sequences that have been asked.
const MYSQL_SEQUENCES: &str = "SELECT CONCAT('ALTER TABLE `', TABLE_NAME, '` AUTO_INCREMENT = 1') \
    FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND AUTO_INCREMENT > 1";

impl Database {
    /// Removes all records, past the service, which has ended.
    ///
    /// # Panics
    /// When the database reports an error.
    pub(crate) async fn remove_records(&self) {
        let mut connection = SqlConnection::open(self).await;
        match self.backend() {
            Backend::Postgres => connection.run(POSTGRES).await.expect("the tables are truncated"),
            Backend::MySql => {
                let rows = connection.texts(MYSQL_ROWS).await.expect("the tables").join(" UNION ALL ");
                let mut statements = connection.texts(&rows).await.expect("the tables with rows");
                statements.extend(connection.texts(MYSQL_SEQUENCES).await.expect("the sequences"));
                // References are checked row by row, whatever order the tables are in.
                connection.run("SET foreign_key_checks = 0").await.expect("a setting");
                for statement in statements {
                    connection.run(&statement).await.expect("a table is emptied");
                }
            }
            Backend::Sqlite | Backend::MongoDb | Backend::Memory => no_sql(),
        }
        connection.close().await.expect("the connection closes");
    }
}
