//! Scopes over references: what one hides is found on no road, and nothing is written that it would hide.

use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Api, query};
use serde_json::{Value, json};

use crate::start_log::start_log;
use crate::support::{Caller, caller, on_resources, secured};

/// Issues that everyone reads, but guests who wrote none of their comments.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    filter,
    sort(title),
    pagination,
    soft_delete,
    audit(keep = "365d"),
    has_many(comments(Comment::issue_id), watches(Watch::issue_id)),
    access(all(authenticated)),
    scope(role("watcher"), any(watches::user_id(me)))
)]
struct Issue {
    id: i64,
    title: String,
    assignee_id: Option<i64>,
    deleted_at: Option<DateTime<Utc>>,
}

/// Comments, of which a guest sees those on issues that are assigned to the guest, or that name the guest.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    filter(text, issue_id, issue::title),
    sort(text),
    search(text),
    pagination,
    soft_delete,
    batch(mode(partial)),
    audit(keep = "30d"),
    export,
    import,
    upsert(code),
    aggregate(group_by(issue_id), over(code)),
    access(all(authenticated)),
    scope(role("guest"), issue::assignee_id(me)),
    scope(role("guest"), guest_id(claim("customer")))
)]
struct Comment {
    id: i64,
    #[crud(references(Issue, expand))]
    issue_id: i64,
    guest_id: Option<i64>,
    text: String,
    #[crud(unique)]
    code: i32,
    deleted_at: Option<DateTime<Utc>>,
}

/// Reactions to comments, of which a guest sees those two relations away.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    audit,
    filter(kind, comment::text),
    access(all(authenticated)),
    scope(role("guest"), comment::issue::assignee_id(me))
)]
struct Reaction {
    id: i64,
    #[crud(references(Comment, expand))]
    comment_id: i64,
    kind: String,
}

/// Marks that every user reads, with references to comments.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(name, comment::text), sort(name), access(all(authenticated)))]
struct Mark {
    id: i64,
    name: String,
    #[crud(references(Comment, any, expand))]
    comment_id: i64,
}

/// Pins that every user reads, in the order of the comments that they refer to.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(sort(comment::text), access(all(authenticated)))]
struct Pin {
    id: i64,
    #[crud(references(Comment, any))]
    comment_id: i64,
}

/// Watches of issues.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(index(user_id, issue_id), access(all(authenticated)))]
struct Watch {
    id: i64,
    #[crud(references(Issue, any))]
    issue_id: i64,
    user_id: i64,
}

fn with_resources(service: Service) -> Service {
    service.resource::<Issue>().resource::<Comment>().resource::<Reaction>().resource::<Mark>().resource::<Watch>()
}

/// An issue of the guest 7, one of the guest 8, and one of no guest; a comment `of 7`, `of 8`, `open` on each, with the codes 1, 2
/// and 3, by the staff.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_comments(test: impl AsyncFn(&Api, &Caller<'_>, &Caller<'_>)) {
    on_resources(with_resources, async |api| {
        let staff = caller(api, "1", &["staff"], &[]);
        fill(&staff).await;
        test(api, &staff, &caller(api, "7", &["guest"], &[])).await;
    });
}

async fn fill(staff: &Caller<'_>) {
    for (code, assignee, text) in [(1, json!(7), "of 7"), (2, json!(8), "of 8"), (3, Value::Null, "open")] {
        let issue = staff.post("/issues", &json!({ "title": text, "assignee_id": assignee })).await.created();
        assert_eq!(issue["id"], code);
        let comment = json!({ "issue_id": issue["id"], "text": text, "code": code });
        assert_eq!(staff.post("/comments", &comment).await.created()["id"], code);
    }
}

async fn texts(caller: &Caller<'_>, target: &str) -> Vec<Value> {
    let list = caller.get(target).await.ok();
    assert_eq!(list["total"], list["data"].as_array().map_or(0, Vec::len), "the total is of the same records");
    column(&list, "text")
}

