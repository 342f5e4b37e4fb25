//! Changes of stored records.

use mongodb::bson::{Bson, RawDocumentBuf, doc};

use super::insert::version_of;
use super::size::check_size;
use super::{Attempt, Change, Writer};
use crate::adoption::adopt;
use crate::database::Session;
use crate::error::Failure;
use crate::field::{GONE, KEY, UNIQUE, VERSION};
use crate::model::adapter_error::AdapterError;
use crate::model::key::Key;
use crate::model::row::Row;
use crate::record::{Record, raw};
use crate::references::{self, Link, links};
use crate::storage::decide::{Decision, Intent, decide, managed_columns};
use crate::storage::write::{Outcome, Work};
use crate::value::identity;
use crate::{pending, unique};

/// The stored record of a change, and what becomes of it.
pub(super) struct Decided<'a> {
    pub(super) decision: Decision,
    pub(super) intent: Intent<'a>,
    pub(super) before: Record,
    pub(super) document: RawDocumentBuf,
}

impl Writer<'_> {
    /// An attempt at a change of a stored record.
    pub(super) async fn change(
        &self,
        session: &mut Session<'_>,
        work: Work<'_>,
        index: usize,
    ) -> Result<Attempt, Failure> {
        let decided = match self.decide(session, work, index).await? {
            Ok(decided) => decided,
            Err(change) => return Ok(Some(change)),
        };
        if decided.before.pending {
            // The outbox has room for this change alone.
            let mut session = self.database.session();
            let schema = self.schema(&mut session).await?;
            pending::finish(&mut session, &schema, self.resource.table, &decided.document).await?;
            return Ok(None);
        }
        if decided.before.version.is_none() {
            adopt(session, &decided.before).await?;
            return Ok(None);
        }
        if decided.decision == Decision::Remove {
            return self.remove(session, decided).await;
        }
        self.update(session, decided).await
    }

    /// Decides a change of a record; the inner error is the outcome of a change that does nothing.
    pub(super) async fn decide<'w>(
        &self,
        session: &mut Session<'_>,
        work: Work<'w>,
        index: usize,
    ) -> Result<Result<Decided<'w>, Change>, Failure> {
        let missing = || Ok(Err(Change::not_done(Outcome::Missing)));
        let (Some(id), Some((intent, guard))) = (id_of(work, index), Intent::of(work, index)) else {
            return missing();
        };
        let mut there = identity(self.resource, id, self.tenant);
        there.insert(GONE, Bson::Null);
        let document = session.find_one(self.resource.table, there).await?;
        let before = document.as_ref().map(|document| Record::decode(self.resource, document)).transpose()?;
        let decision = decide(self.resource, intent, before.as_ref().map(|record| record as &dyn Row), guard)?;
        let (Some(before), Some(document)) = (before, document) else { return missing() };
        Ok(match decision.outcome() {
            None => Ok(Decided { decision, intent, before, document }),
            Some(Outcome::Done) => Err(Change::done(before)),
            Some(outcome) => Err(Change::not_done(outcome)),
        })
    }

    async fn update(&self, session: &mut Session<'_>, decided: Decided<'_>) -> Result<Attempt, Failure> {
        let Decided { decision, intent, before, .. } = decided;
        let resource = self.resource;
        // The time is later than the version that is read, and earlier than the next version.
        let time = self.clock.stamp();
        let mut after = before.clone();
        match (decision, intent) {
            (Decision::SoftDelete, _) => after.set_deleted(Some(time)),
            (Decision::Restore, _) => after.set_deleted(None),
            (Decision::Update { restores }, Intent::Update(changes)) => {
                for (column, value) in changes.iter() {
                    after.set(column, value.clone());
                }
                if restores {
                    after.set_deleted(None);
                }
                for (_, role) in managed_columns(resource, false) {
                    after.set_time(role, time);
                }
            }
            _ => {
                return Ok(Some(Change::failed(AdapterError::Unsupported {
                    what: "a change that is newer than its adapter",
                })));
            }
        }
        let whole = after.fields()?;
        let texts = unique::texts(&after)?;
        let entry = self.entry(session, time, Some(&before), Some(&after)).await?;
        check_size(&after, &whole, entry.as_ref())?;
        if texts != unique::texts(&before).unwrap_or_default()
            && let Some(columns) = unique::conflict(session, &after).await?
        {
            return Ok(Some(Change::failed(AdapterError::Unique { columns })));
        }
        let (begun, ended) = (unlike(&after, &before), unlike(&before, &after));
        references::begin(session, &begun).await?;
        let mut fields = after.changed_fields(&before, whole);
        fields.insert(UNIQUE, texts);
        let version = before.version.unwrap_or_default() + 1;
        fields.insert(VERSION, version);
        self.post(session, entry, &mut fields).await?;
        let outbox = raw(&fields)?;
        let same = doc! { KEY: before.key.clone(), VERSION: version_of(&before), GONE: Bson::Null };
        match session.update(resource.table, same, doc! { "$set": fields }).await {
            Ok(true) => {}
            Ok(false) => {
                references::end(session, &begun).await?;
                return Ok(None);
            }
            Err(Failure::Duplicate) if !session.is_in_transaction() => {
                references::end(session, &begun).await?;
                let columns = unique::conflict(session, &after).await?;
                return Ok(columns.map(|columns| Change::failed(AdapterError::Unique { columns })));
            }
            Err(failure) => return Err(failure),
        }
        references::end(session, &ended).await?;
        if !session.is_in_transaction() && self.recorder.is_some() {
            self.deliver(session, &before.key, version, &outbox).await?;
        }
        after.version = Some(version);
        Ok(Some(Change::done(after)))
    }
}

/// The references of a record that `other` does not have.
pub(super) fn unlike(record: &Record, other: &Record) -> Vec<Link> {
    let others = links(other);
    links(record).into_iter().filter(|link| !others.iter().any(|other| other.is_same(link))).collect()
}

/// The key of the record that a change applies to.
pub(super) fn id_of(work: Work<'_>, index: usize) -> Option<&Key> {
    match work {
        Work::Insert(_) => None,
        Work::Update(updates) => Some(updates.get(index)?.id),
        Work::SoftDelete(targets) | Work::Restore(targets) | Work::Delete(targets) | Work::Purge(targets) => {
            Some(targets.get(index)?.id)
        }
    }
}
