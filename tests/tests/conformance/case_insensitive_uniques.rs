//! `unique(case_insensitive)`: texts that differ only in letter case conflict.

use crud_runtime::prelude::*;
use crud_runtime::schema::DifferenceKind;
use crud_tests::fixtures::{batch, column, path};
use crud_tests::{Api, Database, on_each_backend, on_each_sql_backend};
use reqwest::Method;
use serde_json::{Value, json};

/// A subscriber: alone, among the active ones, and beside another field.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    filter,
    sort,
    pagination,
    soft_delete,
    batch(mode(partial)),
    import,
    unique(team, nickname, case_insensitive(nickname)),
    upsert(phone)
)]
struct Subscriber {
    id: i64,
    #[crud(unique(case_insensitive), validate(email))]
    email: String,
    #[crud(unique(active, case_insensitive))]
    handle: Option<String>,
    team: Option<String>,
    nickname: Option<String>,
    #[crud(unique)]
    phone: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A subscriber in memory, to compare another unique.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(table = "subscribers")]
struct Exact {
    id: i64,
    #[crud(unique)]
    email: String,
}

async fn service(database: &Database) -> Service {
    database.service().await.without_auth().resource::<Subscriber>().migrate().await.expect("the tables")
}

fn on_subscribers(test: impl AsyncFn(&Api) + Copy) {
    on_each_backend(async |database| {
        let mut api = Api::start(database, service(database).await).await;
        api.check_against_document().await;
        test(&api).await;
        api.stop().await;
    });
}

/// A body with these members, and an unused phone number.
fn subscriber(email: &str, mut members: Value) -> Value {
    members["email"] = email.into();
    members["phone"] = format!("+{email}").into();
    members
}

#[test]
fn texts_that_differ_in_case_conflict() {
    on_subscribers(async |api| {
        let ann = api.post("/subscribers", &subscriber("ann@x.org", json!({}))).await.created();
        let taken = api.post("/subscribers", &subscriber("ANN@x.org", json!({}))).await.problem("conflict");
        assert_eq!(taken.pointers(), ["/email"]);
        let plain = api.post("/subscribers", &json!({ "email": "eve@x.org", "phone": "+ann@x.org" })).await;
        assert_eq!(taken.detail, plain.problem("conflict").detail.replace("phone", "email"));
        let bob = api.post("/subscribers", &subscriber("Bob@X.org", json!({}))).await.created();
        assert_eq!(bob["email"], "Bob@X.org", "the text is stored as it is written");
        let update = api.put(path("/subscribers", &bob), &json!({ "email": "aNN@x.org" })).await;
        assert_eq!(update.problem("conflict").pointers(), ["/email"]);
        // A record does not conflict with itself.
        let renamed = api.put(path("/subscribers", &ann), &json!({ "email": "Ann@X.org" })).await.ok();
        assert_eq!(renamed["email"], "Ann@X.org");
        // Filters compare text as it is written.
        assert_eq!(api.get("/subscribers?email=ann@x.org").await.ok()["total"], 0);
    });
}

#[test]
fn letters_with_accents_are_others() {
    on_subscribers(async |api| {
        for (index, handle) in
            ["andre", "andr\u{e9}", "andre\u{301}", "andre ", "stra\u{df}e", "strasse"].iter().enumerate()
        {
            api.post("/subscribers", &subscriber(&format!("{index}@x.org"), json!({ "handle": handle })))
                .await
                .created();
        }
    });
}

#[test]
fn null_is_not_unique() {
    on_subscribers(async |api| {
        for email in ["a@x.org", "b@x.org"] {
            api.post("/subscribers", &subscriber(email, json!({ "team": "red" }))).await.created();
        }
    });
}

#[test]
fn group_is_compared_without_case_where_it_says_so() {
    on_subscribers(async |api| {
        let body = |email, team, nickname| subscriber(email, json!({ "team": team, "nickname": nickname }));
        api.post("/subscribers", &body("a@x.org", "red", "Ann")).await.created();
        api.post("/subscribers", &body("b@x.org", "Red", "ann")).await.created();
        let taken = api.post("/subscribers", &body("c@x.org", "red", "aNN")).await.problem("conflict");
        assert_eq!(taken.pointers(), ["/nickname", "/team"]);
    });
}

