//! A process that is killed while it applies or reverts a migration leaves one that is applied whole or not at all, or
//! that goes on where it stopped: no value is converted twice, none is lost.

use std::fs;
use std::path::Path;
use std::time::Duration;

use crud_runtime::migrations::MigrationState;
use crud_runtime::prelude::*;
use crud_tests::{Backend, Database, Server, on_each_sql_backend};

use crate::kills::Kills;
use crate::rounds;

/// The records, so many that a rebuild takes longer than the start of a process.
const RECORDS: i64 = 4_000;

mod v1 {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "people")]
    pub(super) struct Person {
        pub(super) id: i64,
        pub(super) phone: String,
        pub(super) cents: i64,
    }
}

mod v2 {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(table = "people", filter(cents))]
    pub(super) struct Person {
        pub(super) id: i64,
        #[crud(renamed_from = "phone", max_length = 40)]
        pub(super) telephone: String,
        pub(super) cents: i64,
    }
}

/// Writes a migration, and into both files a conversion that must not be made twice.
async fn write(service: &Service, directory: &Path) {
    let written = service.write_migration(directory).await.expect("a migration").expect("a difference");
    let edit = |file: &Path, statement: &str| {
        let text = fs::read_to_string(file).expect("the file");
        let lines = text.lines().filter(|line| !line.starts_with("-- For an up file"));
        let edited = lines.map(|line| {
            let added = if line.contains("Review it") { format!("\n{statement}") } else { String::new() };
            format!("{line}{added}\n")
        });
        fs::write(file, edited.collect::<String>()).expect("the file");
    };
    let change = &written.changes[0];
    edit(&change.up, "UPDATE people SET cents = cents * 100;");
    edit(&change.down, "UPDATE people SET cents = cents / 100;");
}

/// A migration that runs in no transaction, where there is one.
fn write_index(backend: Backend, directory: &Path) {
    if backend == Backend::Postgres {
        let file = |name: &str, text: &str| {
            fs::write(directory.join(format!("99990101000000_index.{name}.sql")), text).expect("the file");
        };
        file("up", "-- no-transaction\nCREATE INDEX CONCURRENTLY by_cents ON people (cents, telephone);\n");
        file("down", "-- no-transaction\nDROP INDEX CONCURRENTLY IF EXISTS by_cents;\n");
    }
}

/// The number of applied migrations; `None` where one is applied or reverted in part.
pub(crate) async fn applied(service: &Service, directory: &Path) -> Option<usize> {
    let status = service.migration_status(directory).await.expect("a status");
    let is = |state| status.iter().filter(|migration| migration.state == state).count();
    (is(MigrationState::Interrupted) == 0).then(|| is(MigrationState::Applied))
}

/// A program that applies and reverts migrations, and is killed meanwhile.
pub(crate) struct Killed<'a> {
    pub(crate) program: &'a str,
    pub(crate) database: &'a Database,
    pub(crate) directory: &'a Path,
    pub(crate) kills: Kills,
}

impl Killed<'_> {
    /// Runs a command, kills it, and repeats it until so many migrations are applied.
    pub(crate) async fn run(&mut self, command: &str, target: usize) {
        let path = self.directory.to_str().expect("a path in UTF-8");
        let (program, arguments) = (self.program, [command, path]);
        let after = self.kills.run(program, &arguments, self.database).await;
        let service = self.database.service().await;
        while applied(&service, self.directory).await != Some(target) {
            let (status, printed) = Server::run(program, &arguments, self.database).await;
            assert!(status.success(), "{command}, killed after {after:?}: {printed}");
        }
    }
}

async fn survive(database: &Database, rounds: usize) {
    let temporary = tempfile::tempdir().expect("a directory");
    let directory = temporary.path().join("migrations");
    let first = async || database.service().await.resource::<v1::Person>();
    let second = async || database.service().await.resource::<v2::Person>();
    let service = first().await;
    service.write_migration(&directory).await.expect("a migration");
    service.apply_migrations(&directory).await.expect("a table");
    let people = service.store::<v1::Person>();
    for chunk in (1..=RECORDS).collect::<Vec<_>>().chunks(500) {
        let new = chunk.iter().map(|number| v1::NewPerson { phone: format!("+49 {number}"), cents: *number });
        people.create_batch(new.collect::<Vec<_>>()).await.expect("people");
    }
    let before = people.list(Select::all()).await.expect("people");
    write(&second().await, &directory).await;
    write_index(database.backend(), &directory);
    crud_runtime::migrations::hash(&directory).expect("the edits are accepted");
    let converted =
        |person: &v1::Person| v2::Person { id: person.id, telephone: person.phone.clone(), cents: person.cents * 100 };
    let after: Vec<v2::Person> = before.iter().map(converted).collect();

    let names = fs::read_dir(&directory).expect("the directory").map(|entry| entry.expect("an entry").file_name());
    let files = names.filter(|name| name.to_string_lossy().ends_with(".up.sql")).count();
    let program = env!("CARGO_BIN_EXE_migrator");
    let kills = Kills::new(Duration::from_millis(200), rounds);
    let mut killed = Killed { program, database, directory: &directory, kills };
    while killed.kills.begin_round() {
        killed.run("apply", files).await;
        let service = second().await.migrations(&directory).migrate().await.expect("the program starts");
        let people = service.store::<v2::Person>().list(Select::all()).await.expect("people");
        assert!(people == after, "applied in part, or twice: {}", killed.kills);
        for target in (1..files).rev() {
            killed.run("revert", target).await;
        }
        let people = first().await.store::<v1::Person>().list(Select::all()).await.expect("people");
        assert!(people == before, "reverted in part, or twice: {}", killed.kills);
    }
    eprintln!("{}: {}, every value as it must be", database.backend().name(), killed.kills);
}

#[test]
fn migration_survives_kills_whole_and_is_made_once() {
    on_each_sql_backend(async |database| survive(database, rounds()).await);
}
