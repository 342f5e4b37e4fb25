use crud_runtime::Result;
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Created, Locked, Record, post};
use crud_tests::on_each_transactional_backend;
use serde_json::json;

use super::{Issue, IssuePatch, NewIssue, Road, by_name, guest, principal, with_issues, with_routes};

async fn add(ctx: Context, Json(new): Json<NewIssue>) -> Result<Created<Issue>> {
    Ok(Created(ctx.store::<Issue>().create(new).await?))
}

async fn edit(ctx: Context, issue: Record<Issue>, Json(patch): Json<IssuePatch>) -> Result<Record<Issue>> {
    Ok(Record(ctx.store::<Issue>().update(issue.id, patch).await?))
}

async fn edit_held(ctx: Context, issue: Locked<Issue>, Json(patch): Json<IssuePatch>) -> Result<Record<Issue>> {
    Ok(Record(ctx.store::<Issue>().update(issue.id, patch).await?))
}

#[test]
fn bodies_of_a_route_set_no_scope_owner_or_tenant_that_is_not_the_callers() {
    on_each_transactional_backend(async |database| {
        for road in Road::BOTH {
            let database = database.backend().fresh();
            let service = with_routes(database.service().await, road)
                .route("/issues/add", road.of(post(add), post(by_name::add)))
                .route("/issues/{id}/edit", road.of(post(edit), post(by_name::edit)))
                .route("/issues/{id}/edit-held", road.of(post(edit_held), post(by_name::edit_held)));
            let test = with_issues(service).await;
            let [guest, ann, staff] = [guest(), principal("ann", &[], 1), principal("ann", &["staff"], 1)]
                .map(|caller| test.as_principal(caller));
            let before = test.store::<Issue>().across_tenants().list(Issue::FIELDS.id.asc()).await.unwrap();
            for (caller, body) in [
                (&guest, json!({ "guest_id": 6, "author": "5", "title": "x" })),
                (&guest, json!({ "guest_id": 5, "author": "ann", "title": "x" })),
                (&ann, json!({ "guest_id": 5, "author": "bob", "title": "x" })),
                (&ann, json!({ "guest_id": 5, "author": "ann", "title": "x", "cost": 1 })),
                (&staff, json!({ "guest_id": "6", "author": "ann", "title": "x" })),
            ] {
                caller.post("/issues/add", &body).await.problem("validation_failed");
            }
            for (caller, id, body, code) in [
                (&guest, 1, json!({ "guest_id": 6 }), "validation_failed"),
                (&guest, 1, json!({ "author": "ann2" }), "validation_failed"),
                (&ann, 1, json!({ "author": "bob" }), "validation_failed"),
                (&ann, 1, json!({ "cost": 2 }), "validation_failed"),
                (&guest, 2, json!({ "title": "x" }), "not_found"),
                (&guest, 3, json!({ "title": "x" }), "not_found"),
                (&ann, 2, json!({ "title": "x" }), "not_found"),
                (&staff, 3, json!({ "title": "x" }), "not_found"),
                (&staff, 4, json!({ "title": "x" }), "not_found"),
            ] {
                for route in ["edit", "edit-held"] {
                    caller.post(format!("/issues/{id}/{route}"), &body).await.problem(code);
                }
            }
            // A member of the tenant's name moves nothing, whether it is refused or read past.
            staff.post("/issues/1/edit", json!({ "shop_id": 2 })).await;
            staff.post("/issues/1/edit-held", json!({ "shop_id": 2 })).await;
            let unchanged = |issue: &Issue| (issue.id, issue.shop_id, issue.guest_id, issue.author.clone(), issue.cost);
            let after = test.store::<Issue>().across_tenants().list(Issue::FIELDS.id.asc()).await.unwrap();
            assert_eq!(
                after.iter().map(unchanged).collect::<Vec<_>>(),
                before.iter().map(unchanged).collect::<Vec<_>>()
            );
            staff.post("/issues/add", json!({ "shop_id": 2, "guest_id": 6, "author": "ann", "title": "x" })).await;
            assert_eq!(test.store::<Issue>().tenant(2).count(Select::all()).await.unwrap(), 1);
            let edited = guest.post("/issues/1/edit-held", json!({ "title": "mine" })).await.expect(200).json();
            assert_eq!((&edited["title"], edited.get("cost")), (&json!("mine"), None));
        }
    });
}
