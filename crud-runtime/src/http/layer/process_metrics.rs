//! [`Process`]: the process in the metrics, by the names that Prometheus' clients give them; on Linux.

use std::fmt;
use std::fs;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use crate::http::server::descriptors;

/// Ticks of the clock in a second, as Linux counts them for programs.
const TICKS: f64 = 100.0;

/// The process that the metrics describe, at the time they are read.
#[derive(Debug)]
pub(super) struct Process;

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        // Without the files of `/proc`, nothing is reported.
        let Some(known) = Known::read() else { return Ok(()) };
        let help = "CPU time of the process, of user and system";
        ConstCounter::new(known.cpu_seconds).encode(encoder.encode_descriptor(
            "process_cpu_seconds",
            help,
            None,
            MetricType::Counter,
        )?)?;
        for (name, help, number) in [
            ("process_resident_memory_bytes", "Memory of the process in RAM", known.resident),
            ("process_virtual_memory_bytes", "Virtual memory of the process", known.virtual_memory),
            ("process_threads", "Threads of the process", known.threads),
            ("process_open_fds", "Open file descriptors", known.descriptors),
            ("process_max_fds", "File descriptors at most", descriptors::limit().unwrap_or_default()),
        ] {
            let gauge = ConstGauge::new(i64::try_from(number).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)?;
        }
        let help = "Start of the process, in seconds of Unix time";
        let start = encoder.encode_descriptor("process_start_time_seconds", help, None, MetricType::Gauge)?;
        ConstGauge::new(known.start).encode(start)
    }
}

/// State of the process, as the kernel reports it (proc(5)).
struct Known {
    cpu_seconds: f64,
    start: f64,
    resident: u64,
    virtual_memory: u64,
    threads: u64,
    descriptors: u64,
}

impl Known {
    fn read() -> Option<Self> {
        let stat = fs::read_to_string("/proc/self/stat").ok()?;
        // The name of the program is in parentheses, and may have any character.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        // Fields are numbered as in proc(5): the first one here is number 3, the state.
        let field = |number: usize| fields.get(number - 3)?.parse::<f64>().ok();
        let status = fs::read_to_string("/proc/self/status").ok()?;
        let of_status = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        let boot = fs::read_to_string("/proc/stat").ok()?;
        let boot: f64 = boot.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
        Some(Self {
            cpu_seconds: (field(14)? + field(15)?) / TICKS,
            start: boot + field(22)? / TICKS,
            resident: of_status("VmRSS")? * 1024,
            virtual_memory: of_status("VmSize")? * 1024,
            threads: of_status("Threads")?,
            descriptors: u64::try_from(fs::read_dir("/proc/self/fd").ok()?.count()).ok()?,
        })
    }
}
