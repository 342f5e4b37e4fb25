//! Compile-fail cases: every mistake in a struct is a compile error that states the legal form. `ui/<topic>/*.rs`, each
//! beside the compiler's output.

use std::io::Write;
use std::process::Command;

/// The compiler version of the recorded output; another version words its own part differently.
const RUST: &str = "1.95.";

#[test]
fn mistakes_are_explained() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output().expect("the compiler says its version");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(&format!("rustc {RUST}")) {
        // Written to standard error, which the test harness does not capture.
        let mut stderr = std::io::stderr();
        let _ = writeln!(stderr, "SKIPPED: the compile-fail texts are those of Rust {RUST}x, and this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("ui/*/*.rs");
}
