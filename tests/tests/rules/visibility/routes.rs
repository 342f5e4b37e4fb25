use std::collections::BTreeMap;

use crud_runtime::auth::Principal;
use crud_runtime::axum::Json;
use crud_runtime::axum::extract::{Extension, State};
use crud_runtime::axum::response::Response;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, ListParameters, Locked, Next, Query, Record, get, handler, post};
use crud_runtime::{Result, ServiceState};
use crud_tests::{on_each_backend, on_each_transactional_backend};
use serde_json::json;

use super::{Issue, IssuePatch, Road, by_name, guest, ids, on_issues, principal, with_issues, with_routes};

#[test]
fn store_of_a_route_has_the_records_of_the_generated_list() {
    on_issues(async |test| {
        for (caller, expected, of_tenant) in [
            (guest(), vec![1], vec![1, 2]),
            (principal("5", &["guest"], 1), vec![], vec![1, 2]),
            (principal("ann", &[], 1), vec![1], vec![1, 2]),
            (principal("eve", &[], 1), vec![], vec![1, 2]),
            (principal("ann", &[], 2), vec![3], vec![3]),
            (principal("ann", &["staff"], 1), vec![1, 2], vec![1, 2]),
            (principal("ann", &["staff"], 2), vec![3], vec![3]),
            (Principal::new("ann").with_roles(["root", "staff"]), vec![1, 2, 3], vec![1, 2, 3]),
        ] {
            let caller = test.as_principal(caller);
            assert_eq!(ids(&caller, "/issues?sort=id").await, expected);
            assert_eq!(ids(&caller, "/issues/cards").await, expected);
            assert_eq!(ids(&caller, "/issues/titled?sort=id").await, expected);
            assert_eq!(ids(&caller, "/issues/all-cards").await, of_tenant, "the program's, of the tenant");
        }
    });
}

/// The issues of a shop by axum's extractor of the service's storage, twice, and those that the program has there.
async fn cards_of_state(State(app): State<App>, State(state): State<ServiceState>) -> Result<Json<Vec<Vec<i64>>>> {
    let mut cards = Vec::new();
    for app in [&app, state.app(), &app.unscoped()] {
        let issues = app.store::<Issue>().tenant(1).list(Issue::FIELDS.id.asc()).await?;
        cards.push(issues.into_iter().map(|issue| issue.id).collect());
    }
    Ok(Json(cards))
}

async fn list_of_state(State(app): State<App>) -> Result<Json<Vec<i64>>> {
    let issues = app.store::<Issue>().tenant(1).list(Issue::FIELDS.id.asc()).await?;
    Ok(Json(issues.into_iter().map(|issue| issue.id).collect()))
}

#[test]
fn storage_by_the_extractor_of_state_has_the_visibility_of_the_caller() {
    on_each_backend(async |database| {
        let service = with_routes(database.service().await, Road::Typed)
            .route("/issues/state-cards", get(cards_of_state))
            .route("/issues/layered-cards", get(cards_of_state).layer(Extension("red")))
            .replace::<Issue>(Operation::List, handler(list_of_state));
        let test = with_issues(service).await;
        for (caller, expected) in [
            (guest(), vec![1]),
            (principal("ann", &[], 1), vec![1]),
            (principal("eve", &[], 1), vec![]),
            (principal("ann", &["staff"], 1), vec![1, 2]),
        ] {
            let caller = test.as_principal(caller);
            for path in ["/issues/state-cards", "/issues/layered-cards"] {
                let cards = caller.get(path).await.expect(200).json();
                assert_eq!(cards, json!([expected, expected, [1, 2]]), "{path}");
            }
            assert_eq!(caller.get("/issues").await.expect(200).json(), json!(expected));
        }
    });
}

#[test]
fn record_that_the_caller_does_not_reach_is_found_by_no_road() {
    on_issues(async |test| {
        let staff = || principal("ann", &["staff"], 1);
        let admin = || principal("ann", &["staff", "admin"], 1);
        for (caller, id, found) in [
            (guest(), 2, vec![]),
            (guest(), 4, vec![]),
            (staff(), 4, vec![]),
            (staff(), 3, vec![]),
            (admin(), 2, vec!["find", "is_soft_deleted"]),
            (admin(), 4, vec!["find_deleted", "is_soft_deleted"]),
        ] {
            let caller = test.as_principal(caller);
            let roads = caller.get(format!("/issues/roads?id={id}")).await.expect(200).json();
            let seen = |road: &str| roads[road] == true;
            for road in ["find", "find_deleted", "is_soft_deleted"] {
                assert_eq!(seen(road), found.contains(&road), "{road} of {id}: {roads}");
            }
            for road in
                ["list", "count", "count_up_to", "page", "first", "get_where", "pluck", "aggregate", "tenant", "handle"]
            {
                if !roads[road].is_null() {
                    assert_eq!(seen(road), !found.is_empty(), "{road} of {id}: {roads}");
                }
            }
        }
        // Lifting the tenant lifts neither the claims nor the state.
        let roads = test.as_principal(guest()).get("/issues/roads?id=3").await.expect(200).json();
        assert_eq!(roads["list"], false);
        // The handle by name lifts no tenant.
        if !roads["across_tenants"].is_null() {
            assert_eq!(roads["across_tenants"], true);
            let roads = test.as_principal(principal("eve", &[], 1)).get("/issues/roads?id=3").await.expect(200).json();
            assert_eq!(roads["across_tenants"], false);
        }
    });
}

