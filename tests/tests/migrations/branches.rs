//! Two branches that each bring a migration, and the command's ways to merge them: as their authors type it.

use std::fs;
use std::time::Duration;

use crud_tests::{Backend, Database, on_each_sql_backend, on_sqlite, pause};

use crate::checkout::Checkout;

const PROGRAM: &str = env!("CARGO_BIN_EXE_releases");

/// Two branches of one base: the first has a migration that is older than that of the second, which the database has. It
/// returns the main line, the older migration's branch, and the names of the newer and the older up file.
async fn branches(database: &Database) -> (Checkout, Checkout, String, String) {
    let main = Checkout::new(PROGRAM);
    main.done("base", &["migrate", "diff"], database).await;
    // Versions are seconds, or the one before and one.
    for file in main.files(".sql") {
        let (_, name) = file.split_once('_').expect("a version");
        fs::rename(main.migrations().join(&file), main.migrations().join(format!("20000101000000_{name}")))
            .expect("the file");
    }
    main.done("base", &["migrate", "hash"], database).await;
    main.done("base", &["migrate", "apply"], database).await;
    let mine = main.branch();
    mine.done("mine", &["migrate", "diff"], database).await;
    pause("versions are seconds", Duration::from_millis(1_100)).await;
    main.done("theirs", &["migrate", "diff"], database).await;
    main.done("theirs", &["migrate", "apply"], database).await;
    database.execute("INSERT INTO contacts (name, loyalty) VALUES ('Ada', 7)").await;
    let (newer, older) = (main.files(".up.sql").pop().expect("a file"), mine.files(".up.sql").pop().expect("a file"));
    assert!(older < newer, "{older}, {newer}");
    (main, mine, newer, older)
}

#[test]
fn merged_branch_is_put_behind_the_other_and_written_anew() {
    on_each_sql_backend(async |database| {
        let (main, mine, newer, older) = branches(database).await;
        main.merge(&mine);
        for command in [&["migrate", "apply"][..], &["migrate", "diff"], &["check"]] {
            let refusal = main.refused("both", command, database).await;
            for part in [&older, &newer, &format!("`crud migrate rebase {older}`")] {
                assert!(refusal.contains(part), "{part} in {refusal}");
            }
        }
        let status = main.refused("both", &["migrate", "status"], database).await;
        assert!(status.contains(&format!("out of order  {older}")), "{status}");

        let said = main.done("both", &["migrate", "rebase", &older], database).await;
        let ups = main.files(".up.sql");
        assert!(ups.len() == 3 && ups[1] == newer && ups[2] > newer, "{ups:?}");
        assert!(
            said.contains(&format!("Removed: {older}")) && said.contains(&format!("Written: {}", ups[2])),
            "{said}"
        );
        // It is written from the tables of an empty database, and says the size of this one's.
        let written = main.read(&ups[2]);
        assert!(!written.contains(" 0 here"), "{written}");
        assert!(database.backend() != Backend::Sqlite || written.contains(" 1 here"), "{written}");
        let sums = main.read("crud.sum");
        assert!(!sums.contains("<<<<") && sums.lines().count() == 7, "{sums}");
        main.done("both", &["migrate", "verify"], database).await;
        main.done("both", &["migrate", "apply"], database).await;
        main.done("both", &["migrate", "diff", "--check"], database).await;
        main.done("both", &["check"], database).await;
        assert!(!database.try_execute("SELECT name FROM contacts").await, "the column is renamed");
        let again = "INSERT INTO contacts (id, full_name) SELECT id, full_name FROM contacts WHERE loyalty = 7";
        assert!(!database.try_execute(again).await, "no record has the value of the other branch");
        main.done("both", &["migrate", "revert"], database).await;
        let again = "INSERT INTO contacts (id, name) SELECT id, name FROM contacts WHERE loyalty = 7 AND name = 'Ada'";
        assert!(!database.try_execute(again).await, "a value was lost");
    });
}

#[test]
fn rebuild_without_the_columns_of_a_merged_branch_names_the_command_that_writes_it_anew() {
    on_sqlite(async |database| {
        let main = Checkout::new(PROGRAM);
        main.done("base", &["migrate", "diff"], database).await;
        main.done("base", &["migrate", "apply"], database).await;
        let theirs = main.branch();
        theirs.done("theirs", &["migrate", "diff"], database).await;
        let mine = main.branch();
        mine.done("mine", &["migrate", "diff"], database).await;
        mine.postpone(|file| !main.files(".sql").contains(&file.to_owned()));
        theirs.merge(&mine);
        let rebuild = theirs.files(".up.sql").pop().expect("a file");
        theirs.write("crud.sum", "");
        theirs.done("both", &["migrate", "hash"], database).await;
        for command in ["apply", "verify"] {
            let refusal = theirs.refused("both", &["migrate", command], database).await;
            let remedy = format!("`crud migrate rebase {rebuild}` writes the file anew behind theirs");
            assert!(refusal.contains("columns that this file does not know") && refusal.contains(&remedy), "{refusal}");
        }
    });
}

