//! Tickets: the credentials of an `EventSource`, which cannot set headers.
//!
//! A ticket stands for the headers of the request that created it. It is valid once, for a minute, on every server of
//! the database. The table has no readable credentials: the headers are encrypted with the ticket's secret, and the
//! table has only the hash of the secret. The secret is random and encrypts one text, so XOR with a key stream derived
//! from it is enough.

use std::fmt::Write as _;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use crud_runtime::axum::Json;
use crud_runtime::axum::http::request::Parts;
use crud_runtime::axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::Context;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Streams;
use crate::core::Core;

/// Seconds for which a ticket is valid.
const SECONDS: i64 = 60;

/// Longest headers of a ticket, in bytes.
const MOST: usize = 16 << 10;

/// Headers that a ticket leaves out: they concern only the request for the ticket.
const LEFT_OUT: [HeaderName; 6] = [
    header::ACCEPT,
    header::ACCEPT_ENCODING,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::HOST,
];

/// A ticket that was not used yet, in the table `events_ticket`.
#[derive(Debug, Clone, Resource)]
#[crud(table = "events_ticket", internal)]
pub(crate) struct Ticket {
    /// The hash of its secret.
    #[crud(length(max = 64))]
    id: String,
    /// The sealed headers, in base64.
    sealed: String,
    #[crud(index)]
    expires_at: DateTime<Utc>,
}

/// Creates a ticket for the sender of a request.
pub(super) async fn make(core: Core, ctx: Context, head: Parts) -> Result<Json<Value>, Problem> {
    if ctx.model().has_principals() && ctx.principal_of(&head).await?.is_none() {
        return Err(Problem::of(Code::AuthenticationFailed));
    }
    let headers = credentials(&head.headers);
    let text = serde_json::to_vec(&headers).map_err(Problem::internal)?;
    if text.len() > MOST {
        return Err(Problem::new(Code::HeadTooLarge, "the headers of the request are too long for a ticket"));
    }
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(Problem::internal)?;
    let (tickets, now) = (core.log.app()?.store::<Ticket>(), ctx.now());
    tickets.delete_where(Ticket::FIELDS.expires_at.lt(now)).await?;
    let sealed = STANDARD.encode(sealed(&secret, &text));
    tickets.create(NewTicket { id: hash(&secret), sealed, expires_at: now + TimeDelta::seconds(SECONDS) }).await?;
    Ok(Json(json!({ "ticket": hex(&secret), "expires_in": SECONDS })))
}

impl Streams {
    /// The head of a request, with the credentials of its ticket if it has one.
    ///
    /// # Errors
    /// `invalid_token` for a ticket that was used or has expired.
    pub(super) async fn redeemed(&self, core: &Core, mut head: Parts) -> Result<Parts, Problem> {
        let mut pairs = head.uri.query().unwrap_or_default().split('&');
        let Some(text) = pairs.find_map(|pair| pair.strip_prefix("ticket=")) else { return Ok(head) };
        let refused =
            || Problem::new(Code::InvalidToken, "the ticket was used, or its time is over: ask for another one");
        let secret = unhex(text).ok_or_else(refused)?;
        let app = core.log.app()?;
        let tickets = app.store::<Ticket>();
        let id = hash(&secret);
        let ticket = tickets.find(&*id).await?.ok_or_else(refused)?;
        // A concurrent request with the same ticket may have deleted it first.
        if tickets.delete_where(Ticket::FIELDS.id.eq(&*id)).await? != 1 || ticket.expires_at < app.now() {
            return Err(refused());
        }
        let bytes = STANDARD.decode(&ticket.sealed).map_err(Problem::internal)?;
        let headers: Vec<(String, String)> =
            serde_json::from_slice(&sealed(&secret, &bytes)).map_err(Problem::internal)?;
        for (name, value) in headers {
            if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::try_from(value)) {
                head.headers.insert(name, value);
            }
        }
        Ok(head)
    }
}

/// The headers that a ticket stands for.
fn credentials(headers: &HeaderMap) -> Vec<(String, String)> {
    let kept = headers.iter().filter(|(name, _)| !LEFT_OUT.contains(name));
    kept.filter_map(|(name, value)| Some((name.to_string(), value.to_str().ok()?.to_owned()))).collect()
}

/// The text XOR the key stream of a secret. Applied twice, it gives the text again.
fn sealed(secret: &[u8; 32], text: &[u8]) -> Vec<u8> {
    let block = |number: usize| {
        // HMAC takes keys of any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(secret).expect("a key of HMAC");
        mac.update(&number.to_be_bytes());
        mac.finalize().into_bytes()
    };
    let blocks = text.chunks(32).enumerate();
    blocks
        .flat_map(|(number, text)| text.iter().zip(block(number)).map(|(text, key)| text ^ key).collect::<Vec<_>>())
        .collect()
}

fn hash(secret: &[u8; 32]) -> String {
    hex(&Sha256::digest(secret))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        // Writing to memory cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let bytes = text.as_bytes();
    if bytes.len() != 64 || !bytes.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let byte = |at: usize| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).ok();
    let mut secret = [0; 32];
    for (at, place) in secret.iter_mut().enumerate() {
        *place = byte(at)?;
    }
    Some(secret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sealed_text_is_opened_by_its_secret_alone() {
        let (text, secret) = (b"[[\"authorization\",\"Bearer a.b.c\"]]".repeat(3), [7; 32]);
        let closed = sealed(&secret, &text);
        assert_ne!(closed, text);
        assert_eq!(sealed(&secret, &closed), text);
        assert_ne!(sealed(&[8; 32], &closed), text);
        assert_eq!(unhex(&hex(&secret)), Some(secret));
        assert!(unhex("7").is_none() && unhex(&"é".repeat(32)).is_none());
    }
}
