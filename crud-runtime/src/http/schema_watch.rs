//! [`SchemaWatch`]: whether the tables still fit the structs of a running service.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::model::descriptor::Descriptor;
use crate::model::problem::{Code, Problem};
use crate::storage::adapter::Adapter;
use crate::storage::schema::{Difference, Verdict};

/// Interval between two comparisons while a resource does not fit or a comparison fails, and after one that an error caused.
const INTERVAL: Duration = Duration::from_secs(2);

/// Receives whether the table of a resource no longer fits, by the resource's name.
pub(crate) type Report = Box<dyn Fn(&'static str, bool) + Send + Sync>;

/// The fit of the database to a running service. Structs and database are compared when a statement fails as it does on a
/// table that has changed, and again until everything fits.
#[derive(Clone)]
pub(crate) struct SchemaWatch(Arc<Shared>);

struct Shared {
    adapter: Arc<dyn Adapter>,
    /// The tables of the service.
    tables: Vec<&'static Descriptor>,
    watched: Vec<Watched>,
    /// Whether comparisons are under way.
    is_comparing: AtomicBool,
    report: Option<Report>,
}

/// A resource with routes.
struct Watched {
    resource: &'static Descriptor,
    is_unfit: AtomicBool,
}

impl SchemaWatch {
    /// Watches the tables of resources, which are among those of the service.
    pub(crate) fn new(
        adapter: Arc<dyn Adapter>,
        tables: Vec<&'static Descriptor>,
        resources: impl Iterator<Item = &'static Descriptor>,
        report: Option<Report>,
    ) -> Self {
        let watched = resources.map(|resource| Watched { resource, is_unfit: AtomicBool::new(false) }).collect();
        Self(Arc::new(Shared { adapter, tables, watched, is_comparing: AtomicBool::new(false), report }))
    }

    /// Compares structs and database soon: a statement has failed as it does where a table has changed.
    pub(crate) fn suspect(&self) {
        if let Ok(runtime) = Handle::try_current()
            && !self.0.is_comparing.swap(true, Ordering::Relaxed)
        {
            runtime.spawn(compare(Arc::downgrade(&self.0)));
        }
    }

    /// Refuses the requests of a resource whose table no longer fits.
    ///
    /// # Errors
    /// `unavailable`.
    pub(crate) fn check(&self, resource: &'static Descriptor) -> Result<(), Problem> {
        let watched = self.0.watched.iter().find(|watched| std::ptr::eq(watched.resource, resource));
        if watched.is_some_and(|watched| watched.is_unfit.load(Ordering::Relaxed)) {
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
        // Errors that have another cause lead to no more comparisons than this.
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
    /// Compares once; whether everything fits. A database that does not answer says nothing about its tables: each resource
    /// stays as it was.
    async fn compare(&self) -> bool {
        match self.adapter.compare(&self.tables).await {
            Ok(differences) => !self.update(&differences),
            Err(error) => {
                tracing::debug!(%error, "structs and database could not be compared");
                false
            }
        }
    }

    /// Notes which resources fit; whether one does not.
    fn update(&self, differences: &[Difference]) -> bool {
        let mut any = false;
        for Watched { resource, is_unfit } in &self.watched {
            let of_table: Vec<&Difference> =
                differences.iter().filter(|difference| difference.table == resource.table).collect();
            let refused = of_table.iter().filter(|difference| difference.verdict() == Verdict::Refuses);
            let lines: Vec<String> = refused.map(ToString::to_string).collect();
            let now = !lines.is_empty();
            any |= now;
            if is_unfit.swap(now, Ordering::Relaxed) == now {
                continue;
            }
            let name = resource.name;
            if now {
                let differences = lines.join("; ");
                tracing::error!(
                    resource = name,
                    differences,
                    "the database no longer fits: its routes are unavailable"
                );
            } else {
                tracing::info!(resource = name, "the database fits again");
            }
            if let Some(report) = &self.report {
                report(name, now);
            }
        }
        any
    }
}

impl fmt::Debug for SchemaWatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SchemaWatch").field("tables", &self.0.tables.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::adapter_error::AdapterError;
    use crate::prelude::*;
    use crate::storage::recording::Recording;
    use crate::storage::schema::What;

    #[derive(Resource)]
    #[allow(dead_code)]
    struct Note {
        id: i64,
    }

    #[tokio::test]
    async fn resource_stays_as_it_was_where_a_comparison_fails() {
        let unfit = || Ok(vec![Difference::new(Note::DESCRIPTOR.table, What::TableMissing)]);
        let failed = || Err(AdapterError::Unavailable("the database does not answer".into()));
        let comparisons = [failed(), unfit(), failed(), Ok(Vec::new()), failed()];
        let adapter = Arc::new(Recording::comparing(comparisons));
        let watch = SchemaWatch::new(adapter, vec![Note::DESCRIPTOR], [Note::DESCRIPTOR].into_iter(), None);
        for (is_settled, fits) in [(false, true), (false, false), (false, false), (true, true), (false, true)] {
            assert_eq!(watch.0.compare().await, is_settled);
            assert_eq!(watch.check(Note::DESCRIPTOR).is_ok(), fits);
        }
    }
}
