//! [`Held`]: what clients have of a service, which an upgrade keeps.

use crud_tests::{Answer, Client, wait_until};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Password of the administrator and of every new user.
pub(crate) const PASSWORD: &str = "correct horse";

/// Names, tokens, a key and a cursor that clients have of a service.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Held {
    /// Ending of the texts of its notes, the names of its users, and its key.
    tag: String,
    /// Refresh token of a session.
    open: String,
    /// Refresh token of a session that another password ended.
    ended: String,
    /// Refresh token of a user who is disabled.
    disabled: String,
    disabled_user: i64,
    /// Refresh token of a session that its user left.
    left: String,
    /// Answer to the request with the key.
    first: Value,
    cursor: String,
    /// The note after the cursor.
    after_cursor: i64,
}

/// Tokens of a login.
struct Tokens {
    access: String,
    refresh: String,
}

async fn login(client: &Client, name: &str) -> Tokens {
    let body = client.post("/auth/login", &json!({ "username": name, "password": PASSWORD })).await.ok();
    let token = |name: &str| body[name].as_str().expect("a token").to_owned();
    Tokens { access: token("access_token"), refresh: token("refresh_token") }
}

async fn refresh(client: &Client, token: &str) -> Answer {
    client.post("/auth/refresh", &json!({ "refresh_token": token })).await
}

async fn send(client: &Client, method: Method, path: &str, token: &str, body: &Value) -> Answer {
    client.request(method, path).header("authorization", &format!("Bearer {token}")).json(body).await
}

async fn get(client: &Client, path: &str, token: &str) -> Value {
    client.get(path).header("authorization", &format!("Bearer {token}")).await.ok()
}

async fn post_with_key(client: &Client, token: &str, tag: &str) -> Answer {
    let request = client.post("/notes", &json!({ "text": format!("first {tag}") })).header("idempotency-key", tag);
    request.header("authorization", &format!("Bearer {token}")).await
}

fn id(record: &Value) -> i64 {
    record["id"].as_i64().expect("a key")
}

impl Held {
    /// Writes users, notes and jobs by a server; what its clients have then.
    pub(crate) async fn write(client: &Client, tag: &str) -> Self {
        let admin = login(client, "admin").await.access;
        let mut users = Vec::new();
        for name in ["open", "ended", "disabled", "left"] {
            let body = json!({ "username": format!("{name} {tag}"), "password": PASSWORD });
            let user = send(client, Method::POST, "/auth/users", &admin, &body).await.created();
            users.push((id(&user), login(client, &format!("{name} {tag}")).await));
        }
        let [(_, open), (_, ended), (disabled_user, disabled), (_, left)] =
            users.try_into().unwrap_or_else(|_| unreachable!("there are four"));
        // Its own session ends with the change in any case.
        let other = login(client, &format!("ended {tag}")).await.access;
        let passwords = json!({ "old_password": PASSWORD, "new_password": "a better password" });
        send(client, Method::POST, "/auth/password", &other, &passwords).await.expect(204);
        let disable = json!({ "disabled": true });
        send(client, Method::PATCH, &format!("/auth/users/{disabled_user}"), &admin, &disable).await.ok();
        send(client, Method::POST, "/auth/logout", &left.access, &json!({})).await.expect(204);

        let first = post_with_key(client, &admin, tag).await.created();
        let mut notes = vec![id(&first)];
        for text in ["second", "later"] {
            let body = json!({ "text": format!("{text} {tag}") });
            notes.push(id(&send(client, Method::POST, "/notes", &admin, &body).await.created()));
        }
        let changed = json!({ "text": format!("changed {tag}") });
        send(client, Method::PATCH, &format!("/notes/{}", notes[0]), &admin, &changed).await.ok();
        let page = get(client, "/notes?limit=1", &admin).await;
        let cursor = page["next_cursor"].as_str().expect("a cursor").to_owned();
        let next = get(client, &format!("/notes?limit=1&cursor={cursor}"), &admin).await;
        let held = Self {
            tag: tag.to_owned(),
            open: open.refresh,
            ended: ended.refresh,
            disabled: disabled.refresh,
            disabled_user,
            left: left.refresh,
            first,
            cursor,
            after_cursor: id(&next["data"][0]),
        };
        held.wait_for_letters(client, &admin, &["first", "second", "changed"]).await;
        held
    }

    async fn wait_for_letters(&self, client: &Client, admin: &str, begins: &[&str]) {
        wait_until("the jobs have sent their letters", async || {
            let letters = get(client, "/letters", admin).await.to_string();
            begins.iter().all(|text| letters.contains(&format!("{text} {}", self.tag)))
        })
        .await;
    }

    /// Waits until a server has run the job that was left for later, which is due.
    pub(crate) async fn wait_for_later_letter(&self, client: &Client) {
        let admin = login(client, "admin").await.access;
        self.wait_for_letters(client, &admin, &["later"]).await;
    }

    /// Whether a server lists the job that was left for later.
    pub(crate) async fn has_later_job(&self, client: &Client) -> bool {
        let admin = login(client, "admin").await.access;
        get(client, "/_service/jobs", &admin).await.to_string().contains(&format!("later {}", self.tag))
    }

    /// Checks that a server honours what clients have.
    pub(crate) async fn check(&self, client: &Client) {
        let admin = login(client, "admin").await.access;
        let open = refresh(client, &self.open).await.ok();
        get(client, "/profile", open["access_token"].as_str().expect("a token")).await;
        for (why, token) in [("ended", &self.ended), ("disabled", &self.disabled), ("left", &self.left)] {
            assert_eq!(refresh(client, token).await.status(), 401, "{why} {}", self.tag);
        }
        let user = format!("/auth/users/{}", self.disabled_user);
        assert_eq!(get(client, &user, &admin).await["disabled"], true);
        send(client, Method::PATCH, &user, &admin, &json!({ "disabled": false })).await.ok();
        assert_eq!(refresh(client, &self.disabled).await.status(), 401, "enabled {}", self.tag);
        send(client, Method::PATCH, &user, &admin, &json!({ "disabled": true })).await.ok();

        let again = post_with_key(client, &admin, &self.tag).await;
        assert_eq!(again.header("idempotency-replayed"), Some("true"), "{}", self.tag);
        assert_eq!(again.created(), self.first);
        let next = get(client, &format!("/notes?limit=1&cursor={}", self.cursor), &admin).await;
        assert_eq!(id(&next["data"][0]), self.after_cursor);
        let note = id(&self.first);
        assert_eq!(get(client, &format!("/notes/{note}"), &admin).await["text"], format!("changed {}", self.tag));
        let log = get(client, &format!("/audit-logs?entity_type=Note&entity_id={note}"), &admin).await;
        let actions: Vec<_> = log["data"].as_array().expect("entries").iter().map(|entry| &entry["action"]).collect();
        assert_eq!(actions, ["create", "update"]);
        assert_eq!(log["data"][0]["changes"]["text"], format!("first {}", self.tag));
        self.wait_for_letters(client, &admin, &["first", "second", "changed"]).await;
    }
}
