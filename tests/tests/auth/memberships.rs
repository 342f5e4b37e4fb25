//! One person in several tenants: the tenant of a login, of a refresh and of a request, and the end of a membership.

use std::time::Duration;

use axum::middleware::from_fn;
use crud_runtime::prelude::*;
use crud_tests::{Api, Client, RawConnection, http, on_each_backend, on_each_sql_backend, wait_until, within};
use reqwest::Method;
use serde_json::{Value, json};

use crate::elsewhere::{by_key, set_principal};
use crate::membership_support::{Issue, Member, MemberPatch, NewIssue, World, on_teams, on_teams_with, send, teams};
use crate::mock_issuer::{MockIssuer, RSA, SHOP};
use crate::support::{Tokens, auth, claims_with, part, refresh, sign};

#[test]
fn login_is_for_the_first_membership_or_the_one_that_it_names() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        let without = world.login("ann").await;
        world.get(&without.access, "/issues").await.problem("tenant_required");
        world.join(world.two, &ann, "member").await;
        world.join(world.one, &ann, "owner").await;
        let team = |tokens: &Tokens| part(&tokens.access, 1)["team"].clone();
        assert_eq!(team(&world.login("ann").await), world.two, "the first by the key");
        assert_eq!(team(&world.login_to("ann", world.one).await), world.one);
        assert_eq!(world.get(&world.login("ann").await.access, "/issues").await.ok(), json!([]));
        for other in [json!(99), json!(world.one.to_string()), json!(1.5), json!({}), json!(true)] {
            world.try_login("ann", Some(other)).await.problem("not_found");
        }
        assert_eq!(team(&Tokens::from_body(&world.try_login("ann", Some(Value::Null)).await.ok())), world.two);
        // A refresh without a tenant takes the first one too.
        let refreshed = Tokens::from_body(&refresh(world.api, &without.refresh).await.ok());
        assert_eq!(team(&refreshed), world.two);
    });
}

#[test]
fn claim_of_the_users_own_is_no_membership() {
    on_teams(async |world| {
        world.users.create_user("eve", crate::support::PASSWORD).claim("team", world.one).await.expect("a user");
        let tokens = world.login("eve").await;
        assert!(part(&tokens.access, 1).get("team").is_none());
        world.get(&tokens.access, "/issues").await.problem("tenant_required");
    });
}

#[test]
fn profile_lists_the_memberships() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        let bob = world.user("bob").await;
        world.join(world.one, &ann, "owner").await;
        world.join(world.two, &ann, "member").await;
        world.join(world.two, &bob, "owner").await;
        let profile = world.get(&world.login_to("ann", world.two).await.access, "/profile").await.ok();
        let memberships =
            json!([{ "tenant": world.one, "roles": ["owner"] }, { "tenant": world.two, "roles": ["member"] }]);
        let expected = json!({ "user_id": ann, "roles": ["member"], "tenant": world.two, "memberships": memberships });
        assert_eq!(profile, expected);
    });
}

#[test]
fn tokens_for_another_tenant_are_had_by_the_access_token() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        world.join(world.one, &ann, "owner").await;
        world.join(world.two, &ann, "member").await;
        let first = world.login("ann").await;
        send(world.api, &first.access, Method::POST, "/issues", Some(json!({ "title": "a" }))).await.created();
        let second = Tokens::from_body(&world.switch(&first.access, world.two).await.ok());
        assert_eq!(world.get(&second.access, "/issues").await.ok(), json!([]));
        assert_eq!(world.get(&first.access, "/issues").await.ok().as_array().map(Vec::len), Some(1), "it stays valid");
        world.switch(&first.access, 99).await.problem("not_found");
        world.switch(&first.access, Value::Null).await.problem("validation_failed");
        world.api.post("/auth/tenant", &json!({ "tenant": world.two })).await.problem("authentication_failed");
        // The second session's tokens lead back.
        let third = Tokens::from_body(&world.switch(&second.access, world.one).await.ok());
        assert_eq!(part(&third.access, 1)["team"], world.one);
    });
}

