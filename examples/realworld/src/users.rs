//! Registration, login and one's own account.

use crud_runtime::Result;
use crud_runtime::auth::{User, hash_password};
use crud_runtime::prelude::*;
use crud_runtime::routing::prelude::*;

use crate::me;
use crate::tables::{Account, AccountPatch, NewAccount};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/api/users", post(register).envelope("user").summary("Register"))
        .route("/api/users/login", post(login).envelope("user").summary("Log in"))
        .access(Access::Public)
        .route("/api/user", get(current).envelope("user").summary("Get one's own account"))
        .route("/api/user", put(update).envelope("user").summary("Change one's own account"))
        .access(Access::Authenticated)
}

#[derive(Schema)]
struct Registration {
    email: String,
    username: String,
    password: String,
}

#[derive(Schema)]
struct Credentials {
    email: String,
    password: String,
}

#[derive(Schema)]
struct Changes {
    email: Option<String>,
    username: Option<String>,
    password: Option<String>,
    bio: Option<String>,
    image: Option<String>,
}

#[derive(serde::Serialize, utoipa::ToSchema)]
struct UserView {
    email: String,
    token: String,
    username: String,
    bio: Option<String>,
    image: Option<String>,
}

async fn register(ctx: Context, Valid(body): Valid<Registration>) -> Result<Json<UserView>> {
    let Registration { email, username, password } = body;
    let password_hash = hash_password(&password).await?;
    let new = NewAccount { email, username, password_hash, bio: None, image: None };
    answer(&ctx, ctx.store::<Account>().create(new).await?)
}

async fn login(ctx: Context, Valid(body): Valid<Credentials>) -> Result<Json<UserView>> {
    let Credentials { email, password } = body;
    ctx.auth()?.login(&email, password, ctx.client_address()).await?;
    answer(&ctx, ctx.store::<Account>().get_where(Account::FIELDS.email.eq(email)).await?)
}

async fn current(ctx: Context) -> Result<Json<UserView>> {
    answer(&ctx, ctx.store::<Account>().get(me(&ctx)).await?)
}

async fn update(ctx: Context, Valid(body): Valid<Changes>) -> Result<Json<UserView>> {
    let (Changes { email, username, password, bio, image }, fields) = (body, Account::FIELDS);
    let patch = AccountPatch::default().set_some(fields.email, email).set_some(fields.username, username);
    let mut patch = patch.set_some(fields.bio, bio).set_some(fields.image, image);
    if let Some(password) = password {
        patch = patch.password_hash(hash_password(&password).await?);
    }
    answer(&ctx, ctx.store::<Account>().update(me(&ctx), patch).await?)
}

/// The account with a new token.
fn answer(ctx: &Context, account: Account) -> Result<Json<UserView>> {
    let token = ctx.auth()?.access_token(&Principal::new(account.id.to_string()))?;
    let Account { email, username, bio, image, .. } = account;
    Ok(Json(UserView { email, token, username, bio, image }))
}

/// The account as a user, who logs in by email.
pub(crate) fn user(account: Account) -> User {
    User::new(account.id.to_string(), account.password_hash)
}
