//! Profiles, and following them.

use std::collections::{HashMap, HashSet};

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::action::{Action, Ctx, Handler, Json};
use serde_json::{Value, json};

use crate::tables::{Account, Follow, NewFollow};
use crate::{sender, signed_in, viewer};

pub(crate) fn routes() -> Vec<Action<Handler>> {
    let path = "/api/profiles/{username}";
    vec![
        Action::get(path).access(Access::Public).summary("Get a profile").handler(get),
        signed_in(Action::post(format!("{path}/follow"))).summary("Follow").handler(|ctx| set_follow(ctx, true)),
        signed_in(Action::delete(format!("{path}/follow"))).summary("Unfollow").handler(|ctx| set_follow(ctx, false)),
    ]
}

async fn get(ctx: Ctx) -> Result<Json<Value>> {
    answer(&ctx, of_path(&ctx).await?).await
}

/// Follows the profile, or not.
async fn set_follow(ctx: Ctx, is_wanted: bool) -> Result<Json<Value>> {
    let (author_id, follower_id) = (of_path(&ctx).await?, sender(&ctx)?);
    let (follows, fields) = (ctx.store::<Follow>(), Follow::FIELDS);
    let own = fields.follower_id.eq(follower_id).and(fields.author_id.eq(author_id));
    if !is_wanted {
        follows.delete_where(own).await?;
    } else if follows.count(own).await? == 0 {
        follows.create(NewFollow { follower_id, author_id }).await?;
    }
    answer(&ctx, author_id).await
}

/// The key of the account that the path names, or 404.
async fn of_path(ctx: &Ctx) -> Result<i64> {
    Ok(ctx.store::<Account>().get_where(Account::FIELDS.username.eq(ctx.path("username")?)).await?.id)
}

async fn answer(ctx: &Ctx, account: i64) -> Result<Json<Value>> {
    Ok(Json(json!({ "profile": profiles(ctx, vec![account]).await?.remove(&account) })))
}

/// The profiles of accounts, as the viewer sees them.
pub(crate) async fn profiles(ctx: &Ctx, accounts: Vec<i64>) -> Result<HashMap<i64, Value>> {
    let fields = Follow::FIELDS;
    let followed: HashSet<i64> = match viewer(ctx) {
        Some(viewer) => {
            let followed = fields.follower_id.eq(viewer).and(fields.author_id.is_in(accounts.iter().copied()));
            ctx.store::<Follow>().list(followed).await?.into_iter().map(|follow| follow.author_id).collect()
        }
        None => HashSet::new(),
    };
    let accounts = ctx.store::<Account>().list(Account::FIELDS.id.is_in(accounts)).await?;
    let view = |Account { id, username, bio, image, .. }: Account| {
        (id, json!({ "username": username, "bio": bio, "image": image, "following": followed.contains(&id) }))
    };
    Ok(accounts.into_iter().map(view).collect())
}