#[test]
fn lists_totals_searches_and_files_have_the_records_that_lead_to_the_guest() {
    on_comments(async |api, staff, guest| {
        assert_eq!(texts(staff, "/comments?sort=text").await, ["of 7", "of 8", "open"]);
        for target in ["/comments", "/comments?sort=-text", "/comments?limit=1", "/comments?issue.title__ne=x"] {
            assert_eq!(texts(guest, target).await, ["of 7"], "{target}");
        }
        for target in ["/comments?text=of%208", "/comments?issue_id=2", "/comments?issue.title=of%208"] {
            assert_eq!(texts(guest, target).await, [""; 0], "{target}");
        }
        let none = query("/comments", [("where", json!({ "not": { "issue_id": 1 } }).to_string().as_str())]);
        assert_eq!(texts(guest, &none).await, [""; 0]);
        assert_eq!(texts(&caller(api, "9", &["guest"], &[]), "/comments").await, [""; 0]);
        // A subject that is no number of an assignee's leads to nothing.
        assert_eq!(texts(&caller(api, "ann", &["guest"], &[]), "/comments").await, [""; 0]);
        let found = guest.post("/comments/search", &json!({ "where": { "text__startswith": "o" } })).await.ok();
        assert_eq!((column(&found, "text"), &found["total"]), (vec![json!("of 7")], &json!(1)));
        assert_eq!(texts(staff, "/comments?q=of&sort=text").await, ["of 7", "of 8"]);
        assert_eq!(texts(guest, "/comments?q=of").await, ["of 7"]);
        assert_eq!(texts(guest, "/comments?q=open").await, [""; 0]);
        let groups = guest.get("/comments/aggregate?group_by=issue_id&sum=code").await.ok();
        let expected = json!([{ "issue_id": 1, "count": 1, "sum": { "code": 1 } }]);
        assert_eq!((&groups["data"], &groups["groups"]), (&expected, &json!(1)));
        let file = guest.get("/comments/export?format=ndjson").await.text();
        assert_eq!((file.lines().count(), file.contains("of 7")), (1, true), "{file}");
    });
}

#[test]
fn a_record_that_leads_elsewhere_is_not_found() {
    on_comments(async |_, staff, guest| {
        guest.get("/comments/1").await.ok();
        staff.delete("/comments/3").await.ok();
        for id in [2, 3, 99] {
            let path = format!("/comments/{id}");
            guest.get(&path).await.problem("not_found");
            guest.patch(&path, &json!({ "text": "x" })).await.problem("not_found");
            guest.patch(&path, &json!({ "issue_id": 1 })).await.problem("not_found");
            guest.delete(&path).await.problem("not_found");
            guest.post(format!("{path}/restore"), &json!({})).await.problem("not_found");
            guest.delete(format!("{path}/permanent")).await.problem("not_found");
        }
        let items = json!({ "items": [{ "id": 2, "text": "x" }, { "id": 1, "text": "changed" }] });
        let batch = guest.put("/comments/batch", &items).await.expect(207);
        assert_eq!((&batch.json()["updated"], &batch.json()["errors"][0]["code"]), (&json!(1), &json!("not_found")));
        let batch = guest.post("/comments/batch/delete", &json!({ "ids": [2, 3] })).await.expect(207);
        assert_eq!((&batch.json()["deleted"], &batch.json()["errors"][1]["code"]), (&json!(0), &json!("not_found")));
        assert_eq!(guest.post("/comments/restore", &json!({ "ids": [3] })).await.ok()["restored"], 0);
        assert_eq!(guest.delete("/comments/deleted?all=true").await.ok()["deleted"], 0);
        assert_eq!(texts(staff, "/comments?sort=text").await, ["changed", "of 8"]);
        assert_eq!(staff.post("/comments/restore", &json!({ "ids": [3] })).await.ok()["restored"], 1);
        // Its own record is there on each of these roads.
        guest.delete("/comments/1").await.ok();
        guest.post("/comments/1/restore", &json!({})).await.ok();
        guest.delete("/comments/1").await.ok();
        assert_eq!(guest.delete("/comments/deleted?all=true").await.ok()["deleted"], 1);
    });
}

