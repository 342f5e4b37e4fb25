use std::time::Duration;

use crud_runtime::auth::{Auth, Principal};
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Locked, Record, post, put};
use crud_runtime::testing::Test;
use crud_tests::fixtures::column;
use crud_tests::{holds_for_a_moment, on_each_backend, on_each_transactional_backend};
use serde_json::{Value, json};

/// A remark that everyone reads, and its author changes for a quarter of an hour. Moderators change all.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    sort,
    pagination,
    soft_delete,
    batch(mode(partial)),
    audit,
    import,
    upsert(slug),
    access(all(authenticated)),
    scope(write, except(role("moderator")), author_id(me), within(created_at, "15m"))
)]
struct Remark {
    id: i64,
    author_id: i64,
    #[crud(unique)]
    slug: String,
    text: String,
    #[crud(default(Stage::Draft), transitions(publish(Draft, Published)))]
    stage: Stage,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum Stage {
    Draft,
    Published,
}

/// A board, whose members change its cards.
#[derive(Debug, Clone, Resource)]
#[crud(filter, access(all(authenticated)))]
struct Board {
    id: i64,
    lead_id: i64,
}

/// A card that everyone reads, and the lead of its board changes.
#[derive(Debug, Clone, Resource)]
#[crud(filter, access(all(authenticated)), scope(write, board::lead_id(me)))]
struct Card {
    id: i64,
    #[crud(references(Board))]
    board_id: i64,
    title: String,
}

/// A thread of posts, which are written with it.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)), has_many(posts(Post::thread_id, nested, sort(id))))]
struct Thread {
    id: i64,
    title: String,
}

/// A post that everyone reads, and its author changes for a quarter of an hour.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, access(all(authenticated)), scope(write, author_id(me), within(created_at, "15m")))]
struct Post {
    id: i64,
    #[crud(references(Thread))]
    thread_id: i64,
    author_id: i64,
    text: String,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
}

/// A thread that everyone purges, with its replies.
#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, access(all(authenticated)))]
struct Talk {
    id: i64,
    title: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A reply that its author changes, and that goes with its thread.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)), scope(write, author_id(me)))]
struct Reply {
    id: i64,
    #[crud(references(Talk, on_delete(cascade)))]
    talk_id: i64,
    author_id: i64,
}

/// An article, whose topics readers add.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)), many_to_many(topics(ArticleTopic)))]
struct Article {
    id: i64,
    title: String,
}

/// A topic.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
struct Topic {
    id: i64,
    name: String,
}

/// A topic of an article, which its sender removes within a quarter of an hour. Moderators remove all.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)), scope(write, except(role("moderator")), added_by(me), within(created_at, "15m")))]
struct ArticleTopic {
    #[crud(id, references(Article))]
    article_id: i64,
    #[crud(id, references(Topic))]
    topic_id: i64,
    added_by: i64,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
}

#[test]
fn cascade_goes_past_the_write_scope_of_what_it_removes() {
    on_each_backend(async |database| {
        let service = service(database.service().await).resource::<Talk>().resource::<Reply>();
        let client = service.test().await.expect("the tables");
        let (ada, bob) = (client.as_principal(Principal::new("7")), client.as_principal(Principal::new("8")));
        bob.post("/talks", json!({ "title": "a" })).await.expect(201);
        ada.post("/replies", json!({ "talk_id": 1 })).await.expect(201);
        bob.delete("/replies/1").await.problem("permission_denied");
        // The struct of the replies says that they go with their talk: who may remove that removes them.
        bob.delete("/talks/1").await.expect(200);
        bob.delete("/talks/1/permanent").await.expect(200);
        ada.get("/replies/1").await.problem("not_found");
    });
}

#[test]
fn links_of_others_stay_and_own_ones_are_removed_in_their_time() {
    on_each_transactional_backend(async |database| {
        let service = service(database.service().await).resource::<Article>().resource::<Topic>();
        let client = service.resource::<ArticleTopic>().test().await.expect("the tables");
        client.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
        let (ada, bob) = (client.as_principal(Principal::new("7")), client.as_principal(Principal::new("8")));
        ada.post("/articles", json!({ "title": "a" })).await.expect(201);
        for name in ["first", "second"] {
            ada.post("/topics", json!({ "name": name })).await.expect(201);
        }
        let target = "/articles/1/topics";
        let topics = async || column(&ada.get(target).await.expect(200).json(), "id");
        ada.post(target, json!({ "ids": [1] })).await.expect(200);
        bob.post(target, json!({ "ids": [2] })).await.expect(200);
        bob.delete("/articles/1/topics/1").await.problem("permission_denied");
        bob.put(target, json!({ "ids": [2] })).await.problem("permission_denied");
        assert_eq!(topics().await, [1, 2], "each stays where one may not be removed");
        bob.put(target, json!({ "ids": [1] })).await.expect(200);
        assert_eq!(topics().await, [1]);
        bob.post(target, json!({ "ids": [2] })).await.expect(200);
        client.clock().advance(Duration::from_mins(16));
        bob.delete("/articles/1/topics/2").await.problem("permission_denied");
        let moderator = client.as_principal(Principal::new("9").with_roles(["moderator"]));
        moderator.put(target, json!({ "ids": [] })).await.expect(200);
        assert_eq!(topics().await, [0; 0]);
    });
}

