//! A soft-deleted record takes no new references and keeps those it has.

use crud_tests::fixtures::{batch, path};
use crud_tests::{Client, on_kitchen, on_kitchen_with_transactions};
use reqwest::Method;
use serde_json::{Value, json};

async fn team(kitchen: &Client, name: &str) -> Value {
    kitchen.post("/teams", &json!({ "name": name })).await.created()
}

async fn deleted_team(kitchen: &Client, name: &str) -> Value {
    let team = team(kitchen, name).await;
    kitchen.delete(path("/teams", &team)).await.ok()
}

#[test]
fn soft_delete_keeps_referring_records() {
    on_kitchen(async |kitchen| {
        let team = team(kitchen, "a").await;
        let mut referring = Vec::new();
        for prefix in ["/members", "/badges", "/fans"] {
            let record = kitchen.post(prefix, &json!({ "team_id": team["id"] })).await.created();
            referring.push((path(prefix, &record), record));
        }
        kitchen.delete(path("/teams", &team)).await.ok();
        for (path, record) in referring {
            assert_eq!(kitchen.get(&path).await.ok(), record, "{path}");
        }
    });
}

#[test]
fn create_cannot_refer_to_a_soft_deleted_record() {
    on_kitchen(async |kitchen| {
        let team = deleted_team(kitchen, "a").await;
        for prefix in ["/members", "/badges", "/fans"] {
            let problem = kitchen.post(prefix, &json!({ "team_id": team["id"] })).await.problem("reference_not_found");
            assert_eq!(problem.pointers(), ["/team_id"]);
            assert_eq!(kitchen.get(prefix).await.ok()["total"], 0, "{prefix}");
        }
        let child = json!({ "name": "b", "parent_id": team["id"] });
        let problem = kitchen.post("/teams", &child).await.problem("reference_not_found");
        assert_eq!(problem.pointers(), ["/parent_id"]);
    });
}

#[test]
fn update_cannot_refer_to_a_soft_deleted_record() {
    on_kitchen(async |kitchen| {
        let gone = deleted_team(kitchen, "gone").await;
        let there = team(kitchen, "there").await;
        for prefix in ["/members", "/fans"] {
            for body in [json!({}), json!({ "team_id": there["id"] })] {
                let record = kitchen.post(prefix, &body).await.created();
                let path = path(prefix, &record);
                let problem = kitchen.put(&path, &json!({ "team_id": gone["id"] })).await;
                assert_eq!(problem.problem("reference_not_found").pointers(), ["/team_id"], "{path}");
                assert_eq!(kitchen.get(&path).await.ok(), record);
            }
        }
    });
}

#[test]
fn update_may_keep_a_reference_to_a_soft_deleted_record() {
    on_kitchen(async |kitchen| {
        let team = team(kitchen, "a").await;
        let member = kitchen.post("/members", &json!({ "team_id": team["id"] })).await.created();
        let fan = kitchen.post("/fans", &json!({ "team_id": team["id"] })).await.created();
        kitchen.delete(path("/teams", &team)).await.ok();
        let (member, fan) = (path("/members", &member), path("/fans", &fan));
        assert_eq!(kitchen.put(&member, &json!({ "handle": "ann" })).await.ok()["team_id"], team["id"]);
        let same = json!({ "name": "x", "team_id": team["id"] });
        assert_eq!(kitchen.put(&fan, &same).await.ok()["team_id"], team["id"], "the unchanged reference may be sent");
        let same = json!({ "handle": "bob", "team_id": team["id"] });
        assert_eq!(kitchen.put(&member, &same).await.ok()["handle"], "bob");
        assert_eq!(kitchen.put(&member, &json!({ "team_id": null })).await.ok()["team_id"], Value::Null);
        let back = kitchen.put(&member, &json!({ "team_id": team["id"] })).await;
        assert_eq!(
            back.problem("reference_not_found").pointers(),
            ["/team_id"],
            "a removed reference cannot be set again"
        );
    });
}

#[test]
fn restored_record_can_be_referred_to() {
    on_kitchen(async |kitchen| {
        let team = deleted_team(kitchen, "a").await;
        kitchen.request(Method::POST, format!("{}/restore", path("/teams", &team))).await.ok();
        kitchen.post("/badges", &json!({ "team_id": team["id"] })).await.created();
    });
}

#[test]
fn record_is_restored_whatever_the_state_of_its_reference() {
    on_kitchen(async |kitchen| {
        let team = team(kitchen, "a").await;
        let member = kitchen.post("/members", &json!({ "team_id": team["id"] })).await.created();
        kitchen.delete(path("/members", &member)).await.ok();
        kitchen.delete(path("/teams", &team)).await.ok();
        let restored = kitchen.request(Method::POST, format!("{}/restore", path("/members", &member))).await.ok();
        assert_eq!(restored, member);
    });
}

#[test]
fn batch_item_cannot_refer_to_a_soft_deleted_record() {
    on_kitchen_with_transactions(async |kitchen| {
        let (gone, there) = (deleted_team(kitchen, "gone").await, team(kitchen, "there").await);
        let items = [json!({ "team_id": there["id"] }), json!({ "team_id": gone["id"] })];
        let problem = kitchen.post("/members/batch", &batch(items)).await.problem("reference_not_found");
        assert_eq!(problem.items(), [(1, "/team_id")]);
        assert_eq!(kitchen.get("/members").await.ok()["total"], 0);

        let mut members = Vec::new();
        for _ in 0..2 {
            members.push(kitchen.post("/members", &json!({ "team_id": there["id"] })).await.created());
        }
        let items = [
            json!({ "id": members[0]["id"], "handle": "ann" }),
            json!({ "id": members[1]["id"], "team_id": gone["id"] }),
        ];
        let problem = kitchen.put("/members/batch", &batch(items)).await.problem("reference_not_found");
        assert_eq!(problem.items(), [(1, "/team_id")]);
        assert_eq!(kitchen.get(path("/members", &members[0])).await.ok(), members[0]);

        kitchen.delete(path("/teams", &there)).await.ok();
        let items =
            members.iter().map(|member| json!({ "id": member["id"], "team_id": there["id"], "email": member["id"] }));
        let updated = kitchen.put("/members/batch", &batch(items)).await.ok();
        assert_eq!(updated["updated"], 2, "the unchanged reference is kept");
    });
}
