//! The tables, which the program's own routes use.

use crud_runtime::prelude::*;

/// An account, which logs in with its email.
#[derive(Debug, Clone, Resource)]
#[crud(internal)]
pub(crate) struct Account {
    pub(crate) id: i64,
    #[crud(unique, validate(email), length(max = 255))]
    pub(crate) email: String,
    #[crud(unique, length(min = 1, max = 100))]
    pub(crate) username: String,
    pub(crate) password_hash: String,
    pub(crate) bio: Option<String>,
    pub(crate) image: Option<String>,
}

/// An account follows the articles of another.
#[derive(Debug, Clone, Resource)]
#[crud(internal, unique(follower_id, author_id))]
pub(crate) struct Follow {
    pub(crate) id: i64,
    #[crud(references(Account, on_delete(cascade)))]
    pub(crate) follower_id: i64,
    #[crud(references(Account, on_delete(cascade)))]
    pub(crate) author_id: i64,
}

/// An article.
#[derive(Debug, Clone, Resource)]
#[crud(internal)]
pub(crate) struct Article {
    pub(crate) id: i64,
    #[crud(unique, length(max = 255))]
    pub(crate) slug: String,
    #[crud(length(min = 1, max = 200))]
    pub(crate) title: String,
    #[crud(length(min = 1))]
    pub(crate) description: String,
    #[crud(length(min = 1))]
    pub(crate) body: String,
    #[crud(default(Vec::new()))]
    pub(crate) tags: Vec<String>,
    #[crud(references(Account, on_delete(cascade)))]
    pub(crate) author_id: i64,
    #[crud(default = 0, range(min = 0))]
    pub(crate) favorites: i32,
    #[crud(created_at, index)]
    pub(crate) created_at: DateTime<Utc>,
    /// Time of the author's last change; a favorite is not one.
    pub(crate) edited_at: DateTime<Utc>,
}

/// An article has a tag: for lists of the articles with one.
#[derive(Debug, Clone, Resource)]
#[crud(internal, unique(article_id, tag))]
pub(crate) struct ArticleTag {
    pub(crate) id: i64,
    #[crud(references(Article, on_delete(cascade)))]
    pub(crate) article_id: i64,
    #[crud(index, length(min = 1, max = 100))]
    pub(crate) tag: String,
}

/// An account favors an article.
#[derive(Debug, Clone, Resource)]
#[crud(internal, unique(account_id, article_id))]
pub(crate) struct Favorite {
    pub(crate) id: i64,
    #[crud(references(Account, on_delete(cascade)))]
    pub(crate) account_id: i64,
    #[crud(references(Article, on_delete(cascade)))]
    pub(crate) article_id: i64,
}

/// A comment on an article, whose answers flatten it.
#[derive(Debug, Clone, Resource)]
#[crud(internal, derive(Serialize, ToSchema), rename_all = "camelCase")]
pub(crate) struct Comment {
    pub(crate) id: i64,
    #[crud(references(Article, on_delete(cascade)), write_only)]
    pub(crate) article_id: i64,
    #[crud(references(Account, on_delete(cascade)), write_only)]
    pub(crate) author_id: i64,
    #[crud(length(min = 1))]
    pub(crate) body: String,
    #[crud(created_at)]
    pub(crate) created_at: DateTime<Utc>,
    #[crud(updated_at)]
    pub(crate) updated_at: DateTime<Utc>,
}
