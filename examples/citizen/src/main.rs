//! Serves the club on the database of `DATABASE_URL`. `PROXY` is the address of the town's proxy; with
//! `LIBRARIAN_PASSWORD`, there is a first member `librarian`.

use std::env;
use std::time::Duration;

use citizen::{BoxError, add_member, application, open, serve};
use tokio::net::TcpListener;

#[tokio::main]
async fn main() -> Result<(), BoxError> {
    tracing_subscriber::fmt().init();
    let variable = |name: &str, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let pool = open(&variable("DATABASE_URL", "sqlite://club.db")).await?;
    if let Ok(password) = env::var("LIBRARIAN_PASSWORD") {
        add_member(&pool, "librarian", &password, true).await?;
    }
    let application = application(pool, variable("PROXY", "10.0.0.2").parse()?).await?;
    let listener = TcpListener::bind(variable("BIND", "127.0.0.1:8000")).await?;
    tracing::info!("listening on http://{}", listener.local_addr()?);
    let stop = async { drop(tokio::signal::ctrl_c().await) };
    serve(listener, application, stop, Duration::from_secs(10)).await
}
