//! Articles: lists, the feed, favorites, tags.

use std::collections::{BTreeSet, HashSet};

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::action::{Action, Ctx, Handler, Json, Valid};
use crud_runtime::error::{FieldError, Problem};
use crud_runtime::prelude::*;
use serde_json::{Value, json};

use crate::profiles::profiles;
use crate::tables::{
    Account, Article, ArticlePatch, ArticleTag, Favorite, Follow, NewArticle, NewArticleTag, NewFavorite,
};
use crate::{require_author, sender, signed_in, time, viewer};

pub(crate) fn routes() -> Vec<Action<Handler>> {
    let (all, one) = ("/api/articles", "/api/articles/{slug}");
    vec![
        Action::get(all).access(Access::Public).summary("List articles").handler(list),
        signed_in(Action::post(all)).envelope("article").summary("Write an article").handler(create),
        signed_in(Action::get("/api/articles/feed")).summary("List the articles of followed authors").handler(feed),
        Action::get(one).access(Access::Public).summary("Get an article").handler(get),
        signed_in(Action::put(one)).envelope("article").summary("Change an article").handler(update),
        signed_in(Action::delete(one)).summary("Delete an article").handler(delete),
        signed_in(Action::post(format!("{one}/favorite")))
            .summary("Favor an article")
            .handler(|ctx| set_favorite(ctx, true)),
        signed_in(Action::delete(format!("{one}/favorite")))
            .summary("Favor an article no more")
            .handler(|ctx| set_favorite(ctx, false)),
        Action::get("/api/tags").access(Access::Public).summary("List tags").handler(tags),
    ]
}

#[derive(Schema)]
struct Written {
    title: String,
    description: String,
    body: String,
    #[crud(rename = "tagList", default = Vec::new())]
    tag_list: Vec<String>,
}

#[derive(Schema)]
struct Rewritten {
    title: Option<String>,
    description: Option<String>,
    body: Option<String>,
}

async fn list(ctx: Ctx) -> Result<Json<Value>> {
    let named = |name: String| Account::FIELDS.username.eq(name);
    let (article, favorite) = (Article::FIELDS, Favorite::FIELDS);
    let mut query = Select::all();
    if let Some(tag) = ctx.query("tag") {
        query = query.filter(article.id.is_in_select(ArticleTag::FIELDS.article_id, ArticleTag::FIELDS.tag.eq(tag)));
    }
    if let Some(author) = ctx.query("author") {
        query = query.filter(article.author_id.is_in_select(Account::FIELDS.id, named(author)));
    }
    if let Some(name) = ctx.query("favorited") {
        let of_account = favorite.account_id.is_in_select(Account::FIELDS.id, named(name));
        query = query.filter(article.id.is_in_select(favorite.article_id, of_account));
    }
    page(&ctx, query).await
}

async fn feed(ctx: Ctx) -> Result<Json<Value>> {
    let followed = Follow::FIELDS.follower_id.eq(sender(&ctx)?);
    page(&ctx, Article::FIELDS.author_id.is_in_select(Follow::FIELDS.author_id, followed).into()).await
}

async fn get(ctx: Ctx) -> Result<Json<Value>> {
    answer(&ctx, of_slug(&ctx.store(), ctx.path("slug")?).await?).await
}

async fn create(ctx: Ctx, body: Valid<Written>) -> Result<Json<Value>> {
    let (Written { title, description, body, tag_list }, author_id) = (body.0, sender(&ctx)?);
    let (slug, edited_at) = (slug(&title), ctx.now());
    let tags: Vec<String> = BTreeSet::from_iter(tag_list).into_iter().collect();
    let new = NewArticle { slug, title, description, body, tags: Some(tags), author_id, favorites: None, edited_at };
    let written = ctx.app().transaction(async |tx| {
        let article = tx.store::<Article>().create(new.clone()).await?;
        for tag in &article.tags {
            let new = NewArticleTag { article_id: article.id, tag: tag.clone() };
            tx.store::<ArticleTag>().create(new).await?;
        }
        Ok::<_, crud_runtime::Error>(article)
    });
    answer(&ctx, written.await?).await
}

async fn update(ctx: Ctx, body: Valid<Rewritten>) -> Result<Json<Value>> {
    let article = own(&ctx).await?;
    let Rewritten { title, description, body } = body.0;
    let fields = Article::FIELDS;
    let patch = ArticlePatch::default().edited_at(ctx.now()).set_some(fields.slug, title.as_deref().map(slug));
    let patch = patch.set_some(fields.title, title).set_some(fields.description, description);
    answer(&ctx, ctx.store::<Article>().update(article.id, patch.set_some(fields.body, body)).await?).await
}