#[test]
fn branch_that_was_edited_keeps_its_statements_or_is_refused() {
    on_each_sql_backend(async |database| {
        let (main, mine, _, older) = branches(database).await;
        let edited = mine.read(&older) + "\nUPDATE contacts SET id = id WHERE 1 = 0;\n";
        let end = "COMMIT;\nPRAGMA legacy_alter_table = OFF;\nPRAGMA foreign_keys = ON;\n";
        // The frame of a rebuild stays at the end.
        let edited = if edited.contains(end) {
            mine.read(&older).replace(end, &format!("UPDATE contacts SET id = id WHERE 1 = 0;\n\n{end}"))
        } else {
            edited
        };
        mine.write(&older, &edited);
        mine.done("mine", &["migrate", "hash"], database).await;
        main.merge(&mine);
        if database.backend() == Backend::Sqlite {
            let refusal = main.refused("both", &["migrate", "rebase", &older], database).await;
            for part in [&*format!("`{older}` was edited"), "columns that this file does not know", "crud migrate diff"]
            {
                assert!(refusal.contains(part), "{part} in {refusal}");
            }
            assert!(main.files(".up.sql").contains(&older), "nothing is moved");
            return;
        }
        main.done("both", &["migrate", "rebase", &older], database).await;
        let moved = main.files(".up.sql").pop().expect("a file");
        assert_eq!(main.read(&moved), edited);
        main.done("both", &["migrate", "apply"], database).await;
        main.done("both", &["migrate", "diff", "--check"], database).await;
    });
}

#[test]
fn applied_migration_is_not_rebased() {
    on_each_sql_backend(async |database| {
        let (main, _, newer, _) = branches(database).await;
        let refusal = main.refused("theirs", &["migrate", "rebase", &newer], database).await;
        assert!(refusal.contains(&format!("`{newer}` is applied to this database")), "{refusal}");
        let refusal = main.refused("theirs", &["migrate", "rebase", "7_nothing"], database).await;
        assert!(refusal.contains("there is no `7_nothing`"), "{refusal}");
    });
}

#[test]
fn sums_name_files_that_were_edited_or_are_missing() {
    on_each_sql_backend(async |database| {
        let checkout = Checkout::new(PROGRAM);
        let said = checkout.done("base", &["migrate", "diff"], database).await;
        assert!(said.contains("Written: migrations/crud.sum"), "{said}");
        let (up, down) = (checkout.files(".up.sql").remove(0), checkout.files(".down.sql").remove(0));
        let text = checkout.read(&up);
        checkout.write(&up, &format!("{text}-- reviewed\n"));
        for command in [&["migrate", "apply"][..], &["migrate", "verify"]] {
            let refusal = checkout.refused("base", command, database).await;
            assert!(
                refusal.contains(&format!("`{up}` was edited")) && refusal.contains("crud migrate hash"),
                "{refusal}"
            );
        }
        assert_eq!(checkout.done("base", &["migrate", "hash"], database).await, format!("Hashed: {up}\n"));
        checkout.done("base", &["migrate", "apply"], database).await;
        fs::remove_file(checkout.migrations().join(&down)).expect("the file");
        let refusal = checkout.refused("base", &["check"], database).await;
        assert!(refusal.contains(&format!("`{down}` is in `crud.sum`, and missing")), "{refusal}");
        let refusal = checkout.refused("theirs", &["migrate", "diff"], database).await;
        assert!(refusal.contains(&format!("`{down}` is in `crud.sum`, and missing")), "{refusal}");
    });
}

#[test]
fn directory_without_sums_gets_them_with_the_next_file() {
    on_each_sql_backend(async |database| {
        let checkout = Checkout::new(PROGRAM);
        checkout.done("base", &["migrate", "diff"], database).await;
        fs::remove_file(checkout.migrations().join("crud.sum")).expect("the file");
        let up = checkout.files(".up.sql").remove(0);
        checkout.write(&up, &format!("{}-- reviewed\n", checkout.read(&up)));
        for command in [&["migrate", "apply"][..], &["check"], &["migrate", "verify"]] {
            checkout.done("base", command, database).await;
        }
        checkout.done("theirs", &["migrate", "diff"], database).await;
        assert_eq!(checkout.read("crud.sum").matches(".sql sha256:").count(), 4);
    });
}

#[test]
fn difference_is_printed_for_ci_and_not_written() {
    on_each_sql_backend(async |database| {
        let checkout = Checkout::new(PROGRAM);
        checkout.done("base", &["migrate", "diff"], database).await;
        checkout.done("base", &["migrate", "apply"], database).await;
        assert_eq!(
            checkout.done("base", &["migrate", "diff", "--check"], database).await,
            "Nothing to write: the database matches the structs.\n"
        );
        let before = checkout.files("");
        let said = checkout.refused("theirs", &["migrate", "diff", "--check"], database).await;
        assert!(said.contains("ALTER TABLE") && said.contains("loyalty") && said.contains("`migrate diff`"), "{said}");
        assert_eq!(checkout.files(""), before);
    });
}

#[test]
fn migrations_are_verified_on_an_empty_database() {
    on_each_sql_backend(async |database| {
        let checkout = Checkout::new(PROGRAM);
        checkout.done("base", &["migrate", "diff"], database).await;
        // The configured database has none of it.
        let said = checkout.done("base", &["migrate", "verify"], database).await;
        assert_eq!(said, "The migrations make what the structs need.\n");
        let said = checkout.refused("theirs", &["migrate", "verify"], database).await;
        assert!(said.contains("loyalty") && said.contains("need more than the migrations make"), "{said}");
        let status = checkout.done("base", &["migrate", "status"], database).await;
        assert!(status.starts_with("pending"), "the configured database was changed: {status}");

        let empty = database.backend().fresh();
        let given = ["migrate", "verify", "--shadow", empty.url()];
        checkout.done("base", &given, database).await;
        assert!(empty.try_execute("SELECT * FROM contacts").await, "the given database was not used");
        let said = checkout.refused("base", &given, database).await;
        assert!(said.contains("is not empty"), "{said}");

        let up = checkout.files(".up.sql").remove(0);
        checkout.write(&up, "SELECT * FROM nowhere;\n");
        checkout.done("base", &["migrate", "hash"], database).await;
        let said = checkout.refused("base", &["migrate", "verify"], database).await;
        assert!(said.contains(&format!("`{up}` failed")) && said.contains("nowhere"), "{said}");
    });
}
