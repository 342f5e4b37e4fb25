//! The tables that the service itself needs: the log, answers by key, users, jobs.

use std::time::Duration;

use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_runtime::{BoxError, Job};
use crud_tests::{Database, Server, on_each_sql_backend};
use serde::{Deserialize, Serialize};

use crate::golden;
use crate::support::{Directory, error_text};

mod plain {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "notes")]
    pub(crate) struct Note {
        pub(crate) id: i64,
        pub(crate) text: String,
    }
}

mod full {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "notes", audit, idempotency, pagination(cursor))]
    pub(crate) struct Note {
        pub(crate) id: i64,
        pub(crate) text: String,
    }
}

async fn full(database: &Database) -> Service {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("authentication");
    database.service().await.resource::<full::Note>().extend(crud_runtime::ExtensionOptions::counters).auth(auth)
}

#[test]
fn migrations_create_the_tables_of_the_service() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = database.service().await.resource::<plain::Note>();
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        drop(service.migrations_from(directory.path()).migrate().await.expect("the first program starts"));

        let error = error_text(full(database).await.migrations_from(directory.path()).migrate().await);
        assert!(error.contains("table `audit_logs`: is missing"), "{error}");
        let service = full(database).await;
        let written = directory.write_migration(&service).await;
        let (up, down) = (written.up(), written.down());
        let created = up.matches("CREATE TABLE ").count();
        assert!(created >= 5, "the log, answers, counters, the secret, users: {up}");
        assert_eq!(down.matches("DROP TABLE ").count(), created, "{down}");
        directory.apply(&service).await;
        drop(service.migrations_from(directory.path()).migrate().await.expect("the second program starts"));
    });
}

#[test]
fn migrations_add_what_an_older_version_lacked() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = full(database).await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        drop(service);
        // As a version left it that knew no tenants.
        let (index, on_mysql) = ("ix_audit_logs__some_tenant__timestamp", "ix_audit_logs__tenant__timestamp");
        let dropped = database.try_execute(&format!("DROP INDEX {index}")).await
            || database.try_execute(&format!("DROP INDEX {on_mysql} ON audit_logs")).await;
        assert!(dropped, "the index of tenants");
        database.execute("ALTER TABLE audit_logs DROP COLUMN tenant").await;

        let error = error_text(full(database).await.migrations_from(directory.path()).migrate().await);
        assert!(error.contains("table `audit_logs`, column `tenant`: is missing"), "{error}");
        let service = full(database).await;
        let up = directory.write_migration(&service).await.up();
        assert!(up.contains("ADD COLUMN") && up.contains("tenant") && up.contains("CREATE INDEX"), "{up}");
        directory.apply(&service).await;
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        drop(service.migrations_from(directory.path()).migrate().await.expect("the program starts"));
    });
}

/// A service with every table that one can have for itself.
async fn every(database: &Database) -> Service {
    #[derive(Serialize, Deserialize)]
    struct Mail;

    impl Job for Mail {
        const KIND: &str = "mail";

        async fn run(self, _: App) -> Result<(), BoxError> {
            Ok(())
        }
    }

    full(database).await.job::<Mail>().server(|server| server.write_probe(Duration::from_secs(1)))
}

/// The statements are kept as they were in 0.1.
#[test]
fn tables_of_0_1_are_brought_up_to_date() {
    on_each_sql_backend(async |database| {
        let plan = every(database).await.plan().await.expect("the statements").join(";\n\n");
        for statement in golden::kept(database.backend(), "own_tables_0_1", &plan).split(";\n\n") {
            database.execute(statement).await;
        }
        let directory = Directory::new();
        let service = every(database).await;
        service.migrations().write(directory.path()).await.expect("a migration can be written");
        service.migrations().apply(directory.path()).await.expect("it can be applied");
        assert_eq!(service.migrations().diff().await.expect("a comparison"), []);
        service.migrate().await.map(drop).expect("the program starts");
    });
}

/// The kept statements of the version that `migrate status` prints are those of this program: a change of the tables needs
/// another version.
#[test]
fn status_prints_the_version_of_the_tables() {
    on_each_sql_backend(async |database| {
        let checkout = tempfile::tempdir().expect("a directory");
        let done = async |arguments: &[&str]| {
            let (program, release) = (env!("CARGO_BIN_EXE_releases"), [("RELEASE", "kept")]);
            let (status, printed) = Server::run_in(checkout.path(), program, arguments, &release, database).await;
            assert!(status.success(), "{arguments:?}: {printed}");
            printed
        };
        done(&["migrate", "diff"]).await;
        let printed = done(&["migrate", "status"]).await;
        assert!(printed.contains("  refuses: table `audit_logs`: is missing\n"), "{printed}");
        done(&["migrate", "apply"]).await;
        let printed = done(&["migrate", "status"]).await;
        let version = printed.lines().find_map(|line| line.strip_prefix("own tables: "));
        let name = format!("own_tables_{}", version.expect("a version").replace('.', "_"));
        let plan = every(&database.backend().fresh()).await.plan().await.expect("the statements").join(";\n\n");
        let kept = golden::kept(database.backend(), &name, &plan);
        assert!(
            plan == kept || !golden::is_compared(database.backend()),
            "the tables have changed since {name}: {plan}"
        );

        database.execute("ALTER TABLE audit_logs ADD COLUMN origin TEXT").await;
        assert!(
            done(&["migrate", "status"]).await.ends_with(&format!("own tables: {}\n", version.expect("a version")))
        );
    });
}

#[test]
fn older_program_uses_newer_tables_while_they_fit() {
    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = full(database).await;
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        // As a newer version would change them, whose files this program does not have.
        let newer = Directory::new();
        for file in directory.files() {
            newer.write(&file, &std::fs::read_to_string(directory.path().join(&file)).expect("the file"));
        }
        newer.write("99990101000000_newer.sql", "ALTER TABLE audit_logs ADD COLUMN origin TEXT;\n");
        newer.apply(&service).await;
        let older = full(database).await.migrations_from(directory.path()).migrate().await.expect("they fit");
        older.store::<full::Note>().create(full::NewNote { text: "an entry".to_owned() }).await.expect("a note");

        newer.write("99990101000001_newest.sql", "ALTER TABLE audit_logs DROP COLUMN previous;\n");
        newer.apply(&service).await;
        let error = error_text(full(database).await.migrations_from(directory.path()).migrate().await);
        assert!(error.contains("table `audit_logs`, column `previous`: is missing"), "{error}");
        assert!(error.contains("this program is older than the migrations"), "{error}");
    });
}
