//! Invitations into the service and into tenants.

use crud_accounts::Accounts;
use crud_runtime::Service;
use crud_runtime::auth::UserStore;
use crud_runtime::prelude::*;
use crud_runtime::testing::TestAnswer;
use crud_tests::{Database, on_each_sql_backend};
use serde_json::{Value, json};

use crate::support::{ANN, BOB, PASSWORD, Shop, Tokens, URL, assert_used, auth, error_code, on_shop, race, service};

/// A team.
#[derive(Debug, Clone, Resource)]
pub(crate) struct Team {
    pub(crate) id: i64,
    pub(crate) name: String,
}

/// A user's membership of a team.
#[derive(Debug, Clone, Resource)]
#[crud(audit, unique(team_id, user_id), access(all(role("admin"))))]
pub(crate) struct Member {
    pub(crate) id: i64,
    #[crud(tenant(members(user_id, roles)))]
    pub(crate) team_id: i64,
    #[crud(references(users))]
    pub(crate) user_id: i64,
    pub(crate) roles: Vec<String>,
}

pub(crate) async fn with_teams(database: &Database, accounts: Accounts) -> Service {
    let service = service(database, auth().tenant_claim("team"), accounts).await;
    service.resource::<Team>().resource::<Member>()
}

/// Runs a test against a service of teams, with the administrator of the first one.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_teams(test: impl AsyncFn(&Shop, &Tokens)) {
    on_each_sql_backend(async |database| {
        let shop = Shop::start(async |outbox| with_teams(database, Accounts::new().mailer(outbox)).await).await;
        for name in ["Blue", "Red"] {
            shop.test.store::<Team>().create(NewTeam { name: name.into() }).await.expect("a team");
        }
        let ann = shop.test.users().create_user(ANN, PASSWORD).await.expect("a user");
        shop.test.users().join(&ann, &json!(1), ["admin", "editor"]).await.expect("a membership");
        let admin = shop.login(ANN).await;
        test(&shop, &admin).await;
    });
}

/// Runs a test against a service of teams that is sharded by tenant: users are in no team's shard.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_sharded_teams(test: impl AsyncFn(&Shop, &Tokens)) {
    on_each_sql_backend(async |database| {
        let sharded = async |outbox| {
            let service = database.service().await.title("Shop").shard_by_tenant();
            let service = service.auth(auth().tenant_claim("team").build().expect("the authentication"));
            let service = service.server(|server| server.public_url(URL));
            let service = service.plugin(Accounts::new().mailer(outbox)).expect("the accounts");
            service.resource::<Team>().resource::<TeamMember>()
        };
        let shop = Shop::start(sharded).await;
        for name in ["Blue", "Red"] {
            shop.test.store::<Team>().create(NewTeam { name: name.into() }).await.expect("a team");
        }
        let ann = shop.test.users().create_user(ANN, PASSWORD).await.expect("a user");
        shop.test.users().join(&ann, &json!(1), ["admin", "editor"]).await.expect("a membership");
        let admin = shop.login(ANN).await;
        test(&shop, &admin).await;
    });
}

/// A user's membership of a team, whose keys are the tenants.
#[derive(Debug, Clone, Resource)]
#[crud(audit, unique(team_id, user_id), access(all(role("admin"))))]
struct TeamMember {
    id: i64,
    #[crud(tenant(members(user_id, roles)), references(Team))]
    team_id: i64,
    #[crud(references(users))]
    user_id: i64,
    roles: Vec<String>,
}

#[test]
fn members_of_a_sharded_services_tenants_are_invited_and_change_their_address() {
    on_sharded_teams(async |shop, admin| {
        shop.post_as(&admin.access, "/auth/invitations", bob(&["editor"])).await.expect(201);
        let token = shop.token_for(BOB).await;
        let tokens = shop.verify(&token).await;
        let profile = shop.get_as(&tokens.access, "/profile").await.expect(200).json();
        assert_eq!((&profile["tenant"], &profile["roles"]), (&json!(1), &json!(["editor"])));
        let list = shop.get_as(&admin.access, "/auth/invitations").await.expect(200).json();
        assert_eq!(list, json!([]));
        assert_used(&shop.try_verify(&token).await);
        let change = json!({ "email": "bob@new.example", "password": PASSWORD });
        shop.post_as(&tokens.access, "/auth/email", change).await.expect(202);
        let token = shop.token_for("bob@new.example").await;
        shop.post_as(&tokens.access, "/auth/email/confirm", json!({ "token": token })).await.expect(204);
        let [told] = &shop.mails().await[..] else { panic!("one mail") };
        assert_eq!(told.to, BOB);
    });
}

