//! Relations in the program's own queries.

use crud_runtime::auth::Principal;
use crud_runtime::error::{Code, Error};
use crud_runtime::prelude::*;
use crud_runtime::query::Select;
use crud_tests::{Database, on_each_backend, on_each_sql_backend};
use serde_json::json;

use crate::caller::SECRET;

/// An author.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(soft_delete, has_many(books(Book::author_id)))]
struct Author {
    id: i64,
    name: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A book.
#[derive(Debug, Clone, PartialEq, Resource)]
struct Book {
    id: i64,
    title: String,
    #[crud(references(Author, expand))]
    author_id: Option<i64>,
    #[crud(references(Author, relation(translator)))]
    translated_by: Option<i64>,
}

/// `Emma` of Austen, `Romola` and `Middlemarch` of Eliot, translated by Austen, `Nana` of Zola, who is deleted, and
/// `Beowulf` of none.
async fn library(database: &Database) -> Service {
    let service = database.service().await.resource::<Author>().resource::<Book>();
    let service = service.migrate().await.expect("the tables");
    let (authors, books) = (service.store::<Author>(), service.store::<Book>());
    let mut ids = Vec::new();
    for name in ["Austen", "Eliot", "Zola"] {
        ids.push(authors.create(NewAuthor::new(name)).await.expect("an author").id);
    }
    for (title, author) in [("Emma", 0), ("Romola", 1), ("Middlemarch", 1), ("Nana", 2)] {
        let new = NewBook::new(title).author_id(ids[author]);
        let new = if author == 1 { new.translated_by(ids[0]) } else { new };
        books.create(new).await.expect("a book");
    }
    books.create(NewBook::new("Beowulf")).await.expect("a book");
    authors.soft_delete(ids[2]).await.expect("a deleted author");
    service
}

async fn titles(service: &Service, query: impl Into<Select<Book>>) -> Vec<String> {
    let books = service.store::<Book>().list(query).await.expect("books");
    books.into_iter().map(|book| book.title).collect()
}

#[test]
fn conditions_are_on_the_record_that_is_referred_to() {
    on_each_backend(async |database| {
        let service = library(database).await;
        let named = |name: &str| Author::FIELDS.name.ilike(name);
        let author = Book::FIELDS.author;
        assert_eq!(titles(&service, author.is(named("e%"))).await, ["Romola", "Middlemarch"]);
        assert_eq!(titles(&service, author.is(!named("e%"))).await, ["Emma"]);
        assert_eq!(titles(&service, author.is(named("z%"))).await, [""; 0], "a deleted author is none");
        let either = author.is(named("austen")).or(Book::FIELDS.title.eq("Beowulf"));
        assert_eq!(titles(&service, either).await, ["Emma", "Beowulf"]);
        let both = author.is(named("e%").or(named("a%"))).and(Book::FIELDS.translator.is(named("a%")));
        assert_eq!(titles(&service, both).await, ["Romola", "Middlemarch"]);
        let count = service.store::<Book>().count(author.is(named("%"))).await.expect("a count");
        assert_eq!(count, 3);
    });
}

#[test]
fn conditions_are_on_one_of_the_records_that_refer_to_one() {
    on_each_backend(async |database| {
        let service = library(database).await;
        let of = |title: &str| Author::FIELDS.books.any(Book::FIELDS.title.like(title));
        let names = async |condition| {
            let authors = service.store::<Author>().list(condition).await.expect("authors");
            authors.into_iter().map(|author| author.name).collect::<Vec<_>>()
        };
        assert_eq!(names(of("%m%")).await, ["Austen", "Eliot"]);
        assert_eq!(names(!of("%o%")).await, ["Austen"]);
        assert_eq!(names(of("Em%").or(of("Ro%"))).await, ["Austen", "Eliot"]);
    });
}

#[test]
fn lists_are_in_the_order_of_the_record_that_is_referred_to() {
    on_each_sql_backend(async |database| {
        let service = library(database).await;
        let by = Book::FIELDS.author.desc(Author::FIELDS.name);
        let expected = ["Middlemarch", "Romola", "Emma", "Beowulf", "Nana"];
        assert_eq!(titles(&service, Select::all().order_by(by).order_by(Book::FIELDS.title.asc())).await, expected);
        let by = Book::FIELDS.translator.asc(Author::FIELDS.name);
        let by = Select::all().order_by(by).order_by(Book::FIELDS.author.asc(Author::FIELDS.name)).limit(3).offset(1);
        assert_eq!(titles(&service, by).await, ["Beowulf", "Emma", "Romola"]);
    });
}

#[test]
fn an_order_by_other_records_needs_storage_that_joins() {
    on_each_backend(async |database| {
        if database.backend().speaks_sql() {
            return;
        }
        let service = library(database).await;
        let sorted = service.store::<Book>().list(Book::FIELDS.author.asc(Author::FIELDS.name)).await;
        assert!(matches!(sorted, Err(Error::Problem(problem)) if problem.code() == Code::UnsupportedHere));
    });
}

#[test]
fn records_come_with_the_one_that_they_refer_to() {
    on_each_backend(async |database| {
        let service = library(database).await;
        let books = service.store::<Book>();
        let pairs = books.list_with(Select::all(), Book::FIELDS.author).await.expect("pairs");
        let names: Vec<_> =
            pairs.iter().map(|(book, author)| (&*book.title, author.as_ref().map(|it| &*it.name))).collect();
        let expected = [
            ("Emma", Some("Austen")),
            ("Romola", Some("Eliot")),
            ("Middlemarch", Some("Eliot")),
            ("Nana", None),
            ("Beowulf", None),
        ];
        assert_eq!(names, expected);
        let none = books.list_with(Book::FIELDS.title.eq("x"), Book::FIELDS.translator).await.expect("pairs");
        assert_eq!(none, []);
    });
}

/// A secret of an owner.
#[derive(Debug, Clone, PartialEq, Resource)]
struct Secret {
    id: i64,
    text: String,
    #[crud(owner)]
    user_id: i64,
}

/// A hint to a secret.
#[derive(Debug, Clone, PartialEq, Resource)]
struct Hint {
    id: i64,
    #[crud(references(Secret, any, relation(secret)))]
    secret_id: i64,
}

#[test]
fn records_of_others_do_not_come_with_those_of_a_principal() {
    on_each_backend(async |database| {
        let auth = crud_runtime::auth::Auth::builder().secret(SECRET).build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Secret>().resource::<Hint>();
        let service = service.migrate().await.expect("the tables");
        let hints = service.store::<Hint>();
        for user in [1, 2] {
            let secret = service.store::<Secret>().create(NewSecret::new(format!("of {user}"), user)).await;
            hints.create(NewHint::new(secret.expect("a secret").id)).await.expect("a hint");
        }
        let texts = |pairs: Vec<(Hint, Option<Secret>)>| {
            pairs.into_iter().map(|(_, secret)| json!(secret.map(|secret| secret.text))).collect::<Vec<_>>()
        };
        let all = hints.list_with(Select::all(), Hint::FIELDS.secret).await.expect("pairs");
        assert_eq!(texts(all), ["of 1", "of 2"]);
        let ada = Principal::new("1");
        let own = hints.of(&ada).list_with(Select::all(), Hint::FIELDS.secret).await.expect("pairs");
        assert_eq!(texts(own), [json!("of 1"), json!(null)]);
    });
}
