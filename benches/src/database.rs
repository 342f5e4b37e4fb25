//! [`Database`]: what one server has its records in, and what that costs beside the server.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use crud_tests::Cluster;
use nix::time::{clock_getcpuclockid, clock_gettime};
use nix::unistd::{Pid, SysconfVar, sysconf};
use sqlx::{Connection, PgConnection};

use crate::case::Case;

/// A kind of database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Engine {
    /// In the server's process.
    Sqlite,
    /// A program of its own.
    Postgres,
}

impl Engine {
    pub(crate) fn parse(name: &str) -> anyhow::Result<Self> {
        let found = [Self::Sqlite, Self::Postgres].into_iter().find(|engine| engine.name() == name);
        found.with_context(|| format!("no database `{name}`; there are sqlite and postgres"))
    }

    /// That of a URL.
    pub(crate) fn of(url: &str) -> anyhow::Result<Self> {
        Self::parse(url.split(':').next().unwrap_or_default())
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Sqlite => "sqlite",
            Self::Postgres => "postgres",
        }
    }

    /// What is measured on it.
    pub(crate) fn cases(self) -> &'static [Case] {
        match self {
            Self::Sqlite => &[Case::Get, Case::List, Case::Update, Case::Create],
            Self::Postgres => &Case::ALL,
        }
    }
}

/// A database of one server's own.
#[derive(Debug)]
pub(crate) struct Database {
    url: String,
    /// The programs that run it.
    cluster: Option<Cluster>,
}

impl Database {
    /// A new one, of which files are in the directory where it has any of ours.
    pub(crate) async fn new(engine: Engine, directory: &Path, name: &str) -> anyhow::Result<Self> {
        match engine {
            Engine::Sqlite => {
                let file = directory.join(format!("{}.db", name.replace(' ', "-")));
                let file = file.to_str().context("the path of the database is not Unicode")?;
                Ok(Self { url: format!("sqlite://{file}"), cluster: None })
            }
            Engine::Postgres => {
                ensure!(Cluster::is_possible(), "PostgreSQL is not installed");
                let cluster = Cluster::start();
                let url = cluster.url(&cluster.create());
                // Servers for tests leave it to later to write what was committed.
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

    /// Clears away what earlier cases have left, so that it does not count as this one's.
    pub(crate) async fn settle(&self) -> anyhow::Result<()> {
        if self.cluster.is_some() {
            let mut connection = PgConnection::connect(&self.url).await?;
            sqlx::raw_sql("VACUUM (ANALYZE)").execute(&mut connection).await?;
            sqlx::raw_sql("CHECKPOINT").execute(&mut connection).await?;
            connection.close().await?;
        }
        Ok(())
    }

    /// Compares what both have in their audit logs, but for the times.
    ///
    /// # Errors
    /// When they differ.
    pub(crate) async fn compare_logs(&self, other: &Self) -> anyhow::Result<()> {
        if self.cluster.is_none() {
            return Ok(());
        }
        let (ours, others) = (self.log().await?, other.log().await?);
        ensure!(!ours.is_empty(), "there is nothing in the audit log");
        for (entry, expected) in ours.iter().zip(&others) {
            ensure!(entry == expected, "the audit logs differ: {entry}, and {expected} in the first server's");
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

    /// The CPU time of all its processes so far, of those too that have ended.
    pub(crate) fn cpu_time(&self) -> anyhow::Result<Duration> {
        let Some(cluster) = &self.cluster else { return Ok(Duration::ZERO) };
        let file = fs::read_to_string(cluster.directory().join("data/postmaster.pid"))?;
        let first: i32 = file.lines().next().context("an empty postmaster.pid")?.parse()?;
        let mut time = clock(first)? + Stat::read(first)?.ended;
        // Every process of a server is a child of the first one, which waits for those that end.
        for entry in fs::read_dir("/proc")? {
            let Some(id) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            // One that ends meanwhile is counted the next time, by the first one.
            if let Ok(stat) = Stat::read(id)
                && stat.parent == first
            {
                time += clock(id).unwrap_or_default();
            }
        }
        Ok(time)
    }
}

/// The CPU time of a process, to the nanosecond.
fn clock(id: i32) -> anyhow::Result<Duration> {
    Ok(clock_gettime(clock_getcpuclockid(Pid::from_raw(id))?)?.into())
}

/// What the system says of a process (`proc_pid_stat(5)`).
struct Stat {
    parent: i32,
    /// The CPU time of children that have ended, to the clock tick.
    ended: Duration,
}

impl Stat {
    fn read(id: i32) -> anyhow::Result<Self> {
        let stat = fs::read_to_string(format!("/proc/{id}/stat"))?;
        // The name before it may hold anything.
        let (_, fields) = stat.rsplit_once(") ").context("a stat without a name")?;
        let fields: Vec<&str> = fields.split(' ').collect();
        let [_, parent, ..] = fields.as_slice() else { bail!("a stat without a parent") };
        let [user, system] = fields.get(13..15).context("a stat without times")? else { bail!("no two times") };
        let ticks: u64 = user.parse::<u64>()? + system.parse::<u64>()?;
        let per_second = u64::try_from(sysconf(SysconfVar::CLK_TCK)?.context("no length of a tick")?)?;
        Ok(Self { parent: parent.parse()?, ended: Duration::from_millis(ticks * 1_000 / per_second) })
    }
}
