use std::future::pending;
use std::sync::Arc;

use crud_runtime::Error;
use crud_runtime::access::Access;
use crud_runtime::axum::Json;
use crud_runtime::routing::{Routes, get};

use super::{Book, By, message, service};

/// A plugin with a route that answers with the names of all resources.
fn names() -> By {
    By {
        routes: |model| {
            let names: Vec<String> = model.resources().map(|it| it.descriptor().name.to_owned()).collect();
            let route = get(move || std::future::ready(Json(names.clone())));
            Ok(Routes::new().route("/names", route.access(Access::Public)))
        },
        ..By::named("names")
    }
}

#[tokio::test]
async fn routes_see_resources_that_are_added_later() {
    let test = service().await.plugin(names()).unwrap().resource::<Book>().test().await.unwrap();
    assert_eq!(test.get("/names").await.expect(200).json(), serde_json::json!(["Book"]));
    let document = test.get("/openapi.json").await.expect(200).json();
    assert!(document["paths"]["/names"]["get"].is_object(), "its routes are in the document");
}

#[tokio::test]
async fn access_table_has_the_routes_of_plugins() {
    let service = service().await.plugin(names()).unwrap().resource::<Book>();
    let table = service.model().unwrap().access_table();
    assert!(table.routes().iter().any(|route| route.path == "/names" && route.is_open));
}

#[tokio::test]
async fn service_that_a_plugin_is_not_ready_for_does_not_start() {
    let refusing = || By {
        ready: |state| match state.model().resources().count() {
            1 => Ok(()),
            _ => Err(Error::Setup("notes needs one resource".to_owned())),
        },
        ..By::named("notes")
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let served = service().await.plugin(refusing()).unwrap().migrate().await.unwrap();
    assert_eq!(message(served.serve_on(listener, std::future::pending()).await), "notes needs one resource");
    assert!(service().await.plugin(refusing()).unwrap().resource::<Book>().test().await.is_ok());
}

/// A channel's end that reports when it is dropped.
struct Alive(#[allow(dead_code, reason = "its drop is the report")] Arc<()>);

#[tokio::test]
async fn task_beside_requests_runs_from_the_start_to_the_drain() {
    let (begun, is_begun) = tokio::sync::oneshot::channel();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let (kept, begun) = (Arc::new(()), std::sync::Mutex::new(Some(begun)));
    let held = Arc::downgrade(&kept);
    let beside = std::sync::Mutex::new(Some(Alive(kept)));
    let service = service().await.resource::<Book>().beside(move |state| {
        let (alive, begun) = (beside.lock().unwrap().take(), begun.lock().unwrap().take());
        async move {
            let _ = begun.expect("one start").send(state.model().resources().count());
            pending::<()>().await;
            drop(alive);
        }
    });
    let (_, background) = service.migrate().await.unwrap().into_parts().unwrap();
    let running = tokio::spawn(background.run(async { drop(stopped.await) }));
    assert_eq!(is_begun.await, Ok(1), "it has the state of the service");
    assert!(held.upgrade().is_some(), "it runs");
    drop(stop);
    running.await.unwrap().unwrap();
    assert!(held.upgrade().is_none(), "it is dropped");
}

#[tokio::test]
async fn plugin_without_tables_and_routes_changes_nothing() {
    let with = service().await.plugin(By::named("notes")).unwrap().resource::<Book>();
    let without = service().await.resource::<Book>();
    assert_eq!(with.plan().await.unwrap(), without.plan().await.unwrap());
    let routes = |service: &crud_runtime::Service| service.model().unwrap().access_table().to_string();
    assert_eq!(routes(&with), routes(&without));
    let document = |service: &crud_runtime::Service| service.openapi_json().unwrap();
    assert_eq!(document(&with), document(&without));
    assert!(
        !without.plan().await.unwrap().concat().contains("crud_owners"),
        "no table of owners without tables of plugins"
    );
}