async fn seen(issue: Record<Issue>) -> Record<Issue> {
    issue
}

async fn held(issue: Locked<Issue>) -> Record<Issue> {
    Record(issue.into_inner())
}

#[test]
fn record_in_the_path_is_one_that_the_caller_reaches() {
    on_each_transactional_backend(async |database| {
        for road in Road::BOTH {
            let database = database.backend().fresh();
            let service = with_routes(database.service().await, road)
                .route("/issues/{id}/seen", road.of(get(seen), get(by_name::seen)))
                .route("/issues/{id}/held", road.of(post(held), post(by_name::held)));
            let test = with_issues(service).await;
            for (caller, reached) in [
                (guest(), vec![1]),
                (principal("5", &["guest"], 1), vec![]),
                (principal("ann", &[], 1), vec![1]),
                (principal("eve", &[], 1), vec![]),
                (principal("ann", &[], 2), vec![3]),
                (principal("ann", &["staff"], 1), vec![1, 2]),
                (principal("ann", &["staff", "admin"], 1), vec![1, 2]),
                (Principal::new("ann").with_roles(["root", "staff"]), vec![1, 2, 3]),
            ] {
                let name = format!("{caller:?}");
                let caller = test.as_principal(caller);
                for id in 1..=5 {
                    let (seen, held) = (format!("/issues/{id}/seen"), format!("/issues/{id}/held"));
                    let answers = [caller.get(seen).await, caller.post(held, json!({})).await];
                    if reached.contains(&id) {
                        let generated = caller.get(format!("/issues/{id}")).await.expect(200).json();
                        for answer in answers {
                            assert_eq!(answer.expect(200).json(), generated, "{name}");
                        }
                    } else {
                        for answer in answers {
                            answer.problem("not_found");
                        }
                    }
                }
            }
            test.get("/issues/1/seen").await.problem("authentication_failed");
            test.as_principal(Principal::new("ann")).get("/issues/1/seen").await.problem("tenant_required");
        }
    });
}

/// The generated operation, which a handler in its place runs.
async fn generated(next: Next) -> Result<Response> {
    Ok(next.run().await?)
}

/// The issues that the transaction of a locked one has.
async fn within(ctx: Context, _: Locked<Issue>) -> Result<Json<Vec<i64>>> {
    let tx = ctx.tx()?;
    let issues = tx.store::<Issue>().list(Issue::FIELDS.id.asc()).await?;
    Ok(Json(issues.into_iter().map(|issue| issue.id).collect()))
}

#[test]
fn replaced_operations_and_transactions_have_what_the_caller_reaches() {
    on_each_transactional_backend(async |database| {
        for road in Road::BOTH {
            let database = database.backend().fresh();
            let service = with_routes(database.service().await, road)
                .route("/issues/{id}/within", road.of(post(within), post(by_name::within)))
                .replace::<Issue>(Operation::Get, handler(generated))
                .replace::<Issue>(Operation::Update, handler(generated))
                .replace::<Issue>(Operation::Delete, handler(generated));
            let test = with_issues(service).await;
            for (caller, reached) in [
                (guest(), vec![1]),
                (principal("5", &["guest"], 1), vec![]),
                (principal("ann", &[], 1), vec![1]),
                (principal("eve", &[], 1), vec![]),
                (principal("ann", &[], 2), vec![3]),
                (principal("ann", &["staff"], 1), vec![1, 2]),
            ] {
                let name = format!("{caller:?}");
                let caller = test.as_principal(caller);
                for id in 1..=5 {
                    let path = format!("/issues/{id}");
                    let (got, changed) = (caller.get(&path).await, caller.patch(&path, json!({ "title": "x" })).await);
                    let locked = caller.post(format!("{path}/within"), json!({})).await;
                    if reached.contains(&id) {
                        got.expect(200);
                        assert_eq!(changed.expect(200).json()["title"], "x", "{name}");
                        assert_eq!(locked.expect(200).json(), json!(reached), "{name}");
                    } else {
                        for answer in [got, changed, locked] {
                            answer.problem("not_found");
                        }
                    }
                }
            }
            let (guest, eve) = (test.as_principal(guest()), test.as_principal(principal("eve", &[], 1)));
            for (caller, id) in [(&guest, 2), (&guest, 3), (&eve, 1)] {
                caller.delete(format!("/issues/{id}")).await.problem("not_found");
            }
            guest.delete("/issues/1").await.expect(200);
        }
    });
}

