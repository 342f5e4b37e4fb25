//! Articles: lists, the feed, favorites, tags.

use std::collections::BTreeSet;

use crud_runtime::Result;
use crud_runtime::prelude::*;
use crud_runtime::routing::prelude::*;

use crate::profiles::{ProfileView, profiles};
use crate::tables::{
    Account, Article, ArticlePatch, ArticleTag, Favorite, Follow, NewArticle, NewArticleTag, NewFavorite,
};
use crate::{me, require_author};

pub(crate) fn routes() -> Routes {
    let (all, one, favorite) = ("/api/articles", "/api/articles/{slug}", "/api/articles/{slug}/favorite");
    Routes::new()
        .route(all, get(list).summary("List articles"))
        .route(one, get(article).envelope("article").summary("Get an article"))
        .route("/api/tags", get(tags).envelope("tags").summary("List tags"))
        .access(Access::Public)
        .route(all, post(create).envelope("article").summary("Write an article"))
        .route("/api/articles/feed", get(feed).summary("List the articles of followed authors"))
        .route(one, put(update).envelope("article").summary("Change an article"))
        .route(one, delete(remove).summary("Delete an article"))
        .route(favorite, post(favor::<true>).envelope("article").summary("Favor an article"))
        .route(favorite, delete(favor::<false>).envelope("article").summary("Favor it no more"))
        .access(Access::Authenticated)
}

#[derive(Schema)]
struct Written {
    title: String,
    description: String,
    body: String,
    #[crud(rename = "tagList", default(Vec::new()))]
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
    #[crud(default = 20, range(min = 1, max = 100))]
    limit: u32,
    #[crud(default = 0)]
    offset: u32,
}

#[derive(Schema)]
struct Paging {
    #[crud(default = 20, range(min = 1, max = 100))]
    limit: u32,
    #[crud(default = 0)]
    offset: u32,
}

#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct ManyArticles {
    articles: Vec<ArticleView>,
    articles_count: u64,
}

#[derive(serde::Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct ArticleView {
    slug: String,
    title: String,
    description: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    tag_list: Vec<String>,
    created_at: DateTime<Utc>,
    updated_at: DateTime<Utc>,
    favorited: bool,
    favorites_count: i32,
    author: Option<ProfileView>,
}

/// An article, or 404.
type Answer = Result<Option<Json<ArticleView>>>;

async fn list(ctx: Context, Query(filter): Query<Filter>) -> Result<Json<ManyArticles>> {
    let (article, tag, favorite) = (Article::FIELDS, ArticleTag::FIELDS, Favorite::FIELDS);
    let named = |name: String| Account::FIELDS.username.eq(name);
    let of_fan = |name| favorite.account_id.in_subquery(Account::FIELDS.id, named(name));
    let query = Select::all()
        .filter(filter.tag.map(|name| article.id.in_subquery(tag.article_id, tag.tag.eq(name))))
        .filter(filter.author.map(|name| article.author_id.in_subquery(Account::FIELDS.id, named(name))))
        .filter(filter.favorited.map(|name| article.id.in_subquery(favorite.article_id, of_fan(name))));
    page(&ctx, query.limit(filter.limit.into()).offset(filter.offset.into())).await
}

async fn feed(ctx: Context, paging: Query<Paging>) -> Result<Json<ManyArticles>> {
    let followed = Follow::FIELDS.follower_id.eq(me(&ctx));
    let query = Article::FIELDS.author_id.in_subquery(Follow::FIELDS.author_id, followed);
    page(&ctx, query.limit(paging.limit.into()).offset(paging.offset.into())).await
}

async fn article(ctx: Context, Path(slug): Path<String>) -> Answer {
    answer(&ctx, of_slug(&ctx.store(), &slug).await?).await
}

