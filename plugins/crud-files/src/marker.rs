//! The marker: an object in the storage that says which database its files belong to.
//!
//! The row of [`Directory`] and the marker have the same name, and the random text of the last claim. Each start and
//! each sweep claims the storage: in the database first, then in the marker. So these cases are detected:
//! - the storage of another database (another name),
//! - a database older than the storage, such as a restored backup (a claim that the row does not know, with a larger
//!   number),
//! - a storage older than the database (a smaller number),
//! - a copy of the database that uses the same storage as its original: the one that has swept before finds the other's
//!   claim, and marks the storage as contested.
//!
//! A crash between the two writes leaves the marker with the claim before the last, which the row knows too. The next
//! claim writes the last one first, so that a storage that cannot be written falls no further behind. A sweep
//! removes objects only if the storage was this database's at the two sweeps before. So a copy that has just started
//! removes nothing, and its original detects it before it would.

use std::time::Duration;

use crud_runtime::adapter::BoxFuture;
use crud_runtime::prelude::*;
use crud_runtime::{Error, Result};
use object_store::{ObjectStoreExt, PutMode, PutOptions, UpdateVersion};
use serde::{Deserialize, Serialize};

use crate::file_service::FileService;
use crate::storage::{Storage, unavailable};
use crate::table::directory::Directory;
use crate::table::object::Object;

/// The name of the marker's object.
pub(crate) const NAME: &str = "crud-files.json";

/// The claim of a storage that two databases have claimed.
const CONTESTED: &str = "contested";

/// Number of attempts of a claim before the last one, and the time between them.
const ATTEMPTS: u32 = 2;
const MOMENT: Duration = Duration::from_millis(300);

/// The contents of the marker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Marker {
    name: String,
    claims: i64,
    claim: String,
}

impl Marker {
    fn of(row: &Directory) -> Self {
        Self { name: row.name.clone(), claims: row.claims, claim: row.claim.clone() }
    }

    /// Whether the row knows the last claim.
    fn is_of(&self, row: &Directory) -> bool {
        self.name == row.name && (self.claim == row.claim || self.claim == row.former_claim)
    }
}

/// Reads the marker, with its version for a conditional write.
async fn read(storage: &Storage) -> Result<Option<(Marker, UpdateVersion)>> {
    let (store, path) = storage.beside(NAME);
    let found = match store.get(&path).await {
        Err(object_store::Error::NotFound { .. }) => return Ok(None),
        found => found.map_err(unavailable)?,
    };
    let version = UpdateVersion { e_tag: found.meta.e_tag.clone(), version: found.meta.version.clone() };
    let bytes = found.bytes().await.map_err(unavailable)?;
    let unreadable = || Error::Setup(format!("`{NAME}` in the storage of files is unreadable: run `crud files adopt`"));
    Ok(Some((serde_json::from_slice(&bytes).map_err(|_| unreadable())?, version)))
}

/// Writes the marker, by compare-and-set if the store supports that.
async fn write(storage: &Storage, marker: &Marker, former: Option<UpdateVersion>) -> Result<()> {
    let (store, path) = storage.beside(NAME);
    let json = serde_json::to_vec(marker).map_err(Problem::internal)?;
    let put = async |mode| {
        let options = PutOptions { mode, ..PutOptions::default() };
        store.put_opts(&path, json.clone().into(), options).await.map(drop)
    };
    let written = match put(former.map_or(PutMode::Create, PutMode::Update)).await {
        Err(object_store::Error::NotImplemented { .. }) => put(PutMode::Overwrite).await,
        written => written,
    };
    match written {
        Err(object_store::Error::Precondition { .. } | object_store::Error::AlreadyExists { .. }) => Err(contested()),
        written => Ok(written.map_err(unavailable)?),
    }
}

/// Checks that the storage belongs to the database, and claims it. A new database creates the marker in an empty
/// storage.
///
/// # Errors
/// [`Error::Setup`] for a storage that does not belong to this database, with the command to type.
pub(crate) fn check(files: FileService, app: App) -> BoxFuture<'static, Result<()>> {
    Box::pin(async move {
        claim(&files, &app).await?;
        Ok(())
    })
}

/// Claims the storage, if it belongs to the database.
///
/// # Errors
/// Errors of [`check`].
pub(crate) async fn claim(files: &FileService, app: &App) -> Result<Directory> {
    // Retried, as servers of one database may start at once: for a moment, the row is ahead of the marker.
    for _ in 0..ATTEMPTS {
        match try_claim(files, app).await {
            Err(Error::Setup(_)) => tokio::time::sleep(MOMENT).await,
            claimed => return claimed,
        }
    }
    try_claim(files, app).await
}

