//! Teams, their members, and what belongs to them.

use crud_runtime::auth::{AuthBuilder, Users};
use crud_runtime::prelude::*;
use crud_tests::{Answer, Api, Database, on_each_backend};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{PASSWORD, Tokens, auth};

/// A tenant.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
pub(crate) struct Team {
    pub(crate) id: i64,
    pub(crate) name: String,
}

/// A membership. It goes with its team.
#[derive(Debug, Clone, Resource)]
#[crud(filter, pagination, batch(mode(partial)), access(all(authenticated), write(role("owner"))))]
pub(crate) struct Member {
    pub(crate) id: i64,
    #[crud(tenant(members(user_id, role)), references(Team, on_delete(cascade)))]
    pub(crate) team_id: i64,
    #[crud(unique, length(max = 100))]
    pub(crate) user_id: String,
    #[crud(length(max = 40))]
    pub(crate) role: String,
}

/// A record of a team.
#[derive(Debug, Clone, Resource)]
#[crud(import, export, batch(mode(partial)), access(all(authenticated), delete(role("owner"))))]
pub(crate) struct Issue {
    pub(crate) id: i64,
    #[crud(tenant)]
    pub(crate) team_id: i64,
    pub(crate) title: String,
}

/// A service with the resources of teams, and the authentication that these functions add.
pub(crate) async fn teams(database: &Database) -> Service {
    database.service().await.resource::<Team>().resource::<Member>().resource::<Issue>()
}

/// A service of teams that runs, with two of them.
pub(crate) struct World<'w> {
    pub(crate) api: &'w Api,
    pub(crate) database: &'w Database,
    pub(crate) app: App,
    pub(crate) users: Users,
    /// The teams.
    pub(crate) one: i64,
    pub(crate) two: i64,
}

/// Runs a test against a service whose users belong to teams.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_teams(test: impl AsyncFn(&World<'_>)) {
    on_teams_with(auth, |service| service, test);
}

/// Runs a test as [`on_teams`], with this authentication and what is added to the service.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_teams_with(
    auth: impl Fn() -> AuthBuilder,
    more: impl Fn(Service) -> Service,
    test: impl AsyncFn(&World<'_>),
) {
    on_each_backend(async |database| with_teams(database, auth(), &more, &test).await);
}

/// Runs a test as [`on_teams_with`] on a database.
pub(crate) async fn with_teams(
    database: &Database,
    auth: AuthBuilder,
    more: impl Fn(Service) -> Service,
    test: impl AsyncFn(&World<'_>),
) {
    let auth = auth.tenant_claim("team").build().expect("the authentication");
    let service = more(teams(database).await.auth(auth)).migrate().await.expect("the tables");
    let (app, users) = (service.app(), service.users());
    let [one, two] = [create_team(&app, "one").await, create_team(&app, "two").await];
    let mut api = Api::start(database, service).await;
    api.check_against_document().await;
    test(&World { api: &api, database, app, users, one, two }).await;
    api.stop().await;
}

async fn create_team(app: &App, name: &str) -> i64 {
    app.store::<Team>().create(NewTeam::new(name)).await.expect("a team").id
}

impl World<'_> {
    /// Creates a user; its id as memberships have it.
    pub(crate) async fn user(&self, name: &str) -> String {
        self.users.create_user(name, PASSWORD).await.expect("a user").subject
    }

    /// Adds a user to a team; the key of the membership.
    pub(crate) async fn join(&self, team: i64, user: &str, role: &str) -> i64 {
        let member = NewMember::new(user, role);
        self.app.store::<Member>().tenant(team).create(member).await.expect("a membership").id
    }

    /// Removes a membership by the program.
    pub(crate) async fn remove(&self, team: i64, membership: i64) {
        self.app.store::<Member>().tenant(team).delete_one(membership).await.expect("a removed membership");
    }

    /// Sends a login, perhaps for a tenant.
    pub(crate) async fn try_login(&self, name: &str, tenant: Option<Value>) -> Answer {
        let mut body = json!({ "username": name, "password": PASSWORD });
        if let Some(tenant) = tenant {
            body["tenant"] = tenant;
        }
        self.api.post("/auth/login", &body).await
    }

    pub(crate) async fn login(&self, name: &str) -> Tokens {
        Tokens::from_body(&self.try_login(name, None).await.ok())
    }

    pub(crate) async fn login_to(&self, name: &str, team: i64) -> Tokens {
        Tokens::from_body(&self.try_login(name, Some(team.into())).await.ok())
    }

    /// Asks for the tokens of another tenant.
    pub(crate) async fn switch(&self, token: &str, tenant: impl Into<Value>) -> Answer {
        send(self.api, token, Method::POST, "/auth/tenant", Some(json!({ "tenant": tenant.into() }))).await
    }

    pub(crate) async fn get(&self, token: &str, path: &str) -> Answer {
        send(self.api, token, Method::GET, path, None).await
    }

    /// Sends a request that names a tenant in its header.
    pub(crate) async fn get_in(&self, token: &str, tenant: &str, path: &str) -> Answer {
        let request = self.api.get(path).header("authorization", &format!("Bearer {token}"));
        request.header("x-tenant-id", tenant).await
    }
}

/// Sends a request with a token.
pub(crate) async fn send(api: &Api, token: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
    let request = api.request(method, path).header("authorization", &format!("Bearer {token}"));
    match body {
        Some(body) => request.json(&body).await,
        None => request.await,
    }
}