async fn create(ctx: Context, Valid(body): Valid<Written>) -> Answer {
    let (Written { title, description, body, tag_list }, author_id) = (body, me(&ctx));
    let (slug, edited_at) = (slug(&title), ctx.now());
    let tags: Vec<String> = BTreeSet::from_iter(tag_list).into_iter().collect();
    let new = NewArticle { slug, title, description, body, tags: Some(tags), author_id, favorites: None, edited_at };
    let written = ctx.app().transaction(async |tx| {
        let article = tx.store::<Article>().create(new.clone()).await?;
        for tag in article.tags.clone() {
            tx.store::<ArticleTag>().create(NewArticleTag { article_id: article.id, tag }).await?;
        }
        Ok::<_, crud_runtime::Error>(article)
    });
    answer(&ctx, written.await?).await
}

async fn update(ctx: Context, path: Path<String>, Valid(body): Valid<Rewritten>) -> Answer {
    let article = own(&ctx, &path).await?;
    let (Rewritten { title, description, body }, fields) = (body, Article::FIELDS);
    let patch = ArticlePatch::default().edited_at(ctx.now()).set_some(fields.slug, title.as_deref().map(slug));
    let patch = patch.set_some(fields.title, title).set_some(fields.description, description);
    answer(&ctx, ctx.store::<Article>().update(article.id, patch.set_some(fields.body, body)).await?).await
}

async fn remove(ctx: Context, Path(slug): Path<String>) -> Result<()> {
    ctx.store::<Article>().delete(own(&ctx, &slug).await?.id).await.map(drop)
}

/// The article of a slug. The sender must be its author.
async fn own(ctx: &Context, slug: &str) -> Result<Article> {
    let article = of_slug(&ctx.store(), slug).await?;
    require_author(article.author_id, ctx)?;
    Ok(article)
}

/// Adds or removes the sender's favorite, and updates the article's count.
async fn favor<const IS_WANTED: bool>(ctx: Context, Path(slug): Path<String>) -> Answer {
    let (account_id, article_id) = (me(&ctx), of_slug(&ctx.store(), &slug).await?.id);
    let article = ctx.app().transaction(async |tx| {
        let (favorites, fields) = (tx.store::<Favorite>(), Favorite::FIELDS);
        let change = if IS_WANTED {
            let new = NewFavorite { account_id, article_id };
            i32::from(favorites.upsert((fields.account_id, fields.article_id), new).await?.created)
        } else {
            let own = fields.account_id.eq(account_id).and(fields.article_id.eq(article_id));
            -i32::from(favorites.delete_where(own).await? > 0)
        };
        let patch = ArticlePatch::default().add(Article::FIELDS.favorites, change);
        tx.store::<Article>().update(article_id, patch).await
    });
    answer(&ctx, article.await?).await
}

async fn tags(ctx: Context) -> Result<Json<BTreeSet<String>>> {
    let newest = Select::from(ArticleTag::FIELDS.id.desc()).limit(1_000);
    let tags = ctx.store::<ArticleTag>().pluck(ArticleTag::FIELDS.tag, newest).await?;
    Ok(Json(tags.into_iter().collect()))
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
    Ok(Json(ManyArticles { articles: views(ctx, page.data, false).await?, articles_count: page.total }))
}

async fn answer(ctx: &Context, article: Article) -> Answer {
    Ok(views(ctx, vec![article], true).await?.pop().map(Json))
}

/// Articles with their tags and authors, as the viewer sees them: three queries, whatever their number.
async fn views(ctx: &Context, articles: Vec<Article>, with_body: bool) -> Result<Vec<ArticleView>> {
    let profiles = profiles(ctx, articles.iter().map(|article| article.author_id).collect()).await?;
    let (fields, ids) = (Favorite::FIELDS, articles.iter().map(|article| article.id));
    let own = fields.account_id.eq(me(ctx)).and(fields.article_id.is_in(ids));
    let favorites = ctx.store::<Favorite>().pluck(fields.article_id, own).await?;
    let view = |article: Article| ArticleView {
        favorited: favorites.contains(&article.id),
        author: profiles.get(&article.author_id).cloned(),
        slug: article.slug,
        title: article.title,
        description: article.description,
        body: with_body.then_some(article.body),
        tag_list: article.tags,
        created_at: article.created_at,
        updated_at: article.edited_at,
        favorites_count: article.favorites,
    };
    Ok(articles.into_iter().map(view).collect())
}