#[test]
fn nested_records_are_their_senders_and_are_changed_in_their_time() {
    on_each_transactional_backend(async |database| {
        let service = service(database.service().await).resource::<Thread>().resource::<Post>();
        let client = service.test().await.expect("the tables");
        client.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
        let (ada, bob) = (client.as_principal(Principal::new("7")), client.as_principal(Principal::new("8")));
        let body = json!({ "title": "a", "posts": [{ "text": "first" }, { "text": "second" }] });
        let thread = ada.post("/threads", body).await.expect(201).json();
        let authors: Vec<&Value> =
            thread["posts"]["data"].as_array().expect("posts").iter().map(|post| &post["author_id"]).collect();
        assert_eq!(authors, [7, 7]);
        let foreign = json!({ "posts": [{ "text": "x", "author_id": 7 }] });
        bob.patch("/threads/1", foreign).await.problem("validation_failed");
        // One body is written whole or not at all.
        let change = json!({ "title": "b", "posts": [{ "text": "by bob" }, { "id": 1, "text": "x" }] });
        let refused = bob.patch("/threads/1", change).await.problem("permission_denied");
        assert_eq!(refused["errors"][0]["pointer"], "/posts/1");
        bob.patch("/threads/1", json!({ "posts": [{ "id": 1, "_delete": true }] })).await.problem("permission_denied");
        assert_eq!(ada.get("/threads/1").await.json()["title"], "a");
        assert_eq!(texts(&json!({ "data": ada.get("/posts?sort=id").await.json() })), ["first", "second"]);
        ada.patch("/threads/1", json!({ "posts": [{ "id": 1, "text": "in time" }] })).await.expect(200);
        client.clock().advance(Duration::from_mins(16));
        for item in [json!({ "id": 1, "text": "late" }), json!({ "id": 2, "_delete": true })] {
            ada.patch("/threads/1", json!({ "title": "b", "posts": [item] })).await.problem("permission_denied");
        }
        ada.patch("/threads/1", json!({ "posts": [{ "text": "third" }] })).await.expect(200);
        assert_eq!(ada.get("/threads/1").await.json()["title"], "a");
        let posts = json!({ "data": ada.get("/posts?sort=id").await.json() });
        assert_eq!(texts(&posts), ["in time", "second", "third"]);
    });
}

async fn rename(ctx: Context) -> crud_runtime::Result<Record<Remark>> {
    let id = ctx.id::<Remark>().unwrap_or_default();
    Ok(Record(ctx.store().update(id, RemarkPatch::default().text("renamed")).await?))
}

async fn held(remark: Locked<Remark>) -> Record<Remark> {
    Record(remark.into_inner())
}

async fn clear(ctx: Context) -> crud_runtime::Result<Record<Remark>> {
    ctx.store::<Remark>().delete_where(Remark::FIELDS.id.gt(0)).await?;
    let left = ctx.store::<Remark>().list(Remark::FIELDS.id.asc()).await?;
    left.into_iter().next().map(Record).ok_or_else(|| Problem::new(crud_runtime::error::Code::NotFound, "none").into())
}

fn service(service: Service) -> Service {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().expect("a long secret");
    service.auth(auth).resource::<Remark>().resource::<Board>().resource::<Card>()
}

/// Runs a test with a remark `a` of ada, whose id is 7, and a remark `b` of bob, whose id is 8.
fn on_remarks(test: impl AsyncFn(&Test, &Test, &Test) + Copy) {
    on_each_backend(async |database| {
        let client = service(database.service().await).test().await.expect("the tables");
        client.clock().set("2026-01-31T12:00:00Z".parse().expect("a time"));
        let (ada, bob) = (client.as_principal(Principal::new("7")), client.as_principal(Principal::new("8")));
        ada.post("/remarks", json!({ "slug": "a", "text": "of ada" })).await.expect(201);
        bob.post("/remarks", json!({ "slug": "b", "text": "of bob" })).await.expect(201);
        test(&client, &ada, &bob).await;
    });
}

