//! [`Database`]: a server's database and its CPU time.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use crud_tests::Cluster;
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::{Pid, SysconfVar, sysconf};
use sqlx::{Connection, PgConnection};

/// A database engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// In the server's process.
    Sqlite,
    /// In separate processes.
    Postgres,
    /// None: the records are in the memory of the server, so that a request costs what it costs beside the database.
    Memory,
}

impl Engine {
    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        let found = [Self::Sqlite, Self::Postgres, Self::Memory].into_iter().find(|engine| engine.name() == name);
        found.with_context(|| format!("expected a database (`sqlite`, `postgres` or `memory`), found `{name}`"))
    }

    /// The engine of a database URL.
    pub(crate) fn from_url(url: &str) -> anyhow::Result<Self> {
        Self::parse(url.split(':').next().unwrap_or_default())
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
            Self::Memory => "memory",
        }
    }
}

/// The database of one server.
#[derive(Debug)]
pub(crate) struct Database {
    url: String,
    /// The PostgreSQL server, if any.
    cluster: Option<Arc<Cluster>>,
}

impl Database {
    /// Creates a database; SQLite's file is in `directory`.
    pub(crate) async fn new(engine: Engine, directory: &Path, name: &str) -> anyhow::Result<Self> {
        match engine {
            Engine::Sqlite => {
                let file = directory.join(format!("{}.db", name.replace(' ', "-")));
                let file = file.to_str().context("the path of the database is not Unicode")?;
                Ok(Self { url: format!("sqlite://{file}"), cluster: None })
            }
            Engine::Memory => Ok(Self { url: "memory:".to_owned(), cluster: None }),
            Engine::Postgres => {
                ensure!(Cluster::is_possible(), "PostgreSQL is not installed");
                let cluster = Cluster::without_durability();
                let url = cluster.url(&cluster.create());
                // Servers for tests commit asynchronously; the benchmark's commits are written.
                let written = "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', \
                               current_database()); END $$";
                sqlx::raw_sql(written).execute(&mut PgConnection::connect(&url).await?).await?;
                Ok(Self { url, cluster: Some(cluster) })
            }
        }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Vacuums and checkpoints PostgreSQL, so that earlier cases do not add to this one's cost.
    pub(crate) async fn vacuum(&self) -> anyhow::Result<()> {
        if self.cluster.is_some() {
            let mut connection = PgConnection::connect(&self.url).await?;
            sqlx::raw_sql("VACUUM (ANALYZE)").execute(&mut connection).await?;
            sqlx::raw_sql("CHECKPOINT").execute(&mut connection).await?;
            connection.close().await?;
        }
        Ok(())
    }

    /// Compares the audit logs of two databases, except for the times.
    ///
    /// # Errors
    /// When they differ.
    pub(crate) async fn compare_logs(&self, other: &Self) -> anyhow::Result<()> {
        if self.cluster.is_none() {
            return Ok(());
        }
        let (ours, others) = (self.log().await?, other.log().await?);
        ensure!(!ours.is_empty(), "the audit log is empty");
        for (entry, expected) in ours.iter().zip(&others) {
            ensure!(entry == expected, "the audit logs differ: expected {expected}, found {entry}");
        }
        ensure!(ours.len() == others.len(), "the audit logs have {} and {} entries", ours.len(), others.len());
        Ok(())
    }

    async fn log(&self) -> anyhow::Result<Vec<String>> {
        let mut connection = PgConnection::connect(&self.url).await?;
        let entries = sqlx::query_scalar(
            "SELECT concat_ws(' ', entity_type, entity_id, entity_key, action, user_id, actor, \
             changes::jsonb - '{created_at,updated_at}'::text[], previous::jsonb - '{created_at,updated_at}'::text[]) \
             FROM audit_logs ORDER BY id",
        );
        let entries = entries.fetch_all(&mut connection).await?;
        connection.close().await?;
        Ok(entries)
    }

    /// The CPU time of the database's processes so far, including ended ones.
    pub(crate) fn cpu_time(&self) -> anyhow::Result<Duration> {
        let Some(cluster) = &self.cluster else { return Ok(Duration::ZERO) };
        let file = fs::read_to_string(cluster.directory().join("data/postmaster.pid"))?;
        let first: i32 = file.lines().next().context("an empty postmaster.pid")?.parse()?;
        let mut time = clock(first)? + Stat::read(first)?.ended;
        // Every PostgreSQL process is a child of the first one, which accumulates the time of ended children.
        for entry in fs::read_dir("/proc")? {
            let Some(id) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            // A process that ends meanwhile is in the first one's time at the next reading.
            if let Ok(stat) = Stat::read(id)
                && stat.parent == first
            {
                time += clock(id).unwrap_or_default();
            }
        }
        Ok(time)
    }
}

/// A process's CPU time in nanoseconds.
fn clock(id: i32) -> anyhow::Result<Duration> {
    Ok(clock_gettime(clock_getcpuclockid(Pid::from_raw(id))?)?.into())
}

/// Fields of `/proc/PID/stat`, see `proc_pid_stat(5)`.
struct Stat {
    parent: i32,
    /// The CPU time of ended children, in clock ticks.
    ended: Duration,
}

impl Stat {
    fn read(id: i32) -> anyhow::Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
        // The process's name before the fields may contain any characters.
        let (_, fields) = stat.rsplit_once(") ").context("a stat without a name")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let [_, parent, ..] = fields.as_slice() else { bail!("a stat without a parent") };
        let [user, system] = fields.get(13..15).context("a stat without times")? else {
            bail!("a stat without two times")
        };
        let ticks: u64 = user.parse::<u64>()? + system.parse::<u64>()?;
        let per_second = u64::try_from(sysconf(SysconfVar::CLK_TCK)?.context("no clock tick rate")?)?;
        Ok(Self { parent: parent.parse()?, ended: Duration::from_millis(ticks * 1_000 / per_second) })
    }
}
