//! [`Dump`]: a database that a former version has written, as SQL, with what its clients have.

use std::fs;
use std::path::{Path, PathBuf};

use crud_tests::{Backend, Database};
use tokio::process::Command;

use super::held::Held;

/// A kept database.
pub(crate) struct Dump {
    backend: Backend,
    /// The path without extension.
    path: PathBuf,
}

impl Dump {
    /// The dump of a version for a back end, of a program with or without migration files.
    pub(crate) fn of(version: &str, backend: Backend, has_files: bool) -> Self {
        let name = format!("{version}/{}{}", backend.name(), if has_files { "-files" } else { "" });
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("upgrade/dumps").join(name);
        Self { backend, path }
    }

    fn file(&self, extension: &str) -> PathBuf {
        self.path.with_extension(extension)
    }

    /// Directory of the migration files.
    pub(crate) fn migrations(&self) -> &Path {
        &self.path
    }

    /// Runs its statements, and returns what clients have.
    pub(crate) async fn restore(&self, database: &Database) -> Held {
        let sql = fs::read_to_string(self.file("sql")).expect("the dump: `tests/upgrade/dump` writes it");
        // A connection of the service creates the file of an SQLite database.
        drop(database.service().await);
        database.execute(&sql).await;
        // Keys live for a day, and dumps for longer; the job of an hour later is due.
        let later = database.time_literal("2100-01-01T00:00:00.000000Z");
        database.execute(&format!("UPDATE crud_idempotency SET expires_at = {later}")).await;
        database.execute("UPDATE crud_jobs SET run_at = created_at").await;
        let held = fs::read_to_string(self.file("json")).expect("the clients' side of the dump");
        serde_json::from_str(&held).expect("the clients' side of the dump")
    }

    /// Writes the files anew.
    pub(crate) async fn write(&self, database: &Database, held: &Held, migrations: &Path) {
        fs::create_dir_all(self.path.parent().expect("a directory")).expect("the directory of dumps");
        let sql = if self.backend == Backend::Sqlite { sqlite(database).await } else { postgres(database).await };
        fs::write(self.file("sql"), sql).expect("the statements");
        let held = serde_json::to_string_pretty(held).expect("JSON") + "\n";
        fs::write(self.file("json"), held).expect("the clients' side");
        drop(fs::remove_dir_all(&self.path));
        if migrations.exists() {
            copy_files(migrations, &self.path);
        }
    }
}

/// Copies the files of a directory.
pub(crate) fn copy_files(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("the directory");
    for entry in fs::read_dir(from).expect("the files") {
        let entry = entry.expect("a file");
        fs::copy(entry.path(), to.join(entry.file_name())).expect("a copy");
    }
}

/// The statements that create a database of SQLite with its records.
async fn sqlite(database: &Database) -> String {
    let objects = "FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'";
    let mut statements = database.texts(&format!("SELECT sql {objects} AND type = 'table' ORDER BY rowid")).await;
    for table in database.texts(&format!("SELECT name {objects} AND type = 'table' ORDER BY rowid")).await {
        let columns =
            database.texts(&format!("SELECT 'quote(\"' || name || '\")' FROM pragma_table_info('{table}')")).await;
        let values = columns.join(" || ', ' || ");
        statements.extend(
            database
                .texts(&format!("SELECT 'INSERT INTO \"{table}\" VALUES (' || {values} || ')' FROM \"{table}\""))
                .await,
        );
    }
    statements.extend(database.texts(&format!("SELECT sql {objects} AND type <> 'table' ORDER BY rowid")).await);
    statements.join(";\n") + ";\n"
}

/// The statements of `pg_dump`, whose path is in the environment, without its settings and comments.
async fn postgres(database: &Database) -> String {
    let program = std::env::var("PG_DUMP").expect("`tests/upgrade/dump` sets it");
    let mut command = Command::new(program);
    command.args(["--inserts", "--no-owner", "--no-privileges"]).arg(format!("--dbname={}", database.socket_url()));
    let output = command.output().await.expect("pg_dump");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("text");
    let is_left_out = |line: &str| {
        let begins = ["--", "\\", "SET ", "CREATE SCHEMA", "SELECT pg_catalog.set_config('search_path'"];
        line.is_empty() || begins.iter().any(|begin| line.starts_with(begin))
    };
    let lines: Vec<_> = text.lines().filter(|line| !is_left_out(line)).collect();
    lines.join("\n") + "\n"
}