fn texts(list: &Value) -> Vec<&str> {
    list["data"].as_array().expect("records").iter().map(|record| record["text"].as_str().expect("a text")).collect()
}

#[test]
fn what_is_read_and_not_to_be_changed_is_403() {
    on_remarks(async |_, ada, bob| {
        assert_eq!(texts(&bob.get("/remarks?sort=id").await.expect(200).json()), ["of ada", "of bob"]);
        bob.get("/remarks/1").await.expect(200);
        bob.patch("/remarks/1", json!({ "text": "x" })).await.problem("permission_denied");
        bob.put("/remarks/1", json!({ "text": "x" })).await.problem("permission_denied");
        bob.patch("/remarks/1", json!({})).await.problem("permission_denied");
        bob.patch("/remarks/1", json!({ "text": "x" })).header("if-match", "\"x\"").await.problem("permission_denied");
        bob.post("/remarks/1/publish", json!({})).await.problem("permission_denied");
        bob.delete("/remarks/1").await.problem("permission_denied");
        bob.delete("/remarks/9").await.problem("not_found");
        let batch = json!({ "items": [{ "id": 1, "text": "x" }, { "id": 2, "text": "changed" }] });
        let batch = bob.put("/remarks/batch", batch).await.expect(207).json();
        assert_eq!((&batch["updated"], &batch["errors"][0]["code"]), (&json!(1), &json!("permission_denied")));
        let batch = bob.post("/remarks/batch/delete", json!({ "ids": [1] })).await.expect(207).json();
        assert_eq!(batch["errors"][0]["code"], "permission_denied");
        bob.post("/remarks?on_conflict=slug", json!({ "slug": "a", "text": "x" })).await.problem("permission_denied");
        let file = "slug,text\na,x\nc,of bob too\n";
        let target = "/remarks/import?mode=partial&on_conflict=slug";
        let imported = bob.post(target, json!({})).body("text/csv", file).await.json();
        assert_eq!(
            (&imported["created"], &imported["updated"], &imported["failed"]),
            (&json!(1), &json!(0), &json!(1))
        );
        ada.delete("/remarks/1").await.expect(200);
        bob.post("/remarks/1/restore", json!({})).await.problem("permission_denied");
        bob.delete("/remarks/1/permanent").await.problem("permission_denied");
        assert_eq!(bob.post("/remarks/restore", json!({ "ids": [1] })).await.expect(200).json()["restored"], 0);
        assert_eq!(bob.delete("/remarks/deleted?all=true").await.expect(200).json()["deleted"], 0);
        ada.post("/remarks/1/restore", json!({})).await.expect(200);
        assert_eq!(ada.get("/remarks/1").await.expect(200).json()["text"], "of ada");
        ada.post("/remarks/1/publish", json!({})).await.expect(200);
    });
}

#[test]
fn a_new_record_is_its_senders_and_stays_so() {
    on_remarks(async |client, ada, bob| {
        assert_eq!(ada.get("/remarks/1").await.expect(200).json()["author_id"], 7);
        let foreign = json!({ "slug": "d", "text": "x", "author_id": 8 });
        ada.post("/remarks", &foreign).await.problem("validation_failed");
        ada.patch("/remarks/1", json!({ "author_id": 8 })).await.problem("validation_failed");
        let moderator = client.as_principal(Principal::new("9").with_roles(["moderator"]));
        moderator.patch("/remarks/1", json!({ "text": "moderated" })).await.expect(200);
        moderator.post("/remarks", &foreign).await.expect(201);
        let own =
            moderator.post("/remarks", json!({ "slug": "e", "text": "of the moderator" })).await.expect(201).json();
        assert_eq!(own["author_id"], 9);
        bob.patch("/remarks/3", json!({ "text": "given" })).await.expect(200);
        client.patch("/remarks/1", json!({ "text": "x" })).await.problem("authentication_failed");
    });
}

