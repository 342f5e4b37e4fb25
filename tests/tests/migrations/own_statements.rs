//! Commands about a migration's statements: a difference that is shown, and statements of the program's author.

use crud_tests::on_each_sql_backend;

use crate::checkout::Checkout;

const RELEASE: &str = "base";

fn checkout() -> Checkout {
    Checkout::new(env!("CARGO_BIN_EXE_releases"))
}

#[test]
fn a_dry_run_prints_the_statements_and_writes_nothing() {
    on_each_sql_backend(async |database| {
        let checkout = checkout();
        let printed = checkout.done(RELEASE, &["migrate", "diff", "--dry-run"], database).await;
        assert!(printed.contains("CREATE TABLE"), "{printed}");
        assert!(!checkout.migrations().exists(), "a dry run writes nothing");
        checkout.done(RELEASE, &["migrate", "diff"], database).await;
        checkout.done(RELEASE, &["migrate", "apply"], database).await;
        let printed = checkout.done(RELEASE, &["migrate", "diff", "--dry-run"], database).await;
        assert_eq!(printed, "Nothing to write: the database matches the structs.\n");
        let printed = checkout.refused(RELEASE, &["migrate", "diff", "--dry-run", "--check"], database).await;
        assert!(printed.contains("cannot be used with"), "{printed}");
    });
}

#[test]
fn tables_come_before_statements_of_the_author() {
    on_each_sql_backend(async |database| {
        let checkout = checkout();
        let printed = checkout.done(RELEASE, &["migrate", "add", "own_table"], database).await;
        assert!(printed.starts_with("Written: files that create the tables, which come before it\n"), "{printed}");
        let files = checkout.files(".up.sql");
        assert!(files.len() == 2 && files[0].contains("_create_") && files[1].contains("_own_table."), "{files:?}");
        checkout.write(&files[1], "CREATE TABLE own (id INTEGER);\n");
        checkout.done(RELEASE, &["migrate", "hash"], database).await;
        checkout.done(RELEASE, &["migrate", "apply"], database).await;
        database.execute("INSERT INTO own VALUES (1)").await;
    });
}

#[test]
fn statements_of_the_author_are_applied_once_their_hash_is_written() {
    on_each_sql_backend(async |database| {
        let checkout = checkout();
        checkout.done(RELEASE, &["migrate", "diff"], database).await;
        checkout.done(RELEASE, &["migrate", "apply"], database).await;
        let printed = checkout.refused(RELEASE, &["migrate", "add", "Own table"], database).await;
        assert!(printed.contains("`Own table` is not the name of a migration"), "{printed}");
        let printed = checkout.done(RELEASE, &["migrate", "add", "own_table"], database).await;
        assert!(printed.contains("then `crud migrate hash`"), "{printed}");
        let up = checkout.files("_own_table.up.sql").pop().expect("the up file");
        let down = checkout.files("_own_table.down.sql").pop().expect("the down file");
        checkout.write(&up, "CREATE TABLE own (id INTEGER);\n");
        checkout.write(&down, "DROP TABLE own;\n");
        let printed = checkout.refused(RELEASE, &["migrate", "apply"], database).await;
        assert!(printed.contains(&format!("`{up}` is not in `crud.sum`: `crud migrate hash` adds it")), "{printed}");
        checkout.done(RELEASE, &["migrate", "hash"], database).await;
        checkout.done(RELEASE, &["migrate", "apply"], database).await;
        database.execute("INSERT INTO own VALUES (1)").await;
        let printed = checkout.refused(RELEASE, &["migrate", "revert"], database).await;
        assert!(printed.contains("this would drop the table `own` with 1 record"), "{printed}");
        checkout.done(RELEASE, &["migrate", "revert", "--yes"], database).await;
        database.execute("CREATE TABLE own (id INTEGER)").await;
    });
}
