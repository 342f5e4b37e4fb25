//! Sessions beside servers of a version before generations of users, which has the time of their end alone, and after them.

use std::time::Duration;

use crud_runtime::Store;
use crud_runtime::auth::Users;
use crud_runtime::prelude::*;
use crud_tests::{Api, Database, on_each_backend_with_url};
use serde_json::json;

use crate::membership_support::{World, with_teams};
use crate::support::{ADA, PASSWORD, Tokens, auth, claims_with, login, part, refresh, sign, try_login};

/// The columns of a user that the former version reads and writes.
#[derive(Debug, Clone, Resource)]
#[crud(table = "auth_users", internal)]
struct FormerUser {
    id: i64,
    disabled: bool,
    tokens_since: Option<DateTime<Utc>>,
}

/// A server of that version on the database of a present one.
struct Former(Store<FormerUser>);

impl Former {
    async fn on(database: &Database) -> Self {
        Self(database.service().await.store::<FormerUser>())
    }

    async fn change(&self, patch: FormerUserPatch) {
        self.0.update(1, patch).await.expect("a changed user");
    }

    /// Ends the sessions, as a change of the password does there.
    async fn end_sessions(&self, at: DateTime<Utc>) {
        self.change(FormerUserPatch::default().tokens_since(at)).await;
    }

    /// Whether it accepts a refresh token: by the second of its issue.
    async fn accepts(&self, token: &str) -> bool {
        let user = self.0.get(1).await.expect("the user");
        let iat = part(token, 1)["iat"].as_i64().expect("a time");
        !user.disabled && user.tokens_since.is_none_or(|end| iat >= end.timestamp())
    }
}

/// A refresh token of that version, issued so many seconds ago.
fn issued_before(seconds: i64) -> String {
    let iat = Utc::now().timestamp() - seconds;
    sign(&claims_with(&json!({ "type": "refresh", "iat": iat, "roles": null })))
}

/// Runs a test on a service with one user, beside a server of that version: not in memory, which two programs cannot share.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn beside_former(test: impl AsyncFn(&Api, &Users, &Former)) {
    on_each_backend_with_url(async |database| {
        let service = database.service().await.auth(auth().build().expect("the authentication"));
        let service = service.migrate().await.expect("the tables of authentication");
        let users = service.users();
        users.create_user(ADA, PASSWORD).await.expect("the user");
        let api = Api::start(database, service).await;
        test(&api, &users, &Former::on(database).await).await;
        api.stop().await;
    });
}

#[test]
fn sessions_that_a_former_version_ended_stay_ended() {
    beside_former(async |api, _, former| {
        let (ended, kept) = (issued_before(100), issued_before(10));
        refresh(api, &ended).await.ok();
        former.end_sessions(Utc::now() - Duration::from_secs(50)).await;
        refresh(api, &ended).await.expect(401).problem("refresh_failed");
        refresh(api, &kept).await.ok();
    });
}

#[test]
fn former_version_ends_sessions_of_this_one_in_the_same_second() {
    beside_former(async |api, users, former| {
        for round in 0..2 {
            let here = login(api).await;
            former.end_sessions(Utc::now()).await;
            refresh(api, &here.refresh).await.expect(401).problem("refresh_failed");
            let again = login(api).await;
            refresh(api, &again.refresh).await.ok();
            // Now with a generation.
            users.set_password(ADA, PASSWORD).await.expect("a password");
            refresh(api, &again.refresh).await.expect(401).problem("refresh_failed");
            let tokens = Tokens::from_body(&try_login(api, ADA, PASSWORD).await.ok());
            assert!(refresh(api, &tokens.refresh).await.status() == 200, "round {round}");
        }
    });
}

#[test]
fn sessions_that_this_version_ends_are_ended_for_a_former_one() {
    beside_former(async |api, users, former| {
        let tokens = [login(api).await.refresh, issued_before(0)];
        users.set_password(ADA, PASSWORD).await.expect("a password");
        for token in &tokens {
            assert!(!former.accepts(token).await, "of the same second");
            refresh(api, token).await.expect(401).problem("refresh_failed");
        }
        // Another instance of the change: by an administrator, who disables the user.
        former.change(FormerUserPatch::default().tokens_since(None)).await;
        let before = login(api).await.refresh;
        users.disable(ADA).await.expect("a disabled user");
        former.change(FormerUserPatch::default().disabled(false)).await;
        assert!(!former.accepts(&before).await, "enabled there");
        refresh(api, &before).await.expect(401).problem("refresh_failed");
    });
}

#[test]
fn user_whom_a_former_version_disabled_logs_in_again_when_enabled() {
    beside_former(async |api, users, former| {
        let (here, there) = (login(api).await.refresh, issued_before(5));
        refresh(api, &there).await.ok();
        former.change(FormerUserPatch::default().disabled(true)).await;
        users.enable(ADA).await.expect("an enabled user");
        for token in [&here, &there] {
            refresh(api, token).await.expect(401).problem("refresh_failed");
            assert!(!former.accepts(token).await);
        }
        let again = login(api).await.refresh;
        users.enable(ADA).await.expect("a user that is enabled already");
        refresh(api, &again).await.ok();
    });
}

#[test]
fn tokens_of_another_tenant_do_not_outlive_a_password_of_a_former_version() {
    let switches = async |world: &World<'_>| {
        let ann = world.user("ann").await;
        world.join(world.one, &ann, "owner").await;
        world.join(world.two, &ann, "owner").await;
        let stolen = world.login("ann").await;
        Former::on(world.database).await.end_sessions(Utc::now()).await;
        world.switch(&stolen.access, world.two).await.problem("invalid_token");
        let tokens = world.login("ann").await;
        world.switch(&tokens.access, world.two).await.ok();
    };
    on_each_backend_with_url(async |database| with_teams(database, auth(), |service| service, &switches).await);
}
