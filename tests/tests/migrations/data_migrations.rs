//! Data migrations: steps of the history that the program runs, in order with the files of statements.

use std::fs;

use crud_runtime::migrations::{DataMigration, MigrationState, ShadowDatabase};
use crud_runtime::prelude::*;
use crud_tests::{Backend, Database, Server, on_each_backend, on_each_sql_backend};

use crate::support::{Directory, error_text};

/// More records than two batches have.
const PEOPLE: i64 = 243;
const BATCH: u32 = 100;

/// The first release.
mod v1 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "people", audit)]
    pub(crate) struct Person {
        pub(crate) id: i64,
        pub(crate) name: String,
    }
}

/// The release that splits the name: the columns that are to be filled in.
mod v2 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "people", audit)]
    pub(crate) struct Person {
        pub(crate) id: i64,
        pub(crate) name: String,
        pub(crate) first: Option<String>,
        pub(crate) last: Option<String>,
        #[crud(default = 0)]
        pub(crate) visits: i64,
    }
}

/// The release after that, which has no name any more.
mod v3 {
    use super::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "people", audit)]
    pub(crate) struct Person {
        pub(crate) id: i64,
        pub(crate) first: Option<String>,
        pub(crate) last: Option<String>,
        #[crud(default = 0)]
        pub(crate) visits: i64,
    }
}

/// The struct of the data migration: the table between the two files of statements.
mod step {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "people")]
    pub(crate) struct Person {
        pub(crate) id: i64,
        pub(crate) name: String,
        pub(crate) first: Option<String>,
        pub(crate) last: Option<String>,
        pub(crate) visits: i64,
    }
}

async fn split(person: step::Person, tx: Tx<'static>) -> crud_runtime::Result<()> {
    let Some((first, last)) = person.name.split_once(' ') else {
        return Err(crud_runtime::Error::Setup(format!("`{}` has no first name", person.name)));
    };
    let patch = step::PersonPatch::default().first(first.to_owned()).last(last.to_owned());
    let patch = patch.add(step::Person::FIELDS.visits, 1);
    tx.store::<step::Person>().update(person.id, patch).await.map(drop)
}

async fn join(person: step::Person, tx: Tx<'static>) -> crud_runtime::Result<()> {
    let name = format!("{} {}", person.first.unwrap_or_default(), person.last.unwrap_or_default());
    let patch = step::PersonPatch::default().name(name).add(step::Person::FIELDS.visits, 1);
    tx.store::<step::Person>().update(person.id, patch).await.map(drop)
}

fn split_names() -> DataMigration {
    DataMigration::each("split_names", split).batch_size(BATCH)
}

async fn second(database: &Database) -> Service {
    database.service().await.resource::<v2::Person>()
}

/// A database of the first release with people, and a directory with the next one: its columns, and the data migration,
/// whose file's name is returned.
async fn first_release(database: &Database) -> (Directory, String) {
    let directory = Directory::new();
    let service = database.service().await.resource::<v1::Person>();
    directory.write_migration(&service).await;
    directory.apply(&service).await;
    let people = service.store::<v1::Person>();
    let new = (1..=PEOPLE).map(|number| v1::NewPerson { name: format!("Ada{number} Byron{number}") });
    people.create_batch(new.collect::<Vec<_>>()).await.expect("people");
    directory.write_migration(&second(database).await).await;
    let file = service.migrations().write_data(directory.path(), "split_names").await.expect("a file");
    (directory, file.file_name().expect("a name").to_string_lossy().into_owned())
}

/// The number of entries in the log.
async fn entries(database: &Database) -> i64 {
    let app = database.service().await.app();
    let counted = app.transaction(async |tx| tx.sql("SELECT COUNT(*) FROM audit_logs").fetch::<(i64,)>().await).await;
    counted.expect("a count")[0].0
}

