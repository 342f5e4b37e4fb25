//! Requests that several servers receive at once and that only one of them can carry out.

use crud_tests::{Backend, Client, Server, audit_log};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::support::with_postgres;

const ROUNDS: usize = 20;

/// Sends the same request to every server at once; returns the statuses, sorted.
async fn race(
    servers: &[Client],
    method: Method,
    target: &str,
    body: Option<Value>,
    version: Option<&str>,
) -> Vec<u16> {
    let mut requests = JoinSet::new();
    for server in servers {
        let (server, method, target) = (server.clone(), method.clone(), target.to_owned());
        let (body, version) = (body.clone(), version.map(str::to_owned));
        requests.spawn(async move {
            let mut request = server.request(method, target);
            if let Some(body) = &body {
                request = request.json(body);
            }
            if let Some(version) = &version {
                request = request.header("if-match", version);
            }
            request.await.status()
        });
    }
    let mut statuses = requests.join_all().await;
    statuses.sort_unstable();
    statuses
}

#[test]
fn conflicting_requests_to_three_servers_succeed_once() {
    with_postgres(async {
        let database = Backend::Postgres.fresh();
        let start = || Server::start(env!("CARGO_BIN_EXE_kitchen"), &database);
        let (first, second, third) = tokio::join!(start(), start(), start());
        let servers = [&first, &second, &third].map(|server| Client::clone(server));
        for round in 0..ROUNDS {
            let new = json!({ "code": format!("parcel {round}"), "weight": 1 });
            assert_eq!(race(&servers, Method::POST, "/parcels", Some(new), None).await, [201, 409, 409]);
            let parcel = format!("/parcels/{}", first.get("/parcels?sort=-id&limit=1").await.ok()["data"][0]["id"]);
            let version = second.get(&parcel).await.header("etag").expect("a version").to_owned();
            let update = json!({ "weight": 2 + round });
            assert_eq!(race(&servers, Method::PUT, &parcel, Some(update), Some(&version)).await, [200, 412, 412]);
            assert_eq!(race(&servers, Method::DELETE, &parcel, None, None).await, [200, 404, 404]);

            let slip = first.post("/slips", &json!({ "code": format!("slip {round}"), "amount": 1 })).await.created();
            let slip = format!("/slips/{}", slip["id"]);
            assert_eq!(race(&servers, Method::DELETE, &slip, None, None).await, [200, 404, 404], "soft delete");
            assert_eq!(race(&servers, Method::POST, &format!("{slip}/restore"), None, None).await, [200, 409, 409]);
        }
        let parcels = audit_log::entries(&third, "Parcel").await;
        assert_eq!(parcels.len(), ROUNDS * 3, "an entry for each change that happened");
        assert!(audit_log::replay(&parcels).expect("a consistent log").values().all(Option::is_none));
        let slips = audit_log::entries(&third, "Slip").await;
        assert_eq!(slips.len(), ROUNDS * 3);
        audit_log::replay(&slips).expect("a consistent log");
    });
}
