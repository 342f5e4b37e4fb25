//! [`Object`]: a row for each object in the storage of files.

use std::collections::HashMap;
use std::time::Duration;

use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::query::Condition;
use crud_runtime::{Error, Result};

use super::PAGE;
use crate::field::FilePlace;
use crate::receive::Received;

/// The state of an object. It has one record for its life, and `Dead` is final: an object that is dead is no record's again,
/// so that its removal cannot race with a use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
pub(crate) enum State {
    /// It is being written, or it is whole and not yet the record's.
    Pending,
    /// A segment of a resumable upload.
    Segment,
    /// The record's.
    Live,
    /// It was the record's, and is kept until `expires_at`; or it never was.
    Dead,
}

/// An object of the storage of files, in the table `files_object`.
#[derive(Debug, Clone, Resource)]
#[crud(table = "files_object", internal, index(resource, record, field), index(state, id))]
pub(crate) struct Object {
    /// The tenant of the record, in JSON; empty where records have none.
    #[crud(length(max = 100))]
    pub(crate) tenant: String,
    /// The key of the object: random, and no one's who has not the table.
    #[crud(length(max = 36))]
    pub(crate) id: String,
    /// The table of the record.
    #[crud(length(max = 100))]
    pub(crate) resource: String,
    /// The key of the record, as paths have it.
    #[crud(length(max = 255))]
    pub(crate) record: String,
    /// The column of the record.
    #[crud(length(max = 100))]
    pub(crate) field: String,
    pub(crate) state: State,
    /// The SHA-256 of its bytes; none until it is whole.
    #[crud(length(max = 64))]
    pub(crate) sha256: Option<String>,
    pub(crate) size: i64,
    /// Whether it waits for a release.
    pub(crate) is_held: bool,
    /// The resumable upload that it is a segment of.
    #[crud(length(max = 36), index)]
    pub(crate) upload: Option<String>,
    /// The time at which its state changed.
    pub(crate) changed_at: DateTime<Utc>,
    /// The time from which on a dead one is removed.
    #[crud(index)]
    pub(crate) expires_at: Option<DateTime<Utc>>,
}

impl Object {
    /// Creates the row of an object before its write, so that an interrupted write is known.
    pub(crate) async fn begin(app: &App, place: &FilePlace) -> Result<Self> {
        app.store::<Self>().create(Self::new_in(app, place, State::Pending)).await
    }

    /// Creates the row of an upload's segment before its write.
    pub(crate) async fn begin_segment(app: &App, place: &FilePlace, upload: &str) -> Result<Self> {
        let segment = Self::new_in(app, place, State::Segment);
        app.store::<Self>().create(NewObject { upload: Some(upload.to_owned()), ..segment }).await
    }

    fn new_in(app: &App, place: &FilePlace, state: State) -> NewObject {
        let now = app.now();
        NewObject {
            tenant: place.tenant.clone(),
            id: Uuid::new_v4().to_string(),
            resource: place.field.table.to_owned(),
            record: place.record.clone(),
            field: place.field.column.to_owned(),
            state,
            sha256: None,
            size: 0,
            is_held: place.field.options.is_held,
            upload: None,
            changed_at: now,
            expires_at: None,
        }
    }

    /// Stores the hash and the size of a completely written object.
    pub(crate) async fn whole(&self, app: &App, received: &Received) -> Result<()> {
        let size = i64::try_from(received.size).unwrap_or(i64::MAX);
        let patch = ObjectPatch::default().sha256(received.sha256.clone()).size(size);
        app.store::<Self>().update(self.id.as_str(), patch).await.map(drop)
    }

    /// The condition on the objects of a record's field.
    fn of(place: &FilePlace) -> Condition<Self> {
        Self::of_field(place.field.table, place.field.column, &place.record)
    }

    fn of_field(table: &str, column: &str, record: &str) -> Condition<Self> {
        let fields = Self::FIELDS;
        fields.resource.eq(table).and(fields.record.eq(record)).and(fields.field.eq(column))
    }

    /// Makes a complete object the record's file, in the transaction of the record's change. Former objects are kept
    /// for the field's `keep`.
    pub(crate) async fn attach(&self, objects: &Store<Self>, now: DateTime<Utc>, place: &FilePlace) -> Result<()> {
        Self::detach(objects, now, place, Some(&self.id)).await?;
        let live = ObjectPatch::default().state(State::Live).changed_at(now);
        // The sweep gives up an upload that takes more than a day.
        let is_pending = Self::FIELDS.state.eq(State::Pending);
        match objects.update_if(self.id.as_str(), is_pending, live).await? {
            Some(_) => Ok(()),
            None => Err(Problem::of(Code::RequestTimeout).into()),
        }
    }

    /// Marks the live objects of a record's field as dead, except one.
    pub(crate) async fn detach(
        objects: &Store<Self>,
        now: DateTime<Utc>,
        place: &FilePlace,
        except: Option<&str>,
    ) -> Result<()> {
        let live = Self::of(place).and(Self::FIELDS.state.eq(State::Live));
        let others = live.and(Self::FIELDS.id.ne(except.unwrap_or_default()));
        Self::change_each(objects, others, dead(now, place.field.keep)).await.map(drop)
    }

    /// Marks an object as dead. A sweep removes its bytes after `keep`.
    pub(crate) async fn end(app: &App, id: &str, keep: Duration) -> Result<()> {
        Self::change_each(&app.store::<Self>(), Self::FIELDS.id.eq(id), dead(app.now(), keep)).await.map(drop)
    }

