//! [`Webhook`]: the resource of receivers.

use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use serde_json::Value as Json;

use super::delivery::Delivery;
use super::progress::{NewProgress, Progress};
use crate::webhooks::pattern::is_pattern;
use crate::webhooks::sender::Sender;
use crate::webhooks::signature::SigningSecret;

/// Time after a rotation for which the former secret signs too.
pub(crate) const ROTATION: TimeDelta = TimeDelta::hours(24);

/// Limit of the patterns and of the roles of a webhook.
const NAMES: usize = 50;

/// A receiver of events: a URL of another service, to which the service sends the events of some types.
#[derive(Debug, Clone, Resource)]
#[crud(
    table = "events_webhook",
    prefix = "/webhooks",
    tags("Webhooks"),
    admin(title(url), list(url, types, active, disabled_because, created_at)),
    access(all(role("admin"))),
    scope(public, tenant(tenant)),
    filter(url, active, created_at),
    sort(url, created_at),
    pagination,
    has_many(deliveries(Delivery::webhook_id, limit = 10, sort(desc(id)))),
    hooks(before(check), after(begin))
)]
pub(crate) struct Webhook {
    pub(crate) id: i64,
    /// The URL, which begins with `https://`. The service sends a `POST` request for each event.
    #[crud(length(max = 2000))]
    pub(crate) url: String,
    /// Patterns of the types of events, such as `product.*`, `*.removed` or `*`.
    pub(crate) types: Vec<String>,
    /// The roles that the webhook acts as: it is sent what a caller with these roles reads, and without roles what a caller
    /// without a token reads. Each is a role of the caller's own.
    #[crud(default(Vec::new()))]
    pub(crate) roles: Vec<String>,
    /// Whether events are sent. Those of the meantime follow when it is active again.
    #[crud(default(true))]
    pub(crate) active: bool,
    /// The reason for which the service has set `active` to false.
    #[crud(read_only, length(max = 200))]
    pub(crate) disabled_because: Option<String>,
    /// The tenant as text; empty for none.
    #[crud(hidden, default = "", length(max = 255))]
    pub(crate) tenant: String,
    /// The tenant as the claim of its maker had it.
    #[crud(hidden)]
    pub(crate) tenant_claim: Option<Json>,
    /// The random text of which the secret is derived.
    #[crud(hidden, default = "", length(max = 36))]
    pub(crate) salt: String,
    /// That of the former secret.
    #[crud(hidden, length(max = 36))]
    pub(crate) former_salt: Option<String>,
    /// The secret that signs messages, such as `whsec_MfKQ9r8G…`: in the answer that makes the webhook, and null in all others.
    #[crud(computed(Webhook::no_secret))]
    pub(crate) secret: Option<String>,
    /// The time until which the former secret signs too.
    #[crud(read_only)]
    pub(crate) rotating_until: Option<DateTime<Utc>>,
    #[crud(created_at)]
    pub(crate) created_at: DateTime<Utc>,
    #[crud(updated_at)]
    pub(crate) updated_at: DateTime<Utc>,
}

impl Webhook {
    /// The principal that the webhook reads as; without roles, `None`, as for a request without a token.
    pub(crate) fn principal(&self) -> Option<Principal> {
        let principal = || {
            let principal = Principal::new(format!("webhook:{}", self.id)).with_roles(self.roles.clone());
            match &self.tenant_claim {
                Some(tenant) => principal.with_tenant(tenant.clone()),
                None => principal,
            }
        };
        (!self.roles.is_empty()).then(principal)
    }

    /// Always `None`: the handler of `POST /webhooks` adds the secret to its answer, and no other answer shows it.
    #[allow(clippy::unused_self, reason = "functions of fields take the record")]
    const fn no_secret(&self, _: &RequestContext<'_>) -> Option<String> {
        None
    }

    /// The secrets that sign a message now, the newest first.
    pub(crate) fn secrets(&self, key: &[u8; 32], now: DateTime<Utc>) -> Vec<SigningSecret> {
        let former = self.former_salt.as_deref().filter(|_| self.rotating_until.is_some_and(|until| until > now));
        [Some(&*self.salt), former].into_iter().flatten().map(|salt| SigningSecret::derive(key, salt)).collect()
    }
}