#[test]
fn deleted_record_keeps_its_text_and_frees_one_of_active_records() {
    on_subscribers(async |api| {
        let body = |email, handle| subscriber(email, json!({ "handle": handle }));
        let first = api.post("/subscribers", &body("a@x.org", "Ann")).await.created();
        let taken = api.post("/subscribers", &body("b@x.org", "ann")).await.problem("conflict");
        assert_eq!(taken.pointers(), ["/handle"]);
        api.delete(path("/subscribers", &first)).await.ok();
        let taken = api.post("/subscribers", &subscriber("A@x.org", json!({}))).await.problem("conflict");
        assert_eq!(taken.pointers(), ["/email"], "a deleted record keeps it");
        api.post("/subscribers", &body("b@x.org", "ann")).await.created();
        let restore = api.request(Method::POST, format!("{}/restore", path("/subscribers", &first))).await;
        assert_eq!(restore.problem("conflict").pointers(), ["/handle"]);
        api.delete(format!("{}/permanent", path("/subscribers", &first))).await.ok();
        api.post("/subscribers", &subscriber("A@x.org", json!({}))).await.created();
    });
}

#[test]
fn batches_and_imports_have_the_conflict() {
    on_subscribers(async |api| {
        let items = ["ann@x.org", "Ann@x.org", "bob@x.org"].map(|email| subscriber(email, json!({})));
        let answer = api.post("/subscribers/batch", &batch(items)).await.expect(207).into_json();
        let errors = answer["errors"].as_array().expect("errors");
        assert_eq!((errors.len(), &errors[0]["index"], &errors[0]["status"]), (1, &json!(1), &json!(409)), "{answer}");
        let file = ["BOB@x.org", "eve@x.org"].map(|email| subscriber(email, json!({})).to_string()).join("\n");
        let import = api.request(Method::POST, "/subscribers/import?mode=partial");
        let answer = import.body("application/x-ndjson", file).await.expect(207).into_json();
        assert_eq!((&answer["created"], &answer["failed"]), (&json!(1), &json!(1)), "{answer}");
        let emails = column(&api.get("/subscribers?sort=id").await.ok(), "email");
        assert_eq!(emails, ["ann@x.org", "bob@x.org", "eve@x.org"]);
    });
}

#[test]
fn upsert_by_another_field_has_the_conflict() {
    on_subscribers(async |api| {
        api.post("/subscribers", &subscriber("ann@x.org", json!({}))).await.created();
        let bob = subscriber("bob@x.org", json!({}));
        api.post("/subscribers?on_conflict=phone", &bob).await.created();
        let body = json!({ "email": "ANN@x.org", "phone": bob["phone"] });
        let taken = api.post("/subscribers?on_conflict=phone", &body).await.problem("conflict");
        assert_eq!(taken.pointers(), ["/email"]);
    });
}

#[test]
fn store_refuses_an_upsert_by_it() {
    on_each_backend(async |database| {
        let service = service(database).await;
        let new = NewSubscriber {
            email: "ann@x.org".to_owned(),
            handle: None,
            team: None,
            nickname: None,
            phone: "1".to_owned(),
        };
        let error = service.store::<Subscriber>().upsert(Subscriber::FIELDS.email, new).await.unwrap_err();
        assert!(format!("{error:?}").contains("the exact values of email"), "{error:?}");
    });
}

#[test]
fn concurrent_creates_succeed_once() {
    on_subscribers(async |api| {
        let emails = ["ann@x.org", "ANN@x.org", "Ann@x.org", "ann@X.org", "aNn@x.org", "anN@x.org"];
        let create = async |email: &str| api.post("/subscribers", &subscriber(email, json!({}))).await.status();
        let mut statuses = futures_util::future::join_all(emails.map(create)).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [201, 409, 409, 409, 409, 409]);
    });
}

#[test]
fn database_enforces_it_and_serves_no_plain_unique() {
    on_each_sql_backend(async |database| {
        drop(service(database).await);
        let fresh = async || database.service().await.without_auth();
        assert_eq!(fresh().await.resource::<Subscriber>().migrations().diff().await.expect("a comparison"), []);
        let insert = |email: &str| format!("INSERT INTO subscribers (email, phone) VALUES ('{email}', '{email}')");
        assert!(database.try_execute(&insert("ann@x.org")).await);
        assert!(!database.try_execute(&insert("ANN@x.org")).await);
        let error = match database.service().await.without_auth().resource::<Exact>().migrate().await {
            Ok(_) => panic!("the service starts"),
            Err(error) => error.to_string(),
        };
        assert!(error.contains("table `subscribers`, column `email`: must be UNIQUE"), "{error}");
        let differences = fresh().await.resource::<Exact>().migrations().diff().await.expect("a comparison");
        let unused = DifferenceKind::UniqueUnused { columns: vec!["email"], case_insensitive: vec!["email"] };
        assert!(differences.iter().any(|difference| difference.what == unused), "{differences:?}");
    });
}