#[test]
fn data_migration_runs_between_the_files_of_statements() {
    on_each_sql_backend(async |database| {
        let (directory, file) = first_release(database).await;
        directory.write("99990101000000_drop_name.sql", "ALTER TABLE people DROP COLUMN name;\n");
        let before = entries(database).await;
        let third = database.service().await.resource::<v3::Person>().data_migration(split_names());
        let applied = third.migrations().apply(directory.path()).await.expect("all files");
        let place = applied.iter().position(|name| *name == file).expect("the data migration");
        assert!(place > 0 && place + 1 < applied.len(), "{applied:?}");

        let service = third.migrations_from(directory.path()).migrate().await.expect("a start");
        let people = service.store::<v3::Person>().list(Select::all()).await.expect("people");
        let split = |number: i64| v3::Person {
            id: number,
            first: Some(format!("Ada{number}")),
            last: Some(format!("Byron{number}")),
            visits: 1,
        };
        assert!(people == (1..=PEOPLE).map(split).collect::<Vec<_>>(), "not split, or not once");
        assert_eq!(entries(database).await, before, "a data migration writes no entries");
        assert_eq!(service.unused_tables().await.expect("tables"), []);
        assert_eq!(service.migrations().apply(directory.path()).await.expect("nothing"), [""; 0]);

        // An empty database runs it too.
        let shadow = ShadowDatabase::create(database.url()).await.expect("a database");
        let missing = service.migrations().verify(directory.path(), shadow.url()).await;
        shadow.remove().await.expect("it is removed");
        assert_eq!(missing.expect("all files"), None);
    });
}

#[test]
fn failed_batch_names_the_key_and_is_where_the_next_run_goes_on() {
    on_each_sql_backend(async |database| {
        let (directory, file) = first_release(database).await;
        database.execute("UPDATE people SET name = 'Plato' WHERE id = 220").await;
        let service = || async { second(database).await.data_migration(split_names()) };
        let error = error_text(service().await.migrations().apply(directory.path()).await);
        assert_eq!(error, format!("`{file}` failed: at the key `220`: `Plato` has no first name"));
        let status = service().await.migrations().status(directory.path()).await.expect("a status");
        let last = status.iter().last().expect("the data migration");
        assert_eq!(last.state, MigrationState::Interrupted);
        let line = format!("interrupted   {file}  200 of 243 records, up to the key `200`");
        assert!(status.to_string().ends_with(&line), "{status}");
        let error = error_text(service().await.migrations_from(directory.path()).migrate().await);
        assert!(error.starts_with(&format!("`{file}` is applied or reverted in part")), "{error}");
        // Going back is for what is complete.
        let error = error_text(service().await.migrations().revert(directory.path()).await);
        assert!(error.contains("has no way back"), "{error}");
        let both_ways = second(database).await.data_migration(split_names().down_each(join));
        let error = error_text(both_ways.migrations().revert(directory.path()).await);
        assert!(error.starts_with(&format!("`{file}` is applied or reverted in part")), "{error}");

        database.execute("UPDATE people SET name = 'Plato Aristocles' WHERE id = 220").await;
        assert_eq!(service().await.migrations().apply(directory.path()).await.expect("the rest"), [file]);
        let people = service().await.store::<v2::Person>();
        assert_eq!(people.count(v2::Person::FIELDS.visits.eq(1)).await.expect("a count"), PEOPLE.unsigned_abs());
        assert_eq!(people.get(220).await.expect("a person").last.as_deref(), Some("Aristocles"));
    });
}