#[test]
fn a_record_that_would_lead_elsewhere_is_not_written() {
    on_comments(async |_, staff, guest| {
        let comment = |issue: i64, code: i32| json!({ "issue_id": issue, "text": "new", "code": code });
        let refused = guest.post("/comments", &comment(2, 9)).await.problem("validation_failed");
        assert_eq!((refused.only().at.as_str(), refused.only().code.as_str()), ("pointer /issue_id", "scope"));
        // It does not tell whether there is such an issue.
        let missing = guest.post("/comments", &comment(99, 9)).await.problem("validation_failed");
        assert_eq!((refused.detail, refused.errors.len()), (missing.detail, missing.errors.len()));
        guest.post("/comments", &comment(1, 4)).await.created();
        let moved = guest.patch("/comments/1", &json!({ "issue_id": 2, "text": "x" })).await;
        assert_eq!(moved.problem("validation_failed").only().code, "scope");
        let items = json!({ "items": [comment(1, 5), comment(2, 6)] });
        let batch = guest.post("/comments/batch", &items).await.expect(207);
        let failed = &batch.json()["errors"];
        assert_eq!((&batch.json()["created"], &failed[0]["index"]), (&json!(1), &json!(1)), "{failed}");
        let items = json!({ "items": [{ "id": 1, "issue_id": 3 }, { "id": 4, "text": "kept" }] });
        let batch = guest.put("/comments/batch", &items).await.expect(207);
        assert_eq!((&batch.json()["updated"], &batch.json()["errors"][0]["index"]), (&json!(1), &json!(0)));
        // The holder of a unique value that the guest does not see is a conflict, as for a create.
        let target = "/comments?on_conflict=code";
        guest.post(target, &comment(1, 2)).await.problem("conflict");
        guest.post(&format!("{target}&conflict=ignore"), &comment(1, 2)).await.problem("conflict");
        guest.post(target, &comment(2, 7)).await.problem("validation_failed");
        let lead_away = guest.post(target, &comment(2, 4)).await.problem("validation_failed");
        assert_eq!(lead_away.only().code, "scope");
        assert_eq!(guest.post(target, &comment(1, 4)).await.ok()["text"], "new");
        let file = "issue_id,text,code\n1,file,10\n2,file,11\n";
        let imported = guest.send("/comments/import?mode=partial", "text/csv", file).await.into_json();
        assert_eq!((&imported["created"], &imported["failed"]), (&json!(1), &json!(1)), "{imported}");
        let codes = column(&staff.get("/comments?sort=text").await.ok(), "code");
        assert!(!codes.contains(&json!(6)) && !codes.contains(&json!(7)) && !codes.contains(&json!(11)), "{codes:?}");
        assert_eq!(staff.get("/comments/1").await.ok()["issue_id"], 1);
    });
}

#[test]
fn a_scope_by_the_own_field_is_an_alternative_to_one_over_a_reference() {
    on_comments(async |api, staff, _| {
        let comment = json!({ "issue_id": 2, "guest_id": 5, "text": "for 5", "code": 20 });
        staff.post("/comments", &comment).await.created();
        // The claim is not in this token: its issues alone count.
        let guest = caller(api, "8", &["guest"], &[]);
        assert_eq!(texts(&guest, "/comments?sort=text").await, ["for 5", "of 8"]);
        guest.patch("/comments/2", &json!({ "text": "mine" })).await.ok();
        let taken = guest.patch("/comments/2", &json!({ "guest_id": 8 })).await.problem("validation_failed");
        assert_eq!(taken.only().code, "immutable", "what decides by its own value stays");
    });
}

