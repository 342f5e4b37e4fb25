//! A table that contradicts its struct: the refusal of a start names the commands that change the table, and they do.

use crud_tests::{Server, on_each_sql_backend};

use crate::checkout::Checkout;

const PROGRAM: &str = env!("CARGO_BIN_EXE_releases");

#[test]
fn refused_start_names_the_commands_that_mend_the_table() {
    on_each_sql_backend(async |database| {
        let checkout = Checkout::new(PROGRAM);
        drop(Server::start_in(checkout.path(), PROGRAM, &[], &[("RELEASE", "base")], database).await);
        let expected = "Error: the database does not fit the resources:\n  table `contacts`, column `loyalty`: is missing\n  \
                        To change the database: `crud migrate diff` writes the statements, `crud migrate apply` applies \
                        them.\n";
        for command in [&[][..], &["check"]] {
            let refusal = checkout.refused("theirs", command, database).await;
            assert!(refusal.ends_with(expected), "{command:?}: {refusal}");
        }
        checkout.done("theirs", &["migrate", "diff"], database).await;
        checkout.done("theirs", &["migrate", "apply"], database).await;
        drop(Server::start_in(checkout.path(), PROGRAM, &[], &[("RELEASE", "theirs")], database).await);
    });
}
