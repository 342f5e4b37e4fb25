//! Memberships with row-level security: policies of the database read the tenant that a membership admits, and no other.

use crud_runtime::SessionVariables;
use crud_runtime::auth::{AuthParts, Principal};
use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Answer, Api, Database};
use reqwest::Method;
use serde_json::{Value, json};
use sqlx::PgPool;

use crate::postgres::support::{execute, on_postgres, role_of, url_of_role};

/// A membership of a team.
#[derive(Debug, Clone, Resource)]
#[crud(filter, access(all(authenticated)))]
struct Member {
    id: i64,
    #[crud(tenant(members(user_id, role)))]
    team_id: i64,
    #[crud(unique, length(max = 40))]
    user_id: String,
    #[crud(length(max = 40))]
    role: String,
}

/// An issue. No attribute says of which team it is: the database does.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort(title), pagination, batch, aggregate(group_by(team_id)), access(all(role("member"))))]
struct Issue {
    id: i64,
    team_id: i64,
    title: String,
}

async fn user(parts: AuthParts) -> Result<Option<Principal>, Problem> {
    Ok(parts.header("x-user").map(Principal::new))
}

fn described(service: Service) -> Service {
    service.resource::<Member>().resource::<Issue>().access(|access| {
        access.authenticate_with(user).session_variables(|principal| {
            let team = principal.and_then(Principal::tenant).map_or_else(|| "0".to_owned(), ToString::to_string);
            SessionVariables::new().set("app.team", team)
        })
    })
}

/// A service whose database user is under a policy: Ann is in both teams, Bob in the first.
async fn secured(database: &Database, pool: &PgPool) -> Service {
    drop(described(database.service().await).migrate().await.expect("the tables"));
    execute(
        pool,
        "ALTER TABLE issues ENABLE ROW LEVEL SECURITY;
         CREATE POLICY own ON issues USING (team_id = current_setting('app.team')::bigint);
         INSERT INTO members (team_id, user_id, role)
             VALUES (1, 'ann', 'member'), (2, 'ann', 'member'), (1, 'bob', 'member');
         INSERT INTO issues (team_id, title) VALUES (1, 'a'), (1, 'b'), (2, 'c')",
    )
    .await;
    let role = role_of(pool, "SELECT, INSERT, UPDATE, DELETE").await;
    let service = Service::connect(&url_of_role(database, &role)).await.expect("a service of the role");
    described(service).migrate().await.expect("nothing is missing")
}

/// Sends a request of a user in a team.
async fn send(api: &Api, (user, team): (&str, i64), method: Method, target: &str, body: Option<Value>) -> Answer {
    let request = api.request(method, target).header("x-user", user).header("x-tenant-id", &team.to_string());
    match body {
        Some(body) => request.json(&body).await,
        None => request.await,
    }
}

#[test]
fn policy_reads_the_tenant_that_the_membership_admits() {
    on_postgres(async |database, pool| {
        let mut api = Api::start(database, secured(database, pool).await).await;
        api.check_against_document().await;
        let get = async |who: (&str, i64), target: &str| send(&api, who, Method::GET, target, None).await;
        // One connection serves one team after the other.
        for _ in 0..3 {
            assert_eq!(column(&get(("ann", 1), "/issues?sort=title").await.ok(), "title"), ["a", "b"]);
            assert_eq!(column(&get(("ann", 2), "/issues?sort=title").await.ok(), "title"), ["c"]);
        }
        get(("ann", 1), "/issues/3").await.problem("not_found");
        assert_eq!(get(("bob", 1), "/issues/aggregate").await.ok()["data"][0]["count"], 2);
        for target in ["/issues", "/issues/3", "/issues/aggregate"] {
            get(("bob", 2), target).await.problem("permission_denied");
            get(("eve", 1), target).await.problem("permission_denied");
        }
        api.get("/issues").header("x-user", "ann").await.problem("permission_denied");
        api.stop().await;
    });
}

#[test]
fn policy_and_membership_hold_for_changes_and_end_together() {
    on_postgres(async |database, pool| {
        let mut api = Api::start(database, secured(database, pool).await).await;
        api.check_against_document().await;
        let ann = async |team: i64, method: Method, target: &str, body: Value| {
            send(&api, ("ann", team), method, target, Some(body)).await
        };
        ann(1, Method::POST, "/issues", json!({ "team_id": 1, "title": "d" })).await.created();
        ann(1, Method::POST, "/issues", json!({ "team_id": 2, "title": "x" })).await.problem("denied_by_database");
        let items = json!({ "items": [{ "team_id": 2, "title": "e" }, { "team_id": 1, "title": "x" }] });
        ann(2, Method::POST, "/issues/batch", items).await.problem("denied_by_database");
        ann(2, Method::PATCH, "/issues/1", json!({ "title": "x" })).await.problem("not_found");
        ann(1, Method::PATCH, "/issues/1", json!({ "team_id": 2 })).await.problem("denied_by_database");
        // Bob removes Ann, whose next request is refused, whatever the policy would admit.
        send(&api, ("bob", 1), Method::DELETE, "/members/1", None).await.ok();
        send(&api, ("ann", 1), Method::GET, "/issues", None).await.problem("permission_denied");
        ann(1, Method::POST, "/issues", json!({ "team_id": 1, "title": "x" })).await.problem("permission_denied");
        let of_two = send(&api, ("ann", 2), Method::GET, "/issues?sort=title", None).await.ok();
        assert_eq!(column(&of_two, "title"), ["c"]);
        let of_one = send(&api, ("bob", 1), Method::GET, "/issues?sort=title", None).await.ok();
        assert_eq!(column(&of_one, "title"), ["a", "b", "d"]);
        api.stop().await;
    });
}