#[test]
fn other_resources_show_and_refer_to_what_the_guest_reaches() {
    on_comments(async |_, staff, guest| {
        for (comment, kind) in [(1, "of 7"), (2, "of 8")] {
            staff.post("/reactions", &json!({ "comment_id": comment, "kind": kind })).await.created();
            staff.post("/marks", &json!({ "comment_id": comment, "name": kind })).await.created();
        }
        let marks = guest.get("/marks?sort=name&expand=comment").await.ok();
        let shown: Vec<Value> = column(&marks, "comment").iter().map(|comment| comment["text"].clone()).collect();
        assert_eq!(shown, [json!("of 7"), Value::Null]);
        for guess in ["/marks?comment.text=of%208", "/marks?comment.text__ne=of%207"] {
            assert_eq!(column(&guest.get(guess).await.ok(), "name"), [""; 0], "{guess}");
        }
        assert_eq!(column(&guest.get("/marks?comment.text__ne=x").await.ok(), "name"), ["of 7"]);
        let nested = query("/issues", [("where", json!({ "comments": { "text__ne": "x" } }).to_string().as_str())]);
        assert_eq!(column(&guest.get(nested).await.ok(), "title"), ["of 7"]);
        // A reference to a comment that the guest does not see is one to none.
        let react = |comment: i64| json!({ "comment_id": comment, "kind": "x" });
        let hidden = guest.post("/reactions", &react(2)).await.problem("validation_failed");
        let missing = guest.post("/reactions", &react(99)).await.problem("validation_failed");
        assert_eq!(hidden.detail, missing.detail);
        guest.post("/reactions", &react(1)).await.created();
        // Two relations lead to the issue.
        assert_eq!(column(&guest.get("/reactions?kind__startswith=of").await.ok(), "kind"), ["of 7"]);
        guest.get("/reactions/2").await.problem("not_found");
        guest.delete("/reactions/2").await.problem("not_found");
        guest.patch("/reactions/1", &json!({ "comment_id": 2 })).await.problem("validation_failed");
        guest.delete("/reactions/1").await.ok();
    });
}

#[test]
fn a_record_that_leads_elsewhere_sorts_as_none_and_is_beside_no_other() {
    crud_tests::on_each_sql_backend(async |database| {
        let service = secured(with_resources(database.service().await).resource::<Pin>());
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let (staff, guest) = (caller(&api, "1", &["staff"], &[]), caller(&api, "7", &["guest"], &[]));
        fill(&staff).await;
        for (id, comment) in [(1, 3), (2, 2), (3, 1)] {
            assert_eq!(staff.post("/pins", &json!({ "comment_id": comment })).await.created()["id"], id);
        }
        assert_eq!(column(&staff.get("/pins?sort=comment.text").await.ok(), "id"), [3, 2, 1]);
        assert_eq!(column(&guest.get("/pins?sort=comment.text").await.ok(), "id"), [1, 2, 3]);
        let issues = guest.get("/issues?sort=title&expand=comments").await.ok();
        let beside: Vec<Value> = column(&issues, "comments").iter().flat_map(|list| column(list, "text")).collect();
        assert_eq!((&issues["total"], beside), (&json!(3), vec![json!("of 7")]));
        api.stop().await;
    });
}

#[test]
fn the_scope_follows_the_other_record() {
    on_comments(async |_, staff, guest| {
        staff.patch("/issues/2", &json!({ "assignee_id": 7 })).await.ok();
        assert_eq!(texts(guest, "/comments?sort=text").await, ["of 7", "of 8"]);
        guest.patch("/comments/2", &json!({ "text": "taken over" })).await.ok();
        staff.patch("/issues/2", &json!({ "assignee_id": 8 })).await.ok();
        guest.get("/comments/2").await.problem("not_found");
        guest.patch("/comments/2", &json!({ "text": "x" })).await.problem("not_found");
        // A deleted issue leads to nothing.
        staff.delete("/issues/1").await.ok();
        guest.get("/comments/1").await.problem("not_found");
        assert_eq!(texts(guest, "/comments").await, [""; 0]);
    });
}

