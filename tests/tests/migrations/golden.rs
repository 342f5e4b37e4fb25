//! The texts of migrations, compared with those in `golden/`, which were reviewed.
//!
//! `CRUD_TEST_UPDATE=1` writes the files instead. Those of MySQL and MariaDB are as the MariaDB that the tests start
//! spells types and conditions of its own tables; of a server that `CRUD_TEST_MYSQL` names, the texts are not compared.

use std::path::Path;
use std::{env, fs};

use crud_tests::Backend;

/// Compares a text with the reviewed one of this back end.
pub(crate) fn compare(backend: Backend, name: &str, actual: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/migrations/golden");
    let file = file.join(format!("{name}.{}.sql", backend.name()));
    if env::var_os("CRUD_TEST_UPDATE").is_some() {
        fs::write(&file, actual).expect("the file can be written");
        return;
    }
    if backend == Backend::MySql && env::var_os("CRUD_TEST_MYSQL").is_some() {
        return;
    }
    let expected = fs::read_to_string(&file).expect("the file is there; CRUD_TEST_UPDATE=1 writes it");
    assert_eq!(actual, expected, "{}", file.display());
}
