//! The attackers' matrix: what a webhook is told, folded, is the list of a caller with its roles in its tenant.

use std::collections::BTreeMap;

use crud_events::{Events, Webhooks};
use crud_runtime::auth::Principal;
use crud_runtime::testing::Test;
use crud_tests::on_each_sql_backend;
use serde_json::{Value, json};
use tracker::{auth, tracker};

use crate::receiver::{Received, Receiver};
use crate::shop::{deliver, make};

/// The roles of webhooks, and their tenants: the members of two teams, a guest, to whom nothing is assigned, and support.
const WEBHOOKS: [(&[&str], Option<i64>); 5] =
    [(&[], None), (&["member"], Some(1)), (&["member"], Some(2)), (&["guest"], Some(1)), (&["support"], None)];

const RESOURCES: [&str; 3] = ["teams", "issues", "comments"];

/// The requests of a principal with roles in a team.
fn of(test: &Test, subject: &str, roles: &[&str], team: Option<i64>) -> Test {
    let principal = Principal::new(subject).with_roles(roles.iter().copied());
    match team {
        Some(team) => test.as_principal(principal.with_tenant(team)).claim("team", team),
        None => test.as_principal(principal),
    }
}

/// The records of a list by their keys; none of what may not be listed.
async fn list(test: &Test, resource: &str) -> BTreeMap<String, Value> {
    let answer = test.get(format!("/{resource}?limit=100")).await;
    let records = if answer.status() == 200 { answer.json()["data"].clone() } else { json!([]) };
    records.as_array().expect("records").iter().map(|record| (record["id"].to_string(), record.clone())).collect()
}

/// Two teams, each with an owner; the subjects of these.
async fn teams(test: &Test) -> [String; 2] {
    let operator = of(test, "9", &["operator"], None);
    let mut owners = [const { String::new() }; 2];
    for (owner, (team, name)) in owners.iter_mut().zip([("red", "olga"), ("blue", "otto")]) {
        let user = test.users().create_user(name, "correct horse battery").await.expect("a user").id().expect("an id");
        let team = operator.post("/teams", json!({ "name": team })).await.expect(201).json()["id"].clone();
        let member = json!({ "team_id": team, "user_id": user, "name": name, "role": "owner" });
        operator.post("/members", member).await.expect(201);
        *owner = user.to_string();
    }
    owners
}

/// A change of a record in a team, by its owner.
async fn change(test: &Test, owners: &[String; 2], round: i64) {
    let team = 1 + round % 2;
    let owner = &owners[usize::try_from(team - 1).expect("a team")];
    let member = of(test, owner, &["member"], Some(team));
    match round / 2 {
        0 | 1 => drop(member.post("/issues", json!({ "title": format!("of {team}") })).await.expect(201)),
        2 => drop(member.post("/comments", json!({ "issue_id": team, "text": "hello" })).await.expect(201)),
        3 => drop(member.patch(format!("/issues/{team}"), json!({ "title": "another" })).await.expect(200)),
        4 => drop(member.delete(format!("/comments/{team}")).await.expect(200)),
        _ => drop(member.delete(format!("/issues/{team}")).await.expect(200)),
    }
}

#[test]
fn messages_to_a_webhook_are_the_list_of_its_roles() {
    on_each_sql_backend(async |database| {
        let mut receivers = Vec::new();
        for _ in WEBHOOKS {
            receivers.push(Receiver::start().await);
        }
        let webhooks = receivers.iter().fold(Webhooks::new(), |all, receiver| all.allow_http_to(receiver.host()));
        let auth = auth().secret("a secret of at least thirty-two bytes").build().expect("the authentication");
        let service = tracker(database.service().await.auth(auth));
        let service = service.plugin(Events::new().every_audited_resource().webhooks(webhooks)).expect("one plugin");
        let test = service.test().await.expect("the service");
        let owners = teams(&test).await;
        let mut readers = Vec::new();
        for ((roles, team), receiver) in WEBHOOKS.into_iter().zip(&receivers) {
            let admin = of(&test, "9", &[roles, &["admin"]].concat(), team);
            let made = make(&admin, &receiver.url(), roles).await;
            let reader = if roles.is_empty() {
                test.clone()
            } else {
                of(&test, &format!("webhook:{}", made["id"]), roles, team)
            };
            readers.push(reader);
        }
        let mut folded = vec![BTreeMap::<(String, String), Value>::new(); WEBHOOKS.len()];
        let mut told = [0; WEBHOOKS.len()];
        for round in 0..12 {
            change(&test, &owners, round).await;
            deliver(&test).await;
            for (number, receiver) in receivers.iter().enumerate() {
                for message in receiver.take().iter().map(Received::json) {
                    told[number] += 1;
                    let resource = message["resource"].as_str().expect("a resource").to_owned();
                    let key = (resource, message["record_id"].to_string());
                    match &message["data"] {
                        Value::Null => drop(folded[number].remove(&key)),
                        record => drop(folded[number].insert(key, record.clone())),
                    }
                }
                for resource in RESOURCES {
                    let own = folded[number].iter().filter(|((of, _), _)| of == resource);
                    let own: BTreeMap<_, _> = own.map(|((_, key), record)| (key.clone(), record.clone())).collect();
                    // The teams are older than the webhooks.
                    let expected =
                        if resource == "teams" { BTreeMap::new() } else { list(&readers[number], resource).await };
                    assert_eq!(own, expected, "round {round}: {resource} for {:?}", WEBHOOKS[number]);
                }
            }
        }
        assert_eq!((told[0], told[3]), (0, 0), "who reads nothing is told nothing: {told:?}");
        assert_eq!((told[1], told[2]), (6, 6), "{told:?}");
        assert_eq!(told[4], 12, "{told:?}");
    });
}
