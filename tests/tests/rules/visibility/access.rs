use crud_runtime::Result;
use crud_runtime::access::Access;
use crud_runtime::auth::{Auth, Principal};
use crud_runtime::prelude::*;
use crud_runtime::routing::{delete, get, patch, post, put};
use crud_runtime::testing::Test;
use crud_tests::{log_lines, on_each_backend};

/// A note whose parts of access differ.
#[derive(Debug, Clone, Resource)]
#[crud(access(
    list(permission("list")),
    get(permission("get")),
    create(permission("create")),
    update(permission("update")),
    delete(permission("delete"))
))]
struct Label {
    id: i64,
    name: String,
}

async fn nothing() -> Result<()> {
    Ok(())
}

#[test]
fn route_without_access_has_that_of_the_operation_that_it_resembles() {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap();
        let service = database.service().await.auth(auth).resource::<Label>();
        let service = service
            .route("/labels/{id}/x", get(nothing))
            .route("/labels/{id}/x", put(nothing))
            .route("/labels/{id}/x", post(nothing))
            .route("/labels/{id}/x", patch(nothing))
            .route("/labels/{id}/x", delete(nothing))
            .route("/labels", delete(nothing))
            .route("/labels/y", get(nothing))
            .route("/labels/y", post(nothing))
            .route("/labels/y", delete(nothing))
            .route("/labels/z", post(nothing).access(Access::Authenticated))
            .route("/free", post(nothing).access(Access::Authenticated));
        let document = service.openapi_json().unwrap();
        let test = service.test().await.unwrap();
        let all = ["list", "get", "create", "update", "delete"];
        for (method, path, needed) in [
            ("GET", "/labels/1/x", Some("get")),
            ("PUT", "/labels/1/x", Some("update")),
            ("POST", "/labels/1/x", Some("update")),
            ("PATCH", "/labels/1/x", Some("update")),
            ("DELETE", "/labels/1/x", Some("update")),
            ("DELETE", "/labels", Some("delete")),
            ("GET", "/labels/y", Some("list")),
            ("POST", "/labels/y", Some("create")),
            ("DELETE", "/labels/y", Some("create")),
            ("POST", "/labels/z", None),
            ("POST", "/free", None),
        ] {
            let request = |test: &Test| test.request(method.parse().unwrap(), path);
            request(&test).await.problem("authentication_failed");
            let Some(needed) = needed else {
                request(&test.as_principal(Principal::new("1"))).await.expect(204);
                continue;
            };
            request(&test.as_principal(Principal::new("1").with_permissions([needed]))).await.expect(204);
            let others = all.into_iter().filter(|other| *other != needed);
            request(&test.as_principal(Principal::new("1").with_permissions(others)))
                .await
                .problem("permission_denied");
            let operation = &document["paths"][path.replace("/1/", "/{id}/")][method.to_lowercase()];
            let says = operation["description"].as_str().unwrap_or_default();
            assert!(says.contains(&format!("Requires the permission `{needed}`.")), "{method} {path}: {says}");
        }
    });
}

/// A resource whose reads and writes are open.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(public)))]
struct Board {
    id: i64,
}

#[test]
fn routes_whose_access_nothing_states_are_a_line_at_start() {
    on_each_backend(async |database| {
        let lines = async |is_secured: bool| {
            let service = database.service().await.resource::<Label>().resource::<Board>();
            let auth = || Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap();
            let service = if is_secured { service.auth(auth()) } else { service.without_auth() };
            let service = service
                .route("/boards/{id}/pin", post(nothing))
                .route("/boards/pinned", get(nothing).access(Access::Public))
                .route("/labels/{id}/x", post(nothing))
                .route("/own", get(nothing).access(Access::Authenticated));
            let lines = log_lines(|| drop(service.into_router().unwrap()));
            lines.into_iter().filter(|line| line.contains("state no access")).collect::<Vec<_>>()
        };
        assert_eq!(
            lines(true).await,
            [
                "WARN message=routes state no access and are open, as the operations that they resemble: add `.access(…)` \
                 routes=\"POST /boards/{id}/pin\""
            ]
        );
        assert_eq!(lines(false).await, [""; 0]);
    });
}

#[test]
fn route_below_no_resource_without_access_is_refused_at_start() {
    on_each_backend(async |database| {
        let auth = || Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap();
        let service = async || database.service().await.resource::<Label>().route("/top", get(nothing));
        for service in [service().await.auth(auth()), service().await.without_auth()] {
            let error = service.into_router().unwrap_err().to_string();
            assert!(error.starts_with("the route GET `/top` states no access"), "{error}");
            assert!(error.contains(".access(Access::Authenticated)"), "{error}");
        }
        // Without authentication, nothing could tell callers apart.
        drop(database.service().await.route("/top", get(nothing)).into_router().unwrap());
    });
}
