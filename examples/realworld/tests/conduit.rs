//! The API's rules, and the official collection where it is there.

use std::env;
use std::process::Command;

use crud_runtime::prelude::*;
use crud_runtime::testing::Test;
use crud_tests::{Api, Database, on_each_sql_backend, skip, start_lines, untyped};
use serde_json::{Value, json};

const SECRET: &str = "the secret of these tests, which is public";

/// Environment variable: the path of the official Postman collection.
const COLLECTION: &str = "CRUD_REALWORLD_COLLECTION";

async fn service(database: &Database) -> Service {
    realworld::service(database.service().await, SECRET).expect("a long secret").migrate().await.expect("the tables")
}

fn on_conduit(test: impl AsyncFn(Test) + Copy) {
    on_each_sql_backend(async |database| test(service(database).await.test().await.expect("a test")).await);
}

/// The `Authorization` header of a new user.
async fn register(test: &Test, name: &str) -> String {
    let user = json!({ "user": { "username": name, "email": format!("{name}@example.com"), "password": "password" } });
    let answer = test.post("/api/users", user).await.expect(200).json();
    format!("Token {}", answer["user"]["token"].as_str().expect("a token"))
}

async fn article(test: &Test, token: &str, title: &str, tags: &[&str]) -> String {
    let article = json!({ "article": { "title": title, "description": "d", "body": "b", "tagList": tags } });
    let answer = test.post("/api/articles", article).header("authorization", token).await.expect(200).json();
    answer["article"]["slug"].as_str().expect("a slug").to_owned()
}

fn titles(list: &Value) -> Vec<&str> {
    list["articles"].as_array().expect("articles").iter().filter_map(|article| article["title"].as_str()).collect()
}

#[test]
fn errors_and_challenges_are_in_realworlds_format() {
    on_conduit(async |test| {
        let refused = test.post("/api/users", json!({ "user": { "username": "ann", "email": "ann", "x": 1 } })).await;
        let errors = refused.expect(422).json();
        assert_eq!(errors["errors"]["password"], json!(["is required"]));
        assert!(errors["errors"]["x"].is_array() && errors.as_object().unwrap().len() == 1, "{errors}");
        let missing = test.get("/api/user").await.expect(401);
        assert_eq!(missing.header("www-authenticate"), Some("Token realm=\"api\""));
        assert_eq!(missing.header("content-type"), Some("application/json"));
        assert_eq!(missing.json(), json!({ "errors": { "body": ["authentication failed"] } }));
        test.get("/api/user").header("authorization", "Bearer x").await.expect(401);
        assert!(test.get("/api/nothing").await.expect(404).json()["errors"]["body"].is_array());
        let token = register(&test, "ann").await;
        test.get("/api/user").header("authorization", &token).await.expect(200);
        let taken = json!({ "user": { "username": "ann", "email": "b@example.com", "password": "password" } });
        assert!(test.post("/api/users", taken).await.expect(409).json()["errors"]["username"].is_array());
    });
}

#[test]
fn lists_are_of_a_tag_an_author_a_fan_or_followed_authors() {
    on_conduit(async |test| {
        let (ann, bob) = (register(&test, "ann").await, register(&test, "bob").await);
        article(&test, &ann, "One", &["a", "b", "a"]).await;
        let two = article(&test, &bob, "Two", &["b"]).await;
        let favorite = format!("/api/articles/{two}/favorite");
        for count in [1, 1] {
            let favored = test.post(&favorite, json!({})).header("authorization", &ann).await.expect(200).json();
            assert_eq!(
                (&favored["article"]["favorited"], &favored["article"]["favoritesCount"]),
                (&json!(true), &json!(count))
            );
        }
        for (query, wanted) in [
            ("", &["Two", "One"][..]),
            ("?tag=a", &["One"]),
            ("?tag=b", &["Two", "One"]),
            ("?tag=b&limit=1&offset=1", &["One"]),
            ("?author=bob", &["Two"]),
            ("?author=cid", &[]),
            ("?favorited=ann", &["Two"]),
            ("?favorited=bob", &[]),
        ] {
            let list = test.get(format!("/api/articles{query}")).await.expect(200).json();
            assert_eq!(titles(&list), wanted, "{query}");
        }
        assert_eq!(test.get("/api/articles?tag=b&limit=1").await.json()["articlesCount"], 2);
        test.get("/api/articles?limit=x").await.expect(422);
        let feed = async || test.get("/api/articles/feed").header("authorization", &ann).await.expect(200).json();
        assert_eq!(titles(&feed().await), [""; 0]);
        test.post("/api/profiles/bob/follow", json!({})).header("authorization", &ann).await.expect(200);
        assert_eq!(titles(&feed().await), ["Two"]);
        assert_eq!(test.get("/api/tags").await.json()["tags"], json!(["a", "b"]));
        test.get("/api/articles/feed").await.expect(401);
    });
}

