//! Articles: lists, the feed, favorites, tags.

use std::collections::{BTreeSet, HashSet};

use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::axum::Json;
use crud_runtime::axum::extract::Path;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Query, Routes, Valid, delete, get, post, put};
use serde::Serialize;
use utoipa::ToSchema;

use crate::profiles::{ProfileView, profiles};
use crate::tables::{
    Account, Article, ArticlePatch, ArticleTag, Favorite, Follow, NewArticle, NewArticleTag, NewFavorite,
};
use crate::{require_author, sender, time, viewer};

pub(crate) fn routes() -> Routes {
    let (all, one, favorite) = ("/api/articles", "/api/articles/{slug}", "/api/articles/{slug}/favorite");
    Routes::new()
        .route(all, get(list).summary("List articles"))
        .route(one, get(article).summary("Get an article"))
        .route("/api/tags", get(tags).summary("List tags"))
        .access(Access::Public)
        .route(all, post(create).envelope("article").summary("Write an article"))
        .route("/api/articles/feed", get(feed).summary("List the articles of followed authors"))
        .route(one, put(update).envelope("article").summary("Change an article"))
        .route(one, delete(remove).summary("Delete an article"))
        .route(favorite, post(|ctx: Context, path: Path<String>| favor(ctx, path, true)).summary("Favor an article"))
        .route(favorite, delete(|ctx: Context, path: Path<String>| favor(ctx, path, false)).summary("Favor it no more"))
        .access(Access::Authenticated)
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

#[derive(Schema)]
struct Filter {
    tag: Option<String>,
    author: Option<String>,
    favorited: Option<String>,
    #[crud(default = 20, min = 1, max = 100)]
    limit: u32,
    #[crud(default = 0)]
    offset: u32,
}

#[derive(Schema)]
struct Paging {
    #[crud(default = 20, min = 1, max = 100)]
    limit: u32,
    #[crud(default = 0)]
    offset: u32,
}

#[derive(Serialize, ToSchema)]
struct OneArticle {
    article: Option<ArticleView>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ManyArticles {
    articles: Vec<ArticleView>,
    articles_count: u64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ArticleView {
    slug: String,
    title: String,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    tag_list: Vec<String>,
    created_at: String,
    updated_at: String,
    favorited: bool,
    favorites_count: i32,
    author: Option<ProfileView>,
}

#[derive(Serialize, ToSchema)]
struct Tags {
    tags: BTreeSet<String>,
}

async fn list(ctx: Context, Query(filter): Query<Filter>) -> Result<Json<ManyArticles>> {
    let named = |name: String| Account::FIELDS.username.eq(name);
    let (article, favorite) = (Article::FIELDS, Favorite::FIELDS);
    let mut query = Select::all();
    if let Some(tag) = filter.tag {
        query = query.filter(article.id.in_subquery(ArticleTag::FIELDS.article_id, ArticleTag::FIELDS.tag.eq(tag)));
    }
    if let Some(author) = filter.author {
        query = query.filter(article.author_id.in_subquery(Account::FIELDS.id, named(author)));
    }
    if let Some(name) = filter.favorited {
        let of_account = favorite.account_id.in_subquery(Account::FIELDS.id, named(name));
        query = query.filter(article.id.in_subquery(favorite.article_id, of_account));
    }
    page(&ctx, query.limit(filter.limit.into()).offset(filter.offset.into())).await
}

async fn feed(ctx: Context, paging: Query<Paging>) -> Result<Json<ManyArticles>> {
    let followed = Follow::FIELDS.follower_id.eq(sender(&ctx)?);
    let query = Article::FIELDS.author_id.in_subquery(Follow::FIELDS.author_id, followed);
    page(&ctx, query.limit(paging.limit.into()).offset(paging.offset.into())).await
}

async fn article(ctx: Context, Path(slug): Path<String>) -> Result<Json<OneArticle>> {
    answer(&ctx, of_slug(&ctx.store(), &slug).await?).await
}

async fn create(ctx: Context, Valid(body): Valid<Written>) -> Result<Json<OneArticle>> {
    let (Written { title, description, body, tag_list }, author_id) = (body, sender(&ctx)?);
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

async fn update(ctx: Context, path: Path<String>, Valid(body): Valid<Rewritten>) -> Result<Json<OneArticle>> {
    let article = own(&ctx, &path).await?;
    let Rewritten { title, description, body } = body;
    let fields = Article::FIELDS;
    let patch = ArticlePatch::default().edited_at(ctx.now()).set_some(fields.slug, title.as_deref().map(slug));
    let patch = patch.set_some(fields.title, title).set_some(fields.description, description);
    answer(&ctx, ctx.store::<Article>().update(article.id, patch.set_some(fields.body, body)).await?).await
}

async fn remove(ctx: Context, Path(slug): Path<String>) -> Result<()> {
    ctx.store::<Article>().delete(own(&ctx, &slug).await?.id).await.map(drop)
}

/// The article of a slug, of which the sender must be the author.
async fn own(ctx: &Context, slug: &str) -> Result<Article> {
    let article = of_slug(&ctx.store(), slug).await?;
    require_author(article.author_id, sender(ctx)?)?;
    Ok(article)
}

/// Adds or removes the sender's favorite, and counts it.
async fn favor(ctx: Context, Path(slug): Path<String>, is_wanted: bool) -> Result<Json<OneArticle>> {
    let (me, slug) = (sender(&ctx)?, &*slug);
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

async fn tags(ctx: Context) -> Result<Json<Tags>> {
    let newest = ctx.store::<ArticleTag>().list(Select::from(ArticleTag::FIELDS.id.desc()).limit(1_000)).await?;
    Ok(Json(Tags { tags: newest.into_iter().map(|tag| tag.tag).collect() }))
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
async fn page(ctx: &Context, query: Select<Article>) -> Result<Json<ManyArticles>> {
    let query = query.order_by(Article::FIELDS.created_at.desc()).order_by(Article::FIELDS.id.desc());
    let page = ctx.store::<Article>().page(query).await?;
    let mut articles = views(ctx, page.data).await?;
    for article in &mut articles {
        article.body = None;
    }
    Ok(Json(ManyArticles { articles, articles_count: page.total }))
}

async fn answer(ctx: &Context, article: Article) -> Result<Json<OneArticle>> {
    Ok(Json(OneArticle { article: views(ctx, vec![article]).await?.pop() }))
}

/// Articles with their tags and authors, as the viewer sees them: three queries, whatever their number.
async fn views(ctx: &Context, articles: Vec<Article>) -> Result<Vec<ArticleView>> {
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
    let view = |article: Article| ArticleView {
        favorited: favorites.contains(&article.id),
        author: profiles.get(&article.author_id).cloned(),
        slug: article.slug,
        title: article.title,
        description: article.description,
        body: Some(article.body),
        tag_list: article.tags,
        created_at: time(article.created_at),
        updated_at: time(article.edited_at),
        favorites_count: article.favorites,
    };
    Ok(articles.into_iter().map(view).collect())
}
