//! Comments on articles.

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::axum::Json;
use crud_runtime::axum::extract::Path;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Routes, Valid, delete, get, post};
use serde::Serialize;
use utoipa::ToSchema;

use crate::articles::of_slug;
use crate::profiles::{ProfileView, profiles};
use crate::tables::{Comment, NewComment};
use crate::{require_author, sender, time};

pub(crate) fn routes() -> Routes {
    let all = "/api/articles/{slug}/comments";
    Routes::new()
        .route(all, get(list).access(Access::Public).summary("List the comments on an article"))
        .route(all, post(create).envelope("comment").summary("Comment on an article"))
        .route(format!("{all}/{{id}}"), delete(remove).summary("Delete a comment"))
        .access(Access::Authenticated)
}

#[derive(Schema)]
struct Body {
    body: String,
}

#[derive(Serialize, ToSchema)]
struct OneComment {
    comment: Option<CommentView>,
}

#[derive(Serialize, ToSchema)]
struct AllComments {
    comments: Vec<CommentView>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CommentView {
    id: i64,
    created_at: String,
    updated_at: String,
    body: String,
    author: Option<ProfileView>,
}

async fn list(ctx: Context, Path(slug): Path<String>) -> Result<Json<AllComments>> {
    let article = of_slug(&ctx.store(), &slug).await?;
    let of_article = Comment::FIELDS.article_id.eq(article.id);
    let comments = ctx.store::<Comment>().list(of_article.order_by(Comment::FIELDS.id.asc())).await?;
    Ok(Json(AllComments { comments: views(&ctx, comments).await? }))
}

async fn create(ctx: Context, Path(slug): Path<String>, Valid(body): Valid<Body>) -> Result<Json<OneComment>> {
    let article = of_slug(&ctx.store(), &slug).await?;
    let new = NewComment { article_id: article.id, author_id: sender(&ctx)?, body: body.body };
    let comment = ctx.store::<Comment>().create(new).await?;
    Ok(Json(OneComment { comment: views(&ctx, vec![comment]).await?.pop() }))
}

async fn remove(ctx: Context, Path((_, id)): Path<(String, i64)>) -> Result<()> {
    let comments = ctx.store::<Comment>();
    let comment = comments.get(id).await?;
    require_author(comment.author_id, sender(&ctx)?)?;
    comments.delete(comment.id).await.map(drop)
}

async fn views(ctx: &Context, comments: Vec<Comment>) -> Result<Vec<CommentView>> {
    let profiles = profiles(ctx, comments.iter().map(|comment| comment.author_id).collect()).await?;
    let view = |Comment { id, author_id, body, created_at, .. }: Comment| {
        let (time, author) = (time(created_at), profiles.get(&author_id).cloned());
        CommentView { id, created_at: time.clone(), updated_at: time, body, author }
    };
    Ok(comments.into_iter().map(view).collect())
}