#[test]
fn program_of_before_starts_beside_a_data_migration_that_is_not_at_its_end() {
    on_each_sql_backend(async |database| {
        let (directory, file) = first_release(database).await;
        let before = Directory::new();
        let names: Vec<String> = directory.files().into_iter().filter(|name| name.contains("_create_")).collect();
        for name in &names {
            before.write(name, &fs::read_to_string(directory.path().join(name)).expect("the file"));
        }
        database.execute("UPDATE people SET name = 'Plato' WHERE id = 220").await;
        let service = || async { second(database).await.data_migration(split_names()) };
        error_text(service().await.migrations().apply(directory.path()).await);

        let first = || async { database.service().await.resource::<v1::Person>() };
        let old = first().await.migrations_from(before.path()).migrate().await.expect("the program of before starts");
        let people = old.store::<v1::Person>();
        people.create(v1::NewPerson { name: "Zoe Last".to_owned() }).await.expect("a person");
        assert_eq!(people.get(7).await.expect("a person").name, "Ada7 Byron7");
        let error = error_text(first().await.migrations().apply(before.path()).await);
        assert!(error.starts_with("the database is ahead"), "{error}");

        let error = error_text(service().await.migrations_from(directory.path()).migrate().await);
        let expected = format!("`{file}` is applied or reverted in part: 200 of 243 records, up to the key `200`. ");
        assert!(error.starts_with(&expected) && error.contains("`crud migrate apply` goes on there"), "{error}");
        database.execute("UPDATE people SET name = 'Plato Aristocles' WHERE id = 220").await;
        service().await.migrations().apply(directory.path()).await.expect("the rest");
        service().await.migrations_from(directory.path()).migrate().await.map(drop).expect("the program starts");
        first().await.migrations_from(before.path()).migrate().await.map(drop).expect("so does the one of before");
    });
}

#[test]
fn two_processes_share_the_batches() {
    on_each_sql_backend(async |database| {
        let (directory, _) = first_release(database).await;
        let applied = |service: Service| {
            let path = directory.path();
            tokio::spawn(async move { service.migrations().apply(path).await })
        };
        let small = || split_names().batch_size(20);
        let one = applied(second(database).await.data_migration(small()));
        let other = applied(second(database).await.data_migration(small()));
        one.await.expect("no panic").expect("all files");
        other.await.expect("no panic").expect("all files");
        let people = second(database).await.store::<v2::Person>();
        assert_eq!(people.count(v2::Person::FIELDS.visits.eq(1)).await.expect("a count"), PEOPLE.unsigned_abs());
    });
}

#[test]
fn program_and_directory_have_the_same_data_migrations() {
    on_each_sql_backend(async |database| {
        let (directory, file) = first_release(database).await;
        let lacking = format!(
            "`{file}` is a data migration, and the program has none named `split_names`: add it by \
             `Service::data_migration`"
        );
        let error = error_text(second(database).await.migrations().apply(directory.path()).await);
        assert!(error.contains(&lacking), "{error}");
        let status = second(database).await.migrations().status(directory.path()).await.expect("a status");
        assert_eq!(status.pending().count(), status.iter().count() - 1, "no file is applied before: {status}");
        let error = error_text(second(database).await.migrations_from(directory.path()).migrate().await);
        assert!(error.contains(&lacking), "{error}");
        let shadow = ShadowDatabase::create(database.url()).await.expect("a database");
        let verified = second(database).await.migrations().verify(directory.path(), shadow.url()).await;
        shadow.remove().await.expect("it is removed");
        assert!(error_text(verified).contains(&lacking));

        let service = || async { second(database).await.data_migration(split_names()) };
        let other = || DataMigration::once("seed", async |_| crud_runtime::Result::<()>::Ok(()));
        let unnamed =
            "the program has the data migration `seed`, and no file names it: `crud migrate data seed` writes one";
        let both = || async { service().await.data_migration(other()) };
        assert!(error_text(both().await.migrations().apply(directory.path()).await).contains(unnamed));
        service().await.migrations().apply(directory.path()).await.expect("all files");
        assert!(error_text(both().await.migrations_from(directory.path()).migrate().await).contains(unnamed));
        let twice = service().await.data_migration(split_names());
        assert!(error_text(twice.migrate().await).contains("two data migrations are named `split_names`"));

        // Its code may go once the database has it.
        second(database).await.migrations_from(directory.path()).migrate().await.map(drop).expect("a start");
        let error = error_text(service().await.migrations().write_data(directory.path(), "Seed it").await);
        assert!(error.contains("`Seed it` is not the name of a migration"), "{error}");
        let error = error_text(service().await.migrations().write_data(directory.path(), "split_names").await);
        assert!(error.contains(&format!("`{file}` names the data migration `split_names` already")), "{error}");
        directory.write("99990101000000_again.sql", "-- data-migration split_names\n");
        let error = error_text(service().await.migrations().apply(directory.path()).await);
        assert!(error.contains(&format!("`{file}` and `99990101000000_again.sql` name one data migration")), "{error}");
    });
}

