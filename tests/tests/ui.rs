//! Every mistake in a struct is a compile error that says what to write: `ui/<topic>/*.rs`, with what the
//! compiler prints beside each.

use std::io::Write;
use std::process::Command;

/// The version whose texts stand beside the cases. Another compiler words its own part differently.
const RUST: &str = "1.95.";

#[test]
fn mistakes_are_explained() {
    let compiler = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let version = Command::new(compiler).arg("--version").output().expect("the compiler says its version");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    if !version.starts_with(&format!("rustc {RUST}")) {
        // Past the test harness, which would swallow it.
        let mut stderr = std::io::stderr();
        let _ = writeln!(stderr, "SKIPPED: the compile-fail texts are those of Rust {RUST}x, and this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("ui/*/*.rs");
}
