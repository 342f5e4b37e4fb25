//! The book's page with the tables of access, which tests write.

use std::path::Path;
use std::sync::Mutex;
use std::{env, fs};

const PAGE: &str = "../docs/src/reference/access.md";
const END: &str = "<!-- end -->\n";

/// Tests write the page one after the other.
static WRITING: Mutex<()> = Mutex::new(());

/// Compares a table with the one of this name on the page. `CRUD_TEST_UPDATE=1` writes it there instead.
#[track_caller]
pub(crate) fn compare(name: &str, table: &str) {
    let _writing = WRITING.lock();
    let begin = format!("<!-- {name}: written by a test -->\n");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&path).expect("the page");
    let (head, rest) = page.split_once(&begin).expect("the beginning of the table");
    let (written, tail) = rest.split_once(END).expect("the end of the table");
    if env::var_os("CRUD_TEST_UPDATE").is_some() {
        fs::write(&path, format!("{head}{begin}{table}{END}{tail}")).expect("the page");
    } else {
        assert_eq!(written, table, "the table of {PAGE}; CRUD_TEST_UPDATE=1 writes it");
    }
}