#[test]
fn refresh_keeps_the_tenant_and_fails_without_the_membership() {
    for rotates in [false, true] {
        let with = move || if rotates { auth().rotate_refresh_tokens().logout() } else { auth() };
        on_teams_with(
            with,
            |service| service,
            async |world| {
                let ann = world.user("ann").await;
                world.join(world.one, &ann, "owner").await;
                let membership = world.join(world.two, &ann, "member").await;
                let (first, second) = (world.login("ann").await, world.login_to("ann", world.two).await);
                let second = Tokens::from_body(&refresh(world.api, &second.refresh).await.ok());
                assert_eq!(part(&second.access, 1)["team"], world.two);
                let switched = Tokens::from_body(&world.switch(&first.access, world.two).await.ok());
                world.remove(world.two, membership).await;
                for tokens in [second, switched] {
                    refresh(world.api, &tokens.refresh).await.problem("refresh_failed");
                }
                let first = Tokens::from_body(&refresh(world.api, &first.refresh).await.ok());
                assert_eq!(part(&first.access, 1)["team"], world.one);
            },
        );
    }
}

#[test]
fn roles_of_a_membership_are_those_of_its_tenant() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        world.join(world.one, &ann, "owner").await;
        let second = world.join(world.two, &ann, "member").await;
        let (one, two) = (world.login_to("ann", world.one).await, world.login_to("ann", world.two).await);
        for tokens in [&one, &two] {
            send(world.api, &tokens.access, Method::POST, "/issues", Some(json!({ "title": "a" }))).await.created();
        }
        let issue = async |token: &str| world.get(token, "/issues").await.ok()[0]["id"].clone();
        let delete = async |token: &str| {
            let path = format!("/issues/{}", issue(token).await);
            send(world.api, token, Method::DELETE, &path, None).await
        };
        delete(&one.access).await.ok();
        delete(&two.access).await.problem("permission_denied");
        // A new role applies to tokens that are there already.
        let promoted = MemberPatch::default().role("owner");
        world.app.store::<Member>().tenant(world.two).update(second, promoted).await.expect("a promotion");
        delete(&two.access).await.ok();
    });
}

/// The ways of a removal that the service makes itself.
async fn removals(world: &World<'_>) -> Vec<(&'static str, String)> {
    let owner = world.user("owner").await;
    world.join(world.one, &owner, "owner").await;
    let token = world.login("owner").await.access;
    let mut removed = Vec::new();
    for way in ["delete", "batch", "store", "transaction"] {
        let user = world.user(way).await;
        let id = world.join(world.one, &user, "member").await;
        let access = world.login(way).await.access;
        assert_eq!(world.get(&access, "/issues").await.ok(), json!([]), "{way}");
        match way {
            "delete" => {
                send(world.api, &token, Method::DELETE, &format!("/members/{id}"), None).await.ok();
            }
            "batch" => {
                let ids = json!({ "ids": [id] });
                send(world.api, &token, Method::POST, "/members/batch/delete", Some(ids)).await.ok();
            }
            "transaction" if world.database.backend().is_interactive() => {
                let removal =
                    world.app.transaction(async |tx| tx.store::<Member>().across_tenants().delete_one(id).await);
                removal.await.expect("a removed membership");
            }
            _ => world.remove(world.one, id).await,
        }
        removed.push((way, access));
    }
    removed
}

#[test]
fn removed_member_is_out_at_once_on_the_server_that_removes() {
    on_teams(async |world| {
        for (way, access) in removals(world).await {
            let refused = world.get(&access, "/issues").await;
            assert_eq!(refused.problem("invalid_token").code, "invalid_token", "{way}");
            send(world.api, &access, Method::POST, "/issues", Some(json!({ "title": "a" })))
                .await
                .problem("invalid_token");
            world.switch(&access, world.one).await.problem("invalid_token");
            world.get(&access, "/profile").await.problem("invalid_token");
        }
    });
}