#[test]
fn invitation_that_a_crash_has_left_after_the_user_or_the_membership_is_completed_by_its_link() {
    for has_joined in [false, true] {
        on_sharded_teams(async |shop, admin| {
            shop.post_as(&admin.access, "/auth/invitations", bob(&["editor"])).await.expect(201);
            let token = shop.token_for(BOB).await;
            let user = shop.test.users().create_user(BOB, PASSWORD).await.expect("the user");
            if has_joined {
                shop.test.users().join(&user, &json!(1), ["editor"]).await.expect("the membership");
            }
            let wrong = shop.post("/auth/verify", json!({ "token": token, "password": "wrong horse" })).await;
            wrong.problem("invalid_credentials");
            let tokens = shop.verify(&token).await;
            let profile = shop.get_as(&tokens.access, "/profile").await.expect(200).json();
            assert_eq!((&profile["tenant"], &profile["roles"]), (&json!(1), &json!(["editor"])));
            assert_used(&shop.try_verify(&token).await);
        });
    }
}

async fn admin(shop: &Shop) -> Tokens {
    shop.test.users().create_user(ANN, PASSWORD).roles(["admin", "editor"]).await.expect("a user");
    shop.login(ANN).await
}

fn bob(roles: &[&str]) -> Value {
    json!({ "email": BOB, "roles": roles })
}

#[test]
fn invited_person_becomes_a_user_with_the_roles() {
    on_shop(Accounts::new, async |shop, _| {
        let admin = admin(shop).await;
        let answer = shop.post_as(&admin.access, "/auth/invitations", bob(&["editor"])).await.expect(201);
        assert_eq!(answer.header("location"), Some("/auth/invitations/1"));
        assert_eq!(answer.json()["inviter"], ANN);
        let token = shop.token_for(BOB).await;
        let tokens = shop.verify(&token).await;
        let profile = shop.get_as(&tokens.access, "/profile").await.expect(200).json();
        assert_eq!(profile["roles"], json!(["editor"]));
        let list = shop.get_as(&admin.access, "/auth/invitations").await.expect(200).json();
        assert_eq!(list, json!([]));
        let again = shop.post_as(&admin.access, "/auth/invitations", bob(&[])).await;
        again.problem("conflict");
    });
}

#[test]
fn invited_person_becomes_a_member_of_the_inviters_tenant() {
    on_teams(async |shop, admin| {
        shop.post_as(&admin.access, "/auth/invitations", bob(&["editor"])).await.expect(201);
        let tokens = shop.verify(&shop.token_for(BOB).await).await;
        let profile = shop.get_as(&tokens.access, "/profile").await.expect(200).json();
        assert_eq!((&profile["tenant"], &profile["roles"]), (&json!(1), &json!(["editor"])));
        let user = shop.test.users().find_by_username(BOB).await.expect("a lookup").expect("a user");
        assert_eq!(user.roles, [""; 0], "the roles are those of the membership");
    });
}

#[test]
fn person_with_an_account_proves_it_and_becomes_a_member() {
    on_teams(async |shop, admin| {
        let bob_user = shop.test.users().create_user(BOB, PASSWORD).await.expect("a user");
        shop.test.users().join(&bob_user, &json!(2), ["editor"]).await.expect("a membership");
        shop.post_as(&admin.access, "/auth/invitations", bob(&["editor"])).await.expect(201);
        let token = shop.token_for(BOB).await;
        let wrong = shop.post("/auth/verify", json!({ "token": token, "password": "wrong horse" })).await;
        wrong.problem("invalid_credentials");
        let tokens = shop.verify(&token).await;
        let profile = shop.get_as(&tokens.access, "/profile").await.expect(200).json();
        assert_eq!(profile["tenant"], 1);
        assert_eq!(profile["memberships"].as_array().map(Vec::len), Some(2));
    });
}

/// A membership of the one team that a user may be in.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(role("admin"))))]
struct OnlyMember {
    id: i64,
    #[crud(tenant(members(user_id, roles)))]
    team_id: i64,
    #[crud(unique(global), references(users))]
    user_id: i64,
    roles: Vec<String>,
}

#[test]
fn invitation_that_another_membership_prevents_stays_open() {
    on_each_sql_backend(async |database| {
        let shop = Shop::start(async |outbox| {
            let service = service(database, auth().tenant_claim("team"), Accounts::new().mailer(outbox)).await;
            service.resource::<OnlyMember>()
        });
        let shop = shop.await;
        for (name, team, role) in [(ANN, 1, "admin"), (BOB, 2, "editor")] {
            let user = shop.test.users().create_user(name, PASSWORD).await.expect("a user");
            shop.test.users().join(&user, &json!(team), [role]).await.expect("a membership");
        }
        let admin = shop.login(ANN).await;
        shop.post_as(&admin.access, "/auth/invitations", bob(&["admin"])).await.expect(201);
        let token = shop.token_for(BOB).await;
        shop.try_verify(&token).await.problem("conflict");
        // He leaves the other team.
        let members = shop.test.store::<OnlyMember>().tenant(2);
        members.delete_where(OnlyMember::FIELDS.team_id.eq(2)).await.expect("a removal");
        let profile = shop.get_as(&shop.verify(&token).await.access, "/profile").await.expect(200).json();
        assert_eq!((&profile["tenant"], &profile["roles"]), (&json!(1), &json!(["admin"])));
    });
}

