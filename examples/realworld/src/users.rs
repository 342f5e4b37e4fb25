//! Registration, login and one's own account.

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::action::{Action, Ctx, Handler, Json, Valid};
use crud_runtime::adapter::BoxFuture;
use crud_runtime::auth::{Principal, User, UserStore, hash_password};
use crud_runtime::prelude::*;
use serde_json::{Value, json};

use crate::tables::{Account, AccountPatch, NewAccount};
use crate::{sender, signed_in};

pub(crate) fn routes() -> Vec<Action<Handler>> {
    let open = |action: Action| action.access(Access::Public).envelope("user");
    vec![
        open(Action::post("/api/users")).summary("Register").handler(register),
        open(Action::post("/api/users/login")).summary("Log in").handler(login),
        signed_in(Action::get("/api/user")).summary("Get one's own account").handler(current),
        signed_in(Action::put("/api/user")).envelope("user").summary("Change one's own account").handler(update),
    ]
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

async fn register(ctx: Ctx, body: Valid<Registration>) -> Result<Json<Value>> {
    let Registration { email, username, password } = body.0;
    let password_hash = hash_password(&password).await?;
    let new = NewAccount { email, username, password_hash, bio: None, image: None };
    answer(&ctx, &ctx.store::<Account>().create(new).await?)
}

async fn login(ctx: Ctx, body: Valid<Credentials>) -> Result<Json<Value>> {
    let Credentials { email, password } = body.0;
    ctx.auth()?.login(&email, password, ctx.client_address()).await?;
    answer(&ctx, &ctx.store::<Account>().get_where(Account::FIELDS.email.eq(email)).await?)
}

async fn current(ctx: Ctx) -> Result<Json<Value>> {
    answer(&ctx, &ctx.store::<Account>().get(sender(&ctx)?).await?)
}

async fn update(ctx: Ctx, body: Valid<Changes>) -> Result<Json<Value>> {
    let Changes { email, username, password, bio, image } = body.0;
    let password_hash = match password {
        Some(password) => Some(hash_password(&password).await?),
        None => None,
    };
    let fields = Account::FIELDS;
    let patch = AccountPatch::default().set_some(fields.email, email).set_some(fields.username, username);
    let patch = patch.set_some(fields.password_hash, password_hash).set_some(fields.bio, bio);
    let patch = patch.set_some(fields.image, image);
    answer(&ctx, &ctx.store::<Account>().update(sender(&ctx)?, patch).await?)
}

/// The account with a new token.
fn answer(ctx: &Ctx, account: &Account) -> Result<Json<Value>> {
    let token = ctx.auth()?.access_token(&Principal::new(account.id.to_string()))?;
    let Account { email, username, bio, image, .. } = account;
    Ok(Json(json!({ "user": { "email": email, "token": token, "username": username, "bio": bio, "image": image } })))
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
