//! Compares the SQL of migrations with the reviewed files in `golden/`.
//!
//! `CRUD_TEST_UPDATE=1` writes the files instead. The MySQL files have the spelling of the MariaDB that the tests
//! start; with a server from `CRUD_TEST_MYSQL`, they are not compared.

use std::path::Path;
use std::{env, fs};

use crud_tests::Backend;

/// Compares a text with the reviewed file of this back end.
pub(crate) fn compare(backend: Backend, name: &str, actual: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/migrations/golden");
    let file = file.join(format!("{name}.{}.sql", backend.name()));
    if env::var_os("CRUD_TEST_UPDATE").is_some() {
        fs::write(&file, actual).expect("the file is written");
        return;
    }
    if !is_compared(backend) {
        return;
    }
    let expected = fs::read_to_string(&file).expect("the golden file; CRUD_TEST_UPDATE=1 writes it");
    assert_eq!(actual, expected, "{}", file.display());
}

/// The file of this back end, which is kept as it was first written: `actual` where there is none yet.
pub(crate) fn kept(backend: Backend, name: &str, actual: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/migrations/golden");
    let file = file.join(format!("{name}.{}.sql", backend.name()));
    if env::var_os("CRUD_TEST_UPDATE").is_some() && !file.exists() {
        fs::write(&file, actual).expect("the file is written");
    }
    fs::read_to_string(&file).expect("the kept file; CRUD_TEST_UPDATE=1 writes it once")
}

/// Whether the spelling is that of the server whose statements the files have.
pub(crate) fn is_compared(backend: Backend) -> bool {
    backend != Backend::MySql || env::var_os("CRUD_TEST_MYSQL").is_none()
}
