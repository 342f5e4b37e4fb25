//! The rules of the tracker, over HTTP, on each back end with SQL: each person logs in, and sends its token.
//!
//! The document database is not among them: the board is a view, and labels and checklists are changes of several records.

use crud_runtime::auth::Users;
use crud_runtime::prelude::*;
use crud_runtime::testing::{Test, TestAnswer};
use crud_tests::{on_each_sql_backend, untyped};
use serde_json::{Value, json};
use tracker::{Comment, auth, tracker};

const PASSWORD: &str = "correct horse battery";

/// A service with the team `red` of Olga, its owner, Mia, a member, and Gus, a guest, and the team `blue` of Otto, its owner, in
/// which Mia is a guest. Ada is the operator, Sue is support.
struct World {
    test: Test,
    red: i64,
    blue: i64,
    /// Memberships of the red team.
    mia: i64,
    gus: i64,
}

/// A person, with the access token of one team.
struct Person {
    test: Test,
    token: String,
}

fn id(record: &Value) -> i64 {
    record["id"].as_i64().expect("a key")
}

fn column(list: &Value, name: &str) -> Vec<Value> {
    list["data"].as_array().expect("a list").iter().map(|record| record[name].clone()).collect()
}

impl Person {
    fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    async fn get(&self, path: impl AsRef<str>) -> TestAnswer {
        self.test.get(path).header("authorization", self.bearer()).await
    }

    async fn post(&self, path: impl AsRef<str>, body: Value) -> TestAnswer {
        self.test.post(path, body).header("authorization", self.bearer()).await
    }

    async fn patch(&self, path: impl AsRef<str>, body: Value) -> TestAnswer {
        self.test.patch(path, body).header("authorization", self.bearer()).await
    }

    async fn put(&self, path: impl AsRef<str>, body: Value) -> TestAnswer {
        self.test.put(path, body).header("authorization", self.bearer()).await
    }

    async fn delete(&self, path: impl AsRef<str>) -> TestAnswer {
        self.test.delete(path).header("authorization", self.bearer()).await
    }

    async fn list(&self, path: impl AsRef<str>) -> Value {
        self.get(path).await.expect(200).json()
    }

    async fn create(&self, path: impl AsRef<str>, body: Value) -> i64 {
        id(&self.post(path, body).await.expect(201).json())
    }

    /// The person in another team.
    async fn switched_to(&self, team: i64) -> Self {
        let answer = self.post("/auth/tenant", json!({ "tenant": team })).await.expect(200).json();
        Self { test: self.test.clone(), token: answer["access_token"].as_str().expect("a token").to_owned() }
    }
}

impl World {
    async fn new(test: Test) -> Self {
        create_users(test.users()).await;
        let mut world = Self { test, red: 0, blue: 0, mia: 0, gus: 0 };
        let ada = world.login("ada").await;
        world.red = ada.create("/teams", json!({ "name": "red" })).await;
        world.blue = ada.create("/teams", json!({ "name": "blue" })).await;
        for (team, name) in [(world.red, "olga"), (world.blue, "otto")] {
            let owner = json!({ "team_id": team, "user_id": world.user(name).await, "name": name, "role": "owner" });
            ada.create("/members", owner).await;
        }
        let olga = world.login("olga").await;
        let member = async |owner: &Person, name: &str, role: &str| {
            let user = world.user(name).await;
            owner.create("/members", json!({ "user_id": user, "name": name, "role": role })).await
        };
        let (mia, gus) = (member(&olga, "mia", "member").await, member(&olga, "gus", "guest").await);
        member(&world.login("otto").await, "mia", "guest").await;
        (world.mia, world.gus) = (mia, gus);
        world
    }

    /// The id of a user.
    async fn user(&self, name: &str) -> i64 {
        let users = self.test.users().list().await.expect("the users");
        let user = users.into_iter().find(|(username, _)| username == name).expect("a user").1;
        user.id().expect("a number")
    }

