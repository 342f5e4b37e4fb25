//! The page of a service: what each caller is told, its files, and its session.

use std::any::Any;

use crud_admin::Admin;
use crud_runtime::Column;
use crud_runtime::access::Access;
use crud_runtime::auth::Auth;
use crud_runtime::column::{ColumnAttribute, ColumnError, Keywords, Kind, ValueRef};
use crud_runtime::prelude::*;
use crud_runtime::routing::{self, post, put};
use crud_runtime::testing::Test;
use crud_runtime::{Result, Service};
use serde_json::{Map, Value, json};

/// A shelf of books.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination, access(all(authenticated)))]
struct Shelf {
    id: i64,
    label: String,
    #[crud(visible(role("admin")), default = 0)]
    rank: i64,
}

/// State of a book.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(rename_all = "snake_case")]
enum State {
    Draft,
    Published,
}

/// A shop, which the page's readers only read.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    sort,
    pagination,
    access(all(authenticated)),
    admin(title(code), list(city, code), group = "Places", read_only)
)]
struct Shop {
    id: i64,
    name: String,
    code: i64,
    city: String,
}

/// A stamp, which no menu has.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)), admin(hide))]
struct Stamp {
    id: i64,
    text: String,
}

/// A book.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(title, shelf_id, shelf::label),
    sort(title, shelf::label, shelf::rank),
    search(title),
    pagination(max_limit = 50),
    soft_delete,
    audit,
    batch,
    access(read(authenticated), write(role("editor")), delete(role("admin")))
)]
struct Book {
    id: i64,
    /// The title on the cover.
    #[crud(length(min = 1, max = 200))]
    title: String,
    #[crud(references(Shelf, expand))]
    shelf_id: i64,
    #[crud(visible(role("admin")))]
    cost: Option<i64>,
    #[crud(write_only)]
    note: Option<String>,
    #[crud(hidden)]
    inner: Option<String>,
    #[crud(default(State::Draft), transitions(publish(Draft, Published, role("admin"))))]
    state: State,
    deleted_at: Option<DateTime<Utc>>,
}

/// A scan of a letter: a file, as a plugin has it.
#[derive(Debug, Clone)]
struct Scan;

impl Column for Scan {
    const KIND: Kind = Kind::Json;
    const READ_ONLY: bool = true;
    const KEYWORDS: Option<Keywords> = Some(limits);
    const ATTRIBUTE: Option<&'static str> = Some("scan");

    fn into_value(self) -> crud_runtime::column::Value {
        crud_runtime::column::Value::Json(json!({ "name": "a.png" }))
    }

    fn from_value(_: ValueRef<'_>) -> std::result::Result<Self, ColumnError> {
        Ok(Self)
    }
}

struct ScanOptions {
    max: u64,
    types: &'static [&'static str],
}

impl ScanOptions {
    const fn max(self, max: u64) -> Self {
        Self { max, ..self }
    }
}

impl ColumnAttribute for Scan {
    type Options = ScanOptions;
    const OPTIONS: ScanOptions = ScanOptions { max: 1_000, types: &["image/png"] };
}

fn limits(options: &(dyn Any + Send + Sync)) -> Map<String, Value> {
    let ScanOptions { max, types } = options.downcast_ref().expect("options of a scan");
    [("x-crud-file".to_owned(), json!({ "max": max, "types": types }))].into_iter().collect()
}

/// A letter.
#[derive(Debug, Clone, Resource)]
#[crud(access(read(authenticated), write(role("editor"))))]
struct Letter {
    id: i64,
    #[crud(scan(max = 300))]
    scan: Option<Scan>,
}

async fn service(admin: Admin) -> Result<Service> {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build()?;
    let service = Service::connect("sqlite::memory:")
        .await?
        .auth(auth)
        .access(|access| access.users_role("admin"))
        .plugin(admin)?;
    Ok(service.resource::<Shelf>().resource::<Shop>().resource::<Stamp>().resource::<Book>())
}