#[test]
fn the_time_to_change_a_record_ends() {
    on_remarks(async |client, ada, _| {
        client.clock().advance(Duration::from_mins(14));
        ada.patch("/remarks/1", json!({ "text": "in time" })).await.expect(200);
        client.clock().advance(Duration::from_secs(61));
        ada.patch("/remarks/1", json!({ "text": "late" })).await.problem("permission_denied");
        ada.delete("/remarks/1").await.problem("permission_denied");
        ada.post("/remarks/1/publish", json!({})).await.problem("permission_denied");
        let batch = json!({ "items": [{ "id": 1, "text": "late" }] });
        let batch = ada.put("/remarks/batch", batch).await.expect(207).json();
        assert_eq!(batch["errors"][0]["code"], "permission_denied");
        assert_eq!(ada.get("/remarks/1").await.expect(200).json()["text"], "in time");
        let moderator = client.as_principal(Principal::new("9").with_roles(["moderator"]));
        moderator.delete("/remarks/1").await.expect(200);
        assert_eq!(ada.post("/remarks/restore", json!({ "ids": [1] })).await.expect(200).json()["restored"], 0);
        assert_eq!(ada.delete("/remarks/deleted?all=true").await.expect(200).json()["deleted"], 0);
        assert_eq!(moderator.delete("/remarks/deleted?all=true").await.expect(200).json()["deleted"], 1);
    });
}

#[test]
fn own_routes_change_what_their_caller_may_change() {
    on_each_transactional_backend(async |database| {
        let service = service(database.service().await)
            .route("/remarks/{id}/rename", put(rename))
            .route("/remarks/{id}/held", post(held))
            .route("/remarks/clear", post(clear));
        let client = service.test().await.expect("the tables");
        let (ada, bob) = (client.as_principal(Principal::new("7")), client.as_principal(Principal::new("8")));
        ada.post("/remarks", json!({ "slug": "a", "text": "of ada" })).await.expect(201);
        bob.post("/remarks", json!({ "slug": "b", "text": "of bob" })).await.expect(201);
        bob.put("/remarks/1/rename", json!({})).await.problem("permission_denied");
        bob.post("/remarks/1/held", json!({})).await.problem("permission_denied");
        bob.post("/remarks/9/held", json!({})).await.problem("not_found");
        ada.post("/remarks/1/held", json!({})).await.expect(200);
        assert_eq!(ada.put("/remarks/1/rename", json!({})).await.expect(200).json()["text"], "renamed");
        // A change of many is of those that the caller may change.
        assert_eq!(bob.post("/remarks/clear", json!({})).await.expect(200).json()["id"], 1);
        bob.get("/remarks/2").await.problem("not_found");
        let store = client.store::<Remark>();
        store.update(1, RemarkPatch::default().text("by the program")).await.expect("the program changes all");
    });
}

#[test]
fn a_rule_of_writing_leads_over_references_too() {
    on_each_backend(async |database| {
        let client = service(database.service().await).test().await.expect("the tables");
        let (ada, bob) = (client.as_principal(Principal::new("7")), client.as_principal(Principal::new("8")));
        for lead in [7, 8] {
            ada.post("/boards", json!({ "lead_id": lead })).await.expect(201);
        }
        ada.post("/cards", json!({ "board_id": 1, "title": "a" })).await.expect(201);
        ada.post("/cards", json!({ "board_id": 2, "title": "x" })).await.problem("validation_failed");
        bob.get("/cards/1").await.expect(200);
        bob.patch("/cards/1", json!({ "title": "x" })).await.problem("permission_denied");
        bob.patch("/cards/1", json!({ "board_id": 2 })).await.problem("permission_denied");
        bob.delete("/cards/1").await.problem("permission_denied");
        // A card is not led out of what one may change.
        ada.patch("/cards/1", json!({ "board_id": 2 })).await.problem("validation_failed");
        ada.patch("/boards/1", json!({ "lead_id": 8 })).await.expect(200);
        ada.patch("/cards/1", json!({ "title": "x" })).await.problem("permission_denied");
        bob.patch("/cards/1", json!({ "board_id": 2 })).await.expect(200);
    });
}

#[test]
fn a_write_waits_for_a_change_of_the_record_that_admits_it() {
    on_each_transactional_backend(async |database| {
        let client = service(database.service().await).test().await.expect("the tables");
        let ada = client.as_principal(Principal::new("7"));
        ada.post("/boards", json!({ "lead_id": 7 })).await.expect(201);
        for card in [json!({ "board_id": 1, "title": "a" }), json!({ "board_id": 1, "title": "b" })] {
            ada.post("/cards", card).await.expect(201);
        }
        let tx = client.app().begin().await.expect("a transaction");
        tx.store::<Board>().update(1, BoardPatch::default().lead_id(8)).await.expect("another lead");
        let create = ada.clone();
        let create = tokio::spawn(async move { create.post("/cards", json!({ "board_id": 1, "title": "c" })).await });
        if database.backend().is_server() {
            database.wait_until_blocked().await;
        }
        holds_for_a_moment("the create waits", async || !create.is_finished()).await;
        tx.commit().await.expect("a commit");
        create.await.expect("an answer").problem("validation_failed");
        ada.delete("/cards/1").await.problem("permission_denied");
    });
}
