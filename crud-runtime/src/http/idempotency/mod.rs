//! A change with an `Idempotency-Key`: carried out once, however often it is requested.
//!
//! The key's row is inserted first and the answer last, both in the transaction of the change. A failure rolls all of it
//! back, so that a corrected request can have the same key. The row's unique key is the only lock: the servers of a
//! database agree.

mod read_again;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::Response;
use chrono::TimeDelta;
use crud_core::retry;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::http::handler::ResourceRequest;
use crate::http::operation::batch::PreparedBatch;
use crate::http::operation::import::{self, PreparedImport};
use crate::http::operation::route::{Body as RouteBody, Extent, OperationRoute};
use crate::http::param::header::idempotency_key::IDEMPOTENCY_REPLAYED;
use crate::model::descriptor::{Descriptor, Idempotency, Operation};
use crate::model::problem::{Code, Problem};
use crate::store::hooks::Hooks;
use crate::store::tables::idempotency::{Claim, KeyedRequest, StoredAnswer};
use crate::store::transaction::shared::{End, SharedTransaction};
use crate::store::writer::kept_role::KeptRole;

/// The headers that a replayed answer has again.
static HEADERS: [HeaderName; 4] =
    [header::CONTENT_TYPE, header::ETAG, header::LOCATION, HeaderName::from_static("preference-applied")];

/// Delay before a client repeats a request whose first attempt is still in flight.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Answers a request with this key.
///
/// # Errors
/// Errors of the operation; `idempotency_key_reused` and `idempotency_in_flight`.
pub(crate) async fn run(
    mut request: Box<ResourceRequest>,
    route: &OperationRoute,
    key: &str,
    options: Idempotency,
) -> Result<Response, Problem> {
    // Before the transaction: a slow client must not hold locks.
    let body = read_body(&mut request, route).await?;
    let keyed = keyed(&request, route, key, &body, options);
    let app = request.state.app().clone();
    let (mut file, _turn) = match route.body {
        RouteBody::File => (prepared_file(&request, &keyed, &body).await?, Some(import::turn(&request.state).await?)),
        _ => (None, None),
    };
    let (resource, is_one) = (request.resource(), route.extent == Extent::One);
    let removes = matches!(route.operation, Operation::Delete | Operation::Purge);
    let changes_others = resource.nests_children() || removes && app.has_logged_dependants(resource);
    let has_steps =
        Hooks::of(resource).is_some() || KeptRole::of(resource).is_some() || !resource.exclusives.is_empty();
    let is_short = is_one && !has_steps && !changes_others;
    let (end, answered) = retry!(
        async {
            let prepared = match (&mut file, route.body) {
                (Some(file), _) => Prepared::File(file),
                (None, RouteBody::Batch) => prepared_batch(&request, route, &keyed, &body).await?,
                (None, _) => Prepared::Nothing,
            };
            let begun = if is_short { app.start_short_transaction().await } else { app.start_transaction().await };
            let transaction = begun.map_err(Problem::from_storage)?;
            if let Some(tenant) = request.identity.records.tenant() {
                transaction.bind(tenant).await.map_err(Problem::from_storage)?;
            }
            let mut attempt = request.with_body(body.clone());
            attempt.join(transaction.clone());
            let mut answered = answer(attempt, route, &keyed, &transaction, prepared).await;
            // An answer, also a refusal, holds only once its transaction is committed.
            if transaction.end().await.is_none()
                && let Err(error) = transaction.roll_back().await
            {
                answered = Err(Problem::from_storage(error));
            }
            Ok::<_, Problem>((transaction.end().await, answered))
        },
        End::is_conflict
    )?;
    if end == Some(End::Committed) {
        request.state.purge_keys();
    }
    answered
}

/// The body of a request, where it is read before the transaction.
enum Prepared<'a> {
    Nothing,
    File(&'a mut PreparedImport),
    Batch(PreparedBatch),
}

/// The batch of a request, read before the transaction: while a large one is read, others write. A known key gets its
/// stored answer, even if the batch would be refused now.
async fn prepared_batch(
    request: &ResourceRequest,
    route: &OperationRoute,
    keyed: &KeyedRequest,
    body: &Bytes,
) -> Result<Prepared<'static>, Problem> {
    let problem = match PreparedBatch::read(&mut request.with_body(body.clone()), route.operation).await {
        Ok(batch) => return Ok(Prepared::Batch(batch)),
        Err(problem) => problem,
    };
    if keyed.is_known(request.state.app()).await? { Ok(Prepared::Nothing) } else { Err(problem) }
}

/// The file of a new key, read before the transaction: while a large file is read and its references are looked up,
/// others write. The file of a known key is not written again.
async fn prepared_file(
    request: &ResourceRequest,
    keyed: &KeyedRequest,
    body: &Bytes,
) -> Result<Option<PreparedImport>, Problem> {
    if keyed.is_known(request.state.app()).await? {
        return Ok(None);
    }
    PreparedImport::read(request.with_body(body.clone())).await.map(Some)
}

