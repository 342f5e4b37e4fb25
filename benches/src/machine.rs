//! [`OtherWork`]: what the machine does beside the benchmark.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::Context;
use nix::time::{ClockId, clock_gettime};
use nix::unistd::{SysconfVar, sysconf};

/// The CPU time of all other programs over a period.
#[derive(Debug)]
pub(crate) struct OtherWork {
    start: Instant,
    before: Duration,
}

impl OtherWork {
    /// Begins, with the CPU time of the measured programs so far.
    pub(crate) fn begin(measured: Duration) -> anyhow::Result<Self> {
        Ok(Self { start: Instant::now(), before: others(measured)? })
    }

    /// Average number of cores that other programs used.
    pub(crate) fn end(self, measured: Duration) -> anyhow::Result<f64> {
        let time = others(measured)?.saturating_sub(self.before);
        Ok(time.as_secs_f64() / self.start.elapsed().as_secs_f64())
    }
}

/// The busy time of all cores, without that of the measured programs and of this one.
fn others(measured: Duration) -> anyhow::Result<Duration> {
    let own: Duration = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?.into();
    Ok(busy()?.saturating_sub(own + measured))
}

/// The time in which a core was busy, or another guest had it, since the system started: see `proc_stat(5)`.
fn busy() -> anyhow::Result<Duration> {
    let stat = fs::read_to_string("/proc/stat")?;
    let line = stat.lines().next().context("an empty /proc/stat")?;
    let ticks: Vec<u64> = line.split_whitespace().skip(1).map(str::parse).collect::<Result<_, _>>()?;
    let idle = 3..=4;
    let busy: u64 = ticks.iter().take(8).enumerate().filter(|(field, _)| !idle.contains(field)).map(|(_, n)| n).sum();
    let per_second = u64::try_from(sysconf(SysconfVar::CLK_TCK)?.context("no clock tick rate")?)?;
    Ok(Duration::from_millis(busy * 1_000 / per_second))
}
