//! [`Three`]: a primary with two synchronous standbys, and a service on them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crud_runtime::prelude::App;
use crud_tests::kitchen::Tag;
use crud_tests::{Answer, Api, Client, Cluster, Database, wait_until, within};
use serde_json::json;
use tokio::task::spawn_blocking;

use super::clients::Clients;
use super::{connect, execute, holds, synchronous};

/// Runs what waits for a server's program on another thread.
pub(crate) async fn with(cluster: &Arc<Cluster>, work: fn(&Cluster)) {
    let cluster = cluster.clone();
    spawn_blocking(move || work(&cluster)).await.expect("the server's program");
}

/// Creates a tag that no other request creates.
pub(crate) async fn create_any_tag(client: &Client) -> Answer {
    client.post("/tags", &json!({ "slug": format!("any-{}", fastrand::u64(..)) })).await
}

/// Waits until a change is acknowledged; every other answer is 503.
pub(crate) async fn wait_for_writes(client: &Client, limit: Duration) {
    let acknowledged = async {
        loop {
            let answer = create_any_tag(client).await;
            if answer.status() == 201 {
                return;
            }
            assert!(answer.header("retry-after").is_some(), "{answer}");
            answer.problem("unavailable");
        }
    };
    within(limit, "a change is possible", acknowledged).await;
}

/// The servers, and a service with this time for a request.
pub(crate) struct Three {
    pub(crate) own: Database,
    pub(crate) first: Arc<Cluster>,
    pub(crate) second: Arc<Cluster>,
    pub(crate) third: Arc<Cluster>,
    pub(crate) app: App,
    pub(crate) api: Api,
}

impl Three {
    pub(crate) async fn start(limit: Duration) -> Self {
        let first = Cluster::durable();
        let own = Database::in_cluster(&first);
        let (second, third) = (first.replica(), first.replica());
        synchronous(own.url(), Some("2 (*)")).await;
        let database = own.in_all(&[&third, &second, &first]);
        let service = database.service().await.limits(|limits| limits.request_timeout(limit)).resource::<Tag>();
        let service = service.migrate().await.expect("the tables");
        let app = service.app();
        let api = Api::start(&database, service).await;
        Self { own, first, second, third, app, api }
    }

    /// Starts so many clients that create tags.
    pub(crate) fn clients(&self, count: usize) -> Clients {
        Clients::start(&self.api, count)
    }

    pub(crate) async fn end(self) {
        // The removal of the database waits for no standby.
        synchronous(self.own.url(), None).await;
        self.api.stop().await;
    }

    /// Makes the third server stream from the second.
    pub(crate) async fn third_follows_second(&self) {
        let directory = self.second.directory().display();
        let follow = format!("ALTER SYSTEM SET primary_conninfo = 'host={directory} user=crud'");
        execute(&self.own.url_in(&self.third), &follow).await;
        execute(&self.own.url_in(&self.third), "SELECT pg_reload_conf()").await;
        let streams = "EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming')";
        wait_until("the third follows", async || holds(&self.own.url_in(&self.second), streams).await).await;
    }

    /// Stops the clients. Every acknowledged tag is stored; returns how many answers had each status.
    pub(crate) async fn reconcile(&self, clients: Clients) -> BTreeMap<u16, usize> {
        clients.reconcile(&self.api).await
    }
}

/// The number of tags on one of the servers.
pub(crate) async fn count_tags(url: &str) -> i64 {
    let mut connection = connect(url).await;
    sqlx::query_scalar("SELECT count(*) FROM tags").fetch_one(&mut connection).await.expect("a number")
}