#[test]
fn the_past_of_a_record_begins_when_it_leads_to_the_guest() {
    on_comments(async |_, staff, guest| {
        let actions = async |id: i64| column(&guest.get(format!("/comments/{id}/history")).await.ok(), "action");
        let as_of = |id: i64, time: &str| guest.get(query(&format!("/comments/{id}"), [("as_of", time)]));
        assert_eq!(actions(1).await, ["create"]);
        guest.get("/comments/2/history").await.problem("not_found");
        guest.get("/comments/99/history").await.problem("not_found");
        staff.patch("/comments/2", &json!({ "text": "secret" })).await.ok();
        staff.patch("/comments/2", &json!({ "text": "public" })).await.ok();
        let before = staff.get("/comments/2/history").await.ok()["data"][1]["timestamp"].clone();
        let before = before.as_str().expect("a time");
        staff.patch("/issues/2", &json!({ "title": "still of 8" })).await.ok();
        staff.patch("/issues/2", &json!({ "assignee_id": 7 })).await.ok();
        assert_eq!(actions(2).await, [""; 0], "what was before belongs to the guest 8");
        as_of(2, before).await.problem("not_found");
        guest.patch("/comments/2", &json!({ "text": "of 7 too" })).await.ok();
        assert_eq!(actions(2).await, ["update"]);
        let now = guest.get("/comments/2/history").await.ok()["data"][0]["timestamp"].clone();
        assert_eq!(as_of(2, now.as_str().expect("a time")).await.ok()["text"], "of 7 too");
        // While the issue is deleted, nothing leads to the guest; what was written then stays hidden.
        staff.delete("/issues/2").await.ok();
        staff.patch("/comments/2", &json!({ "text": "secret" })).await.ok();
        as_of(2, before).await.problem("not_found");
        staff.post("/issues/2/restore", &json!({})).await.ok();
        assert_eq!(actions(2).await, [""; 0]);
    });
}

#[test]
fn a_past_that_no_log_tells_is_refused() {
    on_comments(async |_, staff, guest| {
        staff.post("/reactions", &json!({ "comment_id": 1, "kind": "x" })).await.created();
        // Reactions are audited, and for longer than the issues on the way.
        for id in [1, 99] {
            guest.get(format!("/reactions/{id}/history")).await.problem("permission_denied");
            guest.get(format!("/reactions/{id}?as_of=2026-01-01T00:00:00Z")).await.problem("permission_denied");
        }
        staff.get("/reactions/1/history").await.ok();
    });
}

#[test]
fn one_of_the_records_that_refer_to_it_admits_a_record() {
    on_comments(async |api, staff, _| {
        let watcher = caller(api, "7", &["watcher"], &[]);
        assert_eq!(watcher.get("/issues").await.ok()["total"], 0);
        staff.post("/watches", &json!({ "issue_id": 2, "user_id": 7 })).await.created();
        staff.post("/watches", &json!({ "issue_id": 2, "user_id": 7 })).await.created();
        staff.post("/watches", &json!({ "issue_id": 1, "user_id": 8 })).await.created();
        assert_eq!(column(&watcher.get("/issues").await.ok(), "title"), ["of 8"]);
        watcher.get("/issues/2").await.ok();
        // Since when a watch has admitted it is not known.
        watcher.get("/issues/2/history").await.problem("permission_denied");
        watcher.get("/issues/2?as_of=2026-01-01T00:00:00Z").await.problem("permission_denied");
        watcher.get("/issues/1").await.problem("not_found");
        watcher.patch("/issues/1", &json!({ "title": "x" })).await.problem("not_found");
        watcher.patch("/issues/2", &json!({ "title": "watched" })).await.ok();
        // Nothing refers to a new record.
        watcher.post("/issues", &json!({ "title": "new" })).await.problem("permission_denied");
        assert_eq!(staff.get("/issues").await.ok()["total"], 3);
    });
}

/// Replies to comments, by a relation that no request uses.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(access(all(authenticated)))]
struct Reply {
    id: i64,
    #[crud(references(Comment, relation(subject)))]
    comment_id: i64,
}

/// Votes on replies.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter, pagination, access(all(authenticated)), scope(role("guest"), reply::subject::issue::assignee_id(me)))]
struct Vote {
    id: i64,
    #[crud(references(Reply))]
    reply_id: i64,
}

/// Quotes of comments, by a relation that requests call otherwise.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(rename_all = "camelCase", access(all(authenticated)))]
struct Quote {
    id: i64,
    #[crud(references(Comment, expand))]
    quoted_comment_id: i64,
}

/// Marks on quotes.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    prefix = "/stars",
    filter,
    pagination,
    access(all(authenticated)),
    scope(role("guest"), quote::quoted_comment::issue::assignee_id(me))
)]
struct Star {
    id: i64,
    #[crud(references(Quote))]
    quote_id: i64,
}

