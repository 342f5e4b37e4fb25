//! Removals of records.

use mongodb::bson::{Bson, Document, RawDocument, doc};

use super::change::Decided;
use super::insert::version_of;
use super::size::check_size;
use super::{Attempt, Change, Writer};
use crate::database::Session;
use crate::error::{self, Failure};
use crate::field::{GONE, KEY, STRONG, UNIQUE, VERSION};
use crate::model::adapter_error::AdapterError;
use crate::record::{Record, raw};
use crate::references::{self, Link, Quiet, links, recount};
use crate::removal;
use crate::schema::{ReferentialAction, Schema};

impl Writer<'_> {
    pub(super) async fn remove(&self, session: &mut Session<'_>, decided: Decided<'_>) -> Result<Attempt, Failure> {
        let Decided { before, document, .. } = decided;
        let (resource, time) = (self.resource, self.clock.stamp());
        let collection = resource.table;
        let schema = self.schema(session).await?;
        let links = links(&before);
        let own = links.iter().filter(|link| link.is_strong() && link.leads_to(collection, &before.key)).count();
        let own = i64::try_from(own).unwrap_or(i64::MAX);
        if before.strong > own {
            if recount(session, &schema, collection, &before.key, STRONG, Quiet::Awaited).await? {
                return Ok(None);
            }
            return Ok(Some(Change::failed(AdapterError::Referenced)));
        }
        let takes_along =
            schema.referring(collection).any(|(_, reference)| reference.on_delete == ReferentialAction::Cascade);
        if takes_along {
            removal::check_cascade(session, &schema, collection, &before.key).await?;
        }
        let is_referred =
            schema.referring(collection).any(|(_, reference)| reference.on_delete != ReferentialAction::Restrict);
        let same = doc! {
            KEY: before.key.clone(),
            VERSION: version_of(&before),
            GONE: Bson::Null,
            "$or": [{ STRONG: Bson::Null }, { STRONG: { "$lte": own } }],
        };
        let entry = self.entry(session, time, Some(&before), None).await?;
        if entry.is_none() && !is_referred {
            if !session.delete(collection, same).await? {
                return Ok(None);
            }
            references::end(session, &links).await?;
            return Ok(Some(Change::done(before)));
        }
        let mut fields = removal::mark();
        fields.insert(VERSION, before.version.unwrap_or_default() + 1);
        check_size(&before, &with_columns(&before, &fields)?, entry.as_ref())?;
        self.post(session, entry, &mut fields).await?;
        let update = doc! { "$set": fields.clone(), "$unset": { UNIQUE: "" } };
        if !session.update(collection, same, update).await? {
            return Ok(None);
        }
        let mut marked: Document = (&*document).try_into().map_err(error::failed)?;
        marked.extend(fields);
        let marked = raw(&marked)?;
        if session.is_in_transaction() {
            finish(session, &schema, collection, &links, &marked).await?;
        } else {
            // Dependent records are removed even if the request is cancelled now.
            let database = self.database.clone();
            let rest = async move { finish(&mut database.session(), &schema, collection, &links, &marked).await };
            tokio::spawn(rest).await.map_err(error::failed)??;
        }
        Ok(Some(Change::done(before)))
    }
}

/// Finishes the removal of a record that is marked, and ends its references.
async fn finish(
    session: &mut Session<'_>,
    schema: &Schema,
    collection: &str,
    links: &[Link],
    marked: &RawDocument,
) -> Result<(), Failure> {
    references::end(session, links).await?;
    removal::finish(session, schema, collection, marked).await
}

/// The document of these fields and the columns.
fn with_columns(record: &Record, fields: &Document) -> Result<Document, AdapterError> {
    let mut document = record.fields()?;
    document.extend(fields.clone());
    Ok(document)
}