#[test]
fn changes_of_a_route_are_of_what_its_caller_may_reach() {
    on_issues(async |test| {
        let (guest, eve) = (test.as_principal(guest()), test.as_principal(principal("eve", &[], 1)));
        for (caller, id) in [(&guest, 2), (&guest, 3), (&guest, 4), (&eve, 1)] {
            caller.put(format!("/issues/{id}/rename"), json!({})).await.problem("not_found");
            caller.post(format!("/issues/{id}/remove"), json!({})).await.problem("not_found");
        }
        assert_eq!(guest.put("/issues/1/rename", json!({})).await.expect(200).json()["title"], "renamed");
        guest.put("/issues/1/give", json!({})).await.problem("validation_failed");
        let opened = guest.post("/issues/open?guest=5", json!({})).await.expect(201).json();
        assert_eq!((&opened["shop_id"], &opened["author"]), (&json!(1), &json!("5")));
        guest.post("/issues/open?guest=6", json!({})).await.problem("validation_failed");
        guest.post("/issues/open?guest=5&author=ann", json!({})).await.problem("validation_failed");
        guest.post("/issues/1/remove", json!({})).await.expect(204);
        let titles = test.store::<Issue>().across_tenants().list(Issue::FIELDS.id.asc()).await.unwrap();
        let titles: Vec<String> = titles.into_iter().map(|issue| issue.title).collect();
        assert_eq!(titles, ["of bob", "of ann", "opened"]);
    });
}

/// Numbers of the issues that a caller's store changes where the program names no caller.
async fn change_many(ctx: Context) -> Result<Json<BTreeMap<&'static str, u64>>> {
    let store = ctx.store::<Issue>();
    let every = || Issue::FIELDS.id.gt(0);
    let renamed = || IssuePatch::default().title("renamed");
    let updated = store.update_where(every(), renamed()).await?;
    let batch = store.update_batch([(1_i64, renamed()), (2, renamed())]).await;
    let removed = store.delete_batch([2_i64]).await;
    Ok(Json(BTreeMap::from([
        ("update_where", updated),
        ("update_batch", u64::from(batch.is_ok())),
        ("delete_batch", u64::from(removed.is_ok())),
        ("delete_where", store.delete_where(every()).await?),
    ])))
}

#[test]
fn changes_of_many_records_are_of_those_that_the_caller_reaches() {
    on_each_transactional_backend(async |database| {
        let service = with_routes(database.service().await, Road::Typed).route("/issues/many", post(change_many));
        let test = with_issues(service).await;
        let changed = test.as_principal(guest()).post("/issues/many", json!({})).await.expect(200).json();
        let expected = json!({ "delete_batch": 0, "delete_where": 1, "update_batch": 0, "update_where": 1 });
        assert_eq!(changed, expected);
        let issues = test.store::<Issue>().across_tenants().list(Issue::FIELDS.id.asc()).await.expect("a list");
        assert_eq!(issues.iter().map(|issue| issue.title.as_str()).collect::<Vec<_>>(), ["of bob", "of ann"]);
    });
}

#[test]
fn replies_and_parameters_have_the_fields_that_the_caller_sees() {
    on_issues(async |test| {
        let (guest, staff) = (test.as_principal(guest()), test.as_principal(principal("ann", &["staff"], 1)));
        let page = guest.get("/issues/cheap?sort=id").await.expect(200);
        let page = (page.header("x-total-count").map(str::to_owned), page.json());
        let record = json!({
            "id": 1, "shop_id": 1, "guest_id": 5, "author": "ann", "title": "of ann", "is_deleted": false, "deleted_at": null,
        });
        let mut generated = guest.get("/issues").await.expect(200).json();
        assert_eq!(generated["data"], json!([record]));
        assert_eq!(page, (Some("1".to_owned()), generated.take()));
        assert_eq!(guest.get("/issues/titled").await.expect(200).json(), json!([record]));
        for parameters in ["cost=1", "sort=cost", "where=%7B%22cost%22:1%7D", "expand=x", "cursor=x", "limit=0"] {
            guest.get(format!("/issues/cheap?{parameters}")).await.problem("validation_failed");
        }
        guest.get("/issues/cheap?include_deleted=true").await.problem("permission_denied");
        assert_eq!(staff.get("/issues/titled?cost=20").await.expect(200).json()[0]["cost"], 20);
        let one = staff.get("/issues/titled?sort=-id&limit=1").await.expect(200).json();
        assert_eq!((one.as_array().map(Vec::len), &one[0]["id"]), (Some(1), &json!(2)));
        assert_eq!(guest.put("/issues/1/rename", json!({})).await.expect(200).json().get("cost"), None);
    });
}

#[derive(Debug, Schema)]
struct Shown {
    title: Option<String>,
}

#[test]
fn one_handler_reads_the_query_string_in_one_way() {
    async fn both(query: Query<Shown>, _: ListParameters<Issue>) -> Result<Json<Option<String>>> {
        Ok(Json(query.0.title))
    }
    on_each_backend(async |database| {
        let service = with_routes(database.service().await, Road::Typed).route("/issues/both", get(both));
        let error = service.into_router().unwrap_err().to_string();
        assert_eq!(
            error,
            "the route GET `/issues/both` takes `Query` and `ListParameters`, which both read the whole query string"
        );
    });
}
