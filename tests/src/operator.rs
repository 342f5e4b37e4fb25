//! [`Operator`]: the operator of an example whose process tests kill.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::answer::Answer;
use crate::client::{Client, Request};
use crate::process::Server;

/// The operator's password.
const PASSWORD: &str = "a password of this test";

/// A client with the token of a service's operator, which counts the changes that are acknowledged.
#[derive(Debug, Clone)]
pub struct Operator {
    client: Client,
    authorization: String,
    acknowledged: Arc<AtomicUsize>,
}

impl Operator {
    /// The variables of a process that has this operator.
    pub const VARIABLES: [(&str, &str); 2] =
        [("ADMIN_PASSWORD", PASSWORD), ("JWT_SECRET_KEY", "the secret of the tests of crashes, which is public")];

    /// Logs in.
    ///
    /// # Panics
    /// When the service refuses.
    pub async fn log_in(server: &Server) -> Self {
        let body = json!({ "username": "admin", "password": PASSWORD });
        let tokens = server.post("/auth/login", &body).await.ok();
        let token = tokens["access_token"].as_str().expect("a token");
        Self { client: Client::clone(server), authorization: format!("Bearer {token}"), acknowledged: Arc::default() }
    }

    /// The JSON of a path.
    ///
    /// # Panics
    /// When the answer is not 200.
    pub async fn get(&self, path: &str) -> Value {
        self.client.get(path).header("authorization", &self.authorization).await.ok()
    }

    /// Every record of a list.
    ///
    /// # Panics
    /// When an answer is not a page.
    pub async fn all(&self, path: &str) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let page = self.get(&format!("{path}?limit=100&skip={}", all.len())).await;
            let records = page["data"].as_array().expect("a page").clone();
            all.extend(records);
            if all.len() as u64 >= page["total"].as_u64().expect("a total") {
                return all;
            }
        }
    }

    /// Creates a record; returns its key.
    ///
    /// # Panics
    /// When the answer is not 201.
    pub async fn create(&self, path: &str, body: Value) -> i64 {
        let record = self.client.post(path, &body).header("authorization", &self.authorization).await.created();
        record["id"].as_i64().expect("a key")
    }

    /// The answer to a `POST`; `None` when there is none, or it is refused.
    pub async fn try_post(&self, path: &str, body: &Value) -> Option<Value> {
        self.attempt(self.client.post(path, body)).await.map(Answer::into_json)
    }

    /// Whether a `PUT` is acknowledged: answered, and not refused.
    pub async fn try_put(&self, path: &str, body: &Value) -> bool {
        self.attempt(self.client.put(path, body)).await.is_some()
    }

    async fn attempt(&self, request: Request<'_>) -> Option<Answer> {
        let request = request.header("authorization", &self.authorization);
        let answer = request.attempt().await.filter(|answer| answer.status() < 300)?;
        self.acknowledged.fetch_add(1, Ordering::Relaxed);
        Some(answer)
    }

    /// Number of changes that were acknowledged.
    pub fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::Relaxed)
    }
}
