//! Attacks on memberships: tenants that a token or a request claims, tokens that outlive a membership, roles that reach out of
//! a tenant.

use crud_runtime::access::{Access, Role};
use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::{Api, Client, on_each_backend};
use reqwest::Method;
use serde_json::{Value, json};

use crate::membership_support::{Member, World, on_teams, on_teams_with, send};
use crate::support::{PASSWORD, SECRET, Tokens, auth, claims_with, refresh, sign};

#[test]
fn forged_claim_of_a_tenant_admits_to_nothing() {
    on_teams(async |world| {
        let eve = world.user("eve").await;
        world.join(world.one, &eve, "owner").await;
        for claim in [json!(world.two), json!(world.two.to_string()), json!([world.one, world.two]), json!(99)] {
            let forged = sign(&claims_with(&json!({ "sub": eve, "team": claim })));
            for (method, path) in [(Method::GET, "/issues"), (Method::GET, "/members"), (Method::GET, "/profile")] {
                send(world.api, &forged, method, path, None).await.problem("invalid_token");
            }
            let body = Some(json!({ "title": "a" }));
            send(world.api, &forged, Method::POST, "/issues", body).await.problem("invalid_token");
            world.switch(&forged, world.two).await.problem("invalid_token");
        }
    });
}

#[test]
fn header_does_not_lead_out_of_the_tenant_of_a_token() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        let (one, two) = (world.one.to_string(), world.two.to_string());
        world.join(world.one, &ann, "owner").await;
        world.join(world.two, &ann, "owner").await;
        let token = world.login("ann").await.access;
        world.get_in(&token, &one, "/issues").await.ok();
        // A token is for one tenant, though its user belongs to both.
        for path in ["/issues", "/members", "/profile", "/issues/export"] {
            world.get_in(&token, &two, path).await.problem("permission_denied");
        }
    });
}

#[test]
fn old_tokens_of_a_removed_member_lead_nowhere() {
    on_teams(async |world| {
        let eve = world.user("eve").await;
        let id = world.join(world.one, &eve, "owner").await;
        world.join(world.two, &eve, "member").await;
        let old = world.login_to("eve", world.one).await;
        let issue =
            send(world.api, &old.access, Method::POST, "/issues", Some(json!({ "title": "a" }))).await.created();
        world.remove(world.one, id).await;
        let path = format!("/issues/{}", issue["id"]);
        for (method, body) in
            [(Method::GET, None), (Method::PATCH, Some(json!({ "title": "b" }))), (Method::DELETE, None)]
        {
            send(world.api, &old.access, method, &path, body).await.problem("invalid_token");
        }
        let back = Some(json!({ "user_id": eve, "role": "owner" }));
        send(world.api, &old.access, Method::POST, "/members", back).await.problem("invalid_token");
        refresh(world.api, &old.refresh).await.problem("refresh_failed");
        world.try_login("eve", Some(world.one.into())).await.problem("not_found");
        // The remaining tenant is the other one, which no old token's header reaches.
        world.get_in(&old.access, &world.two.to_string(), "/issues").await.problem("permission_denied");
        world.get_in(&old.access, &world.one.to_string(), "/issues").await.problem("invalid_token");
        let left = world.login("eve").await;
        world.get(&left.access, &path).await.problem("not_found");
    });
}

#[test]
fn tokens_of_another_tenant_do_not_outlive_a_password() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        world.join(world.one, &ann, "owner").await;
        world.join(world.two, &ann, "owner").await;
        let stolen = world.login("ann").await;
        world.users.set_password("ann", "a better password").await.expect("a new password");
        // The access token lives on for its time; no refresh token comes of it.
        world.get(&stolen.access, "/issues").await.ok();
        world.switch(&stolen.access, world.two).await.problem("invalid_token");
        refresh(world.api, &stolen.refresh).await.problem("refresh_failed");
    });
}

