//! The function that completes the service of a program of `config::run`.

use crud_tests::{Server, on_each_backend_with_url};

#[test]
fn error_of_the_function_is_that_of_the_program() {
    on_each_backend_with_url(async |database| {
        let program = env!("CARGO_BIN_EXE_renamed");
        for command in ["check", "openapi"] {
            let (status, printed) = Server::run("env", &["RELEASE=none", program, command], database).await;
            assert!(!status.success() && printed.contains("there is no release `none`"), "{command}: {printed}");
        }
    });
}