#[test]
fn data_migration_is_reverted_by_its_way_back() {
    on_each_sql_backend(async |database| {
        let (directory, file) = first_release(database).await;
        let one_way = second(database).await.data_migration(split_names());
        one_way.migrations().apply(directory.path()).await.expect("all files");
        let error = error_text(one_way.migrations().revert(directory.path()).await);
        assert!(error.starts_with(&format!("`{file}` failed: the data migration has no way back")), "{error}");
        assert_eq!(one_way.migrations().losses(directory.path()).await.expect("no losses"), []);

        let service = second(database).await.data_migration(split_names().down_each(join));
        database.execute("UPDATE people SET name = ''").await;
        assert_eq!(service.migrations().revert(directory.path()).await.expect("reverted"), Some(file.clone()));
        let people = service.store::<v2::Person>();
        let person = people.get(7).await.expect("a person");
        assert_eq!((&*person.name, person.visits), ("Ada7 Byron7", 2));
        let status = service.migrations().status(directory.path()).await.expect("a status");
        assert_eq!(status.pending().collect::<Vec<_>>(), [&*file]);
        assert_eq!(service.migrations().apply(directory.path()).await.expect("applied again"), [file]);
        assert_eq!(people.count(v2::Person::FIELDS.visits.eq(3)).await.expect("a count"), PEOPLE.unsigned_abs());
    });
}

#[test]
fn down_file_of_statements_reverts_too_and_the_next_run_begins_anew() {
    on_each_sql_backend(async |database| {
        let (directory, file) = first_release(database).await;
        let service = second(database).await.data_migration(split_names());
        service.migrations().apply(directory.path()).await.expect("all files");
        let down = file.replace(".sql", ".down.sql");
        directory.write(&down, "UPDATE people SET first = NULL, last = NULL;\n");
        assert_eq!(service.migrations().revert(directory.path()).await.expect("reverted"), Some(down));
        let people = service.store::<v2::Person>();
        assert_eq!(people.get(1).await.expect("a person").first, None);
        assert_eq!(service.migrations().apply(directory.path()).await.expect("applied again"), [file]);
        assert_eq!(people.count(v2::Person::FIELDS.visits.eq(2)).await.expect("a count"), PEOPLE.unsigned_abs());
    });
}

#[test]
fn statements_and_audit_entries_are_for_the_asking() {
    mod audited {
        use super::*;

        #[derive(Debug, Clone, Resource)]
        #[crud(table = "people", audit)]
        pub(super) struct Person {
            pub(super) id: i64,
            pub(super) visits: i64,
        }

        pub(super) async fn visit(person: Person, tx: Tx<'static>) -> crud_runtime::Result<()> {
            let patch = PersonPatch::default().visits(person.visits + 1);
            tx.store::<Person>().update(person.id, patch).await.map(drop)
        }
    }

    on_each_sql_backend(async |database| {
        let (directory, _) = first_release(database).await;
        let is_postgres = database.backend() == Backend::Postgres;
        let seed = move |mut tx: Tx<'static>| async move {
            let on_postgres = "INSERT INTO people (name, visits) VALUES ($1, 5)";
            let text = if is_postgres { on_postgres } else { "INSERT INTO people (name, visits) VALUES (?, 5)" };
            tx.sql(text).bind("Zoe Last").execute().await.map(drop)
        };
        let service = second(database).await;
        service.migrations().write_data(directory.path(), "seed").await.expect("a file");
        service.migrations().write_data(directory.path(), "visit").await.expect("a file");
        service.migrations().write_data(directory.path(), "visit_unseen").await.expect("a file");
        let service = service
            .data_migration(split_names())
            .data_migration(DataMigration::once("seed", seed))
            .data_migration(DataMigration::each("visit", audited::visit).audited())
            .data_migration(DataMigration::each("visit_unseen", audited::visit));
        let before = entries(database).await;
        service.migrations().apply(directory.path()).await.expect("all files");
        assert_eq!(entries(database).await, before + PEOPLE + 1, "one entry for each, once");
        let zoe = v2::Person::FIELDS.visits.eq(7);
        assert_eq!(service.store::<v2::Person>().count(zoe).await.expect("a count"), 1);
    });
}

