//! The measured servers, each run in a separate process.

use std::io::Read;

use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tracing::level_filters::LevelFilter;

use crate::case::Case;
use crate::database::Engine;
use crate::peer::Peer;
use crate::{best, fixed, ours, seed, twin};

/// Printed to standard error before the address, when the server is ready.
pub(crate) const LISTENING: &str = "listening on ";

/// Kind of a server, by the way it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServerKind {
    /// By hand, with axum and sqlx.
    Twin,
    /// By the derive, as the twin: on PostgreSQL with an audit log, on SQLite without.
    Ours,
    /// By the derive, with every capability and without an audit log.
    Capable,
    /// By the derive, with an audit log.
    Audited,
    /// By the derive, with an audit log and its events.
    Followed,
    /// As the former, to readers with tokens.
    Known,
    /// By hand, for speed alone, with an audit log.
    Best,
    /// By hand, as the best program, on PostgreSQL: one statement for each change, one at a time on a connection.
    Single,
    /// One answer of axum's, whatever the request: what HTTP itself costs.
    Static,
    /// Another program.
    Peer(Peer),
}

impl ServerKind {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Twin => "twin",
            Self::Ours => "ours",
            Self::Capable => "capable",
            Self::Audited => "audited",
            Self::Followed => "followed",
            Self::Known => "known",
            Self::Best => "best",
            Self::Single => "single",
            Self::Static => "static",
            Self::Peer(peer) => peer.name(),
        }
    }

    /// Whether the server answers a case's requests on this engine.
    pub(crate) fn answers(self, case: Case, engine: Engine) -> bool {
        if let Self::Peer(peer) = self {
            return engine == Engine::Sqlite && peer.answers(case);
        }
        match engine {
            Engine::Memory => matches!(case, Case::Health | Case::Get),
            Engine::Sqlite if case.is_capability() => matches!(self, Self::Twin | Self::Ours | Self::Capable),
            Engine::Postgres if case.is_capability() => self == Self::Capable,
            Engine::Sqlite if case == Case::Batch => matches!(self, Self::Audited | Self::Best),
            Engine::Postgres if self == Self::Single => matches!(case, Case::Create | Case::Update | Case::Batch),
            Engine::Sqlite | Engine::Postgres => case != Case::Health,
        }
    }

    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        let derived = [Self::Ours, Self::Capable, Self::Audited, Self::Followed, Self::Known];
        let kinds = [Self::Twin, Self::Best, Self::Single, Self::Static].into_iter().chain(derived);
        let names: Vec<&str> = kinds.clone().map(Self::name).collect();
        let found = kinds.into_iter().find(|kind| kind.name() == name);
        found.ok_or_else(|| anyhow::anyhow!("expected a server, one of {}, found `{name}`", names.join(", ")))
    }
}

/// Creates and fills the server's tables in an empty database; with `capabilities`, those of the resources that have
/// them too.
pub(crate) async fn prepare(kind: ServerKind, url: &str, records: usize, capabilities: bool) -> anyhow::Result<()> {
    let engine = Engine::from_url(url)?;
    if let ServerKind::Peer(peer) = kind {
        return peer.prepare(url, records).await;
    }
    match (kind, engine) {
        (ServerKind::Twin, Engine::Sqlite) => twin::sqlite::create_schema(url).await?,
        (ServerKind::Twin, Engine::Postgres) => twin::postgres::create_schema(url).await?,
        (_, Engine::Memory) => {}
        (ServerKind::Ours, Engine::Sqlite) | (ServerKind::Capable, _) => ours::create_schema(url, false).await?,
        // The best program has the tables and the indexes of the derived one.
        _ => ours::create_schema(url, true).await?,
    }
    seed::fill(url, records).await?;
    if capabilities && kind.answers(Case::Article, engine) {
        seed::fill_capabilities(url).await?;
    }
    Ok(())
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
            (ServerKind::Peer(peer), _) => anyhow::bail!("`{}` is another program", peer.name()),
            (ServerKind::Static, _) => fixed::serve(listener, end_of_input()).await,
            (_, Engine::Memory) => ours::serve_memory(listener, end_of_input()).await,
            (ServerKind::Single, Engine::Sqlite) => anyhow::bail!("`single` is a program for PostgreSQL"),
            (ServerKind::Best, Engine::Sqlite) => best::serve(url, listener, end_of_input()).await,
            (ServerKind::Best | ServerKind::Single, Engine::Postgres) => {
                best::postgres::serve(url, kind == ServerKind::Single, listener, end_of_input()).await
            }
            (ServerKind::Followed | ServerKind::Known, _) => {
                ours::serve_followed(url, kind == ServerKind::Known, listener, end_of_input()).await
            }
            (ServerKind::Twin, Engine::Sqlite) => twin::sqlite::serve(url, listener, end_of_input()).await,
            (ServerKind::Twin, Engine::Postgres) => twin::postgres::serve(url, listener, end_of_input()).await,
            (kind, engine) => {
                let audited = kind == ServerKind::Audited || kind == ServerKind::Ours && engine == Engine::Postgres;
                ours::serve(url, audited, listener, end_of_input()).await
            }
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
