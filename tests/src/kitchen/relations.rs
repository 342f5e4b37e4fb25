//! References with each `on_delete` action.

use crud_runtime::prelude::*;

/// A post that the others refer to; it refers to posts, too.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/posts", pagination)]
pub struct Post {
    /// The key.
    pub id: i64,
    /// The title.
    pub title: String,
    /// The post that it answers.
    #[crud(references(Post))]
    pub parent_id: Option<i64>,
}

/// Keeps its post from going.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/comments", pagination)]
pub struct Comment {
    /// The key.
    pub id: i64,
    /// The post.
    #[crud(references(Post, on_delete(restrict)))]
    pub post_id: i64,
    /// The tag, by its text key.
    #[crud(references(super::Tag))]
    pub tag: Option<String>,
}

/// Goes with its post.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/attachments", pagination)]
pub struct Attachment {
    /// The key.
    pub id: i64,
    /// The post.
    #[crud(references(Post, on_delete(cascade)))]
    pub post_id: i64,
}

/// Stays when its post goes.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(prefix = "/readers", pagination)]
pub struct Reader {
    /// The key.
    pub id: i64,
    /// The post it reads.
    #[crud(references(Post, on_delete(set_null)))]
    pub post_id: Option<i64>,
}