/// Asserts that a login has asked for a second factor, which its user has to make.
fn assert_asked(answer: &TestAnswer) {
    let error = &answer.problem("authentication_failed")["errors"][0];
    assert_eq!((&error["code"], &error["params"]["enrolled"]), (&json!("second_factor_required"), &json!(false)));
}

#[test]
fn role_in_another_tenant_needs_a_factor_at_each_login() {
    on_each_sql_backend(async |database| {
        let accounts = Accounts::new().second_factor_for(["admin"]);
        let shop = Shop::start(async |outbox| with_teams(database, accounts.mailer(outbox)).await).await;
        for name in ["Blue", "Red"] {
            shop.test.store::<Team>().create(NewTeam { name: name.into() }).await.expect("a team");
        }
        let ann = shop.test.users().create_user(ANN, PASSWORD).await.expect("a user");
        shop.test.users().join(&ann, &json!(1), ["editor"]).await.expect("a membership");
        shop.login(ANN).await;
        // A session changes to the other team without another login.
        shop.test.users().join(&ann, &json!(2), ["admin"]).await.expect("a membership");
        assert_asked(&shop.try_login(ANN, PASSWORD).await);
    });
}

#[test]
fn session_that_accepts_an_invitation_is_no_way_around_a_factor() {
    on_each_sql_backend(async |database| {
        let accounts =
            |accounts: Accounts| Shop::start(async move |outbox| with_teams(database, accounts.mailer(outbox)).await);
        let shop = accounts(Accounts::new()).await;
        for name in ["Blue", "Red"] {
            shop.test.store::<Team>().create(NewTeam { name: name.into() }).await.expect("a team");
        }
        let ann = shop.test.users().create_user(ANN, PASSWORD).await.expect("a user");
        shop.test.users().join(&ann, &json!(1), ["admin", "editor"]).await.expect("a membership");
        shop.test.users().create_user(BOB, PASSWORD).await.expect("a user");
        let (admin, session) = (shop.login(ANN).await, shop.login(BOB).await);
        shop.post_as(&admin.access, "/auth/invitations", bob(&["editor"])).await.expect(201);
        let token = shop.token_for(BOB).await;
        let strict = accounts(Accounts::new().second_factor_for(["editor"])).await;
        let body = json!({ "token": token, "password": PASSWORD });
        assert_asked(&strict.post_as(&session.access, "/auth/verify", body).await);
    });
}

#[test]
fn inviter_gives_own_roles_alone() {
    on_shop(Accounts::new, async |shop, _| {
        let admin = admin(shop).await;
        let answer = shop.post_as(&admin.access, "/auth/invitations", bob(&["editor", "owner"])).await;
        assert_eq!((answer.status(), error_code(&answer).as_str()), (422, "not_own"));
        shop.sign_up(BOB).await;
        let other = shop.login(BOB).await;
        let invitation = json!({ "email": "eve@example.com" });
        shop.post_as(&other.access, "/auth/invitations", invitation.clone()).await.problem("permission_denied");
        shop.get_as(&other.access, "/auth/invitations").await.problem("permission_denied");
        // A token that still names the role gives nothing that storage does not.
        shop.test.users().set_roles(ANN, ["editor"]).await.expect("the user");
        shop.post_as(&admin.access, "/auth/invitations", invitation).await.problem("permission_denied");
    });
}

#[test]
fn inviter_who_has_lost_the_roles_invites_no_one() {
    on_teams(async |shop, admin| {
        shop.post_as(&admin.access, "/auth/invitations", bob(&["editor"])).await.expect(201);
        let token = shop.token_for(BOB).await;
        let members = shop.test.app().store::<Member>().across_tenants();
        let roles = |roles: &[&str]| {
            MemberPatch::default().roles(roles.iter().map(|role| (*role).to_owned()).collect::<Vec<_>>())
        };
        for lost in [roles(&["admin"]), roles(&["editor"])] {
            members.update(1, lost).await.expect("the membership");
            assert_used(&shop.try_verify(&token).await);
        }
        members.update(1, roles(&["admin", "editor"])).await.expect("the membership");
        shop.test.users().disable(ANN).await.expect("the user");
        assert_used(&shop.try_verify(&token).await);
        shop.test.users().enable(ANN).await.expect("the user");
        shop.verify(&token).await;
    });
}

