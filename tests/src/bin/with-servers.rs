//! Runs a command beside one server of each database, which the tests that it starts use: `with-servers cargo test`.

use std::env;
use std::process::{Command, ExitCode};

use crud_tests::Servers;

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let Some(program) = arguments.next() else {
        eprintln!("expected a command, as in `with-servers cargo test`");
        return ExitCode::from(2);
    };
    let servers = Servers::start();
    let mut command = Command::new(&program);
    match servers.name_in(&mut command).args(arguments).status() {
        Ok(status) => status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from),
        Err(error) => {
            eprintln!("{program} does not start: {error}");
            ExitCode::FAILURE
        }
    }
}