/// A token of the program may have fewer roles than its user.
#[test]
fn access_token_that_the_program_issues_is_exchanged_for_no_others() {
    use crud_runtime::auth::{Principal, UserStore};
    use crud_runtime::axum::Json;
    use crud_runtime::routing::{Context, get};
    async fn kiosk(ctx: Context) -> crud_runtime::Result<Json<String>> {
        let ann = ctx.app().users()?.find_by_username("ann").await?.expect("the user");
        Ok(Json(ctx.auth()?.access_token(&Principal::new(ann.subject))?))
    }
    let more = |service: Service| service.route("/kiosk", get(kiosk).access(Access::Public));
    on_teams_with(auth, more, async |world: &World<'_>| {
        let ann = world.user("ann").await;
        world.join(world.one, &ann, "owner").await;
        let token = world.api.get("/kiosk").await.expect(200).into_json();
        let token = token.as_str().expect("a token").to_owned();
        world.get(&token, "/profile").await.ok();
        world.switch(&token, world.one).await.problem("invalid_token");
        // Nor is it after a new password.
        world.users.set_password("ann", "a better password").await.expect("a new password");
        world.switch(&token, world.one).await.problem("invalid_token");
    });
}

#[test]
fn refresh_token_does_not_change_the_tenant() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        world.join(world.one, &ann, "owner").await;
        world.join(world.two, &ann, "owner").await;
        let tokens = world.login("ann").await;
        world.switch(&tokens.refresh, world.two).await.problem("invalid_token");
        let body = json!({ "refresh_token": tokens.refresh, "tenant": world.two });
        world.api.post("/auth/refresh", &body).await.problem("validation_failed");
    });
}

#[test]
fn disabled_user_gets_no_tokens_for_another_tenant() {
    on_teams(async |world| {
        let ann = world.user("ann").await;
        world.join(world.one, &ann, "owner").await;
        world.join(world.two, &ann, "owner").await;
        let tokens = world.login("ann").await;
        world.users.disable("ann").await.expect("a disabled user");
        world.switch(&tokens.access, world.two).await.problem("invalid_token");
    });
}

/// Notes that support reads in every tenant.
#[derive(Debug, Clone, Resource)]
#[crud(filter, access(read(authenticated), write(role("owner"))))]
struct Note {
    id: i64,
    #[crud(tenant(except(role("support"))))]
    team_id: i64,
    text: String,
}

#[test]
fn membership_gives_no_role_that_reaches_beyond_its_tenant() {
    let more = |service: Service| {
        let service = service.resource::<Note>().access(|access| access.metrics_role("operator"));
        service.access(|access| {
            access.role(Role::new("chief").implies("support")).role(Role::new("boss").implies("operator"))
        })
    };
    on_teams_with(auth, more, async |world| {
        let notes = world.app.store::<Note>().across_tenants();
        notes.create(NewNote::new("of two").team_id(world.two)).await.expect("a note");
        for role in ["support", "chief", "operator", "boss"] {
            let eve = world.user(role).await;
            world.join(world.one, &eve, role).await;
            let token = world.login(role).await.access;
            let profile = world.get(&token, "/profile").await.ok();
            assert_eq!(profile["roles"], json!([]), "{role}");
            assert_eq!(world.get(&token, "/notes").await.ok(), json!([]), "{role}");
            let metrics = Client::of_program(world.api.origin().to_owned(), world.database.secrets());
            let metrics = metrics.get("/metrics").header("authorization", &format!("Bearer {token}")).await;
            assert_eq!(metrics.status(), 403, "{role}");
        }
        // The user's own role does, as those who manage users say.
        world.users.create_user("sue", PASSWORD).roles(["chief"]).await.expect("a user");
        let sue = world.login("sue").await.access;
        assert_eq!(world.get(&sue, "/notes").await.ok()[0]["text"], "of two");
    });
}

#[test]
fn member_cannot_add_itself_to_another_tenant() {
    on_teams(async |world| {
        let eve = world.user("eve").await;
        let own = world.join(world.one, &eve, "owner").await;
        let token = world.login("eve").await.access;
        let body = json!({ "user_id": eve, "role": "owner", "team_id": world.two });
        let refused = send(world.api, &token, Method::POST, "/members", Some(body)).await;
        assert_eq!(refused.problem("validation_failed").pointers(), ["/team_id"]);
        let moved = json!({ "team_id": world.two });
        let moved = send(world.api, &token, Method::PATCH, &format!("/members/{own}"), Some(moved)).await;
        assert_eq!(moved.problem("validation_failed").pointers(), ["/team_id"]);
        world.switch(&token, world.two).await.problem("not_found");
    });
}

