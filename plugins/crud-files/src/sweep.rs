//! The sweep: what uploads, changes and removals leave is removed, and what a crash has left half done is repaired.
//!
//! An object goes first, then its row: a crash between leaves a row, by which the next sweep goes on. The record's value
//! decides what an object is.

use std::time::Duration;

use crud_runtime::prelude::*;
use crud_runtime::{Result, ServiceState};

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

/// The number of sweeps at which the storage was this database's before one that removes.
const HELD: u32 = 2;

/// The time after which a row and its record no longer differ by a request in flight.
const SETTLED: Duration = Duration::from_hours(1);

/// The numbers of a sweep.
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

/// One sweep, where the storage was this database's at the sweeps before.
async fn turn(files: &FileService, state: &ServiceState, held: u32) -> Result<Swept> {
    let app = state.app();
    files.learn(state.model())?;
    let is_ours = match Directory::find(app).await? {
        Some(row) => marker::is_claimed(files, &row).await?,
        None => false,
    };
    if let Err(error) = marker::claim(files, app).await {
        if held > 0 {
            marker::contest(files).await?;
        }
        return Err(error);
    }
    if is_ours && held >= HELD { all(files, app).await } else { Ok(Swept::default()) }
}

/// Sweeps now.
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

    /// Ends the resumable uploads whose time is over.
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

    /// Ends the segments that no upload has.
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

    /// Compares the objects that have been in a state for a time with their records, in pages.
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
                self.swept.repaired += 1;
                Object::end_record(&self.app.store::<Object>(), &object.resource, &object.record).await
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

    /// Removes the dead objects whose time is over: the object, then its row.
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
