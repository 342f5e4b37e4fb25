//! The servers that are measured, and how one runs in a process of its own.

use std::io::Read;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tracing::level_filters::LevelFilter;

use crate::database::Engine;
use crate::{ours, seed, twin};

/// What a server prints to standard error, before its address, when it is ready.
pub(crate) const LISTENING: &str = "listening on ";

/// Who wrote the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A person, with axum and sqlx.
    Twin,
    /// The derive.
    Ours,
}

impl Kind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Twin => "twin",
            Self::Ours => "ours",
        }
    }

    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        let found = [Self::Twin, Self::Ours].into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| anyhow::anyhow!("no server `{name}`; there are twin and ours"))
    }
}

/// Makes the server's tables in the new database of a URL, and fills them.
pub(crate) async fn prepare(kind: Kind, url: &str) -> anyhow::Result<()> {
    match (kind, Engine::of(url)?) {
        (Kind::Twin, Engine::Sqlite) => twin::sqlite::create_schema(url).await?,
        (Kind::Twin, Engine::Postgres) => twin::postgres::create_schema(url).await?,
        (Kind::Ours, _) => ours::create_schema(url).await?,
    }
    seed::fill(url).await
}

/// Serves a prepared database on a free port until standard input ends. Everything but the handlers is the
/// same for all servers: the runtime, the log and the listener.
pub(crate) fn serve_process(kind: Kind, url: &str, log: bool) -> anyhow::Result<()> {
    let engine = Engine::of(url)?;
    let level = if log { LevelFilter::INFO } else { LevelFilter::WARN };
    tracing_subscriber::fmt().with_ansi(false).with_max_level(level).init();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        eprintln!("{LISTENING}{address}");
        match (kind, engine) {
            (Kind::Twin, Engine::Sqlite) => twin::sqlite::serve(url, listener, end_of_input()).await,
            (Kind::Twin, Engine::Postgres) => twin::postgres::serve(url, listener, end_of_input()).await,
            (Kind::Ours, _) => ours::serve(url, listener, end_of_input()).await,
        }
    })
}

/// Resolves when standard input ends: when the process that started this one is gone, or wants it to end.
async fn end_of_input() {
    let (ended, end) = oneshot::channel();
    // A thread of its own, because a read of standard input cannot be given up.
    std::thread::spawn(move || {
        let mut ignored = [0; 64];
        while matches!(std::io::stdin().read(&mut ignored), Ok(1..)) {}
        let _ = ended.send(());
    });
    let _ = end.await;
}