async fn delete(ctx: Ctx) -> Result<()> {
    ctx.store::<Article>().delete(own(&ctx).await?.id).await.map(drop)
}

/// The article that the path names, of which the sender must be the author.
async fn own(ctx: &Ctx) -> Result<Article> {
    let article = of_slug(&ctx.store(), ctx.path("slug")?).await?;
    require_author(article.author_id, sender(ctx)?)?;
    Ok(article)
}

/// Adds or removes the sender's favorite, and counts it.
async fn set_favorite(ctx: Ctx, is_wanted: bool) -> Result<Json<Value>> {
    let (me, slug) = (sender(&ctx)?, ctx.path("slug")?);
    let article = ctx.app().transaction(async |tx| {
        let articles = tx.store::<Article>();
        // Locked, so that two requests count one favorite once.
        let article = articles.lock(of_slug(&articles, slug).await?.id).await?;
        let (favorites, fields) = (tx.store::<Favorite>(), Favorite::FIELDS);
        let own = fields.account_id.eq(me).and(fields.article_id.eq(article.id));
        let change = match favorites.first(own).await? {
            None if is_wanted => {
                favorites.create(NewFavorite { account_id: me, article_id: article.id }).await?;
                1
            }
            Some(favorite) if !is_wanted => {
                favorites.delete(favorite.id).await?;
                -1
            }
            _ => return Ok(article),
        };
        articles.update(article.id, ArticlePatch::default().add(Article::FIELDS.favorites, change)).await
    });
    answer(&ctx, article.await?).await
}

async fn tags(ctx: Ctx) -> Result<Json<Value>> {
    let newest = ctx.store::<ArticleTag>().list(Select::from(ArticleTag::FIELDS.id.desc()).limit(1_000)).await?;
    Ok(Json(json!({ "tags": newest.into_iter().map(|tag| tag.tag).collect::<BTreeSet<_>>() })))
}

/// The article of a slug, or 404.
pub(crate) async fn of_slug(articles: &Store<Article>, slug: &str) -> Result<Article> {
    articles.get_where(Article::FIELDS.slug.eq(slug)).await
}

/// The title as a part of a path, such as `how-to-train-your-dragon-3f2a91`.
fn slug(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let name = words.map(str::to_lowercase).collect::<Vec<_>>().join("-");
    let random = Uuid::now_v7().simple().to_string();
    format!("{}-{}", name.chars().take(200).collect::<String>(), &random[26..])
}

/// A page of articles, the newest first, without their bodies.
async fn page(ctx: &Ctx, query: Select<Article>) -> Result<Json<Value>> {
    let query = query.sort(Article::FIELDS.created_at.desc()).sort(Article::FIELDS.id.desc());
    let query = query.limit(number(ctx, "limit", 20)?.clamp(1, 100)).skip(number(ctx, "offset", 0)?);
    let page = ctx.store::<Article>().page(query).await?;
    let mut articles = views(ctx, page.data).await?;
    for article in articles.iter_mut().filter_map(Value::as_object_mut) {
        article.remove("body");
    }
    Ok(Json(json!({ "articles": articles, "articlesCount": page.total })))
}

fn number(ctx: &Ctx, name: &str, default: u64) -> Result<u64, Problem> {
    let Some(text) = ctx.query(name) else { return Ok(default) };
    text.parse().map_err(|_| Problem::validation([FieldError::parameter(name, "type", "must be a number")]))
}

async fn answer(ctx: &Ctx, article: Article) -> Result<Json<Value>> {
    Ok(Json(json!({ "article": views(ctx, vec![article]).await?.pop() })))
}

/// Articles with their tags and authors, as the viewer sees them: three queries, whatever their number.
async fn views(ctx: &Ctx, articles: Vec<Article>) -> Result<Vec<Value>> {
    let ids: Vec<i64> = articles.iter().map(|article| article.id).collect();
    let profiles = profiles(ctx, articles.iter().map(|article| article.author_id).collect()).await?;
    let favorites = match viewer(ctx) {
        Some(viewer) => {
            let fields = Favorite::FIELDS;
            let own = fields.account_id.eq(viewer).and(fields.article_id.is_in(ids));
            ctx.store::<Favorite>().list(own).await?.into_iter().map(|favorite| favorite.article_id).collect()
        }
        None => HashSet::new(),
    };
    let view = |article: Article| {
        json!({
            "slug": article.slug, "title": article.title, "description": article.description, "body": article.body,
            "tagList": article.tags, "createdAt": time(article.created_at), "updatedAt": time(article.edited_at),
            "favorited": favorites.contains(&article.id), "favoritesCount": article.favorites,
            "author": profiles.get(&article.author_id),
        })
    };
    Ok(articles.into_iter().map(view).collect())
}
