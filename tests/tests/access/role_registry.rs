//! Roles that imply others, wherever principals come from, and the table and the log of a start.

use axum::middleware::{Next, from_fn};
use crud_runtime::access::{Access, Role};
use crud_runtime::auth::{AuthParts, Principal};
use crud_runtime::axum::extract::Request;
use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use crud_tests::http::on_each_backend as on_each_http_backend;
use crud_tests::{Api, on_each_backend};
use serde_json::{Value, json};

use crate::start_log::start_log;
use crate::support::{caller, secured};

/// A task, with a rule of each kind that names a role.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    access(read(role("member")), write(role("staff")), delete(role("admin"))),
    scope(role("customer"), customer_id(claim("customer")))
)]
struct Task {
    id: i64,
    #[crud(owner(except(role("member"))))]
    author: String,
    customer_id: Option<i64>,
    #[crud(visible(role("staff")))]
    cost: Option<i32>,
}

fn with_roles(service: Service) -> Service {
    service.access(|access| {
        access
            .role(Role::new("admin").implies("staff"))
            .role(Role::new("staff").implies("member"))
            .role(Role::new("guest").implies("customer").implies("member"))
    })
}

#[test]
fn implied_roles_count_in_every_rule() {
    on_each_backend(async |database| {
        let service = with_roles(secured(database.service().await.resource::<Task>()))
            .access(|access| access.audit_role("staff"));
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let [admin, staff, member] = ["admin", "staff", "member"].map(|role| caller(&api, role, &[role], &[]));
        let body = json!({ "customer_id": 7, "cost": 5 });
        let task = admin.post("/tasks", &body).await.created();
        let path = format!("/tasks/{}", task["id"]);
        assert_eq!(
            (staff.get(&path).await.ok()["cost"].clone(), member.get(&path).await.ok().get("cost")),
            (json!(5), None)
        );
        member.post("/tasks", &body).await.problem("permission_denied");
        staff.delete(&path).await.problem("permission_denied");
        assert_eq!(caller(&api, "9", &["guest"], &[]).get("/tasks").await.ok(), json!([]), "the scope of customers");
        let profile = admin.get("/profile").await.ok();
        assert_eq!(profile["roles"], json!(["admin", "member", "staff"]));
        admin.delete(&path).await.ok();
        api.stop().await;
    });
}

/// The principal that a header names.
fn of_header(name: Option<&str>) -> Option<Principal> {
    name.map(|role| Principal::new(role).with_roles([role]))
}

async fn by_header(parts: AuthParts) -> Result<Option<Principal>, Problem> {
    Ok(of_header(parts.header("x-role")))
}

async fn set_principal(mut request: Request, next: Next) -> axum::response::Response {
    let name = request.headers().get("x-role").and_then(|role| role.to_str().ok()).map(str::to_owned);
    if let Some(principal) = of_header(name.as_deref()) {
        request.extensions_mut().insert(principal);
    }
    next.run(request).await
}

#[test]
fn programs_principals_have_implied_roles_too() {
    on_each_backend(async |database| {
        for is_function in [true, false] {
            let database = &database.backend().fresh();
            let service = with_roles(database.service().await.resource::<Task>());
            let service = if is_function {
                service.access(|access| access.authenticate_with(by_header))
            } else {
                service.access(crud_runtime::AccessOptions::principal_from_layers).layer(from_fn(set_principal))
            };
            let api = Api::start(database, service.migrate().await.expect("the tables")).await;
            let get = async |role: &str| api.get("/tasks").header("x-role", role).await;
            for role in ["admin", "staff", "member", "guest"] {
                assert_eq!(get(role).await.ok(), json!([]), "{role}");
            }
            get("other").await.problem("permission_denied");
            api.stop().await;
        }
    });
}

#[test]
fn users_are_managed_by_a_role_that_implies_theirs() {
    on_each_backend(async |database| {
        let service = secured(database.service().await)
            .access(|access| access.users_role("admin").role(Role::new("root").implies("admin")));
        let service = service.migrate().await.expect("the tables");
        let users = service.users();
        let root = users.create_user("root", "correct horse").roles(["root"]).await.expect("a user");
        let api = Api::start(database, service).await;
        let root = caller(&api, &root.subject, &["root"], &[]);
        assert_eq!(root.get("/auth/users").await.ok()["total"], 1);
        // It is the last one that manages them.
        let path = format!("/auth/users/{}", root.get("/profile").await.ok()["user_id"].as_str().expect("an id"));
        root.patch(path, &json!({ "roles": [] })).await.problem("conflict");
        api.stop().await;
    });
}