/// Claims the key, runs the operation and commits its answer, or replays that of an earlier request.
async fn answer(
    request: Box<ResourceRequest>,
    route: &OperationRoute,
    keyed: &KeyedRequest,
    transaction: &Arc<SharedTransaction>,
    prepared: Prepared<'_>,
) -> Result<Response, Problem> {
    let app = request.state.app().clone();
    match keyed.claim(&app, transaction).await? {
        Claim::New => {}
        Claim::Answered(answer) => return replayed(&request, route.operation, answer).await,
        Claim::Reused => return Err(Problem::of(Code::IdempotencyKeyReused)),
        Claim::InFlight => return Err(Problem::of(Code::IdempotencyInFlight).retry_after(RETRY_AFTER)),
    }
    let resource = request.resource();
    let response = match prepared {
        Prepared::File(file) => file.write(&request).await?,
        Prepared::Batch(batch) => batch.write(&request).await?,
        Prepared::Nothing => (route.handler)(request).await?,
    };
    if !response.status().is_success() {
        return Ok(response);
    }
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, usize::MAX).await.map_err(Problem::internal)?;
    let (status, headers) = (parts.status.as_u16(), stored_headers(&parts.headers));
    let answer = StoredAnswer { status, headers, body: body.to_vec() };
    let stored = read_again::shortened(resource, route.extent == Extent::Batch, answer)?;
    keyed.answer(&app, transaction, stored).await?;
    transaction.commit().await.map_err(Problem::from_storage)?;
    Ok(Response::from_parts(parts, Body::from(body)))
}

/// The bytes of the body, which the operation reads again.
async fn read_body(request: &mut ResourceRequest, route: &OperationRoute) -> Result<Bytes, Problem> {
    let limits = request.state.limits();
    match route.body {
        RouteBody::File => {
            import::require_whole(request)?;
            request.body_reader.bytes(&request.parts.headers, limits.batch_body).await
        }
        RouteBody::None => Ok(Bytes::new()),
        RouteBody::OptionalJson if !request.has_body() => Ok(Bytes::new()),
        RouteBody::Json | RouteBody::OptionalJson => request.json_body(limits.body).await,
        RouteBody::Batch => request.json_body(limits.batch_body).await,
    }
}

fn keyed(
    request: &ResourceRequest,
    route: &OperationRoute,
    key: &str,
    body: &Bytes,
    options: Idempotency,
) -> KeyedRequest {
    let fingerprint = fingerprint(request, body);
    let mut name = Fingerprint::default();
    name.text(&request.mounted.options().prefix).text(route.path).text(key);
    match &request.identity.actor {
        Some(actor) => {
            let tenant = actor.tenant().map(Json::to_string);
            name.text("principal").text(&actor.actor()).text(&tenant.unwrap_or_default());
        }
        // Callers that cannot be told apart share an answer only where they send the same request.
        None => drop(name.text("anonymous").text(&fingerprint)),
    }
    KeyedRequest { name: name.finish(), fingerprint, ttl: TimeDelta::from_std(options.ttl).unwrap_or(TimeDelta::MAX) }
}

/// The digest of a request, with everything about its sender that decides which fields and records it sees.
fn fingerprint(request: &ResourceRequest, body: &[u8]) -> String {
    let mut print = Fingerprint::default();
    let query = request.parts.uri.query().unwrap_or_default();
    print.text(request.parts.method.as_str()).text(request.original_path()).text(query).bytes(body);
    if let Some(principal) = &request.identity.principal {
        print.set(principal.roles()).set(principal.permissions());
        let own = claims_of(request.resource());
        for name in &own {
            print.text(&principal.claim(name).map(Json::to_string).unwrap_or_default());
        }
        // The answer may have records of other resources.
        let others = request.state.mounted().iter().flat_map(|mounted| claims_of(mounted.resource()));
        let others: BTreeSet<&str> = others.filter(|name| !own.contains(name)).collect();
        for name in others {
            if let Some(value) = principal.claim(name) {
                print.text(name).text(&value.to_string());
            }
        }
    }
    print.finish()
}

/// The claims by which a principal sees and changes records of a resource.
fn claims_of(resource: &Descriptor) -> Vec<&'static str> {
    resource.scopes.iter().chain(resource.write_scopes).map(|scope| scope.claim).collect()
}

/// A SHA-256 of several values, each with its length, so that no two lists of values are alike.
#[derive(Default)]
struct Fingerprint(Sha256);

impl Fingerprint {
    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    /// Adds values, whose order does not matter.
    fn set(&mut self, values: &[String]) -> &mut Self {
        let mut values: Vec<&str> = values.iter().map(String::as_str).collect();
        values.sort_unstable();
        values.dedup();
        self.bytes(&(values.len() as u64).to_be_bytes());
        values.into_iter().fold(self, Self::text)
    }

    fn finish(self) -> String {
        let digest = self.0.finalize();
        let mut text = String::with_capacity(2 * digest.len());
        for byte in digest {
            // Writing to a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

fn stored_headers(headers: &HeaderMap) -> Json {
    HEADERS.iter().filter_map(|name| Some((name.as_str(), headers.get(name)?.to_str().ok()?))).collect()
}

async fn replayed(request: &ResourceRequest, operation: Operation, answer: StoredAnswer) -> Result<Response, Problem> {
    let read_again = read_again::respond(request, operation, &answer).await?;
    let is_stored = read_again.is_none();
    let StoredAnswer { status, headers, body } = answer;
    let mut response = match read_again {
        Some(response) => response,
        None => {
            let mut response = Response::new(Body::from(body));
            *response.status_mut() = StatusCode::from_u16(status).map_err(Problem::internal)?;
            response
        }
    };
    for name in HEADERS.iter().filter(|name| is_stored || read_again::keeps(name)) {
        if let Some(value) = headers[name.as_str()].as_str() {
            let value = HeaderValue::from_str(value).map_err(Problem::internal)?;
            response.headers_mut().insert(name, value);
        }
    }
    response.headers_mut().insert(&IDEMPOTENCY_REPLAYED, HeaderValue::from_static("true"));
    Ok(response)
}
