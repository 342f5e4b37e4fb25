//! [`Metrics`]: counters and histograms of a service, as OpenMetrics or in the text format of Prometheus.
//!
//! Labels have few values whatever clients send: routes are templates, methods the known ones, and statuses classes.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::{ConstGauge, Gauge};
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

use super::metrics_text;
use super::process_metrics::Process;
use crate::http::openapi::Info;
use crate::http::param::header::accept;
use crate::http::schema_watch::Report;
use crate::storage::administration::Administration;
use crate::storage::layers::call_times::Observe;
use crate::storage::layers::disk_failures::DiskFailures;

/// The media type of OpenMetrics.
const OPEN_METRICS: HeaderValue =
    HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");

/// The media type of Prometheus' own text format.
const TEXT: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// The bounds of histograms of times, in seconds.
const SECONDS: [f64; 12] = [0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.1, 0.25, 1.0, 5.0, 30.0];

/// The metrics of a service; cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Metrics(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram, fn() -> Histogram>,
    in_flight: Gauge,
    logins: Family<Label, Counter>,
    database: Family<Label, Histogram, fn() -> Histogram>,
    unfit: Family<Label, Gauge>,
    build: Family<[(&'static str, String); 3], Gauge>,
    storage: Storage,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    method: &'static str,
    status: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
    method: &'static str,
}

/// One label: its name and its value.
type Label = [(&'static str, &'static str); 1];

fn times() -> Histogram {
    Histogram::new(SECONDS)
}

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::default();
        let requests = Family::<RequestLabels, Counter>::default();
        let durations = Family::<RouteLabels, Histogram, fn() -> Histogram>::new_with_constructor(times);
        let (in_flight, logins) = (Gauge::default(), Family::<Label, Counter>::default());
        let database = Family::<Label, Histogram, fn() -> Histogram>::new_with_constructor(times);
        let (storage, unfit) = (Storage::default(), Family::<Label, Gauge>::default());
        registry.register("http_requests", "Requests by route, method and class of status", requests.clone());
        registry.register("http_request_duration_seconds", "Time to the head of the response", durations.clone());
        registry.register("http_requests_in_flight", "Requests whose response has no head yet", in_flight.clone());
        registry.register("crud_logins", "Logins by result", logins.clone());
        registry.register("crud_database_duration_seconds", "Time of calls of storage", database.clone());
        let help = "Whether the table of a resource no longer fits its struct, so that its routes are unavailable";
        registry.register("crud_resource_unfit", help, unfit.clone());
        let build = Family::<[(&'static str, String); 3], Gauge>::default();
        registry.register("crud_build_info", "Versions of the service and of crud-runtime; always 1", build.clone());
        registry.register_collector(Box::new(storage.clone()));
        registry.register_collector(Box::new(Process));
        Self(Arc::new(Shared { registry, requests, durations, in_flight, logins, database, unfit, build, storage }))
    }

    /// A function that takes the times of storage's calls.
    pub(crate) fn observe_storage(&self) -> Observe {
        let metrics = self.clone();
        Arc::new(move |call, time: Duration| {
            metrics.0.database.get_or_create(&[("call", call)]).observe(time.as_secs_f64());
        })
    }

    /// A function that takes which resources the database no longer fits.
    pub(crate) fn observe_schema(&self) -> Report {
        let metrics = self.clone();
        Box::new(move |resource, is_unfit| {
            metrics.0.unfit.get_or_create(&[("resource", resource)]).set(is_unfit.into());
        })
    }

    /// Sets the name and the version of the service.
    pub(crate) fn set_build(&self, info: &Info) {
        let (service, version) = (info.title.clone(), info.version.clone());
        let labels =
            [("service", service), ("version", version), ("crud_runtime", env!("CARGO_PKG_VERSION").to_owned())];
        self.0.build.get_or_create(&labels).set(1);
    }

    /// Sets the storage whose status is reported, and the count of changes that failed on its disk.
    pub(crate) fn set_storage(&self, administration: Arc<dyn Administration>, disk_failures: Arc<DiskFailures>) {
        let storage = ReportedStorage { administration, disk_failures };
        *self.0.storage.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(storage);
    }

    /// Counts a request; at the path of logins, as a login too.
    pub(crate) async fn observe(self, logins: Option<Arc<str>>, request: Request, next: Next) -> Response {
        let begin = Instant::now();
        let route = request.extensions().get::<MatchedPath>().map_or("-", MatchedPath::as_str).to_owned();
        let method = method(request.method());
        let in_flight = InFlight::begin(&self.0.in_flight);
        let response = next.run(request).await;
        drop(in_flight);
        if logins.as_deref() == Some(&*route) && method == "POST" {
            self.0.logins.get_or_create(&[("result", login(response.status()))]).inc();
        }
        let labels = RouteLabels { route, method };
        self.0.durations.get_or_create(&labels).observe(begin.elapsed().as_secs_f64());
        let RouteLabels { route, method } = labels;
        self.0.requests.get_or_create(&RequestLabels { route, method, status: class(response.status()) }).inc();
        response
    }

    /// All metrics as text, in the format that a request with these headers asks for.
    pub(crate) fn response(&self, headers: &HeaderMap) -> Response {
        let mut text = String::new();
        if let Err(error) = encode(&mut text, &self.0.registry) {
            // Writing to memory cannot fail.
            let _ = write!(text, "# {error}");
        }
        let is_open = accept::prefers_open_metrics(headers);
        let (text, media_type) = if is_open { (text, OPEN_METRICS) } else { (metrics_text::plain(&text), TEXT) };
        let mut response = text.into_response();
        response.headers_mut().insert(header::CONTENT_TYPE, media_type);
        response.headers_mut().append(header::VARY, HeaderValue::from_static("Accept"));
        response
    }
}

/// A request in flight, until it is dropped: with the response, or when its client goes away.
struct InFlight(Gauge);

impl InFlight {
    fn begin(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

fn method(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::QUERY => "QUERY",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::PATCH => "PATCH",
        Method::DELETE => "DELETE",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

fn class(status: StatusCode) -> &'static str {
    match status.as_u16() / 100 {
        1 => "1xx",
        2 => "2xx",
        3 => "3xx",
        4 => "4xx",
        _ => "5xx",
    }
}

fn login(status: StatusCode) -> &'static str {
    match status {
        StatusCode::OK => "success",
        StatusCode::UNAUTHORIZED => "failure",
        StatusCode::TOO_MANY_REQUESTS => "throttled",
        _ => "other",
    }
}

/// Status of storage at the time the metrics are read.
#[derive(Debug, Clone, Default)]
struct Storage(Arc<Mutex<Option<ReportedStorage>>>);

/// Storage that metrics report.
#[derive(Debug, Clone)]
struct ReportedStorage {
    administration: Arc<dyn Administration>,
    disk_failures: Arc<DiskFailures>,
}

impl Collector for Storage {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let storage = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(ReportedStorage { administration, disk_failures }) = storage else { return Ok(()) };
        let help = "Changes that failed because the disk is full or fails";
        ConstCounter::new(disk_failures.count()).encode(encoder.encode_descriptor(
            "crud_database_disk_failures",
            help,
            None,
            MetricType::Counter,
        )?)?;
        let Some(status) = administration.status() else { return Ok(()) };
        for (name, help, number) in [
            ("crud_database_connections_busy", "Connections in use", status.busy),
            ("crud_database_connections_limit", "Connections at most", status.connections),
            ("crud_database_waiting", "Requests that wait for a connection, or to write", status.waiting),
        ] {
            let gauge = ConstGauge::new(i64::try_from(number).unwrap_or(i64::MAX));
            gauge.encode(encoder.encode_descriptor(name, help, None, MetricType::Gauge)?)?;
        }
        let help = "Statements that were run again after an interruption that was not theirs";
        ConstCounter::new(status.repeats).encode(encoder.encode_descriptor(
            "crud_database_repeats",
            help,
            None,
            MetricType::Counter,
        )?)?;
        if status.groups.is_empty() {
            return Ok(());
        }
        #[allow(clippy::cast_precision_loss)] // Counts are small.
        let mut buckets: Vec<(f64, u64)> =
            status.groups.iter().map(|group| (group.most as f64, group.commits)).collect();
        if let Some((bound, _)) = buckets.last_mut() {
            *bound = f64::MAX;
        }
        let commits = status.groups.iter().map(|group| group.commits).sum();
        #[allow(clippy::cast_precision_loss)]
        let changes = status.grouped_changes as f64;
        encoder
            .encode_descriptor("crud_group_commit_changes", "Changes of group commits", None, MetricType::Histogram)?
            .encode_histogram::<NoLabelSet>(changes, commits, &buckets, None)
    }
}