#[test]
fn invitation_that_is_taken_back_counts_no_more() {
    on_teams(async |shop, admin| {
        shop.post_as(&admin.access, "/auth/invitations", bob(&["editor"])).await.expect(201);
        let token = shop.token_for(BOB).await;
        shop.delete_as(&admin.access, "/auth/invitations/1").await.expect(204);
        assert_used(&shop.try_verify(&token).await);
        shop.delete_as(&admin.access, "/auth/invitations/1").await.problem("not_found");
    });
}

#[test]
fn invitation_of_another_tenant_is_not_found() {
    on_teams(async |shop, admin| {
        shop.post_as(&admin.access, "/auth/invitations", bob(&["editor"])).await.expect(201);
        let eve = shop.test.users().create_user("eve@example.com", PASSWORD).await.expect("a user");
        shop.test.users().join(&eve, &json!(2), ["admin"]).await.expect("a membership");
        let eve = shop.login("eve@example.com").await;
        let list = shop.get_as(&eve.access, "/auth/invitations").await.expect(200).json();
        assert_eq!(list, json!([]));
        shop.delete_as(&eve.access, "/auth/invitations/1").await.problem("not_found");
        shop.verify(&shop.token_for(BOB).await).await;
    });
}

#[test]
fn list_has_every_invitation() {
    on_shop(Accounts::new, async |shop, database| {
        let ann = admin(shop).await;
        shop.post_as(&ann.access, "/auth/invitations", bob(&[])).await.expect(201);
        let rest = "tenant_key, tenant, roles, invited_by, inviter, expires_at, created_at";
        for number in 0..10 {
            let copies = format!("SELECT CONCAT('{number}.', address), {rest} FROM accounts_invitation");
            database.execute(&format!("INSERT INTO accounts_invitation (address, {rest}) {copies}")).await;
        }
        let listed = shop.get_as(&ann.access, "/auth/invitations").await.expect(200).json();
        assert_eq!(listed.as_array().map(Vec::len), Some(1024));
    });
}

#[test]
fn inviter_gives_no_role_that_reaches_beyond_tenants() {
    /// A record that supporters see in every team.
    #[derive(Debug, Clone, Resource)]
    #[crud(access(all(authenticated)))]
    struct Issue {
        id: i64,
        #[crud(tenant(except(role("support"))))]
        team_id: i64,
    }
    on_each_sql_backend(async |database| {
        let teams = async |outbox| with_teams(database, Accounts::new().mailer(outbox)).await.resource::<Issue>();
        let shop = Shop::start(teams).await;
        shop.test.store::<Team>().create(NewTeam { name: "Blue".into() }).await.expect("a team");
        let ann = shop.test.users().create_user(ANN, PASSWORD).await.expect("a user");
        shop.test.users().join(&ann, &json!(1), ["admin", "support"]).await.expect("a membership");
        let roles = shop.test.users().current_roles(&ann.subject, Some(&json!(1))).await.expect("the roles");
        let access = shop.login(ANN).await.access;
        let profile = shop.get_as(&access, "/profile").await.expect(200).json();
        assert_eq!((json!(roles), &profile["roles"]), (json!(["admin"]), &json!(["admin"])));
        let refused = shop.post_as(&access, "/auth/invitations", bob(&["support"])).await;
        assert_eq!((refused.status(), error_code(&refused).as_str()), (422, "not_own"));
    });
}

#[test]
fn invitation_that_two_people_accept_at_once_is_of_one() {
    on_teams(async |shop, admin| {
        shop.post_as(&admin.access, "/auth/invitations", bob(&["editor"])).await.expect(201);
        let token = shop.token_for(BOB).await;
        let answers =
            race((0..6).map(|_| shop.test.post("/auth/verify", json!({ "token": token, "password": PASSWORD })))).await;
        let accepted = answers.iter().filter(|answer| answer.status() == 201).count();
        assert_eq!(accepted, 1, "{:?}", answers.iter().map(TestAnswer::text).collect::<Vec<_>>());
        let members = shop.test.app().store::<Member>().across_tenants().count(Select::all()).await.expect("a number");
        assert_eq!((members, shop.test.users().list().await.expect("the users").len()), (2, 2));
    });
}

#[test]
fn later_invitation_of_an_address_replaces_the_earlier() {
    on_teams(async |shop, admin| {
        shop.post_as(&admin.access, "/auth/invitations", bob(&["admin"])).await.expect(201);
        let first = shop.token_for(BOB).await;
        shop.post_as(&admin.access, "/auth/invitations", bob(&["editor"])).await.expect(201);
        let last = shop.token_for(BOB).await;
        assert_used(&shop.try_verify(&first).await);
        let tokens = shop.verify(&last).await;
        assert_eq!(shop.get_as(&tokens.access, "/profile").await.json()["roles"], json!(["editor"]));
    });
}
