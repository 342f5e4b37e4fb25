//! A process that is killed while it applies or reverts a migration leaves one that is applied whole or not at all, or
//! that goes on where it stopped: no value is converted twice, none is lost.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crud_runtime::migrations::MigrationState;
use crud_runtime::prelude::*;
use crud_tests::{Backend, Database, Server, on_each_sql_backend};

use crate::kills::Kills;
use crate::rounds;
use crate::steps::{Steps, add_gates, time};

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
        #[crud(column(renamed_from = "phone"), length(max = 40))]
        pub(super) telephone: String,
        pub(super) cents: i64,
    }
}

/// Writes a migration, and into both files a conversion that must not be made twice.
async fn write(service: &Service, directory: &Path) {
    let written = service.migrations().write(directory).await.expect("a migration").expect("a difference");
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
    let status = service.migrations().status(directory).await.expect("a status");
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
    /// Runs a command, kills it at a random moment, and repeats it until so many migrations are applied.
    pub(crate) async fn run(&mut self, command: &str, target: usize) {
        let path = self.directory.to_str().expect("a path in UTF-8");
        let after = self.kills.run(self.program, &[command, path], self.database).await;
        self.complete(command, target, &format!("killed after {after:?}")).await;
    }

    /// Runs a command, kills it at one of its steps, and repeats it until so many migrations are applied.
    async fn run_steps(&self, steps: &mut Steps, command: &str, target: usize) {
        let path = self.directory.to_str().expect("a path in UTF-8");
        steps.kill(self.program, &[command, path], self.database).await;
        self.complete(command, target, &steps.to_string()).await;
    }

    /// Repeats a command until so many migrations are applied.
    async fn complete(&self, command: &str, target: usize, when: &str) {
        let path = self.directory.to_str().expect("a path in UTF-8");
        let service = self.database.service().await;
        while applied(&service, self.directory).await != Some(target) {
            let (status, printed) = Server::run(self.program, &[command, path], self.database).await;
            assert!(status.success(), "{command}, {when}: {printed}");
        }
    }
}

/// The files of a directory with this end, in order.
fn files_of(directory: &Path, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the directory").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.to_string_lossy().ends_with(end)).collect();
    files.sort();
    files
}

async fn survive(database: &Database, rounds: usize) {
    let temporary = tempfile::tempdir().expect("a directory");
    let directory = temporary.path().join("migrations");
    let first = async || database.service().await.resource::<v1::Person>();
    let second = async || database.service().await.resource::<v2::Person>();
    let service = first().await;
    service.migrations().write(&directory).await.expect("a migration");
    service.migrations().apply(&directory).await.expect("a table");
    let people = service.store::<v1::Person>();
    for chunk in (1..=RECORDS).collect::<Vec<_>>().chunks(500) {
        let new = chunk.iter().map(|number| v1::NewPerson { phone: format!("+49 {number}"), cents: *number });
        people.create_batch(new.collect::<Vec<_>>()).await.expect("people");
    }
    let before = people.list(Select::all()).await.expect("people");
    write(&second().await, &directory).await;
    write_index(database.backend(), &directory);
    if database.backend() == Backend::Postgres {
        add_gates(&[&files_of(&directory, ".up.sql")[1..], &files_of(&directory, ".down.sql")[1..]].concat());
    }
    crud_runtime::migrations::hash(&directory).expect("the edits are accepted");
    let converted =
        |person: &v1::Person| v2::Person { id: person.id, telephone: person.phone.clone(), cents: person.cents * 100 };
    let after: Vec<v2::Person> = before.iter().map(converted).collect();

    let program = env!("CARGO_BIN_EXE_migrator");
    let kills = Kills::new(Duration::from_millis(200), rounds);
    let killed = Killed { program, database, directory: &directory, kills };
    let (ups, downs) = (files_of(&directory, ".up.sql"), files_of(&directory, ".down.sql"));
    // A command with nothing to do takes the time of its start.
    killed.complete("apply", ups.len(), "not killed").await;
    let run = async || drop(Server::run(program, &["apply", directory.to_str().expect("UTF-8")], database).await);
    let idle = time(run()).await;
    let back = time(killed.complete("revert", 1, "not killed")).await / u32::try_from(ups.len() - 1).expect("a few");
    let whole = time(run()).await;
    killed.complete("revert", 1, "not killed").await;

    let backend = database.backend();
    let mut apply = Steps::of("apply", backend, &ups[1..], [idle, whole]);
    let revert = downs[1..].iter().map(|file| Steps::of("revert", backend, std::slice::from_ref(file), [idle, back]));
    let mut revert: Vec<Steps> = revert.collect();
    let steps = revert.iter().chain([&apply]).map(Steps::count).max().unwrap_or_default();
    let is_covered = |apply: &Steps, revert: &[Steps]| apply.is_covered() && revert.iter().all(Steps::is_covered);
    let mut round = 0;
    // A short run has fewer rounds than there are steps.
    while round < rounds || (rounds > 2 * steps && round < 2 * rounds && !is_covered(&apply, &revert)) {
        round += 1;
        killed.run_steps(&mut apply, "apply", ups.len()).await;
        let service = second().await.migrations_from(&directory).migrate().await.expect("the program starts");
        let people = service.store::<v2::Person>().list(Select::all()).await.expect("people");
        assert!(people == after, "applied in part, or twice: {apply}");
        for (number, revert) in revert.iter_mut().enumerate().rev() {
            killed.run_steps(revert, "revert", number + 1).await;
        }
        let people = first().await.store::<v1::Person>().list(Select::all()).await.expect("people");
        assert!(people == before, "reverted in part, or twice: {}", revert[0]);
    }
    eprintln!("{apply}");
    for revert in &revert {
        eprintln!("{revert}");
    }
    assert!(rounds <= 2 * steps || is_covered(&apply, &revert), "a step has no kill in {round} rounds");
}

#[test]
fn migration_survives_kills_whole_and_is_made_once() {
    on_each_sql_backend(async |database| survive(database, rounds()).await);
}
