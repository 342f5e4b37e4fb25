//! Users within the program's own transaction.

use crud_runtime::auth::{UserStore, Users};
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::routing::prelude::*;
use crud_runtime::{Error, Service};
use crud_tests::{Database, on_each_backend_with_transactions};
use serde_json::{Value, json};

use crate::support::{PASSWORD, auth};

/// A team.
#[derive(Debug, Clone, Resource)]
struct Team {
    id: i64,
    name: String,
}

/// A user's membership of a team.
#[derive(Debug, Clone, Resource)]
#[crud(audit, unique(team_id, user_id), access(all(role("admin"))))]
struct Member {
    id: i64,
    #[crud(tenant(members(user_id, role)))]
    team_id: i64,
    #[crud(references(users))]
    user_id: i64,
    #[crud(length(max = 20))]
    role: String,
}

#[derive(Schema)]
struct Invitation {
    name: String,
    team: i64,
}

/// The whole of an invitation: user, team and membership, or none of them.
async fn invite(ctx: Context, Valid(new): Valid<Invitation>) -> crud_runtime::Result<Status<201, Json<String>>> {
    let hash = ctx.users()?.hash_password(PASSWORD).await?;
    let user = ctx
        .app()
        .transaction(async |tx| -> crud_runtime::Result<_> {
            let user = tx.users()?.create_hashed(&new.name, &hash).await?;
            tx.users()?.join(&user, &json!(new.team), ["owner"]).await?;
            Ok(user)
        })
        .await?;
    Ok(Status(Json(user.subject)))
}

async fn service(database: &Database) -> Service {
    let auth = auth().tenant_claim("team").build().expect("the authentication");
    let service = database.service().await.auth(auth).resource::<Team>().resource::<Member>();
    service.route("/invite", post(invite).access(Access::Public)).migrate().await.expect("the tables")
}

async fn names(users: &Users) -> Vec<String> {
    users.list().await.expect("the users").into_iter().map(|(name, _)| name).collect()
}

#[test]
fn user_and_membership_become_durable_together() {
    on_each_backend_with_transactions(async |database| {
        let service = service(database).await;
        let test = service.test().await.expect("the service");
        let team = test.store::<Team>().create(NewTeam { name: "Blue".into() }).await.expect("a team").id;
        test.post("/invite", json!({ "name": "ann", "team": team })).await.expect(201);
        let login =
            test.post("/auth/login", json!({ "username": "ann", "password": PASSWORD })).await.expect(200).json();
        let token = login["access_token"].as_str().expect("a token").to_owned();
        let profile = test.get("/profile").header("authorization", format!("Bearer {token}")).await.expect(200).json();
        assert_eq!((&profile["tenant"], &profile["roles"]), (&json!(team), &json!(["owner"])));
        // A name that is taken leaves no membership, and a tenant that does not exist no user.
        test.post("/invite", json!({ "name": "ann", "team": team })).await.problem("conflict");
        test.post("/invite", json!({ "name": "bob", "team": "blue" })).await.problem("validation_failed");
        assert_eq!(names(test.users()).await, ["ann"]);
        let members = test.app().store::<Member>().across_tenants().count(Select::all()).await.expect("a number");
        assert_eq!(members, 1);
    });
}

#[test]
fn transaction_that_fails_leaves_users_as_they_were() {
    on_each_backend_with_transactions(async |database| {
        let test = service(database).await.test().await.expect("the service");
        let app = test.app();
        let ann = test.users().create_user("ann", PASSWORD).await.expect("a user");
        let failed: crud_runtime::Result<()> = app
            .transaction(async |tx| {
                let users = tx.users()?;
                users.create_hashed("bob", "").await?;
                users.rename("ann", "anna").await?;
                users.set_roles("anna", ["admin"]).await?;
                assert!(users.find_by_username("anna").await?.is_some());
                Err(Error::Problem(Problem::of(Code::Conflict)))
            })
            .await;
        assert!(failed.is_err());
        assert_eq!(names(test.users()).await, ["ann"]);
        assert_eq!(test.users().find_by_username("ann").await.expect("a lookup"), Some(ann));
    });
}

#[test]
fn membership_that_is_there_stays() {
    on_each_backend_with_transactions(async |database| {
        let test = service(database).await.test().await.expect("the service");
        let team = test.store::<Team>().create(NewTeam { name: "Blue".into() }).await.expect("a team").id;
        let (users, tenant) = (test.users(), json!(team));
        let ann = users.create_user("ann", PASSWORD).await.expect("a user");
        assert!(users.join(&ann, &tenant, ["owner"]).await.expect("a member"));
        assert!(!users.join(&ann, &tenant, ["guest"]).await.expect("a member"));
        let roles = |tenant: Value| async move { users.current_roles("1", Some(&tenant)).await.expect("roles") };
        assert_eq!(roles(tenant.clone()).await, Some(vec!["owner".to_owned()]));
        assert_eq!(roles(json!(team + 1)).await, None);
        assert!(users.join(&ann, &tenant, ["owner", "guest"]).await.is_err(), "a membership has one role");
        users.disable("ann").await.expect("the user");
        assert_eq!(roles(tenant).await, None);
    });
}

#[test]
fn user_of_an_empty_hash_has_no_password() {
    on_each_backend_with_transactions(async |database| {
        let test = service(database).await.test().await.expect("the service");
        test.users().create_hashed("ann", "").await.expect("a user");
        for password in ["", "correct horse"] {
            let login = test.post("/auth/login", json!({ "username": "ann", "password": password })).await;
            login.problem("invalid_credentials");
        }
    });
}
