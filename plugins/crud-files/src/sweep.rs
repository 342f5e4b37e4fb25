//! The sweep: removes objects that uploads, changes and removals leave behind, and repairs what a crash left
//! unfinished.
//!
//! An object is removed first, then its row: after a crash in between, the next sweep continues from the row. Whether
//! an object is in use is decided by the record's value.

use std::time::Duration;

use crud_runtime::prelude::*;
use crud_runtime::{Error, Result, ServiceState};

use crate::file_service::FileService;
use crate::marker;
use crate::storage::unavailable;
use crate::table::directory::Directory;
use crate::table::object::{Object, State};
use crate::table::upload::Upload;
use crate::table::{PAGE, UNFINISHED};
use crate::truth::{Truth, Truths};

/// The time between sweeps.
const INTERVAL: Duration = Duration::from_hours(1);

/// Number of successful claims by sweeps before a sweep removes objects.
const HELD: u32 = 2;

/// Time after which a difference between a row and its record cannot come from a request in flight.
const SETTLED: Duration = Duration::from_hours(1);

/// The numbers of objects that a sweep removed and repaired.
#[derive(Debug, Default)]
pub(crate) struct Swept {
    pub(crate) removed: u64,
    pub(crate) repaired: u64,
}

/// Sweeps each hour, as long as the service runs.
pub(crate) async fn run(files: FileService, state: ServiceState) {
    let mut held = 0;
    loop {
        match turn(&files, &state, held).await {
            Ok(swept) => {
                held += 1;
                tracing::debug!(removed = swept.removed, repaired = swept.repaired, "files are swept");
            }
            Err(error) => tracing::warn!(%error, "files are not swept"),
        }
        tokio::time::sleep(INTERVAL).await;
    }
}

/// Claims the storage, and sweeps if it was this database's at the `HELD` sweeps before.
async fn turn(files: &FileService, state: &ServiceState, held: u32) -> Result<Swept> {
    let app = state.app();
    files.learn(state.model())?;
    let is_ours = match Directory::find(app).await? {
        Some(row) => marker::is_claimed(files, &row).await?,
        None => false,
    };
    if let Err(error) = marker::claim(files, app).await {
        // Other errors are those of a database or a storage that does not answer now.
        if held > 0 && matches!(error, Error::Setup(_)) {
            marker::contest(files).await?;
        }
        return Err(error);
    }
    if is_ours && held >= HELD { all(files, app).await } else { Ok(Swept::default()) }
}

/// Sweeps, without a check of the storage's owner.
pub(crate) async fn all(files: &FileService, app: &App) -> Result<Swept> {
    let mut swept = Swept::default();
    Sweep { files, app, swept: &mut swept }.run().await?;
    Ok(swept)
}

struct Sweep<'s> {
    files: &'s FileService,
    app: &'s App,
    swept: &'s mut Swept,
}

impl Sweep<'_> {
    async fn run(&mut self) -> Result<()> {
        self.uploads().await?;
        self.segments().await?;
        self.compare_all(State::Pending, UNFINISHED).await?;
        self.compare_all(State::Live, SETTLED).await?;
        self.dead().await
    }

    /// Ends expired resumable uploads.
    async fn uploads(&mut self) -> Result<()> {
        loop {
            let expired = Upload::expired(self.app).await?;
            for upload in &expired {
                Object::end_segments(self.app, &upload.id).await?;
                Upload::remove(self.app, &upload.id).await?;
            }
            if (expired.len() as u64) < PAGE {
                return Ok(());
            }
        }
    }

    /// Ends segments that belong to no upload.
    async fn segments(&mut self) -> Result<()> {
        let mut after = String::new();
        loop {
            let page = Object::page(self.app, State::Segment, self.before(UNFINISHED), &after).await?;
            for object in &page {
                let upload = self.app.store::<Upload>().find(object.upload.as_deref().unwrap_or_default()).await?;
                if !upload.is_some_and(|upload| upload.segments.contains(&object.id)) {
                    self.end(object, Duration::ZERO).await?;
                }
            }
            match page.last() {
                Some(last) if page.len() as u64 == PAGE => after.clone_from(&last.id),
                _ => return Ok(()),
            }
        }
    }

    /// Compares objects that have been in a state for some time with their records, page by page.
    async fn compare_all(&mut self, state: State, time: Duration) -> Result<()> {
        let mut after = String::new();
        loop {
            let page = Object::page(self.app, state, self.before(time), &after).await?;
            let truths = Truths::of(self.files, self.app, &page).await?;
            for object in &page {
                self.compare(object, &truths).await?;
            }
            match page.last() {
                Some(last) if page.len() as u64 == PAGE => after.clone_from(&last.id),
                _ => return Ok(()),
            }
        }
    }

    async fn compare(&mut self, object: &Object, truths: &Truths) -> Result<()> {
        match (object.state, truths.about(object)) {
            (State::Pending, Truth::Has(place)) => {
                self.swept.repaired += 1;
                object.attach(&self.app.store::<Object>(), self.app.now(), &place).await
            }
            (_, Truth::Unknown | Truth::Has(_)) => Ok(()),
            (State::Pending, _) => object.give_up(self.app).await.map(drop),
            (_, Truth::Gone) => {
                // Only this object: a record with the same key may have come back meanwhile, with a new file.
                self.end(object, Duration::ZERO).await?;
                Object::end_former(&self.app.store::<Object>(), &object.resource, &object.record).await
            }
            (_, Truth::HasAnother(keep)) => self.end(object, keep).await,
        }
    }

    fn before(&self, time: Duration) -> DateTime<Utc> {
        self.app.now() - time
    }

    async fn end(&mut self, object: &Object, keep: Duration) -> Result<()> {
        self.swept.repaired += 1;
        Object::end(self.app, &object.id, keep).await
    }

    /// Removes expired dead objects: the object, then its row.
    async fn dead(&mut self) -> Result<()> {
        loop {
            let expired = Object::expired(self.app).await?;
            for object in &expired {
                self.files.storage()?.remove(&object.id).await.map_err(unavailable)?;
                Object::remove(self.app, &object.id).await?;
                self.swept.removed += 1;
            }
            if (expired.len() as u64) < PAGE {
                return Ok(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crud_runtime::prelude::*;
    use object_store::memory::InMemory;

    use super::turn;
    use crate::file_service::FileService;
    use crate::storage::location::Location;

    async fn execute(app: &App, statement: &'static str) {
        let mut tx = app.begin().await.expect("a transaction");
        tx.sql(statement).execute().await.expect("a statement");
        tx.commit().await.expect("a commit");
    }

    #[tokio::test]
    async fn database_that_fails_for_a_while_is_not_another_one() {
        let files = FileService::new(Location::Store(Arc::new(InMemory::new())));
        let service = Service::connect("sqlite::memory:").await.expect("a database");
        let service = service.plugin(crate::Files::of_service(files.clone())).expect("one plugin");
        let service = service.migrate().await.expect("the tables");
        let (app, state) = (service.app(), service.state().expect("the state"));
        turn(&files, &state, 1).await.expect("a sweep");
        let full = "CREATE TRIGGER full BEFORE UPDATE ON files_directory BEGIN SELECT RAISE(ABORT, 'full'); END";
        execute(&app, full).await;
        turn(&files, &state, 1).await.expect_err("the database fails");
        execute(&app, "DROP TRIGGER full").await;
        turn(&files, &state, 1).await.expect("a sweep");
    }
}
