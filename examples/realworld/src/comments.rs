//! Comments on articles.

use crud_runtime::Result;
use crud_runtime::prelude::*;
use crud_runtime::routing::prelude::*;

use crate::articles::of_slug;
use crate::profiles::{ProfileView, profiles};
use crate::tables::{Comment, NewComment};
use crate::{me, require_author};

pub(crate) fn routes() -> Routes {
    let all = "/api/articles/{slug}/comments";
    Routes::new()
        .route(all, get(list).access(Access::Public).envelope("comments").summary("List the comments on an article"))
        .route(all, post(create).envelope("comment").summary("Comment on an article"))
        .route(format!("{all}/{{id}}"), delete(remove).summary("Delete a comment"))
        .access(Access::Authenticated)
}

#[derive(Schema)]
struct Body {
    body: String,
}

#[derive(serde::Serialize, utoipa::ToSchema)]
struct CommentView {
    #[serde(flatten)]
    comment: Comment,
    author: Option<ProfileView>,
}

async fn list(ctx: Context, Path(slug): Path<String>) -> Result<Json<Vec<CommentView>>> {
    let article = of_slug(&ctx.store(), &slug).await?;
    let of_article = Comment::FIELDS.article_id.eq(article.id);
    let comments = ctx.store::<Comment>().list(of_article.order_by(Comment::FIELDS.id.asc())).await?;
    Ok(Json(views(&ctx, comments).await?))
}

async fn create(ctx: Context, Path(slug): Path<String>, Valid(body): Valid<Body>) -> Result<Option<Json<CommentView>>> {
    let article = of_slug(&ctx.store(), &slug).await?;
    let new = NewComment { article_id: article.id, author_id: me(&ctx), body: body.body };
    let comment = ctx.store::<Comment>().create(new).await?;
    Ok(views(&ctx, vec![comment]).await?.pop().map(Json))
}

async fn remove(ctx: Context, Path((_, id)): Path<(String, i64)>) -> Result<()> {
    let comments = ctx.store::<Comment>();
    let comment = comments.get(id).await?;
    require_author(comment.author_id, &ctx)?;
    comments.delete(comment.id).await.map(drop)
}

async fn views(ctx: &Context, comments: Vec<Comment>) -> Result<Vec<CommentView>> {
    let profiles = profiles(ctx, comments.iter().map(|comment| comment.author_id).collect()).await?;
    let view = |comment: Comment| CommentView { author: profiles.get(&comment.author_id).cloned(), comment };
    Ok(comments.into_iter().map(view).collect())
}
