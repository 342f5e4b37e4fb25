//! The measured servers, each run in a separate process.

use std::io::Read;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tracing::level_filters::LevelFilter;

use crate::database::Engine;
use crate::{ours, seed, twin};

/// Printed to standard error before the address, when the server is ready.
pub(crate) const LISTENING: &str = "listening on ";

/// How a server is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerKind {
    /// By hand, with axum and sqlx.
    Twin,
    /// By the derive.
    Ours,
}

impl ServerKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Twin => "twin",
            Self::Ours => "ours",
        }
    }

    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        let found = [Self::Twin, Self::Ours].into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| anyhow::anyhow!("expected a server (`twin` or `ours`), found `{name}`"))
    }
}

/// Creates and fills the server's tables in an empty database.
pub(crate) async fn prepare(kind: ServerKind, url: &str) -> anyhow::Result<()> {
    match (kind, Engine::from_url(url)?) {
        (ServerKind::Twin, Engine::Sqlite) => twin::sqlite::create_schema(url).await?,
        (ServerKind::Twin, Engine::Postgres) => twin::postgres::create_schema(url).await?,
        (ServerKind::Ours, _) => ours::create_schema(url).await?,
    }
    seed::fill(url).await
}

/// Serves a prepared database on a free port until standard input ends. All servers share everything but the handlers:
/// the runtime, the log and the listener.
pub(crate) fn serve_process(kind: ServerKind, url: &str, log: bool) -> anyhow::Result<()> {
    let engine = Engine::from_url(url)?;
    let level = if log { LevelFilter::INFO } else { LevelFilter::WARN };
    tracing_subscriber::fmt().with_ansi(false).with_max_level(level).init();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        eprintln!("{LISTENING}{address}");
        match (kind, engine) {
            (ServerKind::Twin, Engine::Sqlite) => twin::sqlite::serve(url, listener, end_of_input()).await,
            (ServerKind::Twin, Engine::Postgres) => twin::postgres::serve(url, listener, end_of_input()).await,
            (ServerKind::Ours, _) => ours::serve(url, listener, end_of_input()).await,
        }
    })
}

/// Completes when standard input ends, which is when the parent process ends or closes it.
async fn end_of_input() {
    let (ended, end) = oneshot::channel();
    // A separate thread, because a read of standard input cannot be cancelled.
    std::thread::spawn(move || {
        let mut ignored = [0; 64];
        while matches!(std::io::stdin().read(&mut ignored), Ok(1..)) {}
        let _ = ended.send(());
    });
    let _ = end.await;
}
