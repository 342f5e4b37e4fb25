//! Orders by fields of the record that a field refers to.

use std::cmp::Ordering;

use crud_tests::fixtures::{column, create_all};
use crud_tests::{Client, query};
use serde_json::{Value, json};

use crate::library::{fill, on_library};

const ORDERS: [&str; 9] = [
    "author.name",
    "-author.name",
    "author.born,-author.name",
    "-author.born,title",
    "title,author.name",
    "-title,-author.born",
    "previous.title",
    "-previous.title,author.name",
    "author.is_deleted,-author.name",
];

/// The value of a sort key of a book: null where there is no such record.
fn value<'b>(book: &'b Value, name: &str) -> &'b Value {
    name.split('.').fold(book, |value, name| value.get(name).unwrap_or(&Value::Null))
}

/// Null first, numbers by value, texts by code point.
fn compare(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Null, Value::Null) => Ordering::Equal,
        (Value::Null, _) => Ordering::Less,
        (_, Value::Null) => Ordering::Greater,
        (Value::String(one), Value::String(other)) => one.cmp(other),
        _ => one.to_string().cmp(&other.to_string()),
    }
}

/// The keys of the books in this order; ties are in the direction of its last key.
fn sorted(books: &[Value], order: &str) -> Vec<Value> {
    let mut books: Vec<_> = books.iter().collect();
    let direction = |key: &str, found: Ordering| if key.starts_with('-') { found.reverse() } else { found };
    books.sort_by(|one, other| {
        let keys = order.split(',').map(|key| {
            let name = key.trim_start_matches('-');
            direction(key, compare(value(one, name), value(other, name)))
        });
        let last = order.rsplit(',').next().unwrap_or_default();
        let ids = one["id"].as_i64().cmp(&other["id"].as_i64());
        keys.fold(Ordering::Equal, Ordering::then).then(direction(last, ids))
    });
    books.iter().map(|book| book["id"].clone()).collect()
}

async fn page(api: &Client, parameters: &str, cursor: &Value) -> Value {
    let cursor = cursor.as_str().map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
    api.get(format!("/books?{parameters}{cursor}")).await.ok()
}

#[test]
fn lists_are_in_the_order_of_the_record_that_is_referred_to() {
    on_library(async |api| {
        let books = fill(api).await;
        for order in ORDERS {
            let list = page(api, &format!("limit=100&sort={order}"), &Value::Null).await;
            assert_eq!(column(&list, "id"), sorted(&books, order), "{order}");
            assert_eq!(list["total"], books.len(), "a record is listed once");
            let skipped = page(api, &format!("limit=5&skip=7&sort={order}"), &Value::Null).await;
            assert_eq!(column(&skipped, "id"), sorted(&books, order)[7..12], "{order}");
        }
    });
}

#[test]
fn cursors_lead_through_the_order_and_back() {
    on_library(async |api| {
        let books = fill(api).await;
        for order in ORDERS {
            let parameters = format!("limit=4&sort={order}");
            let mut pages = vec![page(api, &parameters, &Value::Null).await];
            while let Some(cursor) = pages.last().map(|page| &page["next_cursor"]).filter(|cursor| !cursor.is_null()) {
                pages.push(page(api, &parameters, cursor).await);
                assert!(pages.len() < 10, "a walk has an end");
            }
            let found: Vec<_> = pages.iter().flat_map(|page| column(page, "id")).collect();
            assert_eq!(found, sorted(&books, order), "{order}");
            let mut at = pages.pop().expect("the last page");
            while let Some(expected) = pages.pop() {
                at = page(api, &parameters, &at["prev_cursor"]).await;
                assert_eq!(column(&at, "id"), column(&expected, "id"), "{order}");
            }
        }
    });
}

#[test]
fn searches_and_filters_keep_the_order() {
    on_library(async |api| {
        let books = fill(api).await;
        let body = json!({ "sort": ["-author.name", "title"], "where": { "title": "a" }, "limit": 100 });
        let found = api.post("/books/search", &body).await.ok();
        let expected: Vec<_> = books.iter().filter(|book| book["title"] == "a").cloned().collect();
        assert_eq!(column(&found, "id"), sorted(&expected, "-author.name,title"));
        let target = query("/books", [("sort", "author.born"), ("author.name", "Eliot"), ("limit", "100")]);
        let expected: Vec<_> = books.iter().filter(|book| book["author"]["name"] == "Eliot").cloned().collect();
        assert_eq!(column(&api.get(target).await.ok(), "id"), sorted(&expected, "author.born"));
    });
}