    /// Marks all objects of a purged record as dead.
    pub(crate) async fn end_record(objects: &Store<Self>, table: &str, record: &str) -> Result<()> {
        let of_record = Self::FIELDS.resource.eq(table).and(Self::FIELDS.record.eq(record));
        Self::change_each(objects, of_record, dead(DateTime::UNIX_EPOCH, Duration::ZERO)).await.map(drop)
    }

    /// Lets the former objects of a record with an erased history expire now.
    pub(crate) async fn end_former(objects: &Store<Self>, table: &str, record: &str) -> Result<()> {
        let of_record = Self::FIELDS.resource.eq(table).and(Self::FIELDS.record.eq(record));
        let former = of_record.and(Self::FIELDS.state.eq(State::Dead));
        Self::change_each(objects, former, dead(DateTime::UNIX_EPOCH, Duration::ZERO)).await.map(drop)
    }

    /// The object with the bytes of a file: preferably a live one, else a pending one, else the dead one that is kept
    /// longest. A file that is stored every day has many dead ones.
    pub(crate) async fn find(app: &App, place: &FilePlace, sha256: &str) -> Result<Option<Self>> {
        for state in [State::Live, State::Pending, State::Dead] {
            let same = Self::of(place).and(Self::FIELDS.sha256.eq(sha256)).and(Self::FIELDS.state.eq(state));
            let found = app.store::<Self>().first(same.order_by(Self::FIELDS.expires_at.desc())).await?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// A page of objects, after a key, that have been in a state since before a time.
    pub(crate) async fn page(app: &App, state: State, before: DateTime<Utc>, after: &str) -> Result<Vec<Self>> {
        let in_state = Self::FIELDS.state.eq(state).and(Self::FIELDS.changed_at.lt(before));
        let page = in_state.and(Self::FIELDS.id.gt(after)).order_by(Self::FIELDS.id.asc()).limit(PAGE);
        app.store::<Self>().list(page).await
    }

    /// Whether the table has an object.
    pub(crate) async fn is_any(app: &App) -> Result<bool> {
        Ok(!app.store::<Self>().list(Select::all().limit(1)).await?.is_empty())
    }

    /// A page of expired dead objects.
    pub(crate) async fn expired(app: &App) -> Result<Vec<Self>> {
        let over = Self::FIELDS.expires_at.lte(app.now());
        app.store::<Self>().list(Self::FIELDS.state.eq(State::Dead).and(over).limit(PAGE)).await
    }

    /// Objects by their keys, in the order of the keys.
    pub(crate) async fn by_keys(app: &App, keys: &[String]) -> Result<Vec<Self>> {
        let mut found = HashMap::new();
        for page in keys.chunks(usize::try_from(PAGE).unwrap_or(1)) {
            let objects = app.store::<Self>().list(Self::FIELDS.id.is_in(page.to_vec())).await?;
            found.extend(objects.into_iter().map(|object| (object.id.clone(), object)));
        }
        Ok(keys.iter().filter_map(|key| found.remove(key)).collect())
    }

    /// Marks the segments of an upload as dead.
    pub(crate) async fn end_segments(app: &App, upload: &str) -> Result<()> {
        let of_upload = Self::FIELDS.upload.eq(upload);
        Self::change_each(&app.store::<Self>(), of_upload, dead(app.now(), Duration::ZERO)).await.map(drop)
    }

    /// Marks a pending object as dead; `false` if it is not pending any more.
    pub(crate) async fn give_up(&self, app: &App) -> Result<bool> {
        let pending = Self::FIELDS.id.eq(self.id.as_str()).and(Self::FIELDS.state.eq(State::Pending));
        Ok(Self::change_each(&app.store::<Self>(), pending, dead(app.now(), Duration::ZERO)).await? > 0)
    }

    /// Releases the held object of a record's field: the one that the record has, and none that is being uploaded. With
    /// a hash, only the one with it. Returns whether there was one.
    pub(crate) async fn release(
        app: &App,
        (table, column): (&str, &str),
        record: &str,
        sha256: Option<&str>,
    ) -> Result<bool> {
        let held = Self::of_field(table, column, record).and(Self::FIELDS.is_held.eq(true));
        let held = held.and(Self::FIELDS.state.eq(State::Live));
        let held = match sha256 {
            Some(sha256) => held.and(Self::FIELDS.sha256.eq(sha256)),
            None => held,
        };
        Ok(Self::change_each(&app.store::<Self>(), held, ObjectPatch::default().is_held(false)).await? > 0)
    }

    /// Deletes the row of a removed object, unless another server has deleted it.
    pub(crate) async fn remove(app: &App, id: &str) -> Result<()> {
        or_missing(app.store::<Self>().delete(id).await).map(drop)
    }

    /// Changes the rows of a condition one by one, and returns their number. This works without transactions too, and
    /// the rows are few.
    async fn change_each(objects: &Store<Self>, condition: Condition<Self>, patch: ObjectPatch) -> Result<u64> {
        let mut changed = 0;
        for object in objects.list(condition.clone()).await? {
            let same = objects.update_if(object.id, condition.clone(), patch.clone()).await;
            changed += u64::from(or_missing(same.map(|changed| changed.is_some()))?.unwrap_or_default());
        }
        Ok(changed)
    }
}

fn dead(now: DateTime<Utc>, keep: Duration) -> ObjectPatch {
    ObjectPatch::default().state(State::Dead).changed_at(now).expires_at(now + keep)
}

/// Turns the error for a missing row into `None`.
pub(crate) fn or_missing<T>(result: Result<T>) -> Result<Option<T>> {
    match result {
        Err(Error::Problem(problem)) if problem.code() == Code::NotFound => Ok(None),
        result => result.map(Some),
    }
}
