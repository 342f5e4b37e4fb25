//! Random pairs of structs with rows: the difference is written, applied, reverted, and nothing is left to write or lost.
//!
//! | Part | Module |
//! |---|---|
//! | The structs, and how they change | `releases` |
//! | Their descriptions | `program` |

mod program;
mod releases;

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;

use crud_runtime::prelude::*;
use crud_runtime::schema::Difference;
use crud_tests::{Backend, Database, amount, on_each_sql_backend};
use futures_util::FutureExt;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use self::releases::{Release, pair};
use crate::support::Directory;

/// The values of each record of a column as texts; nothing is an empty one.
async fn values(database: &Database, table: &str, column: &str) -> Vec<String> {
    let text = if database.backend() == Backend::MySql { "CHAR" } else { "TEXT" };
    database.texts(&format!("SELECT COALESCE(CAST(\"{column}\" AS {text}), '') FROM \"{table}\" ORDER BY \"id\"")).await
}

/// The values that a release has, by table and column.
async fn records(database: &Database, release: &Release) -> BTreeMap<(&'static str, &'static str), Vec<String>> {
    let mut all = BTreeMap::new();
    for table in &release.tables {
        for field in &table.fields {
            all.insert((table.name, field.name), values(database, table.name, field.name).await);
        }
    }
    all
}

/// Whether every value that was there still is. What was filled in stays.
fn keeps(before: &[String], after: &[String]) -> bool {
    before.len() == after.len() && before.iter().zip(after).all(|(before, after)| before.is_empty() || before == after)
}

/// The differences that a migration has to mend.
async fn differences(service: &Service) -> Vec<String> {
    let found = service.migrations().diff().await.expect("a comparison");
    found.iter().filter(|one| !one.is_unused()).map(Difference::to_string).collect()
}

/// Writes and applies what a service needs; the number of migrations, and their texts. Tables get other names in a separate
/// one.
async fn apply_all(service: &Service, directory: &Directory) -> (usize, String) {
    let (mut count, mut texts) = (0, String::new());
    while let Some(written) = directory.write_if_needed(service).await {
        count += 1;
        texts = format!("{texts}\n{}\n{}", written.up(), written.down());
        if let Err(error) = service.migrations().apply(directory.path()).await {
            panic!("{error}{texts}");
        }
        assert!(count <= 2, "each migration needs another one:{texts}");
    }
    (count, texts)
}

async fn there_and_back(database: &Database, slots: usize, (old, new): &(Release, Release)) {
    let (first, second) = (slots, slots + 1);
    let directory = Directory::new();
    let service = old.service(database, first).await;
    let (_, texts) = apply_all(&service, &directory).await;
    assert_eq!(differences(&service).await, [] as [&str; 0], "the first migration makes what the structs need:{texts}");
    drop(service);
    old.insert(database).await;
    drop(
        old.service(database, first)
            .await
            .migrations_from(directory.path())
            .migrate()
            .await
            .expect("the program starts"),
    );
    let before = records(database, old).await;

    let service = new.service(database, second).await;
    let (count, texts) = apply_all(&service, &directory).await;
    assert_eq!(differences(&service).await, [] as [&str; 0], "{texts}");
    assert_eq!(service.plan().await.expect("a plan"), [] as [&str; 0], "{texts}");
    drop(service.migrations_from(directory.path()).migrate().await.expect("the program starts"));
    for table in &new.tables {
        let former = table.renamed_from.unwrap_or(table.name);
        let is_renamed = |name: &str| table.fields.iter().any(|field| field.renamed_from == Some(name));
        for field in &table.fields {
            let after = values(database, table.name, field.name).await;
            let from = field.renamed_from.or((!is_renamed(field.name)).then_some(field.name));
            let is_kept = from.and_then(|from| before.get(&(former, from))).is_none_or(|before| keeps(before, &after));
            assert!(is_kept, "{former}.{}: {before:?} {after:?}{texts}", field.name);
        }
    }

    let service = new.service(database, second).await;
    for _ in 0..count {
        if let Err(error) = directory.try_revert(&service).await {
            panic!("{error}{texts}");
        }
    }
    drop(service);
    let service = old.service(database, first).await;
    assert_eq!(differences(&service).await, [] as [&str; 0], "{texts}");
    drop(service.migrate().await.expect("the old program starts"));
    let after = records(database, old).await;
    for (name, before) in &before {
        assert!(keeps(before, &after[name]), "{name:?}: {before:?} {:?}{texts}", after[name]);
    }
}

/// The message of a panic.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

/// Plays random changes on databases that are made by `fresh`, and reports each that fails.
async fn play(name: &str, cases: usize, slots: usize, fresh: impl Fn() -> Database) {
    // The cases of a run are those of the next one.
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let mut failed = Vec::new();
    for case in 0..cases {
        let pair = pair().new_tree(&mut runner).expect("a value").current();
        let played = AssertUnwindSafe(there_and_back(&fresh(), slots, &pair)).catch_unwind().await;
        if let Err(panic) = played {
            failed.push(format!("{name} case {case}: {pair:?}\n{}", message(&*panic)));
        }
        if (case + 1) % PROGRESS == 0 {
            eprintln!("{name}: {} of {cases} pairs, {} failed", case + 1, failed.len());
        }
    }
    assert!(failed.is_empty(), "{} of {cases} fail:\n\n{}", failed.len(), failed.join("\n\n"));
}

/// Number of pairs that the default part plays.
const CASES: usize = 8;

/// Pairs between two lines of a long run.
const PROGRESS: usize = 50;

#[test]
fn random_changes_are_applied_and_reverted_without_loss() {
    let cases = amount("migrations", CASES, 300);
    on_each_sql_backend(async |database| {
        let backend = database.backend();
        let slots = 2 * [Backend::Sqlite, Backend::Postgres, Backend::MySql]
            .iter()
            .position(|one| *one == backend)
            .expect("SQL");
        play(backend.name(), cases, slots, || backend.fresh()).await;
    });
}

#[tokio::test]
async fn random_changes_are_applied_and_reverted_through_a_pool_of_the_program() {
    play("a pool of sqlite", CASES, 6, Database::in_sqlite_pool).await;
}
