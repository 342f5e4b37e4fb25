//! Inserts.

use mongodb::bson::{Bson, Document, RawBsonRef, doc};

use super::entry::{document, new_record};
use super::size::check_size;
use super::{Attempt, Change, Writer};
use crate::counter;
use crate::database::{Find, Session};
use crate::error::Failure;
use crate::field::{GONE, KEY};
use crate::model::adapter_error::AdapterError;
use crate::model::value::Value;
use crate::record::{Record, raw};
use crate::references::{self, Link, links};
use crate::{removal, unique};

impl Writer<'_> {
    /// An attempt at an insert.
    pub(super) async fn insert(&self, session: &mut Session<'_>, values: &[Value]) -> Result<Attempt, Failure> {
        let resource = self.resource;
        let time = self.clock.stamp();
        let record = new_record(session, resource, values.to_vec(), time).await?;
        let links = links(&record);
        // The references of a record to itself count from the start.
        let (own, others): (Vec<Link>, Vec<Link>) =
            links.into_iter().partition(|link| link.leads_to(resource.table, &record.key));
        let strong = own.iter().filter(|link| link.is_strong()).count();
        let mut fields = document(&record, number(strong), number(own.len() - strong))?;
        let entry = self.entry(session, time, None, Some(&record)).await?;
        check_size(&record, &fields, entry.as_ref())?;
        references::begin(session, &others).await?;
        if session.is_in_transaction()
            && let Some(columns) = self.taken(session, &record).await?
        {
            // The duplicate would make the server end the transaction.
            return Ok(Some(Change::failed(AdapterError::Unique { columns })));
        }
        self.post(session, entry, &mut fields).await?;
        let document = raw(&fields)?;
        match session.insert(resource.table, &document).await {
            Ok(()) => {}
            Err(Failure::Duplicate) if !session.is_in_transaction() => {
                references::end(session, &others).await?;
                return self.explain(session, &record).await;
            }
            Err(failure) => return Err(failure),
        }
        if !session.is_in_transaction() && self.recorder.is_some() {
            self.deliver(session, &record.key, 1, &document).await?;
        }
        Ok(Some(Change::done(record)))
    }

    /// Finds the duplicate that the server reported.
    async fn explain(&self, session: &mut Session<'_>, record: &Record) -> Result<Attempt, Failure> {
        let resource = self.resource;
        let same_key = doc! { KEY: record.key.clone() };
        if let Some(document) = session.find_one(resource.table, same_key).await? {
            if document.get(GONE).ok().flatten().is_some() {
                let schema = self.schema(session).await?;
                removal::finish(session, &schema, resource.table, &document).await?;
                return Ok(None);
            }
            if resource.counted_key().is_none() {
                return Ok(Some(Change::failed(AdapterError::Unique { columns: resource.key().to_vec() })));
            }
            self.pass_over_keys().await?;
            return Ok(None);
        }
        // Where no other document has the value any more, the insert is tried again.
        let columns = unique::conflict(session, record).await?;
        Ok(columns.map(|columns| Change::failed(AdapterError::Unique { columns })))
    }

    /// The columns of the key or of a unique index whose values another document has.
    pub(super) async fn taken(
        &self,
        session: &mut Session<'_>,
        record: &Record,
    ) -> Result<Option<Vec<usize>>, Failure> {
        let same_key = doc! { KEY: record.key.clone() };
        if session.find_one(self.resource.table, same_key).await?.is_some() {
            return Ok(Some(self.resource.key().to_vec()));
        }
        unique::conflict(session, record).await
    }

    /// Moves the counter past the keys of documents that other programs have inserted.
    async fn pass_over_keys(&self) -> Result<(), Failure> {
        let resource = self.resource;
        let greatest = Find { sort: doc! { KEY: -1 }, ..Find::new(Document::new(), 1) };
        let mut key = None;
        self.database
            .find(resource.table, greatest, |document| {
                key = document.get(KEY).ok().flatten().and_then(RawBsonRef::as_i64);
                Ok(false)
            })
            .await?;
        match key {
            Some(key) => counter::pass_over(&mut self.database.session(), resource, key).await,
            None => Ok(()),
        }
    }
}

fn number(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// The version as a filter has it: null where another program wrote the document.
pub(super) fn version_of(record: &Record) -> Bson {
    record.version.map_or(Bson::Null, Bson::Int64)
}
