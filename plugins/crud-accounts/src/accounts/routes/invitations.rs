//! `/auth/invitations`: people who are invited.

use crud_runtime::auth::UserStore;
use crud_runtime::axum::Json;
use crud_runtime::error::{Code, FieldError, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Located, Path, Routes, Status, Valid, delete, get, post, role};
use crud_runtime::{Error, Result, Schema};
use serde::Serialize;
use utoipa::ToSchema;

use super::address::caller;
use super::described;
use crate::accounts::address::normalised;
use crate::accounts::invitation::{Invitation, Inviter, NewInvitation, key_of, roles_of_inviter};
use crate::accounts::letter_token::LetterToken;
use crate::accounts::mail::job::SendLetter;
use crate::accounts::mail::letter::Letter;
use crate::accounts::slot::Slot;
use crate::accounts::state::AccountsState;

/// Limit of invitations that a user sends in an hour.
const OF_INVITER: u32 = 100;

/// The person who is invited.
#[derive(Schema)]
struct NewAccountInvitation {
    /// The mail address of the person.
    #[crud(length(min = 3, max = 254))]
    email: String,
    /// The roles, each of which the inviter has: in the tenant of the request, where there is one.
    #[crud(default(Vec::new()))]
    roles: Vec<String>,
}

/// An invitation.
#[derive(Serialize, ToSchema)]
struct AccountInvitation {
    /// The key of the invitation.
    id: i64,
    /// The mail address of the person.
    email: String,
    /// The roles that the person gets.
    roles: Vec<String>,
    /// The user who invites.
    inviter: String,
    /// The time at which it was made.
    created_at: String,
    /// The time until which it can be accepted.
    expires_at: String,
}

impl From<Invitation> for AccountInvitation {
    fn from(invitation: Invitation) -> Self {
        let Invitation { id, address, roles, inviter, created_at, expires_at, .. } = invitation;
        let time = |time: DateTime<Utc>| time.to_rfc3339();
        Self { id, email: address, roles, inviter, created_at: time(created_at), expires_at: time(expires_at) }
    }
}

/// An invitation in the path.
#[derive(Schema)]
struct InvitationPath {
    /// The key of the invitation.
    id: i64,
}

pub(super) fn routes(auth: &str, invite_role: &str) -> Routes {
    let description = "Invites a person by mail: into the tenant of the request, or else into the service. An earlier \
                       invitation of the address counts no more. The roles are those that the inviter has, now and when the \
                       invitation is accepted.";
    let at = format!("{auth}/invitations");
    let location = at.clone();
    let invite = move |ctx: Context, body: Valid<NewAccountInvitation>| invite(ctx, location.clone(), body.0);
    let invite = described(post(invite), "invite", "Invite a person", description).problems([Code::Conflict]);
    let description = "The invitations of the tenant of the request, or else of the service, which are not accepted.";
    let list = described(get(list), "listInvitations", "List invitations", description);
    let description = "Takes an invitation back: its link counts no more.";
    let remove = described(delete(remove), "removeInvitation", "Take an invitation back", description);
    let remove = remove.problems([Code::NotFound]);
    Routes::new()
        .route(at.clone(), invite.access(role(invite_role)))
        .route(at.clone(), list.access(role(invite_role)))
        .route(format!("{at}/{{id}}"), remove.access(role(invite_role)))
}