#[test]
fn removal_reads_no_table_of_a_later_file() {
    mod leaving {
        use super::*;

        #[derive(Debug, Clone, Resource)]
        #[crud(table = "people", audit)]
        pub(super) struct Person {
            pub(super) id: i64,
        }

        /// A card, whose table is not there yet.
        #[derive(Debug, Clone, Resource)]
        #[crud(audit)]
        pub(super) struct Card {
            pub(super) id: i64,
            #[crud(references(v2::Person, on_delete(cascade)))]
            pub(super) person_id: i64,
        }

        pub(super) async fn leave(person: Person, tx: Tx<'static>) -> crud_runtime::Result<()> {
            if person.id == 7 {
                tx.store::<Person>().delete(person.id).await?;
            }
            Ok(())
        }
    }

    on_each_sql_backend(async |database| {
        let (directory, file) = first_release(database).await;
        let leave = DataMigration::each("split_names", leaving::leave).audited();
        let service = second(database).await.resource::<leaving::Card>().data_migration(leave);
        let before = entries(database).await;
        let applied = service.migrations().apply(directory.path()).await.expect("all files");
        assert!(applied.contains(&file), "{applied:?}");
        assert_eq!(entries(database).await, before + 1);
        let people = service.store::<v2::Person>().count(Select::all()).await.expect("a count");
        assert_eq!(people, PEOPLE.unsigned_abs() - 1);
    });
}

#[test]
fn data_migration_ends_no_transaction_of_a_batch() {
    async fn early(person: step::Person, tx: Tx<'static>) -> crud_runtime::Result<()> {
        let patch = step::PersonPatch::default().first("early".to_owned());
        tx.store::<step::Person>().update(person.id, patch).await?;
        tx.commit().await
    }

    on_each_sql_backend(async |database| {
        let (directory, file) = first_release(database).await;
        let service = second(database).await.data_migration(DataMigration::each("split_names", early));
        let error = error_text(service.migrations().apply(directory.path()).await);
        assert!(error.starts_with(&format!("`{file}` failed: at the key `1`: ")), "{error}");
        assert!(error.contains("not the program's to end"), "{error}");
        let early = v2::Person::FIELDS.first.eq("early".to_owned());
        assert_eq!(service.store::<v2::Person>().count(early).await.expect("a count"), 0, "the batch is rolled back");
    });
}

#[test]
fn struct_with_soft_delete_is_refused() {
    mod soft {
        use super::*;

        #[derive(Debug, Clone, Resource)]
        #[crud(table = "people", soft_delete)]
        pub(super) struct Person {
            pub(super) id: i64,
            pub(super) deleted_at: Option<DateTime<Utc>>,
        }
    }

    on_each_sql_backend(async |database| {
        let (directory, _) = first_release(database).await;
        let none = async |_: soft::Person, _: Tx<'static>| crud_runtime::Result::<()>::Ok(());
        let service = second(database).await.data_migration(DataMigration::each("split_names", none));
        let error = error_text(service.migrations().apply(directory.path()).await);
        assert!(error.contains("Person has `soft_delete`"), "{error}");
    });
}

#[test]
fn keys_of_text_are_continued_behind_the_last_one() {
    mod words {
        use super::*;

        #[derive(Debug, Clone, PartialEq, Resource)]
        #[crud(table = "words")]
        pub(super) struct Word {
            #[crud(length(max = 40))]
            pub(super) id: String,
            pub(super) visits: i64,
        }

        pub(super) async fn visit(word: Word, tx: Tx<'static>) -> crud_runtime::Result<()> {
            let patch = WordPatch::default().add(Word::FIELDS.visits, 1);
            tx.store::<Word>().update(&*word.id, patch).await.map(drop)
        }
    }

    on_each_sql_backend(async |database| {
        let directory = Directory::new();
        let service = database.service().await.resource::<words::Word>();
        directory.write_migration(&service).await;
        directory.apply(&service).await;
        let words = service.store::<words::Word>();
        for id in
            ["", "a b", "Å", "null", "Zebra", "zebra", "'; --", "7", "007"].into_iter().filter(|id| !id.is_empty())
        {
            words.create(words::NewWord { id: id.to_owned(), visits: 0 }).await.expect("a word");
        }
        service.migrations().write_data(directory.path(), "visits").await.expect("a file");
        let visits = DataMigration::each("visits", words::visit).batch_size(1);
        service.data_migration(visits).migrations().apply(directory.path()).await.expect("all files");
        assert_eq!(words.count(words::Word::FIELDS.visits.eq(1)).await.expect("a count"), 8);
    });
}

