//! A library: authors, their books, and notes on books.

use crud_runtime::prelude::*;
use crud_tests::fixtures::create_all;
use crud_tests::{Api, Client, on_each_sql_backend};
use serde_json::{Value, json};

/// A writer.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    filter(name, born),
    sort(name, born, is_deleted),
    pagination,
    soft_delete,
    has_many(books(Book::author_id, limit = 2, sort(desc(title))))
)]
pub(crate) struct Author {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) born: Option<i32>,
    pub(crate) is_deleted: bool,
    pub(crate) deleted_at: Option<DateTime<Utc>>,
}

/// A book of an author, or of none that is known.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    filter(title, author::name),
    sort(title, author::name, author::born, author::is_deleted, previous::title),
    pagination(default_limit = 20, max_limit = 100, cursor),
    has_many(notes(Note::book_id), sequels(Book::previous_id, limit = 1))
)]
pub(crate) struct Book {
    pub(crate) id: i64,
    pub(crate) title: String,
    #[crud(references(Author, expand))]
    pub(crate) author_id: Option<i64>,
    #[crud(references(Book, relation(previous), expand))]
    pub(crate) previous_id: Option<i64>,
}

/// A note on a book.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(text), sort(book::title), export)]
pub(crate) struct Note {
    pub(crate) id: i64,
    #[crud(references(Book, expand))]
    pub(crate) book_id: i64,
    pub(crate) text: Option<String>,
}

/// Runs a test against a library without authentication.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_library(test: impl AsyncFn(&Api)) {
    on_each_sql_backend(async |database| {
        let service = database.service().await.resource::<Author>().resource::<Book>().resource::<Note>();
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        test(&api).await;
        api.stop().await;
    });
}

/// Authors, two of the same name, one without a year and one who is deleted; and three books of each, with blocks of
/// nulls and ties that are wider than a page. The books as a list has them.
pub(crate) async fn fill(api: &Client) -> Vec<Value> {
    let authors =
        [("Eliot", Some(1819)), ("Austen", Some(1775)), ("Eliot", None), ("Zola", Some(1840)), ("áé", Some(1775))];
    let authors = authors.map(|(name, born)| json!({ "name": name, "born": born }));
    let authors = create_all(api, "/authors", authors).await;
    let mut previous = Value::Null;
    for number in 0..18 {
        let author = if number % 6 == 5 { &Value::Null } else { &authors[number % 6]["id"] };
        let title = ["b", "a", "c"][number / 6];
        let body = json!({ "title": title, "author_id": author, "previous_id": previous });
        let book = api.post("/books", &body).await.created();
        previous = if number % 4 == 0 { Value::Null } else { book["id"].clone() };
    }
    api.delete(format!("/authors/{}", authors[3]["id"])).await.ok();
    let books = api.get("/books?limit=100&expand=author,previous").await.ok();
    books["data"].as_array().expect("books").clone()
}
