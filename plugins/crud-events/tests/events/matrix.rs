//! The attackers' matrix: what each person of the tracker is told by each way to events, folded into the list before, is the list
//! afterwards, and names no record that neither list has.

use std::collections::BTreeMap;

use crud_events::Events;
use crud_runtime::testing::Test;
use crud_tests::{Database, on_each_sql_backend};
use serde_json::{Value, json};
use tracker::{auth, tracker};

use crate::board::Folded;
use crate::ways::{Reader, Way, content};

/// The resources with events, by their paths.
const RESOURCES: [&str; 4] = ["teams", "members", "issues", "comments"];

/// The people: operator, support, owners of two teams, a member, a guest, a stranger who becomes a guest, and a request without a
/// token.
const PEOPLE: [&str; 8] = ["ada", "sue", "olga", "otto", "mia", "gus", "eve", "nobody"];

const PASSWORD: &str = "correct horse battery";

/// The tracker, whose people have tokens.
pub(crate) struct World {
    test: Test,
    pub(crate) readers: BTreeMap<&'static str, Reader>,
}

/// A list with the number after which its events are new, or the code of the problem.
type Known = Result<(Folded, String), Value>;

impl World {
    /// The tracker with events on a database.
    pub(crate) async fn of(database: &Database) -> Self {
        let auth = auth().secret("a secret of at least thirty-two bytes").build().expect("the authentication");
        let service = tracker(database.service().await.auth(auth));
        let service = service.plugin(Events::new().every_audited_resource()).expect("one plugin");
        Self::new(service.test().await.expect("the service")).await
    }

    async fn new(test: Test) -> Self {
        let roles = |name: &str| match name {
            "ada" => Some("operator"),
            "sue" => Some("support"),
            _ => None,
        };
        let nobody = ("nobody", Reader { test: test.clone(), token: None });
        let mut world = Self { test, readers: BTreeMap::from([nobody]) };
        for name in PEOPLE.into_iter().filter(|name| *name != "nobody") {
            world.test.users().create_user(name, PASSWORD).roles(roles(name)).await.expect("a user");
            world.login(name).await;
        }
        for (team, owner) in [("red", "olga"), ("blue", "otto")] {
            let team = world.send("ada", "POST", "teams", json!({ "name": team })).await["id"].clone();
            let user = world.user(owner).await;
            let member = json!({ "team_id": team, "user_id": user, "name": owner, "role": "owner" });
            world.send("ada", "POST", "members", member).await;
            world.login(owner).await;
        }
        for (name, role) in [("mia", "member"), ("gus", "guest")] {
            world.join(name, role).await;
        }
        world
    }

    async fn login(&mut self, name: &'static str) {
        let body = json!({ "username": name, "password": PASSWORD });
        let answer = self.test.post("/auth/login", body).await.expect(200).json();
        let token = answer["access_token"].as_str().map(str::to_owned);
        self.readers.insert(name, Reader { test: self.test.clone(), token });
    }

    async fn user(&self, name: &str) -> i64 {
        let users = self.test.users().list().await.expect("the users");
        users.into_iter().find(|(username, _)| username == name).and_then(|(_, user)| user.id().ok()).expect("a user")
    }

    /// Adds a person to the team of olga; the member's id.
    async fn join(&mut self, name: &'static str, role: &str) -> i64 {
        let member = json!({ "user_id": self.user(name).await, "name": name, "role": role });
        let made = self.send("olga", "POST", "members", member).await;
        self.login(name).await;
        made["id"].as_i64().expect("an id")
    }

    /// A request that changes something.
    pub(crate) async fn send(&self, name: &str, method: &str, path: &str, body: Value) -> Value {
        let reader = &self.readers[name];
        let request = self.test.request(method.parse().expect("a method"), format!("/{path}"));
        let request = if body.is_null() { request } else { request.json(body) };
        let answer = content(&reader.sign(request).await);
        answer.unwrap_or_else(|problem| panic!("{name}: {method} {path}: {problem}"))
    }

    /// A person's member of the team of olga.
    pub(crate) async fn member(&self, name: &str) -> i64 {
        let user = self.user(name).await;
        let answer = self.readers["olga"].get(&format!("/members?user_id={user}")).await.expect("members");
        answer["data"][0]["id"].as_i64().expect("a member")
    }

    async fn list(&self, name: &str, resource: &str) -> Known {
        let reader = &self.readers[name];
        let answer = reader.sign(self.test.get(format!("/{resource}?limit=100"))).await;
        let records = content(&answer).map_err(|problem| problem["code"].clone())?;
        let after = answer.header("events-after").expect("a number").to_owned();
        let records = records["data"].as_array().expect("records").iter();
        Ok((Folded(records.map(|record| (record["id"].to_string(), record.clone())).collect()), after))
    }
}

