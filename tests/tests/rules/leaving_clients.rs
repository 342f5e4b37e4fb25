//! Clients that close their connection before the answer: what becomes of the changes of their requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crud_runtime::access::Access;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Locked, post};
use crud_runtime::{Error, Result};
use crud_tests::{Api, Database, RawConnection, on_each_transactional_backend, wait_until};
use serde_json::json;
use tokio::sync::Notify;

use crate::resources::{Part, PartPatch, part, resources};

/// A handler that is at its gate.
#[derive(Debug, Default)]
struct Gate {
    is_reached: AtomicBool,
    is_left: AtomicBool,
    opened: Notify,
}

/// Says that a handler has ended, or was dropped.
struct Leaving(Arc<Gate>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.is_left.store(true, Ordering::Relaxed);
    }
}

impl Gate {
    async fn pass(self: &Arc<Self>) {
        let _leaving = Leaving(self.clone());
        self.is_reached.store(true, Ordering::Relaxed);
        self.opened.notified().await;
    }
}

/// Changes its record in the request's transaction.
async fn change(ctx: Context, lamp: Locked<Part>) -> Result<()> {
    ctx.store::<Part>().update(lamp.id, PartPatch::default().stock(9)).await?;
    ctx.extension::<Arc<Gate>>()?.pass().await;
    Ok(())
}

/// Changes a record in a task, which goes on without the request.
async fn change_in_a_task(ctx: Context) -> Result<()> {
    let (app, gate) = (ctx.app().clone(), ctx.extension::<Arc<Gate>>()?.clone());
    let changed = tokio::spawn(async move {
        app.transaction(async |tx| {
            let lamp = tx.store::<Part>().get_where(Part::FIELDS.name.eq("lamp")).await?;
            tx.store::<Part>().update(lamp.id, PartPatch::default().stock(9)).await?;
            gate.pass().await;
            Ok::<_, Error>(())
        })
        .await
    });
    changed.await.map_err(Problem::internal)?
}

async fn served(database: &Database) -> (Api, App, Arc<Gate>) {
    let gate = Arc::new(Gate::default());
    let service = resources(database)
        .await
        .extension(gate.clone())
        .route("/parts/{id}/change", post(change))
        .route("/change", post(change_in_a_task).access(Access::Public))
        .limits(|limits| limits.transaction_timeout(std::time::Duration::from_secs(30)));
    let service = service.migrate().await.expect("the tables");
    let app = service.app();
    app.store::<Part>().create(part("lamp", 5)).await.expect("a part");
    (Api::start(database, service).await, app, gate)
}

/// Sends a request, and closes the connection when its handler runs.
async fn leave(api: &Api, path: &str, gate: &Gate) {
    let mut client = RawConnection::connect(api.address()).await;
    client.send(format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n")).await;
    wait_until("the handler runs", async || gate.is_reached.load(Ordering::Relaxed)).await;
}

async fn stock(app: &App) -> i32 {
    app.store::<Part>().get_where(Part::FIELDS.name.eq("lamp")).await.expect("the lamp").stock
}

#[test]
fn transaction_of_a_request_whose_client_leaves_is_rolled_back() {
    on_each_transactional_backend(async |database| {
        let (api, app, gate) = served(database).await;
        let id = app.store::<Part>().first(Select::all()).await.expect("a list").expect("the lamp").id;
        leave(&api, &format!("/parts/{id}/change"), &gate).await;
        wait_until("the handler is dropped", async || gate.is_left.load(Ordering::Relaxed)).await;
        // Its lock is released, too.
        let changed = api.patch(format!("/parts/{id}"), &json!({ "name": "lamp 2" })).await.ok();
        assert_eq!(changed["stock"], 5);
        api.stop().await;
    });
}

#[test]
fn transaction_in_a_task_is_committed_without_its_client() {
    on_each_transactional_backend(async |database| {
        let (api, app, gate) = served(database).await;
        leave(&api, "/change", &gate).await;
        gate.opened.notify_one();
        wait_until("the change is committed", async || stock(&app).await == 9).await;
        api.stop().await;
    });
}