#[test]
fn cycle_of_roles_is_refused_at_start() {
    on_each_http_backend(async |database| {
        let refused = async |roles: &[(&str, &str)]| {
            let mut service = secured(database.service().await.resource::<Task>());
            for (role, implied) in roles {
                service = service.access(|access| access.role(Role::new(*role).implies(*implied)));
            }
            service.into_router().expect_err("a cycle").to_string()
        };
        let error = refused(&[("admin", "staff"), ("staff", "member"), ("member", "staff")]).await;
        assert!(error.contains("the roles `member`, `staff` imply each other"), "{error}");
        assert!(refused(&[("admin", "admin")]).await.contains("`admin`"));
    });
}

#[test]
fn table_shows_what_roles_imply() {
    on_each_http_backend(async |database| {
        let service = with_roles(secured(database.service().await.resource::<Task>()));
        let table = service.model().expect("the table").access_table().to_string();
        let (_, implications) = table.rsplit_once("\n\n").expect("a part below");
        let rows: Vec<Vec<&str>> = implications
            .lines()
            .map(|line| line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect())
            .collect();
        assert_eq!(
            rows,
            [
                vec!["ROLE", "IMPLIES"],
                vec!["admin", "member, staff"],
                vec!["guest", "customer, member"],
                vec!["staff", "member"],
            ]
        );
    });
}

/// Pages that members write, and editors read.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(role("editor")), get(role("editors"))))]
struct Page {
    id: i64,
}

/// A page that refers to another, which its creators may read by what their role implies.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(role("editor"))))]
struct Remark {
    id: i64,
    #[crud(references(Page))]
    page_id: i64,
}

#[test]
fn names_of_the_registry_give_no_false_warning() {
    on_each_http_backend(async |database| {
        let service = async || secured(database.service().await.resource::<Page>().resource::<Remark>());
        let before = service().await;
        assert_eq!(start_log(&before, "misspelt").len(), 1, "`editors` is near `editor`");
        assert_eq!(start_log(&before, "may not read the target").len(), 1);
        let with_roles = service().await.access(|access| access.role(Role::new("editor").implies("editors")));
        assert_eq!(start_log(&with_roles, "misspelt"), [""; 0]);
        assert_eq!(start_log(&with_roles, "may not read the target"), [""; 0]);
    });
}

/// A shelf, which the holders of one permission see.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(permission("shelves:all"))))]
struct Shelf {
    id: i64,
}

/// A parcel, which the holders of another permission see, who may have both.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(permission("parcels:all"))))]
struct Parcel {
    id: i64,
    #[crud(references(Shelf))]
    shelf_id: i64,
}

/// Records that no request creates.
#[derive(Debug, Clone, Resource)]
#[crud(operations(list, get))]
struct Entry {
    id: i64,
    #[crud(references(Shelf))]
    shelf_id: i64,
}

/// Records that everyone with a token creates.
#[derive(Debug, Clone, Resource)]
struct Wish {
    id: i64,
    #[crud(references(Shelf))]
    shelf_id: i64,
}

#[test]
fn warning_of_references_needs_a_principal_that_is_known_to_lack_the_read() {
    on_each_http_backend(async |database| {
        let service = secured(database.service().await.resource::<Shelf>().resource::<Parcel>().resource::<Entry>());
        assert_eq!(start_log(&service, "may not read the target"), [""; 0]);
        let lines = start_log(&service.resource::<Wish>(), "may not read the target");
        assert!(matches!(&lines[..], [line] if line.contains("resource=\"Wish\"")), "{lines:?}");
    });
}

#[test]
fn own_route_takes_implied_roles() {
    use crud_runtime::axum::Json;
    use crud_runtime::routing::{Context, get};
    async fn ping(_: Context) -> crud_runtime::Result<Json<Value>> {
        Ok(Json(json!(true)))
    }
    on_each_http_backend(async |database| {
        let service = with_roles(secured(database.service().await));
        let service = service.route("/ping", get(ping).access(Access::Role("member")));
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        assert_eq!(*caller(&api, "1", &["admin"], &[]).get("/ping").await.expect(200).json(), json!(true));
        caller(&api, "1", &["other"], &[]).get("/ping").await.problem("permission_denied");
        api.stop().await;
    });
}