/// The condition is on the records that give the order: storage may join them.
#[test]
fn order_and_condition_of_one_record_agree() {
    on_library(async |api| {
        let books = fill(api).await;
        let names = ["Eliot", "Austen", "áé", "Zola"];
        let is_of_them = |book: &&Value| names.iter().any(|name| book["author"]["name"] == *name);
        let expected: Vec<_> = books.iter().filter(is_of_them).cloned().collect();
        assert_eq!(expected.len(), 12, "the author of three is deleted, and three have none");
        let keys =
            ["author.name", "-author.name,-title", "author.born,title", "-author.born", "author.born,author.name"];
        for order in keys {
            let filter = [("author.name__in", "Eliot,Austen,áé,Zola"), ("sort", order), ("limit", "5")];
            let target = |cursor: &Value| match cursor.as_str() {
                Some(cursor) => query("/books", filter.into_iter().chain([("cursor", cursor)])),
                None => query("/books", filter),
            };
            let mut pages = vec![api.get(target(&Value::Null)).await.ok()];
            assert_eq!(pages[0]["total"], expected.len(), "{order}");
            while let Some(cursor) = pages.last().map(|page| &page["next_cursor"]).filter(|cursor| !cursor.is_null()) {
                pages.push(api.get(target(cursor)).await.ok());
                assert!(pages.len() < 5, "a walk has an end");
            }
            let found: Vec<_> = pages.iter().flat_map(|page| column(page, "id")).collect();
            assert_eq!(found, sorted(&expected, order), "{order}");
            let before = api.get(target(&pages[2]["prev_cursor"])).await.ok();
            assert_eq!(column(&before, "id"), column(&pages[1], "id"), "{order}");
        }
        let body = json!({ "sort": ["author.name"], "where": { "or": [{ "author.name": "Zola" }, { "title": "a" }] } });
        let found = api.post("/books/search", &body).await.ok();
        let either: Vec<_> = books.iter().filter(|book| book["title"] == "a").cloned().collect();
        assert_eq!(
            column(&found, "id"),
            sorted(&either, "author.name"),
            "a condition that not all satisfy joins nothing"
        );
    });
}

#[test]
fn the_anchor_of_a_cursor_may_go() {
    on_library(async |api| {
        let books = fill(api).await;
        let expected = sorted(&books, "-author.name");
        let parameters = "limit=7&sort=-author.name";
        let first = page(api, parameters, &Value::Null).await;
        let last = column(&first, "id").pop().expect("a book");
        api.put(format!("/books/{last}"), &json!({ "title": "elsewhere", "author_id": null })).await.ok();
        let next = page(api, parameters, &first["next_cursor"]).await;
        assert_eq!(column(&next, "id"), expected[7..14], "the book is behind its old place now");
    });
}

#[test]
fn lists_without_pages_are_in_the_order_too() {
    on_library(async |api| {
        let books = fill(api).await;
        let mut notes = Vec::new();
        for book in books.iter().rev() {
            notes.push(api.post("/notes", &json!({ "book_id": book["id"] })).await.created());
        }
        let list = api.get("/notes?sort=-book.title").await.ok();
        let title = |id: &Value| books.iter().find(|book| book["id"] == *id).map(|book| book["title"].clone());
        let list = list.as_array().expect("notes").clone();
        let titles: Vec<_> = list.iter().filter_map(|note| title(&note["book_id"])).collect();
        assert!(titles.is_sorted_by(|one, other| compare(one, other).is_ge()), "{titles:?}");
        assert_eq!(list.len(), notes.len());
    });
}

#[test]
fn wrong_keys_are_refused() {
    on_library(async |api| {
        for sort in ["author", "author.", "author.nam", "author.id", "autor.name", "author.name.x", "author_id", ""] {
            let refused = api.get(format!("/books?sort={sort}")).await.problem("validation_failed");
            assert_eq!((refused.only().code.as_str(), refused.parameters()), ("unknown_field", vec!["sort"]), "{sort}");
        }
        let typo = api.get("/books?sort=author.nam").await.problem("validation_failed");
        assert!(typo.detail.ends_with("did you mean `author.name`?"), "{typo}");
        let twice = api.get("/books?sort=author.name,-author.name").await.problem("validation_failed");
        assert_eq!(twice.only().code, "duplicate");
        let first = api.get("/books?sort=author.name&limit=1").await.ok();
        if let Some(cursor) = first["next_cursor"].as_str() {
            api.get(format!("/books?sort=title&limit=1&cursor={cursor}")).await.problem("cursor_invalid");
        }
    });
}

#[test]
fn export_of_many_chunks_is_in_the_order_of_the_other_record() {
    on_library(async |api| {
        let books = fill(api).await;
        let notes = (0..520).map(|number| json!({ "book_id": books[number % 18]["id"], "text": null }));
        create_all(api, "/notes", notes).await;
        let list = api.get("/notes?sort=-book.title").await.ok();
        let file = api.get("/notes/export?sort=-book.title").await.expect(200).text();
        let lines: Vec<Value> = file.lines().map(|line| serde_json::from_str(line).expect("a record")).collect();
        assert_eq!(lines.len(), 520);
        assert_eq!(list, Value::Array(lines));
    });
}

#[test]
fn page_in_the_order_of_the_other_record_has_its_total() {
    on_library(async |api| {
        let books = fill(api).await;
        for target in ["/books?sort=author.name&limit=5", "/books?sort=-author.born,author.name&title=a&limit=2"] {
            let page = api.get(target).header("prefer", "count=exact").await.ok();
            let expected = if target.contains("title=a") { 6 } else { books.len() };
            assert_eq!(
                (page["total"].as_u64(), &page["total_relation"]),
                (Some(expected as u64), &json!("eq")),
                "{page}"
            );
        }
    });
}
