//! Comments on articles.

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::action::{Action, Ctx, Handler, Json, Valid};
use crud_runtime::prelude::*;
use serde_json::{Value, json};

use crate::articles::of_slug;
use crate::profiles::profiles;
use crate::tables::{Comment, NewComment};
use crate::{require_author, sender, signed_in, time};

pub(crate) fn routes() -> Vec<Action<Handler>> {
    let path = "/api/articles/{slug}/comments";
    vec![
        Action::get(path).access(Access::Public).summary("List the comments on an article").handler(list),
        signed_in(Action::post(path)).envelope("comment").summary("Comment on an article").handler(create),
        signed_in(Action::delete(format!("{path}/{{id}}"))).summary("Delete a comment").handler(delete),
    ]
}

#[derive(Schema)]
struct Body {
    body: String,
}

async fn list(ctx: Ctx) -> Result<Json<Value>> {
    let article = of_slug(&ctx.store(), ctx.path("slug")?).await?;
    let of_article = Comment::FIELDS.article_id.eq(article.id);
    let comments = ctx.store::<Comment>().list(of_article.sort(Comment::FIELDS.id.asc())).await?;
    Ok(Json(json!({ "comments": views(&ctx, comments).await? })))
}

async fn create(ctx: Ctx, body: Valid<Body>) -> Result<Json<Value>> {
    let article = of_slug(&ctx.store(), ctx.path("slug")?).await?;
    let new = NewComment { article_id: article.id, author_id: sender(&ctx)?, body: body.0.body };
    let comment = ctx.store::<Comment>().create(new).await?;
    Ok(Json(json!({ "comment": views(&ctx, vec![comment]).await?.pop() })))
}

async fn delete(ctx: Ctx) -> Result<()> {
    let comments = ctx.store::<Comment>();
    let comment = comments.get(ctx.path("id")?.parse::<i64>().unwrap_or(0)).await?;
    require_author(comment.author_id, sender(&ctx)?)?;
    comments.delete(comment.id).await.map(drop)
}

async fn views(ctx: &Ctx, comments: Vec<Comment>) -> Result<Vec<Value>> {
    let profiles = profiles(ctx, comments.iter().map(|comment| comment.author_id).collect()).await?;
    let view = |Comment { id, author_id, body, created_at, .. }: Comment| {
        let (time, author) = (time(created_at), profiles.get(&author_id));
        json!({ "id": id, "createdAt": time, "updatedAt": time, "body": body, "author": author })
    };
    Ok(comments.into_iter().map(view).collect())
}
