//! The status of a database against a directory of migrations: behind, ahead, changed, interrupted.

use crud_runtime::migrations::MigrationState;
use crud_runtime::prelude::*;
use crud_tests::{Backend, Database, on_each_backend, on_each_sql_backend};

use crate::support::{Directory, error_text, has_transactional_ddl};

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "notes")]
struct Note {
    id: i64,
    text: String,
}

async fn service(database: &Database) -> Service {
    database.service().await.resource::<Note>()
}

/// A database with one applied migration: its directory and the name of its file.
async fn migrated(database: &Database) -> (Directory, String) {
    let directory = Directory::new();
    let service = service(database).await;
    directory.write_migration(&service).await;
    directory.apply(&service).await;
    let file = directory.files().pop().expect("a file");
    (directory, file)
}

#[test]
fn every_state_is_reported() {
    on_each_sql_backend(async |database| {
        let (directory, file) = migrated(database).await;
        directory.write("99990101000000_later.sql", "SELECT 1;\n");
        let status = service(database).await.migrations().status(directory.path()).await.expect("a status");
        let states: Vec<MigrationState> = status.iter().map(|migration| migration.state).collect();
        assert_eq!(states, [MigrationState::Applied, MigrationState::Pending]);
        assert_eq!(status.to_string(), format!("applied       {file}\npending       99990101000000_later.sql"));

        directory.remove("99990101000000_later.sql");
        directory.write(&file, "SELECT 1;\n");
        let changed = format!(
            "`{file}` has been changed after it was applied: put it back as it was, and write another migration"
        );
        assert_eq!(error_text(service(database).await.migrations_from(directory.path()).migrate().await), changed);
        assert_eq!(error_text(service(database).await.migrations().apply(directory.path()).await), changed);
        assert_eq!(error_text(service(database).await.migrations().write(directory.path()).await), changed);

        let version = file.split('_').next().expect("a version");
        directory.remove(&file);
        let ahead =
            format!("the database is ahead: `{version}` has been applied, and is not in the directory of migrations");
        let fits = service(database).await.migrations_from(directory.path()).migrate().await;
        fits.map(drop).expect("a newer program's database is used while it fits");
        assert_eq!(error_text(service(database).await.migrations().apply(directory.path()).await), ahead);
        assert_eq!(error_text(service(database).await.migrations().revert(directory.path()).await), ahead);
    });
}

#[test]
fn status_creates_no_table() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = service(database).await;
        assert_eq!(service.migrations().status(directory.path()).await.expect("a status").iter().count(), 0);
        assert!(!database.try_execute("SELECT * FROM _crud_migrations").await, "the bookkeeping table was created");
        assert_eq!(service.migrations().apply(directory.path()).await.expect("nothing to do"), [] as [&str; 0]);
        assert_eq!(service.migrations().revert(directory.path()).await.expect("nothing to do"), None);
    });
}

#[test]
fn failed_migration_is_named_and_earlier_ones_stay_applied() {
    on_each_sql_backend(async |database| {
        let (directory, _) = migrated(database).await;
        directory.write("99990101000000_good.sql", "CREATE TABLE a (b INTEGER);\n");
        directory.write("99990101000001_bad.sql", "CREATE TABLE c (d INTEGER);\nINSERT INTO nowhere VALUES (1);\n");
        let error = error_text(service(database).await.migrations().apply(directory.path()).await);
        assert!(error.starts_with("`99990101000001_bad.sql` failed: ") && error.contains("nowhere"), "{error}");
        let status = service(database).await.migrations().status(directory.path()).await.expect("a status");
        let states: Vec<MigrationState> = status.iter().map(|migration| migration.state).collect();
        assert_eq!(states[..2], [MigrationState::Applied, MigrationState::Applied]);
        let kept = if has_transactional_ddl(database.backend()) {
            MigrationState::Pending
        } else {
            MigrationState::Interrupted
        };
        assert_eq!(states[2], kept);
        service(database).await.migrate().await.map(drop).expect("the connections still work");
    });
}

#[test]
fn interrupted_migration_is_named() {
    on_each_sql_backend(async |database| {
        let (directory, file) = migrated(database).await;
        database.execute("UPDATE _crud_migrations SET success = FALSE").await;
        let interrupted = format!(
            "`{file}` is applied or reverted in part: another process is running it, or the last run was interrupted; run \
             it again, and if this error is returned again, repair the database and delete the row from `_crud_migrations`"
        );
        assert_eq!(error_text(service(database).await.migrations_from(directory.path()).migrate().await), interrupted);
        assert_eq!(error_text(service(database).await.migrations().apply(directory.path()).await), interrupted);
    });
}

#[test]
fn missing_table_is_rejected_without_pending_migrations() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let error = error_text(service(database).await.migrations_from(directory.path()).migrate().await);
        assert_eq!(error, "the database does not fit the resources:\n  table `notes`: is missing");
    });
}

#[test]
fn unusable_directory_is_reported() {
    on_each_sql_backend(async |database| {
        let (directory, file) = migrated(database).await;
        let version = file.split('_').next().expect("a version");
        directory.write(&format!("{version}_again.up.sql"), "SELECT 1;\n");
        let error = error_text(service(database).await.migrations().status(directory.path()).await);
        assert!(error.contains("have the same version"), "{error}");
        directory.write("one_a.sql", "SELECT 1;\n");
        let error = error_text(service(database).await.migrations().status(directory.path()).await);
        assert!(error.starts_with("the migrations in `") && error.contains("one_a.sql"), "{error}");
    });
}

