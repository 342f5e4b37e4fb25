//! Tables of another program, and a picture of a database's catalogue.

use crud_runtime::Service;
use crud_tests::{Backend, Database};

/// Runs statements of another program, which has made the database.
pub(crate) async fn other_program(database: &Database, sql: &str) {
    if let Some(file) = database.url().strip_prefix("sqlite://") {
        std::fs::OpenOptions::new().create(true).append(true).open(file).expect("the file");
    }
    database.execute(sql).await;
}

/// The tables of a program of book-keeping, as each database's users write them, with two customers and three invoices.
pub(crate) async fn books(database: &Database) {
    other_program(database, tables(database.backend())).await;
    database
        .execute(
            "INSERT INTO customer (id, name) VALUES (1, 'Ann'), (2, 'bob');
             INSERT INTO invoice (id, customer_id, reference, total, paid_on, memo) VALUES
             (1, 1, 'b-1', 10, '2021-01-01', NULL), (2, 2, 'A-2', 20, NULL, 'late'), (3, 1, 'a-3', 30, NULL, NULL)",
        )
        .await;
    if database.backend() == Backend::Postgres {
        database.execute("SELECT setval(pg_get_serial_sequence('invoice', 'id'), 3)").await;
    }
}

const fn tables(backend: Backend) -> &'static str {
    match backend {
        Backend::Sqlite => {
            "CREATE TABLE customer (id INTEGER PRIMARY KEY, name NVARCHAR(40) NOT NULL);
             CREATE TABLE invoice (
               id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer (id) ON DELETE CASCADE ON UPDATE CASCADE,
               reference NVARCHAR(20) COLLATE NOCASE, total INTEGER NOT NULL, paid_on DATE, memo TEXT);
             CREATE INDEX by_customer ON invoice (customer_id, total)"
        }
        Backend::Postgres => {
            "CREATE TABLE customer (id serial PRIMARY KEY, name varchar(40) COLLATE \"en-x-icu\" NOT NULL);
             CREATE TABLE invoice (
               id serial PRIMARY KEY, customer_id integer REFERENCES customer (id) ON DELETE CASCADE ON UPDATE CASCADE,
               reference varchar(20) COLLATE \"en-x-icu\", total integer NOT NULL, paid_on date, memo text);
             CREATE INDEX by_customer ON invoice (customer_id, total)"
        }
        _ => {
            "CREATE TABLE customer (id INT AUTO_INCREMENT PRIMARY KEY, name VARCHAR(40) COLLATE utf8mb4_general_ci NOT NULL);
             CREATE TABLE invoice (
               id INT AUTO_INCREMENT PRIMARY KEY, customer_id INT,
               reference VARCHAR(20) COLLATE utf8mb4_general_ci, total INT NOT NULL, paid_on DATE, memo TEXT,
               CONSTRAINT of_customer FOREIGN KEY (customer_id) REFERENCES customer (id) ON DELETE CASCADE ON UPDATE CASCADE);
             CREATE INDEX by_customer ON invoice (customer_id, total)"
        }
    }
}

/// Everything that a database's catalogue says of tables, views, columns, constraints, indexes, triggers and comments.
pub(crate) async fn catalogue(database: &Database) -> Vec<String> {
    let queries: &[&str] = match database.backend() {
        Backend::Sqlite => &["SELECT type || ' ' || name || ' ' || COALESCE(sql, '') FROM sqlite_schema ORDER BY 1"],
        Backend::Postgres => &[
            "SELECT n.nspname FROM pg_namespace n WHERE n.nspname !~ '^pg_' ORDER BY 1",
            "SELECT c.relkind::text || ' ' || n.nspname || '.' || c.relname || ' ' || COALESCE(c.relacl::text, '') || ' ' || \
             COALESCE(obj_description(c.oid), '') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ORDER BY 1",
            "SELECT a.attrelid::regclass::text || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || a.attnotnull::text || \
             a.attcollation::text || COALESCE(pg_get_expr(d.adbin, d.adrelid), '') FROM pg_attribute a \
             JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
             LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
             WHERE a.attnum > 0 AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' ORDER BY 1",
            "SELECT conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint \
             WHERE conrelid <> 0 ORDER BY 1",
            "SELECT pg_get_indexdef(i.indexrelid) FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid \
             JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname !~ '^pg_' ORDER BY 1",
            "SELECT viewname || definition FROM pg_views WHERE schemaname !~ '^pg_' AND schemaname <> 'information_schema' ORDER BY 1",
        ],
        _ => &[
            "SELECT CONCAT_WS(' ', TABLE_NAME, TABLE_TYPE, TABLE_COLLATION, TABLE_COMMENT) FROM information_schema.TABLES \
             WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1",
            "SELECT CONCAT_WS(' ', TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLLATION_NAME, COLUMN_DEFAULT, EXTRA) \
             FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1",
            "SELECT CONCAT_WS(' ', TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX, COLUMN_NAME) FROM information_schema.STATISTICS \
             WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1",
            "SELECT CONCAT_WS(' ', TABLE_NAME, CONSTRAINT_NAME, DELETE_RULE, UPDATE_RULE) \
             FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = DATABASE() ORDER BY 1",
            "SELECT CONCAT_WS(' ', TABLE_NAME, VIEW_DEFINITION) FROM information_schema.VIEWS \
             WHERE TABLE_SCHEMA = DATABASE() ORDER BY 1",
        ],
    };
    database.texts_of_each(queries).await.concat()
}

/// Checks that a catalogue is as it was, but for lines with this text.
pub(crate) async fn unchanged(database: &Database, before: &[String], but_for: &str) {
    let after = catalogue(database).await;
    let added: Vec<&String> = after.iter().filter(|line| !before.contains(line) && !line.contains(but_for)).collect();
    let removed: Vec<&String> = before.iter().filter(|line| !after.contains(line)).collect();
    assert!(added.is_empty() && removed.is_empty(), "added: {added:#?}, removed: {removed:#?}");
}

/// The name of the database in its URL.
pub(crate) fn name_of(database: &Database) -> &str {
    let path = database.url().split('?').next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}

/// A schema that no other test has: one of the database on PostgreSQL, and on `MariaDB` a database of the server, which is
/// removed when this is dropped.
#[derive(Debug)]
pub(crate) struct OwnSchema<'d> {
    database: &'d Database,
    pub(crate) name: String,
}

impl<'d> OwnSchema<'d> {
    /// The name of a schema for this database; it is not created.
    pub(crate) fn of(database: &'d Database) -> Self {
        Self { database, name: format!("{}_own", name_of(database)) }
    }

    /// Removes it, where it does not end with its database.
    pub(crate) async fn remove(self) {
        if self.database.backend() == Backend::MySql {
            self.database.execute(&format!("DROP DATABASE IF EXISTS \"{}\"", self.name)).await;
        }
    }
}

/// The lines of a refused start.
pub(crate) async fn refusal(service: Service) -> String {
    service.migrate().await.expect_err("a refusal").to_string()
}

/// The lines of a refused check.
pub(crate) async fn unfit(service: Service) -> String {
    service.check_schema().await.expect_err("a refusal").to_string()
}
