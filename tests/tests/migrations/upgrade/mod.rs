//! Databases of the last landed version, in `tests/upgrade`: opened by this one, used by both side by side, and by the last one
//! again. The long part `upgrade` has a program of that version, whose path is in the variable `CRUD_TEST_FORMER`.
//!
//! | What | Module |
//! |---|---|
//! | A kept database | `dump` |
//! | What clients have of it | `held` |
//! | The program of both versions | `program` |

mod dump;
mod held;
#[path = "../../../upgrade/src/program.rs"]
mod program;

use std::path::Path;

use crud_runtime::Service;
use crud_tests::{Api, Backend, Database, Server, on_each_sql_backend, skip};

use self::dump::{Dump, copy_files};
use self::held::{Held, PASSWORD};
use crate::support::Directory;

const SECRET: &str = "the secret of the tests, which is public";

/// The program of this version on a database.
async fn present(database: &Database) -> Service {
    let auth = program::auth().secret(SECRET).build().expect("the authentication");
    program::resources(database.service().await).auth(auth)
}

/// Brings a database up to date as the upgrade page says, and serves it.
async fn upgraded(database: &Database, directory: &Directory) -> Api {
    let service = present(database).await;
    if let Some(written) = directory.write_if_needed(&service).await {
        assert!(!written.up().to_lowercase().contains("rename"), "nothing has another name: {}", written.up());
    }
    directory.apply(&service).await;
    let service = present(database).await.migrations_from(directory.path()).migrate().await;
    Api::start(database, service.expect("the service starts on the upgraded database")).await
}

/// Runs a test on each back end that has dumps, with and without migration files.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_each_kind(test: impl AsyncFn(&Database, bool)) {
    for has_files in [false, true] {
        on_each_sql_backend(async |database| {
            if database.backend() != Backend::MySql {
                test(database, has_files).await;
            }
        });
    }
}

#[test]
fn database_of_the_last_version_is_brought_up_to_date() {
    database_of_a_version_is_brought_up_to_date("last");
}

#[test]
fn database_of_the_version_before_is_brought_up_to_date() {
    database_of_a_version_is_brought_up_to_date("former");
}

fn database_of_a_version_is_brought_up_to_date(version: &str) {
    on_each_kind(async |database, has_files| {
        let (dump, directory) = (Dump::of(version, database.backend(), has_files), Directory::new());
        let held = dump.restore(database).await;
        if has_files {
            copy_files(dump.migrations(), &directory.path());
        }
        let api = upgraded(database, &directory).await;
        held.check(&api).await;
        held.wait_for_later_letter(&api).await;
        Held::write(&api, "now").await.check(&api).await;
        api.stop().await;
    });
}

/// The program of the last version in a temporary directory.
struct Former<'d> {
    program: String,
    directory: tempfile::TempDir,
    database: &'d Database,
}

impl<'d> Former<'d> {
    fn new(database: &'d Database) -> Option<Self> {
        let Ok(program) = std::env::var("CRUD_TEST_FORMER") else {
            skip("upgrade", "CRUD_TEST_FORMER names no program of the last version");
            return None;
        };
        Some(Self { program, directory: tempfile::tempdir().expect("a directory"), database })
    }

    async fn run(&self, arguments: &[&str]) {
        let secret = [("JWT_SECRET_KEY", SECRET)];
        let ran = Server::run_in(self.directory.path(), &self.program, arguments, &secret, self.database).await;
        assert!(ran.0.success(), "{arguments:?}: {}", ran.1);
    }

    /// Serves its database; first with migration files, where it has some.
    async fn first_start(&self, has_files: bool) -> Server {
        if has_files {
            self.run(&["migrate", "diff"]).await;
            self.run(&["migrate", "apply"]).await;
        }
        self.start().await
    }

    async fn start(&self) -> Server {
        let variables = [("JWT_SECRET_KEY", SECRET), ("ADMIN_PASSWORD", PASSWORD)];
        Server::start_in(self.directory.path(), &self.program, &[], &variables, self.database).await
    }

    fn migrations(&self) -> std::path::PathBuf {
        self.directory.path().join("migrations")
    }
}

async fn stop(mut server: Server) {
    server.signal("TERM").await;
    assert!(server.ended().await.success(), "the server stops");
}

#[test]
fn last_version_and_this_one_share_a_database_and_the_last_one_takes_it_back() {
    on_each_kind(async |database, has_files| {
        let Some(former) = Former::new(database) else { return };
        let server = former.first_start(has_files).await;
        let there = Held::write(&server, "there").await;
        let directory = Directory::new();
        if has_files {
            copy_files(&former.migrations(), &directory.path());
        }
        let api = upgraded(database, &directory).await;
        there.check(&api).await;
        let here = Held::write(&api, "here").await;
        for held in [&there, &here] {
            held.check(&server).await;
            held.check(&api).await;
            assert!(held.has_later_job(&server).await && held.has_later_job(&api).await);
        }
        let beside = Held::write(&server, "beside").await;
        beside.check(&api).await;
        api.stop().await;
        stop(server).await;

        let server = former.start().await;
        for held in [&there, &here, &beside] {
            held.check(&server).await;
        }
        let back = Held::write(&server, "back").await;
        stop(server).await;
        let api = upgraded(database, &directory).await;
        for held in [&there, &here, &beside, &back] {
            held.check(&api).await;
        }
        api.stop().await;
    });
}

/// `tests/upgrade/dump` runs it.
#[test]
#[ignore = "writes files"]
fn dumps_of_the_last_version_are_written() {
    on_each_kind(async |database, has_files| {
        let former = Former::new(database).expect("its program");
        let server = former.first_start(has_files).await;
        let held = Held::write(&server, "then").await;
        stop(server).await;
        let (dump, migrations) = (Dump::of("last", database.backend(), has_files), former.migrations());
        dump.write(database, &held, if has_files { &migrations } else { Path::new("none") }).await;
    });
}