/// Checks a created or updated webhook. Sets the salt and the tenant of a new one.
#[allow(clippy::unused_async, reason = "hooks are asynchronous")]
async fn check(changeset: &mut Changeset<'_, Webhook>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let fields = Webhook::FIELDS;
    match changeset.operation() {
        Operation::Create => {
            changeset.set(fields.salt, Uuid::new_v4().to_string());
            changeset.set(fields.tenant_claim, ctx.principal().and_then(Principal::tenant).cloned());
        }
        Operation::Update => {
            if changeset.changed(fields.active) && changeset.get(fields.active) == Some(true) {
                changeset.set(fields.disabled_because, None::<String>);
            }
        }
        _ => return Ok(()),
    }
    check_url(changeset, ctx.extension::<Sender>()?);
    check_types(changeset);
    check_roles(changeset, ctx.principal())
}

fn check_url(changeset: &mut Changeset<'_, Webhook>, sender: &Sender) {
    let url = changeset.get(Webhook::FIELDS.url).unwrap_or_default();
    if let Err(reason) = sender.client().destinations().parse(&url) {
        changeset.add_error(Webhook::FIELDS.url, "url", reason);
    }
}

fn check_types(changeset: &mut Changeset<'_, Webhook>) {
    let types = changeset.get(Webhook::FIELDS.types).unwrap_or_default();
    if types.is_empty() || types.len() > NAMES || !types.iter().all(|pattern| is_pattern(pattern)) {
        let rule = format!("must be 1 to {NAMES} patterns of types, such as `product.*` or `*`, with one `*` at most");
        changeset.add_error(Webhook::FIELDS.types, "pattern", rule);
    }
}

/// Checks that the sender of the request has all roles of the webhook: otherwise, its URL would receive records that
/// the sender may not read.
fn check_roles(changeset: &mut Changeset<'_, Webhook>, principal: Option<&Principal>) -> Result<(), Problem> {
    let roles = changeset.get(Webhook::FIELDS.roles).unwrap_or_default();
    let Some(lacking) = lacking(&roles, principal) else { return Ok(()) };
    if changeset.changed(Webhook::FIELDS.roles) {
        changeset.add_error(Webhook::FIELDS.roles, "own", format!("must be roles of your own, which lack {lacking}"));
        return Ok(());
    }
    Err(lacks(&lacking))
}

/// The roles of a webhook that a caller lacks. The program's own code lacks none.
fn lacking(roles: &[String], principal: Option<&Principal>) -> Option<String> {
    let principal = principal?;
    let lacking = roles.iter().filter(|role| !principal.has_role(role));
    let lacking: Vec<String> = lacking.map(|role| format!("`{}`", role.escape_debug())).collect();
    (!lacking.is_empty()).then(|| lacking.join(", "))
}

fn lacks(roles: &str) -> Problem {
    let detail = format!("the webhook acts as {roles}, which you lack: only those who have its roles change it");
    Problem::new(Code::PermissionDenied, detail)
}

/// Refuses a caller who lacks a role of the webhook.
///
/// # Errors
/// `permission_denied`.
pub(crate) fn check_rights(webhook: &Webhook, principal: Option<&Principal>) -> Result<(), Problem> {
    lacking(&webhook.roles, principal).map_or(Ok(()), |lacking| Err(lacks(&lacking)))
}

/// Sets the position from which a new webhook is sent events, and resumes the deliveries of one that is active again.
async fn begin(change: &Changed<'_, Webhook>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let tx = ctx.as_program();
    match change.operation() {
        Operation::Create => {
            let position = ctx.extension::<Sender>()?.mark();
            tx.store::<Progress>().create(NewProgress::of(change.record().id, position)).await?;
        }
        Operation::Update if change.became(Webhook::FIELDS.active, true) => {
            Delivery::resume(&tx.store(), change.record().id, ctx.now()).await?;
        }
        _ => {}
    }
    Ok(())
}