#[test]
fn members_of_a_removed_team_are_out_at_once() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        world.join(world.two, &ann, "member").await;
        let access = world.login("ann").await.access;
        world.get(&access, "/issues").await.ok();
        send(world.api, &access, Method::DELETE, &format!("/teams/{}", world.two), None).await.ok();
        world.get(&access, "/issues").await.problem("invalid_token");
    });
}

#[test]
fn statement_of_the_programs_removes_at_once() {
    on_each_sql_backend(async |database| {
        let auth = auth().tenant_claim("team").build().expect("the authentication");
        let service = teams(database).await.auth(auth).migrate().await.expect("the tables");
        let (app, users) = (service.app(), service.users());
        let api = Api::start(database, service).await;
        let team = app.store::<crate::membership_support::Team>();
        let team = team.create(crate::membership_support::NewTeam::new("one")).await.expect("a team").id;
        let world = World { api: &api, database, app: app.clone(), users, one: team, two: team };
        let ann = world.user("ann").await;
        world.join(team, &ann, "member").await;
        let access = world.login("ann").await.access;
        world.get(&access, "/issues").await.ok();
        let removed: crud_runtime::Result<u64> =
            app.transaction(async |tx| tx.sql("DELETE FROM members").execute().await).await;
        assert_eq!(removed.expect("a statement"), 1);
        world.get(&access, "/issues").await.problem("invalid_token");
        api.stop().await;
    });
}

#[test]
fn removed_member_is_out_within_a_second_on_another_server() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        let id = world.join(world.one, &ann, "member").await;
        let access = world.login("ann").await.access;
        let auth = auth().tenant_claim("team").build().expect("the authentication");
        let other = Api::start(world.database, teams(world.database).await.auth(auth)).await;
        send(&other, &access, Method::GET, "/issues", None).await.ok();
        world.remove(world.one, id).await;
        let refused = async || send(&other, &access, Method::GET, "/issues", None).await.status() == 401;
        let out = wait_until("the other server refuses the member", refused);
        within(Duration::from_secs(1), "a removed member is out on another server", out).await;
        // A new member is admitted there at once.
        world.join(world.one, &ann, "member").await;
        send(&other, &access, Method::GET, "/issues", None).await.ok();
        other.stop().await;
    });
}

#[test]
fn membership_is_not_read_with_every_request() {
    const REQUESTS: u32 = 60;
    on_teams_with(
        auth,
        |service| service.access(|access| access.metrics_role("operator")),
        async |world| {
            let ann = world.user("ann").await;
            world.join(world.one, &ann, "member").await;
            let access = world.login("ann").await.access;
            let path = {
                let issue =
                    send(world.api, &access, Method::POST, "/issues", Some(json!({ "title": "a" }))).await.created();
                format!("/issues/{}", issue["id"])
            };
            let operator = sign(&claims_with(&json!({ "sub": "operator", "roles": ["operator"] })));
            let metrics = Client::of_program(world.api.origin().to_owned(), world.database.secrets());
            let lists = async || {
                let answer = metrics.get("/metrics").header("authorization", &format!("Bearer {operator}")).await;
                let text = answer.expect(200).text();
                let line = r#"crud_database_duration_seconds_count{call="list"}"#;
                let count = text.lines().find_map(|other| other.strip_prefix(line)?.trim().parse::<f64>().ok());
                count.unwrap_or_else(|| panic!("no line `{line}` in\n{text}"))
            };
            world.get(&access, &path).await.ok();
            let before = lists().await;
            for _ in 0..REQUESTS {
                world.get(&access, &path).await.ok();
            }
            let read = lists().await - before;
            assert!(read < f64::from(REQUESTS) / 2.0, "{read} reads of a membership for {REQUESTS} requests");
        },
    );
}