#[test]
fn only_the_author_changes_an_article_or_a_comment() {
    on_conduit(async |test| {
        let (ann, bob) = (register(&test, "ann").await, register(&test, "bob").await);
        let path = format!("/api/articles/{}", article(&test, &ann, "One", &["a"]).await);
        let change = json!({ "article": { "title": "Uno" } });
        test.put(&path, &change).header("authorization", &bob).await.expect(403);
        test.delete(&path).header("authorization", &bob).await.expect(403);
        let comments = format!("{path}/comments");
        let comment = test.post(&comments, json!({ "comment": { "body": "hm" } })).header("authorization", &ann);
        let comment = format!("{comments}/{}", comment.await.expect(200).json()["comment"]["id"]);
        test.delete(&comment).header("authorization", &bob).await.expect(403);
        test.delete(format!("{comments}/x")).header("authorization", &bob).await.expect(400);
        test.delete(&comment).header("authorization", &ann).await.expect(204);
        let changed = test.put(&path, &change).header("authorization", &ann).await.expect(200).json();
        let slug = changed["article"]["slug"].as_str().unwrap();
        assert!(slug.starts_with("uno-"), "{slug}");
        test.get(&path).await.expect(404);
        test.delete(format!("/api/articles/{slug}")).header("authorization", &ann).await.expect(204);
        assert_eq!(test.get("/api/articles").await.json()["articlesCount"], 0);
    });
}

#[test]
fn every_body_parameter_and_answer_has_a_type() {
    on_each_sql_backend(async |database| {
        let document = service(database).await.openapi_json().expect("the document");
        assert_eq!(untyped(&document), [""; 0]);
        let answers = |method: &str, path: &str| document["paths"][path][method]["responses"].clone();
        for (method, path, schema) in [
            ("post", "/api/users", "/properties/user/$ref UserView"),
            ("get", "/api/profiles/{username}", "/properties/profile/$ref ProfileView"),
            ("get", "/api/articles", "/$ref ManyArticles"),
            ("put", "/api/articles/{slug}", "/properties/article/$ref ArticleView"),
            ("post", "/api/articles/{slug}/comments", "/properties/comment/$ref CommentView"),
            ("get", "/api/articles/{slug}/comments", "/properties/comments/items/allOf/0/$ref Comment"),
            ("get", "/api/tags", "/properties/tags/items/type string"),
        ] {
            let content = &answers(method, path)["200"]["content"]["application/json"]["schema"];
            let (place, name) = schema.split_once(' ').expect("a place and a name");
            let found = content.pointer(place).and_then(Value::as_str).unwrap_or_default();
            assert_eq!(found.rsplit('/').next(), Some(name), "{method} {path}: {content}");
        }
    });
}

#[test]
fn official_collection_passes() {
    let Ok(collection) = env::var(COLLECTION) else {
        return skip("realworld", &format!("{COLLECTION} does not name the official collection"));
    };
    // The number of assertions that newman reports on an empty database, and on one with an article in the lists: each
    // list has assertions for either case.
    on_each_sql_backend(async |database| {
        let api = Api::start(database, service(database).await).await;
        let url = format!("http://{}/api", api.address());
        assert_eq!(run(&collection, &url).await, 311);
        let user = json!({ "user": { "username": "johnjacob", "email": "john@example.com", "password": "password" } });
        let user = api.post("/api/users", &user).await.ok();
        let token = format!("Token {}", user["user"]["token"].as_str().expect("a token"));
        let article =
            json!({ "title": "Dragons", "description": "d", "body": "b", "tagList": ["dragons", "training"] });
        api.post("/api/articles", &json!({ "article": article })).header("authorization", &token).await.ok();
        assert_eq!(run(&collection, &url).await, 347);
        api.stop().await;
    });
}

/// Runs the collection; the number of assertions, all of which held.
async fn run(collection: &str, url: &str) -> u32 {
    let mut newman = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/run-collection"));
    newman.args([collection, url]);
    let output = tokio::task::spawn_blocking(move || newman.output()).await.expect("a thread");
    let output = output.expect("bash, and Node for newman");
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{printed}\n{}", String::from_utf8_lossy(&output.stderr));
    // newman reports success for arguments that it does not understand: `│  assertions │  311 │  0 │`.
    let line = printed.lines().find(|line| line.contains("assertions")).expect("the summary");
    let numbers: Vec<u32> = line.split('│').filter_map(|cell| cell.trim().parse().ok()).collect();
    assert_eq!(numbers.get(1), Some(&0), "{line}");
    numbers[0]
}

#[test]
fn start_logs_the_address_alone() {
    on_each_sql_backend(async |database| {
        let lines = start_lines(env!("CARGO_BIN_EXE_realworld"), &[], database).await;
        assert_eq!(lines, ["INFO listening on http://ADDRESS"]);
    });
}
