//! An attempt to send a delivery.

use chrono::TimeDelta;
use crud_runtime::Result;
use crud_runtime::prelude::*;

use super::claim::Claim;
use super::content::{Content, content};
use super::finish::finish;
use crate::webhooks::backoff::retry_after;
use crate::webhooks::sender::Sender;
use crate::webhooks::sending::client::{Answer, Message};
use crate::webhooks::signature::signatures;

/// Number of characters of a reason that are stored.
const MAX_REASON: usize = 250;

/// The outcome of an attempt.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) result: Attempted,
    pub(crate) answer: Option<Answer>,
    /// The reason of a failure.
    pub(crate) error: Option<String>,
}

/// The result of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempted {
    Delivered,
    /// The attempt has failed. `wish` is the receiver's `Retry-After`.
    Failed {
        wish: Option<TimeDelta>,
    },
    /// The receiver has answered with 410: it wants no more events.
    Unwanted,
    /// There was nothing to send.
    Skipped,
}

/// Attempts a delivery, and stores the outcome.
///
/// # Errors
/// When the database fails. The attempt is then repeated after its lease.
pub(crate) async fn attempt(sender: &Sender, app: &App, claim: Claim) -> Result<()> {
    let Claim { delivery, webhook, place } = claim;
    let outcome = match content(sender, &webhook, &delivery).await? {
        Content::Nothing(reason) => {
            Outcome { result: Attempted::Skipped, answer: None, error: Some(reason.to_owned()) }
        }
        Content::Body(body) => {
            let now = app.now();
            let (id, timestamp) = (delivery.event_id.clone(), now.timestamp());
            let secrets = webhook.secrets(&sender.key(app).await?, now);
            let signatures = signatures(&secrets, &id, timestamp, &body);
            let sent = sender.client().send(&webhook.url, Message { id, timestamp, signatures, body }).await;
            outcome(sent, app.now())
        }
    };
    finish(app, &delivery, outcome).await?;
    drop(place);
    // The next event of the record may be due now.
    sender.wake().notify_one();
    Ok(())
}

fn outcome(sent: std::result::Result<Answer, String>, now: DateTime<Utc>) -> Outcome {
    let answer = match sent {
        Ok(answer) => answer,
        Err(error) => {
            let error = error.chars().take(MAX_REASON).collect();
            return Outcome { result: Attempted::Failed { wish: None }, answer: None, error: Some(error) };
        }
    };
    let (result, error) = match answer.status {
        200..=299 => (Attempted::Delivered, None),
        300..=399 => (Attempted::Failed { wish: None }, Some("redirects are not followed".to_owned())),
        410 => (Attempted::Unwanted, Some("410: the receiver wants no more events".to_owned())),
        status => {
            let wish = answer.retry_after.as_deref().and_then(|text| retry_after(text, now));
            (Attempted::Failed { wish }, Some(format!("expected a status of 200 to 299, found {status}")))
        }
    };
    Outcome { result, answer: Some(answer), error }
}