#[test]
fn services_users_are_managed_by_their_own_role_alone() {
    on_teams_with(
        auth,
        |service| service.access(|access| access.users_role("admin")),
        async |world| {
            let eve = world.user("eve").await;
            world.join(world.one, &eve, "admin").await;
            let token = world.login("eve").await.access;
            world.get(&token, "/auth/users").await.problem("permission_denied");
            let ada = world.users.create_user("ada", PASSWORD).roles(["admin"]).await.expect("an administrator");
            world.join(world.one, &ada.subject, "member").await;
            // An administrator may belong to a tenant: the row of the user has the role.
            let ada = world.login("ada").await.access;
            assert_eq!(world.get(&ada, "/auth/users").await.ok()["total"], 2);
            let other = sign(&claims_with(&json!({ "sub": "elsewhere", "roles": ["admin"] })));
            world.get(&other, "/auth/users").await.problem("permission_denied");
            world.join(world.two, "elsewhere", "member").await;
            world.get_in(&other, &world.two.to_string(), "/auth/users").await.problem("permission_denied");
        },
    );
}

/// Another resource of members.
#[derive(Debug, Clone, Resource)]
struct Seat {
    id: i64,
    #[crud(tenant(members(user_id)))]
    team_id: i64,
    #[crud(unique)]
    user_id: i64,
}

#[test]
fn service_that_could_not_tell_the_tenant_does_not_start() {
    on_each_backend(async |database| {
        let auth = |claim: Option<&str>| {
            let auth = Auth::builder().secret(SECRET);
            let auth = match claim {
                Some(claim) => auth.tenant_claim(claim),
                None => auth,
            };
            auth.build().expect("the authentication")
        };
        let one = database.service().await.auth(auth(None)).resource::<Seat>();
        let error = one.into_router().expect_err("no claim").to_string();
        assert!(error.contains("`AuthBuilder::tenant_claim`"), "{error}");
        let two = database.service().await.auth(auth(Some("team"))).resource::<Seat>();
        let two = two.resource::<crate::membership_support::Team>().resource::<Member>();
        let error = two.into_router().expect_err("two resources").to_string();
        assert!(error.contains("Seat and Member have `tenant(members(…))`"), "{error}");
        let none = database.service().await.resource::<Seat>();
        assert!(none.into_router().is_err(), "without authentication");
    });
}

#[test]
fn document_of_a_service_without_memberships_names_no_tenant() {
    on_each_backend(async |database| {
        let service = database.service().await.auth(auth().build().expect("the authentication"));
        let service = service.migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        let document = api.get("/openapi.json").await.ok().to_string();
        assert!(!document.contains("X-Tenant-ID") && !document.contains("/auth/tenant"), "{document}");
        let login = json!({ "username": "a", "password": PASSWORD, "tenant": 1 });
        api.post("/auth/login", &login).await.problem("validation_failed");
        api.stop().await;
    });
}

#[test]
fn own_routes_and_stores_are_in_the_tenant_of_the_request() {
    use crud_runtime::axum::Json;
    use crud_runtime::routing::{Context, get};
    async fn count(ctx: Context) -> crud_runtime::Result<Json<Value>> {
        let tenant = ctx.principal().and_then(|principal| principal.tenant().cloned());
        let count = ctx.store::<Member>().count(Select::all()).await?;
        Ok(Json(json!({ "tenant": tenant, "count": count })))
    }
    let more = |service: Service| service.route("/count", get(count).access(Access::Authenticated));
    on_teams_with(auth, more, async |world: &World<'_>| {
        let (ann, bob) = (world.user("ann").await, world.user("bob").await);
        world.join(world.one, &ann, "owner").await;
        world.join(world.two, &ann, "member").await;
        world.join(world.two, &bob, "member").await;
        for (team, expected) in [(world.one, 1), (world.two, 2)] {
            let token = Tokens::from_body(&world.try_login("ann", Some(team.into())).await.ok()).access;
            let counted = world.get(&token, "/count").await.expect(200).into_json();
            assert_eq!(counted, json!({ "tenant": team, "count": expected }));
        }
    });
}
