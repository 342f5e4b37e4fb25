//! Profiles, and following them.

use std::collections::HashMap;

use crud_runtime::Result;
use crud_runtime::routing::prelude::*;

use crate::me;
use crate::tables::{Account, Follow, NewFollow};

pub(crate) fn routes() -> Routes {
    let (one, follow) = ("/api/profiles/{username}", "/api/profiles/{username}/follow");
    Routes::new()
        .route(one, get(profile).access(Access::Public).envelope("profile").summary("Get a profile"))
        .route(follow, post(set_follow::<true>).envelope("profile").summary("Follow"))
        .route(follow, delete(set_follow::<false>).envelope("profile").summary("Unfollow"))
        .access(Access::Authenticated)
}

#[derive(Clone, serde::Serialize, utoipa::ToSchema)]
pub(crate) struct ProfileView {
    username: String,
    bio: Option<String>,
    image: Option<String>,
    following: bool,
}

/// A profile, or 404.
type Answer = Result<Option<Json<ProfileView>>>;

async fn profile(ctx: Context, Path(username): Path<String>) -> Answer {
    answer(&ctx, of_name(&ctx, &username).await?).await
}

/// Follows or unfollows the profile.
async fn set_follow<const IS_WANTED: bool>(ctx: Context, Path(username): Path<String>) -> Answer {
    let (author_id, follower_id) = (of_name(&ctx, &username).await?, me(&ctx));
    let (follows, fields) = (ctx.store::<Follow>(), Follow::FIELDS);
    if IS_WANTED {
        follows.upsert((fields.follower_id, fields.author_id), NewFollow { follower_id, author_id }).await?;
    } else {
        follows.delete_where(fields.follower_id.eq(follower_id).and(fields.author_id.eq(author_id))).await?;
    }
    answer(&ctx, author_id).await
}

/// The key of the account with a name, or 404.
async fn of_name(ctx: &Context, username: &str) -> Result<i64> {
    Ok(ctx.store::<Account>().get_where(Account::FIELDS.username.eq(username)).await?.id)
}

async fn answer(ctx: &Context, account: i64) -> Answer {
    Ok(profiles(ctx, vec![account]).await?.remove(&account).map(Json))
}

/// The profiles of accounts, as the viewer sees them.
pub(crate) async fn profiles(ctx: &Context, accounts: Vec<i64>) -> Result<HashMap<i64, ProfileView>> {
    let fields = Follow::FIELDS;
    let own = fields.follower_id.eq(me(ctx)).and(fields.author_id.is_in(accounts.iter().copied()));
    let followed = ctx.store::<Follow>().pluck(fields.author_id, own).await?;
    let accounts = ctx.store::<Account>().list(Account::FIELDS.id.is_in(accounts)).await?;
    let view = |Account { id, username, bio, image, .. }: Account| {
        (id, ProfileView { username, bio, image, following: followed.contains(&id) })
    };
    Ok(accounts.into_iter().map(view).collect())
}
