//! [`SchemaWatch`]: whether the tables still fit the structs of a running service.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio::sync::OnceCell;
use tokio::time::sleep;

use crate::model::adapter_error::AdapterError;
use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, Problem};
use crate::storage::administration::Administration;
use crate::storage::schema::{Difference, DifferenceKind, Verdict};

/// Interval between two comparisons. It also passes after a successful one, before an error can cause another.
const INTERVAL: Duration = Duration::from_secs(2);

/// Interval between two log lines about a resource that does not fit.
const LINE_INTERVAL: Duration = Duration::from_mins(1);

/// Receives whether the table of a resource no longer fits, by the resource's name.
pub(crate) type Report = Box<dyn Fn(&'static str, bool) + Send + Sync>;

/// The fit of the database to a running service. Structs and database are compared when a statement fails as on a
/// changed table, and again until everything fits.
#[derive(Clone)]
pub(crate) struct SchemaWatch(Arc<Shared>);

struct Shared {
    database: Arc<dyn Administration>,
    /// The tables of the service.
    tables: Vec<&'static Descriptor>,
    watched: Vec<Watched>,
    /// Whether comparisons are under way.
    is_comparing: AtomicBool,
    /// One-time check that the database keeps keys unique; `None` where a migration has checked that.
    keys: Option<OnceCell<()>>,
    report: Option<Report>,
}

/// A resource with routes.
struct Watched {
    resource: &'static Descriptor,
    /// Whether the service compared the table at the start. A table that others made may differ where statements do not
    /// notice: it is refused only where a table, view or column is gone.
    is_compared: bool,
    is_unfit: AtomicBool,
    /// Whether the table does not keep its keys unique.
    is_ambiguous: AtomicBool,
    /// Time of the last log line about the resource.
    logged: Mutex<Option<Instant>>,
}

impl Watched {
    /// Whether a difference makes the resource's routes unavailable.
    fn is_refused(&self, difference: &Difference) -> bool {
        let is_gone = matches!(
            difference.what,
            DifferenceKind::TableMissing
                | DifferenceKind::ViewMissing
                | DifferenceKind::ColumnMissing { .. }
                | DifferenceKind::ColumnRenamed { .. }
        );
        difference.table == self.resource.table
            && difference.verdict() == Verdict::Refuses
            && (self.is_compared || is_gone)
    }

    /// Whether a log line is due: at once, and each minute while the resource does not fit.
    fn is_line_due(&self) -> bool {
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = logged.is_none_or(|at| at.elapsed() >= LINE_INTERVAL);
        if is_due {
            *logged = Some(Instant::now());
        }
        is_due
    }
}

/// The shards of storage, by whether they answer.
#[derive(Debug, Default)]
pub(crate) struct ShardStatus {
    pub(crate) serving: Vec<String>,
    /// Servers that do not answer; the database outside of shards may be among them.
    pub(crate) away: Vec<String>,
}

impl SchemaWatch {
    /// Asks the shards of storage; `None` where there are none.
    pub(crate) async fn shards(&self) -> Option<ShardStatus> {
        let shards = self.0.database.shards()?;
        let away = shards.away().await;
        let serving = shards.names().into_iter().filter(|name| !away.contains(name)).collect();
        Some(ShardStatus { serving, away })
    }

    /// Watches the tables of `resources`, each with whether its table was compared at the start; `tables` are all of
    /// the service's. `checks_keys`: whether the first request has to check that the database keeps keys unique.
    pub(crate) fn new(
        database: Arc<dyn Administration>,
        tables: Vec<&'static Descriptor>,
        resources: impl Iterator<Item = (&'static Descriptor, bool)>,
        checks_keys: bool,
        report: Option<Report>,
    ) -> Self {
        let watched = |(resource, is_compared)| {
            let (is_unfit, is_ambiguous, logged) = (AtomicBool::default(), AtomicBool::default(), Mutex::default());
            Watched { resource, is_compared, is_unfit, is_ambiguous, logged }
        };
        let watched = resources.map(watched).collect();
        let keys = checks_keys.then(OnceCell::new);
        Self(Arc::new(Shared { database, tables, watched, is_comparing: AtomicBool::new(false), keys, report }))
    }

    /// Compares structs and database soon, after a statement has failed as on a changed table.
    pub(crate) fn suspect(&self) {
        if let Ok(runtime) = Handle::try_current()
            && !self.0.is_comparing.swap(true, Ordering::Relaxed)
        {
            runtime.spawn(compare(Arc::downgrade(&self.0)));
        }
    }

    /// Refuses the requests of a resource whose table does not fit, or does not keep its keys unique.
    ///
    /// # Errors
    /// `unavailable`.
    pub(crate) async fn admit(&self, resource: &'static Descriptor) -> Result<(), Problem> {
        if let Some(keys) = &self.0.keys {
            let checked = keys.get_or_try_init(|| self.0.check_keys()).await;
            checked.map_err(|error| Problem::from_adapter(resource, error))?;
        }
        self.check(resource)
    }

    /// Refuses a resource in an admitted request for another one, such as in links or nested records.
    ///
    /// # Errors
    /// Errors of [`admit`](Self::admit).
    pub(crate) fn check(&self, resource: &'static Descriptor) -> Result<(), Problem> {
        let watched = self.0.watched.iter().find(|watched| std::ptr::eq(watched.resource, resource));
        let is_refused = |watched: &Watched| {
            watched.is_unfit.load(Ordering::Relaxed) || watched.is_ambiguous.load(Ordering::Relaxed)
        };
        if watched.is_some_and(is_refused) {
            let detail = format!("the database no longer fits this version of {}", resource.name);
            return Err(Problem::new(Code::Unavailable, detail).retry_after(INTERVAL));
        }
        Ok(())
    }

    /// Whether no resource of the service fits any more.
    pub(crate) fn fits_nothing(&self) -> bool {
        let watched = &self.0.watched;
        !watched.is_empty() && watched.iter().all(|watched| watched.is_unfit.load(Ordering::Relaxed))
    }
}

/// Compares until everything fits, or the service ends.
async fn compare(shared: Weak<Shared>) {
    loop {
        let Some(shared_now) = shared.upgrade() else { return };
        let is_settled = shared_now.compare().await;
        drop(shared_now);
        // Bounds the comparisons that errors with another cause lead to.
        sleep(INTERVAL).await;
        if is_settled {
            break;
        }
    }
    if let Some(shared) = shared.upgrade() {
        shared.is_comparing.store(false, Ordering::Relaxed);
    }
}

impl Shared {
    /// Compares once, and returns whether everything fits. A database that does not answer says nothing about its
    /// tables: each resource stays as it was.
    async fn compare(&self) -> bool {
        match self.database.compare(&self.tables).await {
            Ok(differences) => !self.update(&differences),
            Err(error) => {
                tracing::debug!(%error, "structs and database could not be compared");
                false
            }
        }
    }

    /// Notes the resources whose keys the database does not keep unique: a change of one record would change others.
    async fn check_keys(&self) -> Result<(), AdapterError> {
        for difference in self.database.ambiguous_keys(&self.tables).await? {
            for watched in self.watched.iter().filter(|watched| watched.resource.table == difference.table) {
                tracing::error!(resource = watched.resource.name, "its requests are refused: {difference}");
                watched.is_ambiguous.store(true, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Notes which resources fit, and returns whether any does not.
    fn update(&self, differences: &[Difference]) -> bool {
        let mut any = false;
        for watched in &self.watched {
            let refused = differences.iter().filter(|difference| watched.is_refused(difference));
            let lines: Vec<String> = refused.map(ToString::to_string).collect();
            let (name, now) = (watched.resource.name, !lines.is_empty());
            any |= now;
            let before = watched.is_unfit.swap(now, Ordering::Relaxed);
            if now && watched.is_line_due() {
                let differences = lines.join("; ");
                tracing::error!(
                    resource = name,
                    differences,
                    "the database no longer fits: its routes are unavailable"
                );
            }
            if before == now {
                continue;
            }
            if !now {
                tracing::info!(resource = name, "the database fits again");
            }
            if let Some(report) = &self.report {
                report(name, now);
            }
        }
        any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;
    use crate::storage::recording::Recording;

    #[derive(Resource)]
    struct Note {
        id: i64,
    }

    #[tokio::test]
    async fn resource_stays_as_it_was_where_a_comparison_fails() {
        let unfit = || Ok(vec![Difference::new(Note::DESCRIPTOR.table, DifferenceKind::TableMissing)]);
        let failed = || Err(AdapterError::Unavailable("the database does not answer".into()));
        let comparisons = [failed(), unfit(), failed(), Ok(Vec::new()), failed()];
        let adapter = Arc::new(Recording::comparing(comparisons));
        let watch =
            SchemaWatch::new(adapter, vec![Note::DESCRIPTOR], [(Note::DESCRIPTOR, true)].into_iter(), false, None);
        for (is_settled, fits) in [(false, true), (false, false), (false, false), (true, true), (false, true)] {
            assert_eq!(watch.0.compare().await, is_settled);
            assert_eq!(watch.check(Note::DESCRIPTOR).is_ok(), fits);
        }
    }
}
