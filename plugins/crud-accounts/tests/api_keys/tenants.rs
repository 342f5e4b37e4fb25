//! Keys of users of tenants.

use crud_accounts::ApiKeys;
use crud_runtime::prelude::*;
use crud_tests::fixtures::records;
use crud_tests::on_each_backend;
use serde_json::{Map, Value, json};

use crate::shop::{PASSWORD, auth, with};

/// A record of a team.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated), create(role("owner"))))]
struct Issue {
    id: i64,
    #[crud(tenant)]
    team_id: i64,
    title: String,
}

/// A membership of a team.
#[derive(Debug, Clone, Resource)]
#[crud(internal)]
struct Member {
    id: i64,
    #[crud(tenant(members(user_id, role)))]
    team_id: i64,
    #[crud(unique, length(max = 100))]
    user_id: String,
    #[crud(length(max = 40))]
    role: String,
}

#[test]
fn key_is_for_the_tenant_of_its_users_claims() {
    on_each_backend(async |database| {
        let auth = auth().tenant_claim("team").build().expect("the authentication");
        let service = database.service().await.auth(auth).plugin(ApiKeys::new()).expect("one plugin");
        let test = service.resource::<Issue>().test().await.expect("the tables");
        test.users().create_user("ann", PASSWORD).claim("team", 1).await.expect("a user");
        let session = test.as_user("ann").await.expect("a user");
        let made = session.post("/auth/keys", json!({ "name": "ci", "roles": [] })).await.expect(201).json();
        with(test.get("/issues"), &made).await.expect(200);
        let other: Map<String, Value> = [("team".to_owned(), json!(2))].into_iter().collect();
        test.users().set_claims("ann", other).await.expect("a change");
        with(test.get("/issues"), &made).await.problem("invalid_token");
        test.users().set_claims("ann", Map::new()).await.expect("a change");
        with(test.get("/issues"), &made).await.problem("invalid_token");
    });
}

#[test]
fn key_is_for_the_membership_in_which_it_was_made() {
    on_each_backend(async |database| {
        let auth = auth().tenant_claim("team").build().expect("the authentication");
        let service = database.service().await.auth(auth).plugin(ApiKeys::new()).expect("one plugin");
        let test = service.resource::<Issue>().resource::<Member>().test().await.expect("the tables");
        let ann = test.users().create_user("ann", PASSWORD).await.expect("a user").subject;
        let members = test.app().store::<Member>();
        let join = async |team: i64, role: &str| {
            members.tenant(team).create(NewMember::new(&ann, role)).await.expect("a membership").id
        };
        let (first, _) = (join(1, "owner").await, join(2, "reader").await);
        let login = async |team: i64| {
            let body = json!({ "username": "ann", "password": PASSWORD, "tenant": team });
            let tokens = test.post("/auth/login", body).await.expect(200).json();
            format!("Bearer {}", tokens["access_token"].as_str().expect("a token"))
        };
        let make = async |team: i64, roles: &[&str]| {
            let body = json!({ "name": format!("ci-{team}"), "roles": roles });
            test.post("/auth/keys", body).header("authorization", login(team).await).await
        };
        let owner = make(1, &["owner"]).await.expect(201).json();
        make(2, &["owner"]).await.problem("validation_failed");
        let reader = make(2, &["reader"]).await.expect(201).json();
        let narrow =
            test.post("/auth/keys", json!({ "name": "narrow", "roles": [] })).header("authorization", login(1).await);
        let narrow = narrow.await.expect(201).json();
        let issue = |key: &Value| with(test.post("/issues", json!({ "title": "a" })), key);
        assert_eq!(issue(&owner).await.expect(201).json()["team_id"], 1);
        issue(&reader).await.problem("permission_denied");
        issue(&narrow).await.problem("permission_denied");
        with(test.get("/issues").header("x-tenant-id", "2"), &owner).await.problem("permission_denied");
        assert!(records(&with(test.get("/issues"), &reader).await.expect(200).json()).is_empty());
        members.tenant(1).delete_one(first).await.expect("a removal");
        with(test.get("/issues"), &owner).await.problem("permission_denied");
    });
}

#[test]
fn key_from_outside_of_tenants_enters_those_of_its_user_with_its_own_roles() {
    on_each_backend(async |database| {
        let auth = auth().tenant_claim("team").build().expect("the authentication");
        let service = database.service().await.auth(auth).plugin(ApiKeys::new()).expect("one plugin");
        let test = service.resource::<Issue>().resource::<Member>().test().await.expect("the tables");
        let ann = test.users().create_user("ann", PASSWORD).roles(["reader"]).await.expect("a user").subject;
        let login = test.post("/auth/login", json!({ "username": "ann", "password": PASSWORD })).await.expect(200);
        let token = format!("Bearer {}", login.json()["access_token"].as_str().expect("a token"));
        let make = async |roles: Value| {
            let body = json!({ "name": "ci", "roles": roles });
            test.post("/auth/keys", body).header("authorization", &token).await
        };
        make(json!(["owner"])).await.problem("validation_failed");
        let key = make(json!(["reader"])).await.expect(201).json();
        let new = NewMember::new(&ann, "owner");
        test.app().store::<Member>().tenant(1).create(new).await.expect("a membership");
        let in_team = |team: &str| with(test.get("/issues").header("x-tenant-id", team), &key);
        in_team("1").await.expect(200);
        in_team("2").await.problem("permission_denied");
        let issue = with(test.post("/issues", json!({ "title": "a" })).header("x-tenant-id", "1"), &key);
        issue.await.problem("permission_denied");
    });
}
