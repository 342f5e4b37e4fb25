//! Registration, login and one's own account.

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::adapter::BoxFuture;
use crud_runtime::auth::{Principal, User, UserStore, hash_password};
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Routes, Valid, get, post, put};
use serde::Serialize;
use utoipa::ToSchema;

use crate::sender;
use crate::tables::{Account, AccountPatch, NewAccount};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .route("/api/users", post(register).envelope("user").summary("Register"))
        .route("/api/users/login", post(login).envelope("user").summary("Log in"))
        .access(Access::Public)
        .route("/api/user", get(current).summary("Get one's own account"))
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

#[derive(Serialize, ToSchema)]
struct OneUser {
    user: UserView,
}

#[derive(Serialize, ToSchema)]
struct UserView {
    email: String,
    token: String,
    username: String,
    bio: Option<String>,
    image: Option<String>,
}

async fn register(ctx: Context, Valid(body): Valid<Registration>) -> Result<Json<OneUser>> {
    let Registration { email, username, password } = body;
    let password_hash = hash_password(&password).await?;
    let new = NewAccount { email, username, password_hash, bio: None, image: None };
    answer(&ctx, ctx.store::<Account>().create(new).await?)
}

async fn login(ctx: Context, Valid(body): Valid<Credentials>) -> Result<Json<OneUser>> {
    let Credentials { email, password } = body;
    ctx.auth()?.login(&email, password, ctx.client_address()).await?;
    answer(&ctx, ctx.store::<Account>().get_where(Account::FIELDS.email.eq(email)).await?)
}

async fn current(ctx: Context) -> Result<Json<OneUser>> {
    answer(&ctx, ctx.store::<Account>().get(sender(&ctx)?).await?)
}

async fn update(ctx: Context, Valid(body): Valid<Changes>) -> Result<Json<OneUser>> {
    let Changes { email, username, password, bio, image } = body;
    let password_hash = match password {
        Some(password) => Some(hash_password(&password).await?),
        None => None,
    };
    let fields = Account::FIELDS;
    let patch = AccountPatch::default().set_some(fields.email, email).set_some(fields.username, username);
    let patch = patch.set_some(fields.password_hash, password_hash).set_some(fields.bio, bio);
    let patch = patch.set_some(fields.image, image);
    answer(&ctx, ctx.store::<Account>().update(sender(&ctx)?, patch).await?)
}

/// The account with a new token.
fn answer(ctx: &Context, account: Account) -> Result<Json<OneUser>> {
    let token = ctx.auth()?.access_token(&Principal::new(account.id.to_string()))?;
    let Account { email, username, bio, image, .. } = account;
    Ok(Json(OneUser { user: UserView { email, token, username, bio, image } }))
}

/// The accounts, as those that log in.
#[derive(Debug)]
pub(crate) struct Accounts(pub(crate) Store<Account>);

impl UserStore for Accounts {
    fn find_by_username<'a>(&'a self, email: &'a str) -> BoxFuture<'a, Result<Option<User>>> {
        Box::pin(async move { Ok(self.0.first(Account::FIELDS.email.eq(email)).await?.map(user)) })
    }

    fn find_by_subject<'a>(&'a self, subject: &'a str) -> BoxFuture<'a, Result<Option<User>>> {
        Box::pin(async move {
            let Ok(id) = subject.parse::<i64>() else { return Ok(None) };
            Ok(self.0.find(id).await?.map(user))
        })
    }
}

fn user(account: Account) -> User {
    User::new(account.id.to_string(), account.password_hash)
}
