//! A service in a separate process: this test program, started again.

use std::env;
use std::path::Path;

use crud_files::{File, Files};
use crud_runtime::prelude::*;
use crud_tests::{Database, Server};

/// A film, which is large.
#[derive(Debug, Clone, Resource)]
#[crud(pagination)]
pub(crate) struct Film {
    pub(crate) id: i64,
    pub(crate) name: String,
    #[crud(file(max = "4GiB", types("*/*")))]
    pub(crate) copy: Option<File>,
}

/// The variable with the directory of files, by which the program knows that it is to serve.
const DIRECTORY: &str = "CRUD_TEST_FILES_DIRECTORY";

/// A service with films.
pub(crate) fn films(service: Service, directory: &Path) -> Service {
    service.plugin(Files::local(directory)).expect("one plugin").resource::<Film>()
}

/// Starts the service.
pub(crate) async fn start(database: &Database, directory: &Path) -> Server {
    let program = env::current_exe().expect("this program");
    let (program, directory) = (program.to_string_lossy(), directory.to_string_lossy());
    let arguments = ["--exact", "process::serves", "--nocapture"];
    Server::start_with(&program, &arguments, &[(DIRECTORY, &directory)], database).await
}

/// The service, where the variables say so: it runs until it is killed.
#[test]
fn serves() {
    let Ok(directory) = env::var(DIRECTORY) else { return };
    let variable = |name: &str| env::var(name).expect("a variable of the server");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let served = async {
        let service = Service::connect(&variable("DATABASE_URL")).await?;
        films(service, Path::new(&directory)).migrate().await?.serve(variable("BIND")).await
    };
    runtime.block_on(served).expect("a service");
}
