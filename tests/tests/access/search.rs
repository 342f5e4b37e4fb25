//! Full-text search: it finds no record that the caller's list would not have, and nothing by a field that the caller does
//! not see.

use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::query;
use serde_json::{Value, json};

use crate::support::{Caller, anonymous, caller, on_resources};

/// Records of owners, with fields that a search does not read.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    export,
    search(title, body),
    filter(title),
    sort(title),
    pagination(cursor),
    soft_delete,
    access(restore(role("admin")))
)]
struct Page {
    id: i64,
    title: String,
    body: Option<String>,
    #[crud(visible(role("buyer")))]
    offer: Option<String>,
    #[crud(hidden, default = "hiddenword")]
    internal: String,
    #[crud(write_only)]
    secret: Option<String>,
    #[crud(owner(except(role("admin"))))]
    user_id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// Records that admins alone may list.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(search(text), access(list(role("admin")), create(public)))]
struct Locked {
    id: i64,
    text: String,
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_pages(test: impl AsyncFn(&Caller<'_>, &Caller<'_>, &Caller<'_>, &Caller<'_>)) {
    on_resources(
        |service| service.resource::<Page>().resource::<Locked>(),
        async |api| {
            let (ada, bob) = (caller(api, "1", &["buyer"], &[]), caller(api, "2", &[], &[]));
            let body = json!({ "title": "plan", "body": "of ada", "offer": "offerword", "secret": "secretword" });
            ada.post("/pages", &body).await.created();
            bob.post("/pages", &json!({ "title": "plan", "body": "of bob" })).await.created();
            let gone = bob.post("/pages", &json!({ "title": "plan", "body": "gone" })).await.created();
            bob.delete(format!("/pages/{}", gone["id"])).await.ok();
            test(&ada, &bob, &caller(api, "9", &["admin"], &[]), &anonymous(api)).await;
        },
    );
}

async fn found(caller: &Caller<'_>, parameters: &str) -> Vec<Value> {
    let list = caller.get(format!("/pages?sort=title&{parameters}")).await.ok();
    let bodies = column(&list, "body");
    assert_eq!(list["total"], bodies.len(), "the total is of what is found");
    bodies
}

#[test]
fn a_search_finds_records_of_the_caller() {
    on_pages(async |ada, bob, admin, anyone| {
        assert_eq!(found(ada, "q=plan").await, ["of ada"]);
        assert_eq!(found(bob, "q=plan").await, ["of bob"]);
        assert_eq!(found(bob, "q=ada").await, [""; 0]);
        assert_eq!(found(admin, "q=plan").await, ["of ada", "of bob"]);
        let searched = bob.post("/pages/search", &json!({ "q": "plan" })).await.ok();
        assert_eq!(column(&searched, "body"), ["of bob"]);
        // The condition on the owner is beside the search, whatever its text.
        for text in ["ada OR plan", "plan\" OR \"ada", "plan | ada", "plan* +ada", "1=1 plan"] {
            let list = bob.get(query("/pages", [("q", text)])).await.ok();
            assert!(!column(&list, "body").contains(&json!("of ada")), "{text}");
        }
        anyone.get("/pages?q=plan").await.problem("authentication_failed");
        anyone.post("/pages/search", &json!({ "q": "plan" })).await.problem("authentication_failed");
    });
}

#[test]
fn a_search_reads_no_field_that_the_caller_does_not_see() {
    on_pages(async |ada, bob, admin, _| {
        for caller in [ada, bob, admin] {
            for word in ["offerword", "hiddenword", "secretword", "offer", "hidden", "secret"] {
                assert_eq!(found(caller, &format!("q={word}")).await, [""; 0], "{word}");
            }
        }
    });
}

#[test]
fn deleted_records_are_found_by_those_who_may_restore() {
    on_pages(async |ada, bob, admin, _| {
        for parameters in ["q=gone", "q=plan+gone"] {
            assert_eq!(found(bob, parameters).await, [""; 0]);
        }
        for caller in [ada, bob] {
            caller.get("/pages?q=gone&include_deleted=true").await.problem("permission_denied");
            caller
                .post("/pages/search", &json!({ "q": "gone", "only_deleted": true }))
                .await
                .problem("permission_denied");
        }
        assert_eq!(found(admin, "q=gone&only_deleted=true").await, ["gone"]);
    });
}

#[test]
fn a_cursor_of_a_search_reaches_the_records_of_its_bearer() {
    on_pages(async |ada, bob, admin, _| {
        ada.post("/pages", &json!({ "title": "second plan", "body": "of ada" })).await.created();
        let first = admin.get("/pages?q=plan&sort=title&limit=1").await.ok();
        let cursor = first["next_cursor"].as_str().expect("a cursor");
        let next = bob.get(format!("/pages?q=plan&sort=title&limit=9&cursor={cursor}")).await.ok();
        assert!(column(&next, "body").iter().all(|body| body == "of bob"), "{next}");
    });
}

#[test]
fn a_search_needs_the_access_of_a_list() {
    on_pages(async |ada, _, admin, _| {
        ada.post("/lockeds", &json!({ "text": "word" })).await.created();
        ada.get("/lockeds?q=word").await.problem("permission_denied");
        ada.post("/lockeds/search", &json!({ "q": "word" })).await.problem("permission_denied");
        assert_eq!(column(&admin.get("/lockeds?q=word").await.ok(), "text"), ["word"]);
    });
}

#[test]
fn an_export_has_what_the_callers_list_has() {
    on_pages(async |ada, bob, admin, anyone| {
        for format in ["ndjson", "csv"] {
            let file = async |caller: &Caller<'_>, parameters: &str| {
                caller.get(format!("/pages/export?format={format}{parameters}")).await.expect(200).text()
            };
            let (of_ada, of_bob, of_admin) = (file(ada, "").await, file(bob, "").await, file(admin, "").await);
            assert!(
                of_ada.contains("of ada") && !of_ada.contains("of bob") && of_ada.contains("offerword"),
                "{of_ada}"
            );
            assert!(of_bob.contains("of bob") && !of_bob.contains("of ada"), "{of_bob}");
            assert!(!of_bob.contains("offer"), "not even the field's name: {of_bob}");
            assert!(of_admin.contains("of ada") && of_admin.contains("of bob") && !of_admin.contains("offer"));
            for text in [&of_ada, &of_bob, &of_admin] {
                assert!(!text.contains("hiddenword") && !text.contains("secret") && !text.contains("gone"), "{text}");
            }
            assert!(file(admin, "&only_deleted=true").await.contains("gone"));
            let deleted = format!("/pages/export?format={format}&only_deleted=true");
            bob.get(deleted).await.problem("permission_denied");
            anyone.get(format!("/pages/export?format={format}")).await.problem("authentication_failed");
        }
    });
}