async fn invite(
    ctx: Context,
    at: String,
    body: NewAccountInvitation,
) -> Result<Located<Status<201, Json<AccountInvitation>>>> {
    let (app, address) = (ctx.app().unscoped(), normalised(&body.email)?);
    let inviter = inviter(&ctx).await?;
    check_roles(&ctx, &inviter, &body.roles).await?;
    let users = app.users()?;
    let is_into_tenant = inviter.tenant.is_some() && users.has_memberships();
    if !is_into_tenant && users.find_by_username(&address).await?.is_some() {
        return Err(Error::Problem(Problem::new(Code::Conflict, "the address has an account")));
    }
    if !Slot::take(&app, &format!("inviter {}", inviter.subject), OF_INVITER).await? {
        return Err(Error::Problem(Problem::of(Code::TooManyRequests)));
    }
    let new = Invitation::of(&app, address, body.roles, inviter);
    // Invitations are not in a tenant's shard, so the job that sends the mail is without a tenant too.
    let outside = app.acting_as(Principal::new(new.invited_by.as_str()));
    let invitation = outside
        .transaction(async |tx| -> Result<Invitation> {
            let invitation = replace_former(tx, new.clone()).await?;
            let letter = SendLetter::of(Letter::Invitation, &invitation.address, &invitation.id.to_string());
            tx.enqueue(letter).await?;
            Ok(invitation)
        })
        .await?;
    Ok(Located(format!("{at}/{}", invitation.id), Status(Json(invitation.into()))))
}

async fn list(ctx: Context) -> Result<Json<Vec<AccountInvitation>>> {
    let (app, fields) = (ctx.app().unscoped(), Invitation::FIELDS);
    let tenant = key_of(ctx.principal().and_then(|principal| principal.tenant()));
    let open = fields.tenant_key.eq(tenant).and(fields.expires_at.gt(app.now()));
    let found = app.store::<Invitation>().list(open.order_by(fields.id.desc())).await?;
    Ok(Json(found.into_iter().map(AccountInvitation::from).collect()))
}

async fn remove(ctx: Context, path: Path<InvitationPath>) -> Result<()> {
    let (app, fields) = (ctx.app().unscoped(), Invitation::FIELDS);
    let tenant = key_of(ctx.principal().and_then(|principal| principal.tenant()));
    app.transaction(async |tx| -> Result<()> {
        let own = fields.id.eq(path.id).and(fields.tenant_key.eq(tenant.as_str()));
        if tx.store::<Invitation>().delete_where(own).await? == 0 {
            return Err(Error::Problem(Problem::new(Code::NotFound, "the invitation is not found")));
        }
        LetterToken::remove(tx, Letter::Invitation, &path.id.to_string()).await
    })
    .await
}

/// The caller, who is one of the service's own users.
async fn inviter(ctx: &Context) -> Result<Inviter> {
    let (subject, name) = caller(ctx).await?;
    let tenant = ctx.principal().and_then(|principal| principal.tenant()).filter(|tenant| !tenant.is_null());
    Ok(Inviter { subject, name, tenant: tenant.cloned() })
}

/// Checks that the inviter may invite, and has the roles to be given. The roles are read from storage, not from the
/// token.
async fn check_roles(ctx: &Context, inviter: &Inviter, roles: &[String]) -> Result<()> {
    let app = ctx.app().unscoped();
    let (users, claim) = (app.users()?, ctx.auth()?.tenant_claim());
    let has = roles_of_inviter(&users, claim, &inviter.subject, inviter.tenant.as_ref()).await?;
    if !has.contains(&app.extension::<AccountsState>()?.invite_role) {
        return Err(Error::Problem(Problem::of(Code::PermissionDenied)));
    }
    match roles.iter().find(|role| !has.contains(role)) {
        None => Ok(()),
        Some(role) => {
            let detail = format!("must be roles that you have: `{role}` is not");
            Err(Error::Problem(Problem::validation([FieldError::field("roles", "not_own", detail)])))
        }
    }
}

/// Creates an invitation. Removes an earlier one of the same address, with its token.
async fn replace_former(tx: &mut Tx<'_>, new: NewInvitation) -> Result<Invitation> {
    let fields = Invitation::FIELDS;
    let same = fields.address.eq(new.address.as_str()).and(fields.tenant_key.eq(new.tenant_key.as_str()));
    for former in tx.store::<Invitation>().list(same).await? {
        LetterToken::remove(tx, Letter::Invitation, &former.id.to_string()).await?;
        tx.store::<Invitation>().delete_where(fields.id.eq(former.id)).await?;
    }
    tx.store::<Invitation>().create(new).await
}