async fn try_claim(files: &FileService, app: &App) -> Result<Directory> {
    let storage = files.storage()?;
    let row = match Directory::find(app).await? {
        Some(row) => row,
        None => first(storage, app).await?,
    };
    let version = match read(storage).await? {
        Some((marker, version)) => {
            fits(&marker, &row)?;
            Some(complete(storage, &row, marker, version).await?)
        }
        // Without a marker, there must be no files: its first write was interrupted.
        None if Object::is_any(app).await? => return Err(missing()),
        None => None,
    };
    // Another server of this database may have claimed the storage meanwhile, which is as good.
    let Some(claimed) = row.claim(app).await? else { return Ok(row) };
    write(storage, &Marker::of(&claimed), version).await?;
    Ok(claimed)
}

/// Writes the last claim of the row to a marker that does not have it, as its write was interrupted or failed. A further
/// claim would leave the marker with one that the row does not know. Returns the marker's version.
async fn complete(storage: &Storage, row: &Directory, marker: Marker, version: UpdateVersion) -> Result<UpdateVersion> {
    let last = Marker::of(row);
    if marker == last {
        return Ok(version);
    }
    write(storage, &last, Some(version)).await?;
    read(storage).await?.map(|(_, version)| version).ok_or_else(contested)
}

/// Marks the storage as claimed by two databases. Neither removes objects until `files adopt`.
pub(crate) async fn contest(files: &FileService) -> Result<()> {
    let storage = files.storage()?;
    let Some((marker, version)) = read(storage).await? else { return Ok(()) };
    write(storage, &Marker { claim: CONTESTED.to_owned(), ..marker }, Some(version)).await
}

/// Creates the row of a new database, whose storage must be empty.
async fn first(storage: &Storage, app: &App) -> Result<Directory> {
    if read(storage).await?.is_some() {
        return Err(foreign());
    }
    match Directory::make(app).await? {
        Some(row) => Ok(row),
        None => Directory::find(app).await?.ok_or_else(contested),
    }
}

fn fits(marker: &Marker, row: &Directory) -> Result<()> {
    if marker.is_of(row) {
        return Ok(());
    }
    Err(if marker.name != row.name {
        foreign()
    } else if marker.claim == CONTESTED {
        contested()
    } else if marker.claims < row.claims {
        older_files()
    } else {
        older_database()
    })
}

/// Whether the marker has the claim of the row, so that nothing else has claimed the storage since.
pub(crate) async fn is_claimed(files: &FileService, row: &Directory) -> Result<bool> {
    Ok(read(files.storage()?).await?.is_some_and(|(marker, _)| marker == Marker::of(row)))
}

/// Assigns the storage to the database under a new name, which no other database has.
pub(crate) async fn adopt(files: &FileService, app: &App) -> Result<()> {
    let storage = files.storage()?;
    let found = read(storage).await.ok().flatten();
    let row = match Directory::find(app).await? {
        Some(row) => row,
        None => Directory::make(app).await?.ok_or_else(contested)?,
    };
    let claims = found.as_ref().map_or(0, |(marker, _)| marker.claims).max(row.claims) + 1;
    let row = row.rename(app, claims).await?;
    let (store, path) = storage.beside(NAME);
    let json = serde_json::to_vec(&Marker::of(&row)).map_err(Problem::internal)?;
    store.put(&path, json.into()).await.map_err(unavailable)?;
    Ok(())
}

fn refused(words: &str) -> Error {
    Error::Setup(words.to_owned())
}

fn foreign() -> Error {
    refused(
        "the storage of files is another database's: state another place, or run `crud files adopt` if that database is gone",
    )
}

fn older_database() -> Error {
    refused(
        "the database is an older copy than the storage of files, whose newer files it would remove: state another place for a \
         copy beside the original; if the original is gone, run `crud files adopt`",
    )
}

fn older_files() -> Error {
    refused(
        "the storage of files is an older copy than the database: see `crud files check` for the files that it lacks, then run \
         `crud files adopt`",
    )
}

fn missing() -> Error {
    refused(
        "the storage of files is empty, and the database has files: is the directory mounted? If its files are lost, run \
         `crud files adopt`",
    )
}

fn contested() -> Error {
    refused(
        "two databases have claimed the storage of files: state another place for one of them, then run `crud files adopt` with \
         the other",
    )
}
