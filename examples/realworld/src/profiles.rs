//! Profiles, and following them.

use std::collections::{HashMap, HashSet};

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::axum::Json;
use crud_runtime::axum::extract::Path;
use crud_runtime::routing::{Context, Routes, delete, get, post};
use serde::Serialize;
use utoipa::ToSchema;

use crate::tables::{Account, Follow, NewFollow};
use crate::{sender, viewer};

pub(crate) fn routes() -> Routes {
    let (one, follow) = ("/api/profiles/{username}", "/api/profiles/{username}/follow");
    Routes::new()
        .route(one, get(profile).access(Access::Public).summary("Get a profile"))
        .route(follow, post(|ctx: Context, path: Path<String>| set_follow(ctx, path, true)).summary("Follow"))
        .route(follow, delete(|ctx: Context, path: Path<String>| set_follow(ctx, path, false)).summary("Unfollow"))
        .access(Access::Authenticated)
}

#[derive(Serialize, ToSchema)]
struct OneProfile {
    profile: Option<ProfileView>,
}

#[derive(Clone, Serialize, ToSchema)]
pub(crate) struct ProfileView {
    username: String,
    bio: Option<String>,
    image: Option<String>,
    following: bool,
}

async fn profile(ctx: Context, Path(username): Path<String>) -> Result<Json<OneProfile>> {
    answer(&ctx, of_name(&ctx, &username).await?).await
}

/// Follows the profile, or not.
async fn set_follow(ctx: Context, Path(username): Path<String>, is_wanted: bool) -> Result<Json<OneProfile>> {
    let (author_id, follower_id) = (of_name(&ctx, &username).await?, sender(&ctx)?);
    let (follows, fields) = (ctx.store::<Follow>(), Follow::FIELDS);
    let own = fields.follower_id.eq(follower_id).and(fields.author_id.eq(author_id));
    if !is_wanted {
        follows.delete_where(own).await?;
    } else if follows.count(own).await? == 0 {
        follows.create(NewFollow { follower_id, author_id }).await?;
    }
    answer(&ctx, author_id).await
}

/// The key of the account with a name, or 404.
async fn of_name(ctx: &Context, username: &str) -> Result<i64> {
    Ok(ctx.store::<Account>().get_where(Account::FIELDS.username.eq(username)).await?.id)
}

async fn answer(ctx: &Context, account: i64) -> Result<Json<OneProfile>> {
    Ok(Json(OneProfile { profile: profiles(ctx, vec![account]).await?.remove(&account) }))
}

/// The profiles of accounts, as the viewer sees them.
pub(crate) async fn profiles(ctx: &Context, accounts: Vec<i64>) -> Result<HashMap<i64, ProfileView>> {
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
        (id, ProfileView { username, bio, image, following: followed.contains(&id) })
    };
    Ok(accounts.into_iter().map(view).collect())
}
