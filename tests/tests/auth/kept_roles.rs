//! `members(user_id, role, keep = "owner")`: a tenant keeps its last owner, whatever would take it.

use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_tests::fixtures::id;
use crud_tests::{Answer, Api, Database, log_lines, on_each_backend, on_each_transactional_backend};
use reqwest::Method;
use serde_json::{Value, json};

use crate::membership_support::send;
use crate::support::{PASSWORD, Tokens, auth, try_login};

/// A tenant.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
struct Club {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
enum Rank {
    Owner,
    Member,
}

/// A membership, which goes with its club, and with the sponsor who pays for it.
#[derive(Debug, Clone, Resource)]
#[crud(filter, pagination, import, batch, upsert(user_id), access(all(role("owner"))))]
struct Seat {
    id: i64,
    #[crud(tenant(members(user_id, rank, keep = "owner")), references(Club, on_delete(cascade)))]
    club_id: i64,
    #[crud(unique, references(users))]
    user_id: i64,
    rank: Rank,
    #[crud(references(Sponsor, on_delete(cascade)))]
    sponsor_id: Option<i64>,
}

/// The payer of memberships.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(role("owner"))))]
struct Sponsor {
    id: i64,
    #[crud(tenant, references(Club, on_delete(cascade)))]
    club_id: i64,
    name: String,
}

/// A membership that is deleted softly.
#[derive(Debug, Clone, Resource)]
#[crud(filter, pagination, soft_delete, batch, audit, access(all(role("owner"))))]
struct Chair {
    id: i64,
    #[crud(tenant(members(user_id, rank, keep = "owner")))]
    club_id: i64,
    #[crud(unique(active), references(users))]
    user_id: i64,
    #[crud(length(max = 40))]
    rank: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// Two clubs: the first has the owner Ann and the member Bob, the second the owner Bob.
struct Clubs<'c> {
    api: &'c Api,
    app: App,
    /// Tokens of Ann and of Bob in the first club.
    ann: Tokens,
    /// The first club, and the keys of its memberships of Ann and of Bob.
    club: i64,
    owner: i64,
    member: i64,
}

async fn service(database: &Database) -> Service {
    let auth = auth().tenant_claim("club").build().expect("the authentication");
    let service = database.service().await.auth(auth).resource::<Club>().resource::<Sponsor>().resource::<Seat>();
    service.access(|access| access.users_role("operator")).migrate().await.expect("the tables")
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_clubs(test: impl AsyncFn(&Clubs<'_>)) {
    on_each_transactional_backend(async |database| {
        let service = service(database).await;
        let (app, users) = (service.app(), service.users());
        let user = async |name: &str| users.create_user(name, PASSWORD).await.expect("a user").id().expect("its key");
        let (ann, bob) = (user("ann").await, user("bob").await);
        let club = async |name: &str| app.store::<Club>().create(NewClub::new(name)).await.expect("a club").id;
        let (one, two) = (club("one").await, club("two").await);
        let join = async |club: i64, user: i64, rank: Rank| {
            app.store::<Seat>().tenant(club).create(NewSeat::new(user, rank)).await.expect("a membership").id
        };
        let (owner, member) = (join(one, ann, Rank::Owner).await, join(one, bob, Rank::Member).await);
        join(two, bob, Rank::Owner).await;
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let ann = Tokens::from_body(&try_login(&api, "ann", PASSWORD).await.ok());
        test(&Clubs { api: &api, app, ann, club: one, owner, member }).await;
        api.stop().await;
    });
}

impl Clubs<'_> {
    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        send(self.api, &self.ann.access, method, path, body).await
    }

    async fn patch(&self, membership: i64, body: Value) -> Answer {
        self.send(Method::PATCH, &format!("/seats/{membership}"), Some(body)).await
    }

    async fn seats(&self) -> Vec<Seat> {
        self.app.store::<Seat>().tenant(self.club).list(Select::all()).await.expect("the memberships")
    }

    async fn owners(&self) -> usize {
        self.seats().await.iter().filter(|seat| seat.rank == Rank::Owner).count()
    }
}

#[test]
fn last_owner_can_neither_lose_the_role_nor_be_removed() {
    on_clubs(async |clubs| {
        let (owner, path) = (clubs.owner, format!("/seats/{}", clubs.owner));
        let demoted = json!({ "id": owner, "rank": "member" });
        for (what, answer) in [
            ("update", clubs.patch(owner, json!({ "rank": "member" })).await),
            ("replacement", clubs.send(Method::PUT, &path, Some(json!({ "rank": "member" }))).await),
            ("delete", clubs.send(Method::DELETE, &path, None).await),
            ("batch", clubs.send(Method::PUT, "/seats/batch", Some(json!({ "items": [demoted] }))).await),
            ("removal", clubs.send(Method::DELETE, "/seats/batch", Some(json!({ "ids": [owner] }))).await),
        ] {
            let refused = answer.problem("last_member");
            assert!(refused.detail.contains("last member with the role `owner`"), "{what}: {refused}");
        }
        assert_eq!(clubs.owners().await, 1);
        // Another change of it, and changes of the others, are as ever.
        clubs.patch(owner, json!({ "rank": "owner" })).await.ok();
        clubs.send(Method::DELETE, &format!("/seats/{}", clubs.member), None).await.ok();
    });
}

#[test]
fn owner_who_is_not_the_last_one_goes() {
    on_clubs(async |clubs| {
        clubs.patch(clubs.member, json!({ "rank": "owner" })).await.ok();
        assert_eq!(clubs.patch(clubs.owner, json!({ "rank": "member" })).await.ok()["rank"], "member");
        assert_eq!(clubs.owners().await, 1);
        // The next request has the stored roles: Ann is not an owner any more.
        clubs.patch(clubs.owner, json!({ "rank": "owner" })).await.problem("permission_denied");
    });
}

#[test]
fn upserts_and_imports_keep_the_last_owner() {
    on_clubs(async |clubs| {
        let ann = clubs.seats().await.into_iter().find(|seat| seat.id == clubs.owner).expect("Ann's").user_id;
        let demoted = json!({ "user_id": ann, "rank": "member" });
        let upsert = clubs.send(Method::POST, "/seats?on_conflict=user_id", Some(demoted.clone())).await;
        upsert.problem("last_member");
        let request = clubs.api.request(Method::POST, "/seats/import?mode=partial&on_conflict=user_id");
        let request = request.body("application/x-ndjson", demoted.to_string());
        let imported = request.header("authorization", &format!("Bearer {}", clubs.ann.access)).await;
        let result = imported.expect(207).into_json();
        assert_eq!((&result["failed"], &result["errors"][0]["code"]), (&json!(1), &json!("last_member")), "{result}");
        assert_eq!(clubs.owners().await, 1);
    });
}

#[test]
fn atomic_batch_that_takes_both_owners_takes_none() {
    on_clubs(async |clubs| {
        clubs.patch(clubs.member, json!({ "rank": "owner" })).await.ok();
        let (one, two) = (clubs.owner, clubs.member);
        let all = json!({ "items": [{ "id": one, "rank": "member" }, { "id": two, "rank": "member" }] });
        clubs.send(Method::PUT, "/seats/batch", Some(all)).await.problem("last_member");
        clubs.send(Method::DELETE, "/seats/batch", Some(json!({ "ids": [one, two] }))).await.problem("last_member");
        assert_eq!(clubs.owners().await, 2);
    });
}

#[test]
fn cascade_keeps_the_last_owner_and_goes_with_the_tenant() {
    on_clubs(async |clubs| {
        let sponsor =
            clubs.send(Method::POST, "/sponsors", Some(json!({ "name": "acme" }))).await.created()["id"].clone();
        clubs.patch(clubs.owner, json!({ "sponsor_id": sponsor })).await.ok();
        let path = format!("/sponsors/{sponsor}");
        let refused = clubs.send(Method::DELETE, &path, None).await.problem("referenced");
        assert!(refused.detail.contains("last member with the role `owner`"), "{refused}");
        clubs.patch(clubs.member, json!({ "rank": "owner" })).await.ok();
        clubs.send(Method::DELETE, &path, None).await.ok();
        assert_eq!(clubs.owners().await, 1, "the other one");
        // The last owner goes with the tenant, also where another record of the tenant leads to it.
        let sponsors = clubs.app.store::<Sponsor>().tenant(clubs.club);
        let sponsor = sponsors.create(NewSponsor::new("acme")).await.expect("a sponsor").id;
        let patch = SeatPatch::default().sponsor_id(sponsor);
        clubs.app.store::<Seat>().tenant(clubs.club).update(clubs.member, patch).await.expect("a membership");
        clubs.app.store::<Club>().delete_one(clubs.club).await.expect("the club goes");
        assert_eq!(clubs.seats().await.len(), 0);
    });
}

#[test]
fn store_and_transaction_of_the_program_keep_the_last_owner() {
    on_clubs(async |clubs| {
        let seats = || clubs.app.store::<Seat>().tenant(clubs.club);
        let code = |error: crud_runtime::Error| match error {
            crud_runtime::Error::Problem(problem) => problem.code(),
            other => panic!("{other}"),
        };
        let demoted = || SeatPatch::default().rank(Rank::Member);
        assert_eq!(code(seats().update(clubs.owner, demoted()).await.unwrap_err()), Code::LastMember);
        assert_eq!(code(seats().delete_one(clubs.owner).await.unwrap_err()), Code::LastMember);
        let swapped = clubs.app.transaction(async |tx| {
            let seats = tx.store::<Seat>().tenant(clubs.club);
            seats.update(clubs.member, SeatPatch::default().rank(Rank::Owner)).await?;
            seats.update(clubs.owner, demoted()).await
        });
        swapped.await.expect("another owner first");
        assert_eq!(clubs.owners().await, 1);
    });
}

#[test]
fn of_two_owners_who_demote_each_other_one_stays() {
    on_clubs(async |clubs| {
        let (club, demoted) = (clubs.club, SeatPatch::default().rank(Rank::Member));
        for round in 0..5 {
            // Each in a task, as two requests are.
            let change = |membership: i64, removes: bool| {
                let (seats, demoted) = (clubs.app.store::<Seat>().tenant(club), demoted.clone());
                tokio::spawn(async move {
                    if removes {
                        seats.delete_one(membership).await.map(drop)
                    } else {
                        seats.update(membership, demoted).await.map(drop)
                    }
                })
            };
            let seats = clubs.app.store::<Seat>().tenant(club);
            for membership in [clubs.owner, clubs.member] {
                seats.update(membership, SeatPatch::default().rank(Rank::Owner)).await.expect("an owner");
            }
            let (one, two) = tokio::join!(change(clubs.owner, false), change(clubs.member, round == 4));
            let results = [one.expect("a task"), two.expect("a task")];
            let refused: Vec<_> = results.iter().filter_map(|result| result.as_ref().err()).collect();
            assert!(
                matches!(refused[..], [crud_runtime::Error::Problem(problem)] if problem.code() == Code::LastMember),
                "{results:?}"
            );
            assert_eq!(clubs.owners().await, 1);
        }
    });
}

#[test]
fn membership_that_is_deleted_softly_is_no_last_one() {
    on_each_transactional_backend(async |database| {
        let auth = auth().tenant_claim("club").build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Chair>().migrate().await.expect("the tables");
        let (app, users) = (service.app(), service.users());
        let user = async |name: &str| users.create_user(name, PASSWORD).await.expect("a user").id().expect("its key");
        let chairs = app.store::<Chair>().tenant(1);
        let one = chairs.create(NewChair::new(user("ann").await, "owner")).await.expect("a membership").id;
        let two = chairs.create(NewChair::new(user("bob").await, "owner")).await.expect("a membership").id;
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let ann = Tokens::from_body(&try_login(&api, "ann", PASSWORD).await.ok()).access;
        let send = async |method: Method, path: String| send(&api, &ann, method, &path, None).await;
        send(Method::DELETE, format!("/chairs/{two}")).await.ok();
        send(Method::DELETE, format!("/chairs/{one}")).await.problem("last_member");
        send(Method::POST, format!("/chairs/{two}/restore")).await.ok();
        send(Method::DELETE, format!("/chairs/{two}")).await.ok();
        // A purge of what is deleted takes nothing.
        send(Method::DELETE, "/chairs/deleted?all=true".to_owned()).await.ok();
        assert_eq!(id(&send(Method::GET, "/chairs".to_owned()).await.ok()["data"][0]), one);
        api.stop().await;
    });
}

#[test]
fn membership_names_a_user_who_exists() {
    on_each_transactional_backend(async |database| {
        let service = service(database).await;
        let (app, users) = (service.app(), service.users());
        let club = app.store::<Club>().create(NewClub::new("one")).await.expect("a club").id;
        let seats = app.store::<Seat>().tenant(club);
        let refused = seats.create(NewSeat::new(1, Rank::Owner)).await.unwrap_err();
        let is_missing = |error: &crud_runtime::Error| match error {
            crud_runtime::Error::Problem(problem) => problem.code() == Code::ReferenceNotFound,
            _ => false,
        };
        assert!(is_missing(&refused), "{refused}");
        let ann = users.create_user("ann", PASSWORD).await.expect("a user").id().expect("its key");
        let seat = seats.create(NewSeat::new(ann, Rank::Owner)).await.expect("a membership").id;
        let api = Api::start(database, service).await;
        let token = Tokens::from_body(&try_login(&api, "ann", PASSWORD).await.ok()).access;
        let of_missing_user = json!({ "user_id": ann + 1, "rank": "member" });
        let refused =
            send(&api, &token, Method::POST, "/seats", Some(of_missing_user)).await.problem("reference_not_found");
        assert_eq!(refused.pointers(), ["/user_id"]);
        let given = Some(json!({ "user_id": ann + 1 }));
        let refused = send(&api, &token, Method::PATCH, &format!("/seats/{seat}"), given).await;
        refused.problem("reference_not_found");
        // A disabled user keeps what refers to it, and can be referred to: the user may be enabled again.
        let bob = users.create_user("bob", PASSWORD).await.expect("a user").id().expect("its key");
        users.disable("bob").await.expect("it is disabled");
        let member = json!({ "user_id": bob, "rank": "member" });
        send(&api, &token, Method::POST, "/seats", Some(member)).await.created();
        api.stop().await;
    });
}

/// A record whose author is a user of the service.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
struct Memo {
    id: i64,
    #[crud(owner(assign(role("staff"))), references(users))]
    author_id: i64,
    #[crud(references(users, on_delete(set_null)))]
    reader_id: Option<i64>,
}

#[test]
fn owner_is_a_user_of_the_service() {
    on_each_backend(async |database| {
        let auth = auth().build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Memo>().migrate().await.expect("the tables");
        let users = service.users();
        let ann = users.create_user("ann", PASSWORD).roles(["staff"]).await.expect("a user").id().expect("its key");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let token = Tokens::from_body(&try_login(&api, "ann", PASSWORD).await.ok()).access;
        let create = async |body: Value| send(&api, &token, Method::POST, "/memos", Some(body)).await;
        assert_eq!(create(json!({ "reader_id": ann })).await.created()["author_id"], ann);
        for (body, pointer) in [(json!({ "author_id": 99 }), "/author_id"), (json!({ "reader_id": 99 }), "/reader_id")]
        {
            assert_eq!(create(body).await.problem("reference_not_found").pointers(), [pointer]);
        }
        api.stop().await;
    });
}

#[test]
fn users_that_are_elsewhere_are_no_target_of_references() {
    on_each_backend(async |database| {
        let refused = |service: Service| service.into_router().map(drop).unwrap_err().to_string();
        let service = database.service().await.resource::<Memo>();
        let says = "Memo.author_id has `references(users)`";
        let issuer = || crud_runtime::auth::Issuer::new("https://id.example").audience("memos");
        let elsewhere = crud_runtime::auth::Auth::builder().trust(issuer()).build().expect("the authentication");
        let error = refused(service.auth(elsewhere));
        assert!(error.contains(says), "{error}");
        let own = auth().build().expect("the authentication");
        let error = refused(database.service().await.resource::<Memo>().auth(own).service_schema("crud"));
        assert!(error.contains(says) && error.contains("`service_schema`"), "{error}");
    });
}

#[test]
fn role_that_is_kept_is_one_of_the_field() {
    /// A membership whose role is never the one that is kept.
    #[derive(Debug, Clone, Resource)]
    struct Stool {
        id: i64,
        #[crud(tenant(members(user_id, rank, keep = "boss")))]
        club_id: i64,
        #[crud(unique, references(users))]
        user_id: i64,
        rank: Rank,
    }

    on_each_transactional_backend(async |database| {
        let auth = auth().tenant_claim("club").build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Stool>();
        let error = service.into_router().map(drop).unwrap_err().to_string();
        assert!(error.contains("Stool.rank is never `boss`"), "{error}");
    });
}

#[test]
fn start_warns_of_members_who_may_not_exist() {
    /// A membership that names any number.
    #[derive(Debug, Clone, Resource)]
    struct Bench {
        id: i64,
        #[crud(tenant(members(user_id)))]
        club_id: i64,
        #[crud(unique)]
        user_id: i64,
    }

    on_each_transactional_backend(async |database| {
        let service = async || {
            let auth = auth().tenant_claim("club").build().expect("the authentication");
            database.service().await.auth(auth)
        };
        let warnings = |service: Service| {
            let mut lines = log_lines(|| drop(service.state().expect("the service starts")));
            lines.retain(|line| line.contains("can name a user who does not exist yet"));
            lines.len()
        };
        assert_eq!(warnings(service().await.resource::<Bench>()), 1);
        assert_eq!(warnings(service().await.resource::<Club>().resource::<Sponsor>().resource::<Seat>()), 0);
    });
}