/// Changes that people make, one after the other, each of which moves records into or out of what some of them see.
async fn change(world: &mut World, round: usize) {
    let issue = |number: i64| format!("issues/{number}");
    let title = |text: &str| json!({ "title": text });
    match round {
        0 => drop(world.send("olga", "POST", "issues", title("red")).await),
        1 => drop(world.send("otto", "POST", "issues", title("blue")).await),
        2 => drop(world.send("olga", "PATCH", &issue(1), title("redder")).await),
        3 => drop(world.send("olga", "PATCH", &issue(1), json!({ "assignee_id": world.member("gus").await })).await),
        4 => drop(world.send("mia", "POST", "comments", json!({ "issue_id": 1, "text": "hello" })).await),
        5 => drop(world.send("gus", "POST", &format!("{}/start", issue(1)), json!({})).await),
        6 => drop(world.send("olga", "PATCH", &issue(1), json!({ "assignee_id": null })).await),
        7 => drop(world.send("mia", "PATCH", "comments/1", json!({ "text": "hello again" })).await),
        8 => drop(world.send("olga", "DELETE", &issue(1), Value::Null).await),
        9 => drop(world.send("otto", "POST", "comments", json!({ "issue_id": 2, "text": "of blue" })).await),
        10 => drop(world.send("olga", "POST", &format!("{}/restore", issue(1)), json!({})).await),
        11 => drop(world.join("eve", "guest").await),
        12 => drop(world.send("olga", "PATCH", &issue(1), json!({ "assignee_id": world.member("eve").await })).await),
        13 => drop(world.send("ada", "PATCH", "teams/1", json!({ "name": "crimson" })).await),
        14 => {
            let member = format!("members/{}", world.member("eve").await);
            drop(world.send("olga", "PATCH", &member, json!({ "name": "eva" })).await);
        }
        15 => drop(world.send("mia", "DELETE", "comments/1", Value::Null).await),
        16 => {
            let member = format!("members/{}", world.member("mia").await);
            drop(world.send("olga", "DELETE", &member, Value::Null).await);
        }
        17 => {
            let member = format!("members/{}", world.member("gus").await);
            drop(world.send("olga", "PATCH", &member, json!({ "role": "member" })).await);
        }
        18 => drop(world.send("otto", "DELETE", &issue(2), Value::Null).await),
        _ => drop(world.send("gus", "PATCH", &issue(1), json!({ "assignee_id": null, "title": "of all" })).await),
    }
}

/// Number of rounds of changes.
const ROUNDS: usize = 20;

/// Folds events into a list; whether it is to be read again. Each event is of a record of one of the lists.
fn fold(what: &str, before: &mut Folded, now: &Folded, events: &[Value]) -> bool {
    let all = before.0.clone();
    for event in events {
        if event["type"] == "reset" {
            return true;
        }
        let key = event["record_id"].to_string();
        assert!(all.contains_key(&key) || now.0.contains_key(&key), "{what}: a stranger's record is told: {event}");
        before.apply(event);
    }
    false
}

#[test]
fn events_by_each_way_are_what_lists_have() {
    on_each_sql_backend(async |database| {
        let mut world = World::of(database).await;
        let (mut known, mut told, mut resets, mut refused) = (BTreeMap::new(), 0, 0, 0);
        for round in 0..=ROUNDS {
            if round > 0 {
                change(&mut world, round - 1).await;
            }
            for (person, name) in PEOPLE.into_iter().enumerate() {
                for (number, resource) in RESOURCES.into_iter().enumerate() {
                    let now = world.list(name, resource).await;
                    let before: Option<Known> = known.insert((name, resource), now.clone());
                    let way = Way::ALL[(round + person + number) % Way::ALL.len()];
                    let what = format!("round {round}: {name} reads {resource} by {way:?}");
                    let after = match (&before, &now) {
                        (Some(Ok((_, after))), _) | (_, Ok((_, after))) => after.clone(),
                        _ => "0".to_owned(),
                    };
                    let read = world.readers[name].read(way, resource, &[], &after).await;
                    match (before, now, read) {
                        (Some(Ok((mut folded, _))), Ok((now, _)), Ok(events)) => {
                            told += events.len();
                            let is_reset = fold(&what, &mut folded, &now, &events);
                            resets += usize::from(is_reset);
                            assert!(is_reset || folded == now, "{what}: {folded:?} is not {now:?} after {events:?}");
                        }
                        (_, Ok(_), Ok(_)) => {}
                        (_, Err(code), Err(problem)) => {
                            refused += 1;
                            assert_eq!(problem["code"], code, "{what}");
                        }
                        (_, now, read) => panic!("{what}: a list has {:?}, events are {read:?}", now.err()),
                    }
                }
            }
        }
        assert!(told > 60 && resets > 5 && refused > 50, "{told} events, {resets} resets, {refused} refusals");
    });
}