#[test]
fn header_names_the_tenant_of_a_token_without_one() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        world.join(world.one, &ann, "owner").await;
        world.join(world.two, &ann, "member").await;
        let token = sign(&claims_with(&json!({ "sub": ann, "roles": [] })));
        world.get(&token, "/issues").await.problem("tenant_required");
        let profile = world.get_in(&token, &world.one.to_string(), "/profile").await.ok();
        assert_eq!((&profile["roles"], &profile["tenant"]), (&json!(["owner"]), &json!(world.one)));
        assert_eq!(world.get_in(&token, &world.two.to_string(), "/issues").await.ok(), json!([]));
        for other in ["99", "x", "1.5", "01"] {
            world.get_in(&token, other, "/issues").await.problem("permission_denied");
        }
        let two = world.api.get("/issues").header("authorization", &format!("Bearer {token}"));
        let two = two.header("x-tenant-id", "1").header("x-tenant-id", "2").await;
        assert_eq!(two.problem("validation_failed").parameters(), ["x-tenant-id"]);
        // Without a token, the header says nothing.
        world.api.get("/issues").header("x-tenant-id", "1").await.problem("authentication_failed");
    });
}

#[test]
fn programs_principals_name_a_tenant_by_the_header() {
    on_each_backend(async |database| {
        for is_function in [true, false] {
            let database = &database.backend().fresh();
            let service = teams(database).await;
            let service = if is_function {
                service.access(|access| access.authenticate_with(by_key))
            } else {
                service
                    .access(crud_runtime::AccessOptions::principal_from_layers)
                    .layer(from_fn(async |request, next| set_principal("x-api-key", request, next).await))
            };
            let service = service.migrate().await.expect("the tables");
            let app = service.app();
            let mut api = Api::start(database, service).await;
            api.check_against_document().await;
            let team = app.store::<crate::membership_support::Team>();
            let team = team.create(crate::membership_support::NewTeam::new("one")).await.expect("a team").id;
            let members = app.store::<Member>().tenant(team);
            members.create(crate::membership_support::NewMember::new("7", "owner")).await.expect("a membership");
            let get = async |key: &str, tenant: Option<String>, path: &str| {
                let request = api.get(path).header("x-api-key", key);
                match tenant {
                    Some(tenant) => request.header("x-tenant-id", &tenant).await,
                    None => request.await,
                }
            };
            get("7", None, "/issues").await.problem("tenant_required");
            assert_eq!(get("7", Some(team.to_string()), "/issues").await.ok(), json!([]));
            get("7", Some("99".to_owned()), "/issues").await.problem("permission_denied");
            // The program names a tenant, and no membership admits it.
            get("ann", None, "/issues").await.problem("permission_denied");
            get("ann", Some(team.to_string()), "/profile").await.problem("permission_denied");
            let profile = get("7", Some(team.to_string()), "/profile").await.ok();
            assert_eq!(profile["memberships"], json!([{ "tenant": team, "roles": ["owner"] }]));
            api.post("/auth/tenant", &json!({ "tenant": team })).await.problem("route_not_found");
            api.stop().await;
        }
    });
}

#[test]
fn tokens_of_another_issuer_name_a_tenant_by_the_header() {
    http::on_each_backend(async |database| {
        let issuer = MockIssuer::start(&[RSA]).await;
        let auth = crud_runtime::auth::Auth::builder().issuer_url(issuer.url()).audience(SHOP).tenant_claim("team");
        let service = teams(database).await.auth(auth.build().expect("the authentication"));
        let service = service.migrate().await.expect("the tables");
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let team = app.store::<crate::membership_support::Team>();
        let team = team.create(crate::membership_support::NewTeam::new("one")).await.expect("a team").id;
        let members = app.store::<Member>().tenant(team);
        members.create(crate::membership_support::NewMember::new("f:7", "owner")).await.expect("a membership");
        let get = async |token: &str, tenant: Option<i64>| {
            let request = api.get("/issues").header("authorization", &format!("Bearer {token}"));
            match tenant {
                Some(tenant) => request.header("x-tenant-id", &tenant.to_string()).await,
                None => request.await,
            }
        };
        let token = RSA.sign(&issuer.claims("f:7", &json!({})));
        get(&token, None).await.problem("tenant_required");
        assert_eq!(get(&token, Some(team)).await.ok(), json!([]));
        get(&token, Some(team + 1)).await.problem("permission_denied");
        // A claim of the issuer's is admitted by the membership too.
        assert_eq!(get(&RSA.sign(&issuer.claims("f:7", &json!({ "team": team }))), None).await.ok(), json!([]));
        get(&RSA.sign(&issuer.claims("f:8", &json!({ "team": team }))), None).await.problem("invalid_token");
        api.stop().await;
    });
}