    async fn login(&self, name: &str) -> Person {
        let body = json!({ "username": name, "password": PASSWORD });
        let answer = self.test.post("/auth/login", body).await.expect(200).json();
        let token = answer["access_token"].as_str().expect("a token").to_owned();
        Person { test: self.test.clone(), token }
    }

    /// An issue of the red team that is assigned to Gus, and one to no member.
    async fn issues(&self, by: &Person) -> (i64, i64) {
        let of_gus = json!({ "title": "Paint the door", "assignee_id": self.gus, "estimate": 3 });
        (by.create("/issues", of_gus).await, by.create("/issues", json!({ "title": "Order paint" })).await)
    }
}

async fn create_users(users: &Users) {
    for (name, role) in [("ada", Some("operator")), ("sue", Some("support")), ("olga", None), ("otto", None)] {
        users.create_user(name, PASSWORD).roles(role).await.expect("a user");
    }
    for name in ["mia", "gus", "eve"] {
        users.create_user(name, PASSWORD).await.expect("a user");
    }
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_each(test: impl AsyncFn(World)) {
    on_each_sql_backend(async |database| {
        let auth = auth().secret("a secret of at least thirty-two bytes").build().expect("the authentication");
        let service = tracker(database.service().await.auth(auth)).test().await.expect("the service");
        test(World::new(service).await).await;
    });
}

#[test]
fn every_body_parameter_and_answer_has_a_type() {
    on_each_sql_backend(async |database| {
        let auth = auth().secret("a secret of at least thirty-two bytes").build().expect("the authentication");
        let document = tracker(database.service().await.auth(auth)).openapi_json().expect("the document");
        assert_eq!(untyped(&document), [""; 0]);
    });
}

#[test]
fn teams_do_not_see_each_other() {
    on_each(async |world| {
        let (olga, otto) = (world.login("olga").await, world.login("otto").await);
        let (issue, _) = world.issues(&olga).await;
        otto.get(format!("/issues/{issue}")).await.problem("not_found");
        otto.patch(format!("/issues/{issue}"), json!({ "title": "x" })).await.problem("not_found");
        assert_eq!(otto.list("/issues").await["total"], 0);
        otto.post("/comments", json!({ "issue_id": issue, "text": "x" })).await.problem("reference_not_found");
        let stolen = json!({ "title": "x", "assignee_id": world.gus });
        otto.post("/issues", stolen).await.problem("reference_not_found");
        assert_eq!(column(&olga.list("/teams").await, "name"), ["red"]);
        assert_eq!(column(&world.login("mia").await.list("/teams?sort=name").await, "name"), ["blue", "red"]);
        assert_eq!(column(&world.login("ada").await.list("/teams?sort=name").await, "name"), ["blue", "red"]);
        // Without a membership, there is no team.
        let eve = world.login("eve").await;
        assert_eq!(eve.list("/teams").await["total"], 0);
        eve.get("/issues").await.problem("permission_denied");
        world.test.get("/issues").await.problem("authentication_failed");
    });
}

#[test]
fn guest_sees_the_issues_that_are_assigned_to_the_guest_and_what_belongs_to_them() {
    on_each(async |world| {
        let (mia, gus) = (world.login("mia").await, world.login("gus").await);
        let (own, other) = world.issues(&mia).await;
        for issue in [own, other] {
            mia.create("/comments", json!({ "issue_id": issue, "text": "hello" })).await;
            mia.patch(format!("/issues/{issue}"), json!({ "checklist": [{ "text": "a step" }] })).await.expect(200);
        }
        for path in ["/issues", "/comments", "/checklist", "/board"] {
            assert_eq!(
                (&mia.list(path).await["total"], &gus.list(path).await["total"]),
                (&json!(2), &json!(1)),
                "{path}"
            );
        }
        assert_eq!(column(&gus.list("/issues?q=paint").await, "title"), ["Paint the door"]);
        gus.get(format!("/issues/{other}")).await.problem("not_found");
        gus.get(format!("/issues/{other}/labels")).await.problem("not_found");
        gus.post("/comments", json!({ "issue_id": other, "text": "x" })).await.problem("validation_failed");
        gus.create("/comments", json!({ "issue_id": own, "text": "on it" })).await;
        // The guest sees one member: the guest.
        assert_eq!(column(&gus.list("/members").await, "name"), ["gus"]);
        // An issue that is assigned to another person is gone.
        mia.patch(format!("/issues/{own}"), json!({ "assignee_id": world.mia })).await.expect(200);
        for path in ["/issues", "/comments", "/checklist", "/board"] {
            assert_eq!(gus.list(path).await["total"], 0, "{path}");
        }
    });
}

#[test]
fn guest_starts_and_finishes_an_issue_and_changes_nothing_else_of_it() {
    on_each(async |world| {
        let (mia, gus) = (world.login("mia").await, world.login("gus").await);
        let (own, other) = world.issues(&mia).await;
        gus.post(format!("/issues/{own}/start"), json!({})).await.expect(200);
        gus.post(format!("/issues/{own}/finish"), json!({})).await.expect(200);
        gus.post(format!("/issues/{own}/reopen"), json!({})).await.problem("permission_denied");
        gus.post(format!("/issues/{other}/start"), json!({})).await.problem("not_found");
        gus.patch(format!("/issues/{own}"), json!({ "title": "x" })).await.problem("permission_denied");
        gus.post("/issues", json!({ "title": "x" })).await.problem("permission_denied");
        gus.delete(format!("/issues/{own}")).await.problem("permission_denied");
        gus.put(format!("/issues/{own}/labels"), json!({ "ids": [] })).await.problem("permission_denied");
        mia.post(format!("/issues/{own}/reopen"), json!({})).await.expect(200);
    });
}

#[test]
fn team_keeps_its_last_owner() {
    on_each(async |world| {
        let olga = world.login("olga").await;
        let own = id(&olga.list("/members?name=olga").await["data"][0]);
        olga.patch(format!("/members/{own}"), json!({ "role": "member" })).await.problem("last_member");
        world.login("ada").await.delete(format!("/members/{own}")).await.problem("last_member");
        olga.patch(format!("/members/{}", world.mia), json!({ "role": "owner" })).await.expect(200);
        olga.delete(format!("/members/{own}")).await.expect(200);
        let of_missing_user = json!({ "user_id": 999, "name": "missing", "role": "member" });
        world.login("mia").await.post("/members", of_missing_user).await.problem("reference_not_found");
    });
}

#[test]
fn owners_say_who_belongs_to_a_team() {
    on_each(async |world| {
        let (olga, mia) = (world.login("olga").await, world.login("mia").await);
        let eve = json!({ "user_id": world.user("eve").await, "name": "eve", "role": "member" });
        for person in [&mia, &world.login("gus").await, &world.login("sue").await] {
            person.post("/members", eve.clone()).await.problem("permission_denied");
        }
        mia.patch(format!("/members/{}", world.mia), json!({ "role": "owner" })).await.problem("permission_denied");
        let member = olga.create("/members", eve).await;
        let eve = world.login("eve").await;
        eve.create("/issues", json!({ "title": "Sweep" })).await;
        // A new role counts for the token that is there.
        olga.patch(format!("/members/{member}"), json!({ "role": "guest" })).await.expect(200);
        eve.post("/issues", json!({ "title": "Mop" })).await.problem("permission_denied");
        olga.delete(format!("/members/{member}")).await.expect(200);
        eve.get("/issues").await.problem("invalid_token");
    });
}

#[test]
fn removed_member_is_out_at_once_and_its_issues_have_no_assignee_until_it_is_back() {
    on_each(async |world| {
        let (olga, gus) = (world.login("olga").await, world.login("gus").await);
        let (issue, _) = world.issues(&olga).await;
        gus.get(format!("/issues/{issue}")).await.expect(200);
        olga.delete(format!("/members/{}", world.gus)).await.expect(200);
        gus.get(format!("/issues/{issue}")).await.problem("invalid_token");
        gus.post("/comments", json!({ "issue_id": issue, "text": "x" })).await.problem("invalid_token");
        let path = format!("/issues/{issue}?expand=assignee");
        assert_eq!(olga.get(&path).await.json()["assignee"], Value::Null);
        assert_eq!(column(&olga.list("/board?assignee__isnull=true").await, "id").len(), 2);
        let again = world.login("gus").await;
        again.get("/issues").await.problem("permission_denied");
        olga.post(format!("/members/{}/restore", world.gus), json!({})).await.expect(200);
        assert_eq!(olga.get(&path).await.json()["assignee"]["name"], "gus");
        assert_eq!(world.login("gus").await.list("/issues").await["total"], 1);
    });
}

#[test]
fn member_of_two_teams_has_in_each_the_role_that_it_has_there() {
    on_each(async |world| {
        let (mia, otto) = (world.login("mia").await, world.login("otto").await);
        world.issues(&mia).await;
        let secret = otto.create("/issues", json!({ "title": "Secret" })).await;
        let guest = mia.switched_to(world.blue).await;
        assert_eq!(guest.list("/issues").await["total"], 0);
        guest.get(format!("/issues/{secret}")).await.problem("not_found");
        guest.post("/issues", json!({ "title": "x" })).await.problem("permission_denied");
        assert_eq!(mia.list("/issues").await["total"], 2, "the token of the first team stays valid");
        mia.post("/auth/tenant", json!({ "tenant": 99 })).await.problem("not_found");
        world.login("gus").await.post("/auth/tenant", json!({ "tenant": world.blue })).await.problem("not_found");
    });
}

#[test]
fn comment_is_changed_by_its_author_for_fifteen_minutes() {
    on_each(async |world| {
        let (mia, olga) = (world.login("mia").await, world.login("olga").await);
        let (issue, _) = world.issues(&mia).await;
        let body = json!({ "issue_id": issue, "text": "first" });
        let comment = mia.post("/comments", body).await.expect(201).json();
        assert_eq!(comment["author_id"], world.user("mia").await);
        let path = format!("/comments/{}", comment["id"]);
        let forged = json!({ "issue_id": issue, "text": "x", "author_id": world.user("mia").await });
        olga.post("/comments", forged).await.problem("validation_failed");
        assert_eq!(olga.get(&path).await.expect(200).json()["text"], "first");
        olga.patch(&path, json!({ "text": "x" })).await.problem("permission_denied");
        olga.delete(&path).await.problem("permission_denied");
        mia.patch(&path, json!({ "text": "second" })).await.expect(200);
        let created: DateTime<Utc> = comment["created_at"].as_str().expect("a time").parse().expect("a time");
        world.test.clock().set(created + TimeDelta::minutes(16));
        let mia = world.login("mia").await;
        mia.patch(&path, json!({ "text": "third" })).await.problem("permission_denied");
        mia.delete(&path).await.problem("permission_denied");
        let comments = world.test.store::<Comment>().tenant(world.red);
        let text = comments.get(id(&comment)).await.expect("the comment").text;
        assert_eq!(text, "second");
    });
}

#[test]
fn issue_has_labels_of_its_team() {
    on_each(async |world| {
        let (mia, gus, otto) = (world.login("mia").await, world.login("gus").await, world.login("otto").await);
        let (issue, other) = world.issues(&mia).await;
        let bug = mia.create("/labels", json!({ "name": "bug" })).await;
        let door = mia.create("/labels", json!({ "name": "door" })).await;
        let theirs = otto.create("/labels", json!({ "name": "bug" })).await;
        let path = format!("/issues/{issue}/labels");
        mia.post(&path, json!({ "ids": [bug] })).await.expect(200);
        mia.post(&path, json!({ "ids": [door] })).await.expect(200);
        mia.post(&path, json!({ "ids": [theirs] })).await.problem("reference_not_found");
        let filter = "/issues?where=%7B%22labels%22%3A%7B%22name%22%3A%22bug%22%7D%7D";
        assert_eq!(column(&mia.list(filter).await, "id"), [json!(issue)]);
        assert_eq!(column(&gus.list("/issues?expand=labels").await, "id"), [json!(issue)]);
        let labels = &gus.list("/issues?expand=labels").await["data"][0]["labels"];
        assert_eq!(column(labels, "name"), ["bug", "door"]);
        mia.delete(format!("{path}/{door}")).await.expect(200);
        assert_eq!(column(&mia.list(format!("/issues/{issue}?expand=labels")).await["labels"], "name"), ["bug"]);
        gus.post(&path, json!({ "ids": [door] })).await.problem("permission_denied");
        gus.get(format!("/issues/{other}/labels")).await.problem("not_found");
        mia.get("/issue-labels").await.problem("route_not_found");
    });
}

#[test]
fn checklist_is_written_with_its_issue_or_not_at_all() {
    on_each(async |world| {
        let (mia, gus) = (world.login("mia").await, world.login("gus").await);
        let body = json!({
            "title": "Move", "assignee_id": world.gus,
            "checklist": [{ "text": "pack", "position": 1 }, { "text": "drive", "position": 2 }]
        });
        let issue = mia.post("/issues", body).await.expect(201).json();
        assert_eq!(column(&issue["checklist"], "text"), ["pack", "drive"]);
        let path = format!("/issues/{}", issue["id"]);
        let done = json!({ "checklist": [{ "id": issue["checklist"]["data"][0]["id"], "done": true }] });
        gus.patch(&path, done.clone()).await.problem("permission_denied");
        mia.patch(&path, done).await.expect(200);
        assert_eq!(column(&gus.list("/board").await, "open_items"), [json!(1)]);
        let bad = json!({ "title": "Moved", "checklist": [{ "text": "unpack" }, { "text": "" }] });
        let refused = mia.patch(&path, bad).await.problem("validation_failed");
        assert_eq!(refused["errors"][0]["pointer"], "/checklist/1/text");
        assert_eq!(mia.get(&path).await.json()["title"], "Move");
        assert_eq!(mia.list("/checklist").await["total"], 2);
        mia.post("/checklist", json!({ "issue_id": issue["id"], "text": "x" })).await.problem("method_not_allowed");
    });
}

#[test]
fn board_has_the_unfinished_issues_the_most_urgent_first() {
    on_each(async |world| {
        let mia = world.login("mia").await;
        for (title, priority) in [("a", "low"), ("b", "urgent"), ("c", "high")] {
            mia.create("/issues", json!({ "title": title, "priority": priority, "assignee_id": world.gus })).await;
        }
        let done = mia.create("/issues", json!({ "title": "d" })).await;
        mia.post(format!("/issues/{done}/finish"), json!({})).await.expect(200);
        let board = mia.list("/board").await;
        assert_eq!(column(&board, "title"), ["b", "c", "a"]);
        assert_eq!((&board["data"][0]["assignee"], &board["data"][0]["open_items"]), (&json!("gus"), &json!(0)));
        assert_eq!(column(&mia.list("/board?priority__gte=high").await, "title"), ["b", "c"]);
        let url = board["data"][0]["url"].as_str().expect("an address");
        assert!(url.ends_with(&format!("/issues/{}", board["data"][0]["id"])), "{url}");
        mia.patch(format!("/board/{done}"), json!({ "title": "x" })).await.problem("method_not_allowed");
        assert_eq!(world.login("otto").await.list("/board").await["total"], 0);
    });
}

#[test]
fn dashboard_is_two_requests_each_of_the_senders_own_issues() {
    on_each(async |world| {
        let (mia, gus) = (world.login("mia").await, world.login("gus").await);
        let (issue, _) = world.issues(&mia).await;
        mia.create("/issues", json!({ "title": "c", "assignee_id": world.mia, "estimate": 5, "priority": "high" }))
            .await;
        mia.post(format!("/issues/{issue}/start"), json!({})).await.expect(200);
        let by_status = mia.list("/issues/aggregate?group_by=status,priority").await;
        assert_eq!(
            by_status["data"],
            json!([
                { "status": "open", "priority": "normal", "count": 1 },
                { "status": "open", "priority": "high", "count": 1 },
                { "status": "doing", "priority": "normal", "count": 1 },
            ])
        );
        let load = "/issues/aggregate?group_by=assignee_id&sum=estimate&status__ne=done";
        let by_person = mia.list(load).await;
        assert_eq!(
            column(&by_person, "sum"),
            [json!({ "estimate": null }), json!({ "estimate": 5 }), json!({ "estimate": 3 })]
        );
        let of_guest = gus.list(load).await;
        assert_eq!((&of_guest["groups"], &of_guest["data"][0]["count"]), (&json!(1), &json!(1)));
        assert_eq!(world.login("otto").await.list(load).await["groups"], 0);
    });
}

#[test]
fn me_is_the_sender_in_a_filter() {
    on_each(async |world| {
        let mia = world.login("mia").await;
        world.issues(&mia).await;
        mia.create("/issues", json!({ "title": "mine", "assignee_id": world.mia })).await;
        assert_eq!(column(&mia.list("/issues?assignee.user_id=me").await, "title"), ["mine"]);
    });
}

#[test]
fn deleted_issue_is_restored_with_its_history() {
    on_each(async |world| {
        let (mia, gus) = (world.login("mia").await, world.login("gus").await);
        let (issue, _) = world.issues(&mia).await;
        let path = format!("/issues/{issue}");
        mia.patch(&path, json!({ "title": "Paint both doors" })).await.expect(200);
        mia.delete(&path).await.expect(200);
        mia.get(&path).await.problem("not_found");
        assert_eq!(gus.list("/board").await["total"], 0);
        gus.post(format!("{path}/restore"), json!({})).await.problem("permission_denied");
        mia.post(format!("{path}/restore"), json!({})).await.expect(200);
        let history = mia.list(format!("{path}/history")).await;
        assert_eq!(column(&history, "action"), ["create", "update", "soft_delete", "restore"]);
        assert_eq!(history["data"][1]["changes"]["title"], "Paint both doors");
    });
}

#[test]
fn support_reads_every_team_which_sees_it_in_its_log() {
    on_each(async |world| {
        let (olga, otto, sue) = (world.login("olga").await, world.login("otto").await, world.login("sue").await);
        let (issue, _) = world.issues(&olga).await;
        otto.create("/issues", json!({ "title": "Secret" })).await;
        assert_eq!(sue.list("/issues").await["total"], 3);
        sue.get(format!("/issues/{issue}")).await.expect(200);
        sue.patch(format!("/issues/{issue}"), json!({ "title": "x" })).await.problem("permission_denied");
        sue.post(format!("/issues/{issue}/finish"), json!({})).await.problem("permission_denied");
        sue.get("/labels").await.problem("tenant_required");
        let reads = olga.list("/audit-logs?action=read&entity_type=Issue").await;
        let operations: Vec<Value> =
            column(&reads, "changes").iter().map(|changes| changes["operation"].clone()).collect();
        assert_eq!(operations, [json!("GET /issues"), json!(format!("GET /issues/{issue}"))]);
        assert_eq!(otto.list("/audit-logs?action=read&entity_type=Issue").await["total"], 1);
        world.login("mia").await.get("/audit-logs").await.problem("permission_denied");
    });
}

#[test]
fn operator_makes_teams_and_sees_no_issue() {
    on_each(async |world| {
        let (ada, olga) = (world.login("ada").await, world.login("olga").await);
        world.issues(&olga).await;
        ada.get("/issues").await.problem("permission_denied");
        olga.post("/teams", json!({ "name": "green" })).await.problem("permission_denied");
        olga.get("/auth/users").await.problem("permission_denied");
        ada.get("/auth/users").await.expect(200);
        ada.create("/teams", json!({ "name": "green" })).await;
    });
}
