//! Two versions of an API: structs of one table, each with its routes, its fields and its rules.

use crud_tests::{Api, audit_log, on_each_backend_with_url};
use serde_json::json;

mod v1 {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "people", prefix = "/v1/people", filter(phone), audit)]
    pub(super) struct Person {
        pub(super) id: i64,
        #[crud(unique, length(max = 40))]
        pub(super) phone: String,
    }
}

mod v2 {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "people", prefix = "/v2/people", filter(nickname), sort(nickname), audit)]
    pub(super) struct Member {
        pub(super) id: i64,
        #[crud(unique, column = "phone", length(max = 60))]
        pub(super) telephone: String,
        pub(super) nickname: Option<String>,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "people", prefix = "/v3/people")]
    pub(super) struct Tagged {
        pub(super) id: i64,
        #[crud(unique, column = "phone", length(max = 60))]
        pub(super) telephone: String,
        #[crud(default = "none")]
        pub(super) tag: String,
    }
}

#[test]
fn change_by_one_version_keeps_what_the_other_has() {
    on_each_backend_with_url(async |database| {
        let service = database.service().await.resource::<v1::Person>().resource::<v2::Member>().without_auth();
        let api = Api::start(database, service.migrate().await.expect("both versions start")).await;
        let ada = api.post("/v2/people", &json!({ "telephone": "1", "nickname": "Ada" })).await.created();
        let grace = api.post("/v1/people", &json!({ "phone": "2" })).await.created();
        api.post("/v1/people", &json!({ "phone": "1" })).await.problem("conflict");
        api.post("/v2/people", &json!({ "telephone": "2" })).await.problem("conflict");
        for (number, path) in [("3", "/v1/people/1"), ("4", "/v1/people/1")] {
            api.patch(path, &json!({ "phone": number })).await.ok();
            let member = api.get("/v2/people/1").await.ok();
            assert_eq!(member, json!({ "id": ada["id"], "telephone": number, "nickname": "Ada" }));
        }
        let path = format!("/v2/people/{}", grace["id"]);
        assert_eq!(api.get(path.as_str()).await.ok()["nickname"], json!(null));
        api.patch(path.as_str(), &json!({ "nickname": "Amazing" })).await.ok();
        assert_eq!(api.get(format!("/v1/people/{}", grace["id"])).await.ok(), grace);
        let long = "5".repeat(50);
        api.post("/v1/people", &json!({ "phone": long })).await.problem("validation_failed");
        let created = api.post("/v2/people", &json!({ "telephone": long })).await.created();
        api.delete(format!("/v1/people/{}", created["id"])).await.ok();
        assert_eq!(api.get("/v2/people?nickname=Amazing").await.ok().as_array().map(Vec::len), Some(1));

        let first = audit_log::history(&api, "/v1/people/1").await;
        assert_eq!(audit_log::actions(&first), ["update", "update"], "each version has its own log");
        let second = audit_log::history(&api, "/v2/people/1").await;
        assert_eq!(audit_log::actions(&second), ["create"]);
        let time = second[0]["timestamp"].as_str().expect("a time");
        api.get(format!("/v2/people/1?as_of={time}")).await.problem("history_incomplete");
        api.stop().await;
    });
}

#[test]
fn field_with_a_default_needs_storage_that_fills_it_in() {
    on_each_backend_with_url(async |database| {
        let service = database.service().await.resource::<v1::Person>().resource::<v2::Tagged>().without_auth();
        let started = service.migrate().await.map(drop);
        if database.backend().speaks_sql() {
            started.expect("both versions start");
        } else {
            let error = started.expect_err("a refusal").to_string();
            let reason = "Person has the table `people` of Tagged, and not its field `tag`, which this storage cannot \
                          fill in: make it an `Option`, or add it to Person";
            assert_eq!(error, reason);
        }
    });
}