#[test]
fn request_that_has_begun_outlives_its_membership() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        let id = world.join(world.one, &ann, "member").await;
        let access = world.login("ann").await.access;
        let issues = world.app.store::<Issue>();
        // An import whose file is still being sent.
        let lines = "{\"title\":\"a\"}\n{\"title\":\"b\"}\n";
        let mut connection = RawConnection::connect(world.api.address()).await;
        let length = lines.len();
        let head = format!(
            "POST /issues/import?mode=partial HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {access}\r\n\
             Content-Type: application/x-ndjson\r\nContent-Length: {length}\r\nExpect: 100-continue\r\n\r\n"
        );
        connection.send(head).await;
        assert_eq!(connection.answer().await.expect("an answer").status, 100);
        connection.send(&lines[..5]).await;
        world.remove(world.one, id).await;
        connection.send(&lines[5..]).await;
        assert_eq!(connection.answer().await.expect("an answer").status, 200);
        let imported = issues.tenant(world.one).list(Select::all()).await.expect("a list");
        assert_eq!(imported.len(), 2, "it was admitted when it began");
        world.get(&access, "/issues").await.problem("invalid_token");
    });
}

#[test]
fn batch_that_has_begun_outlives_its_membership() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        let id = world.join(world.one, &ann, "member").await;
        let access = world.login("ann").await.access;
        let batch = json!({ "items": [{ "title": "a" }, { "title": "b" }] }).to_string();
        let head = format!(
            "POST /issues/batch HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {access}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
            batch.len()
        );
        let mut connection = RawConnection::connect(world.api.address()).await;
        connection.send(head.as_str()).await;
        assert_eq!(connection.answer().await.expect("an answer").status, 100);
        connection.send(&batch[..9]).await;
        world.remove(world.one, id).await;
        connection.send(&batch[9..]).await;
        assert_eq!(connection.answer().await.expect("an answer").status, 200);
        let issues = world.app.store::<Issue>().tenant(world.one).list(Select::all()).await.expect("a list");
        assert_eq!(issues.len(), 2, "it was admitted when it began");
        // The next one is not.
        let body = Some(json!({ "items": [{ "title": "c" }] }));
        send(world.api, &access, Method::POST, "/issues/batch", body).await.problem("invalid_token");
    });
}

#[test]
fn stream_that_has_begun_outlives_its_membership() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        let id = world.join(world.one, &ann, "member").await;
        let access = world.login("ann").await.access;
        let issues = world.app.store::<Issue>().tenant(world.one);
        // More than the buffers of a connection hold.
        let text = "x".repeat(20_000);
        let count = 600;
        for _ in 0..count / 100 {
            let batch = issues.create_batch((0..100).map(|_| NewIssue::new(text.as_str()))).await;
            batch.expect("the issues");
        }
        let request = reqwest::Client::new().get(format!("{}/issues/export", world.api.origin()));
        let mut response = request.bearer_auth(&access).send().await.expect("a response");
        assert_eq!(response.status(), 200);
        let mut bytes = response.chunk().await.expect("a chunk").expect("the first chunk").to_vec();
        world.remove(world.one, id).await;
        while let Some(chunk) = response.chunk().await.expect("a chunk") {
            bytes.extend(chunk);
        }
        let lines = String::from_utf8(bytes).expect("lines of text").lines().count();
        assert_eq!(lines, count);
        world.get(&access, "/issues/export").await.problem("invalid_token");
    });
}