#[test]
fn a_path_leads_over_relations_that_no_request_uses_or_that_requests_call_otherwise() {
    let resources = |service: Service| {
        with_resources(service).resource::<Reply>().resource::<Vote>().resource::<Quote>().resource::<Star>()
    };
    on_resources(resources, async |api| {
        let staff = caller(api, "1", &["staff"], &[]);
        for (number, assignee) in [(1, 7), (2, 8)] {
            let issue = staff.post("/issues", &json!({ "title": "a", "assignee_id": assignee })).await.created();
            let comment = json!({ "issue_id": issue["id"], "text": "a", "code": number });
            let comment = staff.post("/comments", &comment).await.created();
            let reply = staff.post("/replies", &json!({ "comment_id": comment["id"] })).await.created();
            staff.post("/votes", &json!({ "reply_id": reply["id"] })).await.created();
            let quote = staff.post("/quotes", &json!({ "quotedCommentId": comment["id"] })).await.created();
            staff.post("/stars", &json!({ "quote_id": quote["id"] })).await.created();
        }
        let guest = caller(api, "7", &["guest"], &[]);
        assert_eq!(column(&guest.get("/votes").await.ok(), "id"), [json!(1)]);
        guest.get("/votes/2").await.problem("not_found");
        assert_eq!(column(&guest.get("/stars").await.ok(), "id"), [json!(1)]);
        guest.post("/votes", &json!({ "reply_id": 1 })).await.created();
        assert_eq!(
            guest.post("/votes", &json!({ "reply_id": 2 })).await.problem("validation_failed").only().code,
            "scope"
        );
    });
}

/// A path whose second relation no struct has.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(access(all(authenticated)), scope(role("guest"), comment::isue::assignee_id(me)))]
struct Astray {
    id: i64,
    #[crud(references(Comment))]
    comment_id: i64,
}

#[test]
fn a_path_that_leads_nowhere_is_refused_at_the_start() {
    let service = |service: Service| secured(service).resource::<Issue>().resource::<Comment>().resource::<Watch>();
    crud_tests::on_each_backend(async |database| {
        let error = service(database.service().await).resource::<Astray>().into_router().expect_err("a misspelt path");
        let expected = "Astray has `scope(…, comment::isue::assignee_id(me))`: Comment has no relation `isue`";
        assert_eq!(error.to_string(), expected);
        drop(service(database.service().await).into_router().expect("a service with the paths of its resources"));
    });
}

/// Papers of folders, which no index finds by their users.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(access(all(authenticated)), scope(role("guest"), folder::user_id(me)))]
struct Paper {
    id: i64,
    #[crud(references(Folder))]
    folder_id: i64,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(access(all(authenticated)))]
struct Folder {
    id: i64,
    user_id: i64,
}

/// Lockers of those who have a pass.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(access(all(authenticated)), has_many(passes(Pass::locker_id)), scope(role("guest"), any(passes::user_id(me))))]
struct Locker {
    id: i64,
}

#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(access(all(authenticated)))]
struct Pass {
    id: i64,
    #[crud(references(Locker, any))]
    locker_id: i64,
    user_id: i64,
}

#[test]
fn a_start_names_the_index_that_a_scope_lacks() {
    crud_tests::on_each_backend(async |database| {
        let service = with_resources(database.service().await).resource::<Folder>().resource::<Paper>();
        let service = service.resource::<Locker>().resource::<Pass>();
        let service = secured(service).migrate().await.expect("the tables");
        let lines = start_log(&service, "no index of");
        let advice = [
            "Paper has `scope(…, folder::user_id(me))`, and no index of Folder finds what it compares: add `index` to the \
             field `user_id`",
            "Locker has `scope(…, any(passes::user_id(me)))`, and no index of Pass finds what it compares: add \
             `index(user_id, locker_id)`",
        ];
        assert_eq!(lines.len(), advice.len(), "{lines:?}");
        assert!(lines.iter().zip(advice).all(|(line, advice)| line.ends_with(advice)), "{lines:?}");
    });
}