async fn test(admin: Admin) -> Test {
    service(admin).await.expect("the page fits").test().await.expect("the service starts")
}

/// The schema as a role has it.
async fn schema(test: &Test, role: &str) -> Value {
    test.as_role(role).get("/admin/schema").await.expect(200).json()
}

fn resource<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    schema["resources"].as_array()?.iter().find(|resource| resource["name"] == name)
}

fn field<'s>(resource: &'s Value, name: &str) -> Option<&'s Value> {
    resource["fields"].as_array()?.iter().find(|field| field["name"] == name)
}

#[tokio::test]
async fn schema_is_for_the_role_alone() {
    let test = test(Admin::new().role("editor")).await;
    test.get("/admin/schema").await.problem("authentication_failed");
    test.as_role("admin").get("/admin/schema").await.problem("permission_denied");
    assert_eq!(schema(&test, "editor").await["title"], "CRUD API");
}

#[tokio::test]
async fn schema_has_the_operations_and_fields_that_the_role_may_use() {
    let test = test(Admin::new().role("editor")).await;
    let schema = schema(&test, "editor").await;
    let book = resource(&schema, "Book").expect("the role reads books");
    let can: Vec<_> = book["can"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(can.contains(&"update") && can.contains(&"list") && !can.contains(&"delete") && !can.contains(&"purge"));
    assert!(field(book, "cost").is_none() && field(book, "inner").is_none(), "fields that it does not see");
    assert_eq!(field(book, "note").unwrap()["write_only"], true);
    assert_eq!(field(book, "state").unwrap()["transitions"][0]["can"], false);
    assert_eq!(schema["paths"]["users"], Value::Null, "it may not manage users");
}

#[tokio::test]
async fn schema_describes_fields_references_and_filters() {
    let test = test(Admin::new()).await;
    let schema = schema(&test, "admin").await;
    let book = resource(&schema, "Book").unwrap();
    assert_eq!(field(book, "title").unwrap()["doc"], "The title on the cover.");
    assert_eq!(field(book, "title").unwrap()["rules"], json!({ "min_length": 1, "max_length": 200 }));
    assert_eq!(field(book, "shelf_id").unwrap()["refers"], json!({ "resource": "Shelf", "expand": "shelf", "by": [] }));
    assert_eq!(field(book, "shelf_id").unwrap()["label"], "Shelf");
    assert_eq!(book["filters"][0]["name"], "shelf.label");
    assert_eq!((&book["title"], &book["page"]["max"]), (&json!("title"), &json!(50)));
    assert_eq!(schema["paths"]["users"], "/auth/users");
    let shelf = resource(&schema, "Shelf").unwrap();
    assert_eq!(shelf["children"][0]["resource"], "Book", "records that refer to it by a filter");
}

#[tokio::test]
async fn schema_has_the_orders_that_the_role_may_ask_for() {
    for (role, orders) in
        [("editor", vec!["title", "id", "shelf.label"]), ("admin", vec!["title", "id", "shelf.label", "shelf.rank"])]
    {
        let test = test(Admin::new().role(role)).await;
        let schema = schema(&test, role).await;
        let mut listed: Vec<_> = resource(&schema, "Book").unwrap()["sort"].as_array().unwrap().clone();
        for order in &listed {
            test.as_role(role).get(format!("/books?sort={}", order.as_str().unwrap())).await.expect(200);
        }
        listed.sort_unstable_by_key(ToString::to_string);
        let mut orders: Vec<Value> = orders.into_iter().map(Value::from).collect();
        orders.sort_unstable_by_key(ToString::to_string);
        assert_eq!(listed, orders);
    }
}

#[tokio::test]
async fn schema_says_which_fields_hold_files_and_who_changes_them() {
    let limits = json!({ "max": 300, "types": ["image/png"], "link": true });
    let all = json!({ "max": 300, "types": ["image/png"], "link": true, "put": true });
    for (role, file) in [("reader", limits), ("editor", all)] {
        let service = service(Admin::new().role(role)).await.expect("the page fits").resource::<Letter>();
        let service = service
            .route("/letters/{id}/scan", put(async || "").access(routing::role("editor")))
            .route("/letters/{id}/scan/link", post(async || "").access(Access::Authenticated));
        let test = service.test().await.expect("the service starts");
        let schema = schema(&test, role).await;
        let scan = field(resource(&schema, "Letter").expect("a resource"), "scan").expect("a field");
        assert_eq!((&scan["kind"], &scan["read_only"], &scan["file"]), (&json!("file"), &json!(true), &file));
    }
}

#[tokio::test]
async fn schema_has_the_presentation_that_the_struct_states() {
    let test = test(Admin::new()).await;
    let schema = schema(&test, "admin").await;
    let shop = resource(&schema, "Shop").unwrap();
    assert_eq!((&shop["title"], &shop["group"]), (&json!("code"), &json!("Places")));
    assert_eq!(shop["list"], json!(["city", "code"]));
    assert_eq!(shop["can"], json!(["list", "get"]), "no change is offered");
    let created = test.as_role("admin").post("/shops", json!({ "name": "A", "code": 1, "city": "Berlin" })).await;
    created.expect(201);
    assert_eq!(resource(&schema, "Stamp").unwrap()["hidden"], true);
    let book = resource(&schema, "Book").unwrap();
    assert_eq!((&book["hidden"], &book["list"]), (&Value::Null, &Value::Null), "the page chooses");
}

#[tokio::test]
async fn service_without_authentication_has_a_page_without_a_session() {
    let service = Service::connect("sqlite::memory:").await.unwrap().without_auth();
    let test = service.plugin(Admin::new()).unwrap().resource::<Shelf>().test().await.unwrap();
    let schema = test.get("/admin/schema").await.expect(200).json();
    assert_eq!((&schema["user"], schema["secured"].as_bool()), (&Value::Null, Some(false)));
    test.post("/admin/session/refresh", json!({})).await.problem("route_not_found");
}

#[tokio::test]
async fn service_without_rules_needs_nothing_for_its_page() {
    #[derive(Debug, Clone, Resource)]
    struct Open {
        id: i64,
    }
    let service = Service::connect("sqlite::memory:").await.unwrap().plugin(Admin::new()).unwrap();
    let test = service.resource::<Open>().test().await.expect("no rule lacks authentication");
    assert_eq!(test.get("/admin/schema").await.expect(200).json()["resources"][0]["name"], "Open");
}

#[tokio::test]
async fn api_refuses_what_the_schema_leaves_out() {
    let test = test(Admin::new().role("editor")).await;
    let shelf = test.as_role("editor").post("/shelves", json!({ "label": "A" })).await.expect(201).json();
    let book = json!({ "title": "Emma", "shelf_id": shelf["id"] });
    let book = test.as_role("editor").post("/books", book).await.expect(201).json();
    let path = format!("/books/{}", book["id"]);
    test.as_role("editor").delete(&path).await.problem("permission_denied");
    test.as_role("editor").post(format!("{path}/publish"), json!({})).await.problem("permission_denied");
}

#[tokio::test]
async fn page_has_a_strict_policy_and_names_its_path() {
    let test = test(Admin::new().path("/internal/admin")).await;
    let page = test.get("/internal/admin").await.expect(200);
    let policy = page.header("content-security-policy").unwrap().to_owned();
    for part in ["default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(policy.contains("require-trusted-types-for 'script'") && !policy.contains("unsafe"), "{policy}");
    let text = page.text();
    assert!(text.contains("data-path=\"/internal/admin\"") && text.contains("src=\"admin/app.js\""), "{text}");
    test.get("/internal/admin/app.js").await.expect(200);
}

#[tokio::test]
async fn files_have_at_most_63_kilobytes_and_4_more_where_records_are_followed() {
    let test = test(Admin::new()).await;
    let size = async |path: &str| {
        let file = test.get(format!("/admin{path}")).header("accept-encoding", "gzip").await.expect(200);
        file.bytes().len()
    };
    let mut all = 0;
    for path in ["", "/early.js", "/icon.svg", "/style.css", "/app.js", "/vendor/preact.js"] {
        all += size(path).await;
    }
    assert!(all <= 63 * 1024, "{all} bytes");
    let events = size("/vendor/events.js").await;
    assert!(events <= 4 * 1024, "{events} bytes");
}

#[tokio::test]
async fn module_and_link_of_the_program_are_served() {
    let source = "export default ({ page, html }) => page('report', 'Report', () => html`<h1>Report</h1>`);";
    let test = test(Admin::new().link("Grafana", "https://grafana.example").module(source)).await;
    let schema = schema(&test, "admin").await;
    assert_eq!(schema["links"], json!([{ "label": "Grafana", "url": "https://grafana.example" }]));
    assert_eq!(schema["modules"], json!(["module/0.js"]));
    assert_eq!(test.get("/admin/module/0.js").await.expect(200).text(), source);
}

#[tokio::test]
async fn link_that_runs_a_script_is_an_error_at_start() {
    let service = service(Admin::new().link("Click", "javascript:alert(1)")).await.unwrap();
    let error = service.into_router().expect_err("it is refused").to_string();
    assert!(error.contains("`javascript:alert(1)`"), "{error}");
}

/// A request of the page itself.
const OWN: (&str, &str) = ("sec-fetch-site", "same-origin");

#[tokio::test]
async fn session_is_a_cookie_that_no_script_reads() {
    let test = test(Admin::new()).await;
    test.users().create_user("ada", "a long password").roles(["admin"]).await.unwrap();
    let login = json!({ "username": "ada", "password": "a long password" });
    let answer = test.post("/admin/session/login", &login).header(OWN.0, OWN.1).await.expect(200);
    let cookie = answer.header("set-cookie").unwrap().to_owned();
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/; HttpOnly; Secure; SameSite=Strict");
    assert!(pair.starts_with("__Host-crud-session="));
    assert_eq!(answer.json()["refresh_token"], Value::Null);
    let again = test.post("/admin/session/refresh", json!({})).header(OWN.0, OWN.1).header("cookie", pair).await;
    let token = again.expect(200).json()["access_token"].as_str().unwrap().to_owned();
    let schema = test.get("/admin/schema").header("authorization", format!("Bearer {token}")).await.expect(200).json();
    assert_eq!(schema["user"]["subject"], "1");
    let out = test.post("/admin/session/logout", json!({})).header(OWN.0, OWN.1).await.expect(204);
    assert!(out.header("set-cookie").unwrap().contains("Max-Age=0"));
}

#[tokio::test]
async fn session_is_refused_to_pages_of_other_origins() {
    let test = test(Admin::new()).await;
    let login = json!({ "username": "ada", "password": "a long password" });
    for site in ["cross-site", "same-site", "none"] {
        let answer = test.post("/admin/session/login", &login).header("sec-fetch-site", site).await;
        answer.problem("permission_denied");
    }
    test.post("/admin/session/login", &login).await.problem("permission_denied");
    let of_other = test.post("/admin/session/login", &login).header("host", "shop.example");
    of_other.header("origin", "https://evil.example").await.problem("permission_denied");
    let own = test.post("/admin/session/login", &login).header("host", "shop.example");
    own.header("origin", "http://shop.example").await.problem("invalid_credentials");
    let twice = "__Host-crud-session=a; __Host-crud-session=b";
    let refresh = test.post("/admin/session/refresh", json!({})).header(OWN.0, OWN.1);
    refresh.header("cookie", twice).await.problem("refresh_failed");
}

#[tokio::test]
async fn document_has_no_route_of_the_page() {
    let test = test(Admin::new()).await;
    let document = test.get("/openapi.json").await.expect(200).json();
    let paths = document["paths"].as_object().unwrap();
    assert!(paths.keys().all(|path| !path.starts_with("/admin")));
}