#[test]
fn file_stops_other_tools_and_has_its_hash() {
    on_each_sql_backend(async |database| {
        let (directory, file) = first_release(database).await;
        let text = fs::read_to_string(directory.path().join(&file)).expect("the file");
        assert!(!database.try_execute(&text).await, "another tool would take the step for applied");
        fs::write(directory.path().join(&file), text.clone() + "-- reviewed\n").expect("the file");
        let service = second(database).await.data_migration(split_names());
        let error = error_text(service.migrations().apply(directory.path()).await);
        assert!(error.contains(&format!("`{file}` was edited since its hash was written")), "{error}");
        fs::write(directory.path().join(&file), text).expect("the file");

        // A branch's data migration follows those that came with a merge, as it is.
        let shadow = ShadowDatabase::create(database.url()).await.expect("a database");
        let rebased = service.migrations().rebase(directory.path(), &[&file], shadow.url()).await;
        shadow.remove().await.expect("it is removed");
        let rebased = rebased.expect("the data migration is behind the others");
        assert_eq!(rebased.removed, [file]);
        assert!(rebased.written[0].ends_with("_split_names.sql"), "{rebased:?}");
        service.migrations().apply(directory.path()).await.expect("all files");
    });
}

#[test]
fn commands_write_the_file_and_print_the_progress() {
    on_each_sql_backend(async |database| {
        let checkout = tempfile::tempdir().expect("a directory");
        let run = async |arguments: &[&str]| {
            let (program, release) = (env!("CARGO_BIN_EXE_releases"), [("RELEASE", "shouting")]);
            Server::run_in(checkout.path(), program, arguments, &release, database).await
        };
        let done = async |arguments: &[&str]| {
            let (status, printed) = run(arguments).await;
            assert!(status.success(), "{arguments:?}: {printed}");
            printed
        };
        done(&["migrate", "diff"]).await;
        let (status, printed) = run(&["migrate", "apply"]).await;
        assert!(!status.success() && printed.contains("`crud migrate data shout` writes one"), "{printed}");
        let printed = done(&["migrate", "data", "shout"]).await;
        assert!(printed.starts_with("Written: migrations/") && printed.contains("_shout.sql\n"), "{printed}");
        assert!(printed.contains("DataMigration::each(\"shout\", …)"), "{printed}");
        let (status, printed) = run(&["migrate", "data", "shout"]).await;
        assert!(!status.success() && printed.contains("names the data migration `shout` already"), "{printed}");
        assert!(done(&["migrate", "status"]).await.contains("pending"));
        assert_eq!(
            done(&["migrate", "verify"]).await.lines().next(),
            Some("The migrations make what the structs need.")
        );
        let printed = done(&["migrate", "apply"]).await;
        assert!(printed.contains("shout: 0 of 0 records, 0 a second\n"), "{printed}");
        assert!(printed.lines().any(|line| line.starts_with("Applied: ") && line.ends_with("_shout.sql")), "{printed}");
        assert_eq!(done(&["migrate", "apply"]).await, "Nothing to apply: the database has every migration.\n");
    });
}

#[test]
fn storage_without_migrations_has_no_data_migrations() {
    on_each_backend(async |database| {
        if !matches!(database.backend(), Backend::MongoDb | Backend::Memory) {
            return;
        }
        let directory = Directory::new();
        let service = database.service().await.data_migration(split_names());
        let error = error_text(service.migrations().apply(directory.path()).await);
        assert_eq!(error, "this storage has no migrations");
    });
}
