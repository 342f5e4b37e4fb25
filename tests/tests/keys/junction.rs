//! Junction tables: keys of two references.

use crud_runtime::prelude::*;
use crud_tests::{Api, Database, on_each_backend, on_each_sql_backend};
use serde_json::json;

/// A person.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination, has_many(memberships(Membership::person_id)))]
struct Person {
    id: i64,
    name: String,
}

/// A team, by a text key.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination, has_many(members(Membership::team)))]
struct Team {
    #[crud(id)]
    slug: String,
}

/// A person in a team.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination)]
struct Membership {
    #[crud(id, references(Person, expand, on_delete(cascade)))]
    person_id: i64,
    #[crud(id, references(Team, expand, relation(of)))]
    team: String,
    role: String,
}

async fn club(database: &Database) -> Api {
    let service = database.service().await.resource::<Person>().resource::<Team>().resource::<Membership>();
    let api = Api::start(database, service.migrate().await.expect("the tables")).await;
    for name in ["Ada", "Bob"] {
        api.post("/people", &json!({ "name": name })).await.created();
    }
    for slug in ["a/b", "c,d"] {
        api.post("/teams", &json!({ "slug": slug })).await.created();
    }
    for (person, team) in [(1, "a/b"), (1, "c,d"), (2, "a/b")] {
        let body = json!({ "person_id": person, "team": team, "role": "member" });
        api.post("/memberships", &body).await.created();
    }
    api
}

#[test]
fn a_reference_in_a_key_leads_to_a_record() {
    on_each_backend(async |database| {
        let api = club(database).await;
        let of_missing_user = json!({ "person_id": 9, "team": "a/b", "role": "member" });
        let problem = api.post("/memberships", &of_missing_user).await.problem("reference_not_found");
        assert_eq!(problem.pointers(), ["/person_id"]);
        let found = api.get("/memberships/1,c%2Cd?expand=person,of").await.ok();
        assert_eq!((&found["person"]["name"], &found["of"]["slug"]), (&json!("Ada"), &json!("c,d")));
        assert_eq!(api.patch("/memberships/1,c%2Cd", &json!({ "role": "lead" })).await.ok()["role"], "lead");
    });
}

#[test]
fn a_removal_of_one_end_applies_to_the_junction() {
    on_each_backend(async |database| {
        let api = club(database).await;
        api.delete("/teams/a%2Fb").await.problem("referenced");
        api.delete("/people/1").await.ok();
        let left = api.get("/memberships").await.ok();
        assert_eq!(left["data"], json!([{ "person_id": 2, "team": "a/b", "role": "member" }]));
        api.delete("/memberships/2,a%2Fb").await.ok();
        api.delete("/teams/a%2Fb").await.ok();
    });
}

#[test]
fn a_junction_is_navigable_from_both_ends() {
    on_each_sql_backend(async |database| {
        let api = club(database).await;
        let people = api.get("/people?expand=memberships&sort=id").await.ok();
        let of = |index: usize| people["data"][index]["memberships"]["data"].as_array().expect("a list").len();
        assert_eq!((of(0), of(1)), (2, 1));
        let teams = api.get("/teams?expand=members.person&sort=slug").await.ok();
        assert_eq!(teams["data"][0]["members"]["data"][1]["person"]["name"], "Bob");
    });
}
