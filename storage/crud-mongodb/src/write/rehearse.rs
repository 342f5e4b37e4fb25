//! Rehearsals: whether a change could be made, as far as reading tells.

use mongodb::bson::Bson;

use super::change::{Decided, unlike};
use super::{Change, Writer};
use crate::database::Session;
use crate::error::Failure;
use crate::model::adapter_error::AdapterError;
use crate::model::key::Key;
use crate::model::value::Value;
use crate::record::Record;
use crate::references::{Link, links, missing};
use crate::storage::decide::{Decision, Intent};
use crate::storage::write::{Outcome, Work};
use crate::value::key;
use crate::{removal, unique};

impl Writer<'_> {
    /// Rehearses a change: returns the outcome that it would have. Nothing is written.
    ///
    /// # Errors
    /// When the server fails.
    pub(crate) async fn rehearse(
        &self,
        session: &mut Session<'_>,
        work: Work<'_>,
        index: usize,
    ) -> Result<Outcome, Failure> {
        let checked = match work {
            Work::Insert(records) => self.rehearse_insert(session, &records[index]).await,
            _ => match self.decide(session, work, index).await? {
                Ok(decided) => self.rehearse_change(session, decided).await,
                Err(change) => return Ok(change.outcome),
            },
        };
        match checked {
            Ok(()) => Ok(Outcome::Done),
            Err(failure) => super::refused(self.resource, failure).map(|Change { outcome, .. }| outcome),
        }
    }

    async fn rehearse_insert(&self, session: &mut Session<'_>, values: &[Value]) -> Result<(), Failure> {
        let resource = self.resource;
        let mut record = Record::new(resource, values.to_vec(), Bson::Null);
        record.set_deleted(None);
        record.key = key(resource, &Key::of_row(resource, &record)?);
        record.fields()?;
        let is_own = |link: &Link| link.leads_to(resource.table, &record.key);
        refuse_missing(session, links(&record).into_iter().filter(|link| !is_own(link)).collect()).await?;
        let taken = if record.key == Bson::Null {
            unique::conflict(session, &record).await?
        } else {
            self.taken(session, &record).await?
        };
        refuse_taken(taken)
    }

    async fn rehearse_change(&self, session: &mut Session<'_>, decided: Decided<'_>) -> Result<(), Failure> {
        let Decided { decision, intent, before, .. } = decided;
        let mut after = before.clone();
        match (decision, intent) {
            (Decision::Remove, _) => {
                let schema = self.schema(session).await?;
                removal::check_cascade(session, &schema, self.resource.table, &before.key).await?;
                let own = links(&before).into_iter();
                let own = own.filter(|link| link.is_strong() && link.leads_to(self.resource.table, &before.key));
                let is_free = before.strong <= i64::try_from(own.count()).unwrap_or(i64::MAX);
                return if is_free { Ok(()) } else { Err(AdapterError::Referenced.into()) };
            }
            (Decision::Restore | Decision::Update { restores: true }, _) => after.set_deleted(None),
            _ => {}
        }
        if let Intent::Update(changes) = intent {
            for (column, value) in changes.iter() {
                after.set(column, value.clone());
            }
        }
        after.fields()?;
        refuse_missing(session, unlike(&after, &before)).await?;
        if decision == Decision::SoftDelete {
            return Ok(());
        }
        refuse_taken(unique::conflict(session, &after).await?)
    }
}

async fn refuse_missing(session: &mut Session<'_>, links: Vec<Link>) -> Result<(), Failure> {
    let columns = missing(session, &links).await?;
    if columns.is_empty() { Ok(()) } else { Err(AdapterError::ReferenceNotFound { columns }.into()) }
}

fn refuse_taken(columns: Option<Vec<usize>>) -> Result<(), Failure> {
    columns.map_or(Ok(()), |columns| Err(AdapterError::Unique { columns }.into()))
}
