//! The program of a project, with its commands, for tests that move its records.

use crud_tests::moves::{auth, resources};

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    crud_runtime::config::run_with_auth(resources, auth()).await
}
