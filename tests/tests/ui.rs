//! Compile-fail cases: every mistake in a struct is a compile error that states the legal form. `ui/<topic>/*.rs`, each
//! beside the compiler's output.
//!
//! They run with Rust 1.95 (`cargo +1.95.0 test -p crud-tests --test ui`) and are skipped with another;
//! `CRUD_TEST_REQUIRE=ui` makes that a failure. `TRYBUILD=overwrite` writes the outputs.

use std::process::Command;

use crud_tests::skip;

/// The compiler version of the recorded output; another version words its own part differently.
const RUST: &str = "1.95.";

#[test]
fn mistakes_are_explained() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output().expect("the compiler says its version");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(&format!("rustc {RUST}")) {
        return skip(
            "ui",
            &format!("the texts beside the cases are those of Rust {RUST}x, and this is {}", version.trim()),
        );
    }
    trybuild::TestCases::new().compile_fail("ui/*/*.rs");
}
