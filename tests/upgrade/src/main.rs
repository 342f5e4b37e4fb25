//! Serves the program of upgrades, and carries out its commands.

mod program;

#[tokio::main]
async fn main() -> crud_runtime::Result<()> {
    crud_runtime::config::run_with_auth(program::resources, program::auth()).await
}