#[test]
fn concurrent_starts_apply_a_migration_once() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        directory.write_migration(&service(database).await).await;
        let mut tasks = tokio::task::JoinSet::new();
        for _ in 0..4 {
            let (service, path) = (service(database).await, directory.path());
            tasks.spawn(async move { service.migrations().apply(path).await.map(drop) });
        }
        while let Some(applied) = tasks.join_next().await {
            applied.expect("the task").expect("the migrations are applied");
        }
    });
}

#[test]
fn storage_without_migrations_reports_that() {
    on_each_backend(async |database| {
        if database.backend().speaks_sql() {
            return;
        }
        let directory = Directory::new();
        let service = service(database).await;
        assert_eq!(error_text(service.migrations().diff().await), "this storage has no migrations");
        assert_eq!(error_text(service.migrations().write(directory.path()).await), "this storage has no migrations");
        assert_eq!(
            error_text(service.migrations_from(directory.path()).migrate().await),
            "this storage has no migrations"
        );
    });
}

#[test]
fn what_a_revert_drops_is_counted() {
    on_each_sql_backend(async |database| {
        let (directory, _) = migrated(database).await;
        let service = service(database).await;
        for text in ["a", "b"] {
            service.store::<Note>().create(NewNote { text: text.to_owned() }).await.expect("a note");
        }
        let losses = service.migrations().losses(directory.path()).await.expect("the losses");
        let losses: Vec<String> = losses.iter().map(ToString::to_string).collect();
        assert_eq!(losses, ["the table `notes` with 2 records"]);
        directory.write("99990101000000_mood.up.sql", "ALTER TABLE notes ADD COLUMN mood INTEGER;\n");
        directory.write("99990101000000_mood.down.sql", "ALTER TABLE notes DROP COLUMN mood;\n");
        directory.apply(&service).await;
        database.execute("UPDATE notes SET mood = 1 WHERE text = 'a'").await;
        let losses = service.migrations().losses(directory.path()).await.expect("the losses");
        assert_eq!(
            losses.iter().map(ToString::to_string).collect::<Vec<_>>(),
            ["the column `mood` of `notes` with 1 value"]
        );
        directory.revert(&service).await;
    });
}

#[test]
fn down_file_of_an_up_file_that_was_edited_is_refused() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = service(database).await;
        let files = directory.write_migration(&service).await;
        files.review_up(|text| format!("{text}INSERT INTO notes (text) VALUES ('made by hand');\n"));
        directory.apply(&service).await;
        let stale = service.migrations().stale_down_files(directory.path()).await.expect("the directory");
        let error = error_text(service.migrations().revert(directory.path()).await);
        assert!(error.contains("was edited after") && error.contains(&stale[0]), "{stale:?}: {error}");
        let line =
            error.split('`').find(|part| part.starts_with("-- For an up file")).expect("the line to write").to_owned();
        files.review_down(|text| {
            let kept = text.lines().filter(|line| !line.starts_with("-- For an up file"));
            std::iter::once(&*line).chain(kept).collect::<Vec<_>>().join("\n") + "\n"
        });
        directory.revert(&service).await;
    });
}

#[test]
fn file_that_ends_its_transaction_is_refused() {
    on_each_sql_backend(async |database| {
        if !has_transactional_ddl(database.backend()) {
            return;
        }
        let (directory, _) = migrated(database).await;
        let service = service(database).await;
        for (file, reason) in
            [("99990101000000_a.sql", "neither begins nor ends"), ("99990101000000_b.sql", "a file of one statement")]
        {
            let none = if file.contains("_b") { "-- no-transaction\n" } else { "" };
            directory
                .write(file, &format!("{none}CREATE TABLE a (b INTEGER);\nCOMMIT;\nCREATE TABLE c (d INTEGER);\n"));
            let error = error_text(service.migrations().apply(directory.path()).await);
            assert!(error.contains(reason), "{error}");
            assert!(!database.try_execute("SELECT * FROM a").await, "a statement was run");
            directory.remove(file);
        }
    });
}

#[test]
fn statement_that_fails_is_not_taken_for_done_when_it_is_repeated() {
    on_each_sql_backend(async |database| {
        let (directory, _) = migrated(database).await;
        let service = service(database).await;
        database.execute("CREATE INDEX taken ON notes (id)").await;
        let concurrently = if database.backend() == Backend::Postgres { "CONCURRENTLY " } else { "" };
        let text = format!("-- no-transaction\nCREATE INDEX {concurrently}taken ON notes (id, id);\n");
        directory.write("99990101000000_index.sql", &text);
        for attempt in 1..=3 {
            let error = error_text(service.migrations().apply(directory.path()).await);
            assert!(error.starts_with("`99990101000000_index.sql` failed: "), "attempt {attempt}: {error}");
        }
    });
}

#[test]
fn file_that_ends_its_transaction_by_another_word_is_refused() {
    on_each_sql_backend(async |database| {
        if !has_transactional_ddl(database.backend()) {
            return;
        }
        let (directory, _) = migrated(database).await;
        let service = service(database).await;
        directory.write("99990101000000_a.sql", "CREATE TABLE a (b INTEGER);\nEND;\nCREATE TABLE c (d INTEGER);\n");
        let error = error_text(service.migrations().apply(directory.path()).await);
        assert!(error.contains("neither begins nor ends"), "{error}");
        assert!(!database.try_execute("SELECT * FROM a").await, "a statement was run");
        if database.backend() == Backend::Sqlite {
            let trigger =
                "CREATE TABLE a (b INTEGER);\nCREATE TRIGGER t AFTER INSERT ON a BEGIN\n  DELETE FROM a;\nEND;\n";
            directory.write("99990101000000_a.sql", trigger);
            assert_eq!(directory.apply(&service).await, 1, "the end of a trigger is none of a transaction");
        }
    });
}
