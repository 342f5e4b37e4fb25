//! Computed fields: SQL expressions, and functions over the record and the request.

use crud_runtime::prelude::*;
use crud_runtime::routing::{Record, get};
use crud_tests::fixtures::{column, create_all};
use crud_tests::{Api, Database, on_each_backend, on_each_sql_backend, query};
use futures_util::future::join_all;
use serde_json::{Value, json};

/// A product with the value of its stock.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    filter,
    sort,
    default_sort(desc(value)),
    pagination(cursor, default_limit = 2),
    audit,
    batch,
    export,
    soft_delete,
    has_many(reviews(Review::product_id)),
    aggregate(group_by(class), over(value))
)]
struct Product {
    id: i64,
    name: String,
    #[crud(decimal(18, 2))]
    price: Decimal,
    stock: i32,
    /// The price of all that is in stock.
    #[crud(computed(sql = "price * stock"), decimal(18, 2))]
    value: Decimal,
    #[crud(computed(sql = "CASE WHEN stock = 0 THEN NULL WHEN stock > 5 THEN 'many' ELSE 'few' END"))]
    class: Option<String>,
    #[crud(computed(sqlite = "name || '/' || id", postgres = "name || '/' || id", mysql = "concat(name, '/', id)"))]
    path: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A review of a product.
#[derive(Debug, Clone, Resource)]
#[crud(filter(product::class), sort(product::value), pagination)]
struct Review {
    id: i64,
    #[crud(references(Product, expand))]
    product_id: i64,
}

/// A view of the products in stock, with fields that are computed of its columns.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    view("SELECT id, name, price, stock FROM products WHERE stock > 0 AND deleted_at IS NULL", reads(Product)),
    filter(name, worth),
    sort(worth),
    pagination(cursor, default_limit = 2),
    export,
    aggregate(over(worth))
)]
struct Offer {
    id: i64,
    name: String,
    #[crud(decimal(18, 2))]
    price: Decimal,
    stock: i32,
    #[crud(computed(sql = "price * stock"), decimal(18, 2))]
    worth: Decimal,
    #[crud(computed(Offer::url))]
    url: String,
}

impl Offer {
    fn url(&self, request: &RequestContext<'_>) -> String {
        request.url(&format!("/products/{}", self.id))
    }
}

async fn shop(database: &Database) -> Service {
    let service = database.service().await.resource::<Product>().resource::<Review>();
    service.migrate().await.expect("the tables")
}

fn on_shop(test: impl AsyncFn(&Api, &App) + Copy) {
    on_each_sql_backend(async |database| {
        let service = shop(database).await;
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api, &app).await;
        api.stop().await;
    });
}

#[test]
fn view_has_computed_fields_that_its_query_does_not_select() {
    on_each_sql_backend(async |database| {
        let service = database.service().await.resource::<Product>().resource::<Review>().resource::<Offer>();
        let service = service.migrate().await.expect("the tables and the view");
        assert_eq!(service.plan().await.expect("a plan"), Vec::<String>::new(), "the view fits");
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        for (name, price, stock) in
            [("desk", "10.50", 2), ("lamp", "3.00", 9), ("chair", "5.00", 0), ("rug", "1.25", 4)]
        {
            api.post("/products", &product(name, price, stock)).await.created();
        }
        let lamp = api.get("/offers/2").await.ok();
        let url = format!("{}/products/2", api.origin());
        assert_eq!(lamp, json!({ "id": 2, "name": "lamp", "price": "3.00", "stock": 9, "worth": "27.00", "url": url }));
        let page = api.get("/offers?sort=-worth").await.ok();
        assert_eq!((column(&page, "name"), &page["total"]), (vec![json!("lamp"), json!("desk")], &json!(3)));
        let next = query("/offers", [("sort", "-worth"), ("cursor", page["next_cursor"].as_str().expect("a cursor"))]);
        assert_eq!(column(&api.get(next).await.ok(), "name"), ["rug"]);
        assert_eq!(column(&api.get("/offers?worth__gt=20&sort=worth").await.ok(), "name"), ["desk", "lamp"]);
        let sums = api.get("/offers/aggregate?sum=worth").await.ok();
        assert_eq!(sums["data"][0]["sum"]["worth"], "53.00");
        let file = api.get("/offers/export?format=ndjson").await.text();
        assert!(file.lines().all(|line| line.contains("\"worth\"") && line.contains("/products/")), "{file}");
        let first = app.store::<Offer>().list(Offer::FIELDS.worth.lt(Decimal::from(10))).await.expect("a list");
        assert_eq!((first.len(), first[0].name.as_str()), (1, "rug"));
        api.stop().await;
    });
}

fn product(name: &str, price: &str, stock: i32) -> Value {
    json!({ "name": name, "price": price, "stock": stock })
}

#[test]
fn computed_value_follows_each_write() {
    on_shop(async |api, app| {
        let created = api.post("/products", &product("desk", "10.50", 2)).await.created();
        assert_eq!(
            (&created["value"], &created["class"], &created["path"]),
            (&json!("21.00"), &json!("few"), &json!("desk/1"))
        );
        let changed = api.patch("/products/1", &json!({ "stock": 0 })).await.ok();
        assert_eq!((&changed["value"], &changed["class"]), (&json!("0.00"), &Value::Null));
        let batch = json!({ "items": [product("lamp", "1.00", 9)] });
        let batch = api.post("/products/batch", &batch).await.into_json();
        assert!(batch.to_string().contains("\"value\":\"9.00\""), "{batch}");
        let products = app.store::<Product>();
        let lamp = products.get(2).await.expect("the lamp");
        assert_eq!(
            (lamp.value.to_string(), lamp.class.as_deref(), &*lamp.path),
            ("9.00".to_owned(), Some("many"), "lamp/2")
        );
        let many =
            products.list(Product::FIELDS.value.gt("5".parse::<Decimal>().expect("a price"))).await.expect("a list");
        assert_eq!(many, [lamp]);
        // A record that was read can be sent back; the body's value of the field is ignored.
        let mut body = api.get("/products/2").await.ok();
        body["value"] = json!("77.00");
        assert_eq!(api.put("/products/2", &body).await.ok()["value"], "9.00");
        assert_eq!(api.delete("/products/2").await.ok()["value"], "9.00");
        let deleted = api.get("/products?only_deleted=true").await.ok();
        assert_eq!(deleted["data"][0]["value"], "9.00");
    });
}

#[test]
fn lists_filter_sort_and_continue_by_a_computed_field() {
    on_shop(async |api, _| {
        let products = [("a", "1.00", 3), ("b", "2.00", 9), ("c", "0.50", 6), ("d", "9.00", 0), ("e", "3.00", 1)];
        create_all(api, "/products", products.map(|(name, price, stock)| product(name, price, stock))).await;
        let names = async |target: &str| column(&api.get(target).await.ok(), "name");
        assert_eq!(names("/products?limit=5").await, ["b", "e", "c", "a", "d"]);
        assert_eq!(names("/products?limit=5&sort=class,-value,name").await, ["d", "a", "e", "b", "c"]);
        assert_eq!(names("/products?value__gte=3&value__lt=18").await, ["e", "c"]);
        assert_eq!(names("/products?class=many&path__contains=b/").await, ["b"]);
        assert_eq!(names("/products?class__isnull=true").await, ["d"]);
        let mut walked = Vec::new();
        let mut target = "/products?sort=class,value".to_owned();
        loop {
            let page = api.get(&target).await.ok();
            walked.extend(column(&page, "name"));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            target = query("/products", [("sort", "class,value"), ("cursor", cursor)]);
        }
        assert_eq!(walked, ["d", "a", "e", "c", "b"]);
        let groups = api.get("/products/aggregate?group_by=class&sum=value").await.ok();
        assert_eq!(groups["data"][2], json!({ "class": "many", "count": 2, "sum": { "value": "21.00" } }));
        let csv = api.get("/products/export?format=csv&sort=name").await.expect(200).text();
        assert!(csv.contains("1,a,1.00,3,3.00,few,a/1,"), "{csv}");
    });
}

#[test]
fn other_resources_filter_sort_and_expand_by_it() {
    on_shop(async |api, _| {
        create_all(api, "/products", [product("a", "1.00", 3), product("b", "2.00", 9)]).await;
        create_all(api, "/reviews", [json!({ "product_id": 2 }), json!({ "product_id": 1 })]).await;
        let found = api.get("/reviews?product.class=many&expand=product").await.ok();
        assert_eq!(found["data"][0]["product"]["value"], "18.00");
        let sorted = api.get("/reviews?sort=product.value").await.ok();
        assert_eq!(sorted["data"][0]["id"], 2);
        let beside = api.get("/products?limit=5&expand=reviews").await.ok();
        assert_eq!(beside["data"][0]["reviews"]["data"][0]["id"], 1);
    });
}

#[test]
fn history_has_no_computed_values() {
    on_shop(async |api, _| {
        api.post("/products", &product("desk", "10.50", 2)).await.created();
        api.patch("/products/1", &json!({ "stock": 4 })).await.ok();
        let history = api.get("/products/1/history").await.ok();
        assert_eq!(history["data"][0]["changes"]["price"], "10.50");
        assert_eq!(history["data"][1]["changes"], json!({ "stock": 4 }));
        assert_eq!(history["data"][0]["changes"].get("value"), None);
        let time = history["data"][0]["timestamp"].as_str().expect("a time").to_owned();
        let past = api.get(query("/products/1", [("as_of", time)])).await.ok();
        assert_eq!(
            (&past["stock"], past.get("value")),
            (&json!(2), None),
            "what followed from the record then is not stored"
        );
    });
}

#[test]
fn computed_fields_are_read_only_in_the_document() {
    on_shop(async |api, _| {
        let document = api.get("/openapi.json").await.ok();
        for schema in ["Product", "ProductCreate", "ProductPatch"] {
            let fields = document["components"]["schemas"][schema]["properties"].as_object().expect("fields");
            let is_read_only = |name: &str| fields[name]["readOnly"] == true;
            assert!(["value", "class", "path"].into_iter().all(is_read_only), "{schema}: {fields:?}");
            assert!(!is_read_only("price"), "{schema}: {fields:?}");
        }
    });
}

#[test]
fn table_has_no_column_of_a_computed_field() {
    on_each_sql_backend(async |database| {
        let service = shop(database).await;
        drop(service);
        // A second start finds nothing to create, and nothing that is in the way.
        let service = database.service().await.resource::<Product>().resource::<Review>();
        drop(service.migrate().await.expect("the tables as they are"));
    });
}

mod misspelt {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    pub(super) struct Part {
        pub(super) id: i64,
        pub(super) price: i32,
        #[crud(computed(sql = "pricee * 2"))]
        pub(super) double: i64,
    }
}

#[test]
fn start_refuses_an_expression_that_the_database_does_not_take() {
    on_each_sql_backend(async |database| {
        let service = database.service().await.resource::<misspelt::Part>();
        let error = service.migrate().await.expect_err("an error").to_string();
        let said = "Part: the database refuses the expression of the computed field `double`";
        assert!(error.contains(said) && error.contains("pricee"), "{error}");
    });
}

#[test]
fn storage_without_sql_refuses_expressions_at_start() {
    on_each_backend(async |database| {
        if database.backend().speaks_sql() {
            return;
        }
        let service = database.service().await.resource::<misspelt::Part>();
        let service = service.migrate().await;
        let error = service.and_then(|service| service.into_router().map(drop)).expect_err("an error").to_string();
        assert!(error.contains("Part.double has `computed(sql = …)`, and this storage has no SQL"), "{error}");
    });
}

/// A task with its own address.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort, pagination, batch, export, audit, has_many(notes(Note::todo_id)))]
struct Todo {
    id: i64,
    title: String,
    /// The address of the task.
    #[crud(computed(Todo::url))]
    url: String,
    #[crud(computed(Todo::length), rename = "title_length")]
    length: i64,
}

impl Todo {
    fn url(&self, request: &RequestContext<'_>) -> String {
        request.url(&format!("/todos/{}", self.id))
    }

    #[allow(clippy::cast_possible_wrap, reason = "a title is short")]
    fn length(&self, _: &RequestContext<'_>) -> i64 {
        assert_ne!(self.title, "faulty", "a mistake of the function");
        self.title.chars().count() as i64
    }
}

/// A note on a task.
#[derive(Debug, Clone, Resource)]
struct Note {
    id: i64,
    #[crud(references(Todo, expand))]
    todo_id: i64,
}

async fn first(ctx: crud_runtime::routing::Context) -> crud_runtime::Result<Record<Todo>> {
    Ok(Record(ctx.store::<Todo>().get(1).await?))
}

async fn todos(database: &Database) -> Service {
    let service = database.service().await.resource::<Todo>().resource::<Note>();
    service.route("/todos/first", get(first)).migrate().await.expect("the tables")
}

#[test]
fn function_computes_its_field_wherever_the_record_is_written() {
    on_each_backend(async |database| {
        let mut api = Api::start(database, todos(database).await).await;
        api.check_against_document().await;
        let url = format!("{}/todos/1", api.origin());
        let expected = json!({ "id": 1, "title": "Grüße", "url": url, "title_length": 5 });
        assert_eq!(api.post("/todos", &json!({ "title": "Grüße" })).await.created(), expected);
        assert_eq!(api.get("/todos/1").await.ok(), expected);
        assert_eq!(api.get("/todos?sort=-title").await.ok()["data"][0], expected);
        assert_eq!(api.get("/todos/first").await.ok(), expected);
        let created = api.post("/notes", &json!({ "todo_id": 1 })).await.created();
        assert_eq!(created["todo_id"], 1);
        assert_eq!(api.get("/notes/1?expand=todo").await.ok()["todo"], expected);
        let lines = api.get("/todos/export").await.expect(200).text();
        assert_eq!(serde_json::from_str::<Value>(lines.trim()).expect("a line"), expected);
        let csv = api.get("/todos/export?format=csv").await.expect(200).text();
        assert!(csv.contains(&format!("1,Grüße,{url},5")), "{csv}");
        let batch = api.post("/todos/batch", &json!({ "items": [{ "title": "b" }] })).await.into_json();
        assert!(batch.to_string().contains("/todos/2"), "{batch}");
        let document = api.get("/openapi.json").await.ok();
        assert_eq!(document["components"]["schemas"]["Todo"]["properties"]["url"]["readOnly"], true);
        // Neither a filter nor an order.
        for parameter in ["url=x", "sort=url", "title_length=5"] {
            api.get(format!("/todos?{parameter}")).await.problem("validation_failed");
        }
        let history = api.get("/todos/1/history").await.ok();
        assert_eq!(history["data"][0]["changes"], json!({ "id": 1, "title": "Grüße" }));
        api.stop().await;
    });
}

#[test]
fn function_that_panics_fails_its_request_and_no_other() {
    on_each_backend(async |database| {
        let service = todos(database).await;
        let app = service.app();
        let api = Api::start(database, service).await;
        for number in 0..40 {
            let title = if number == 30 { "faulty".to_owned() } else { number.to_string() };
            app.store::<Todo>().create(NewTodo { title }).await.expect("a record");
        }
        // More than there are connections to the database.
        for _ in 0..3 {
            let lists = (0..8).map(async |_| api.get("/todos?limit=40&sort=title").await.problem("internal"));
            join_all(lists).await;
            api.get("/todos?limit=40").await.problem("internal");
            api.get("/todos/31").await.problem("internal");
        }
        assert_eq!(api.get("/todos?limit=20").await.ok()["data"].as_array().map(Vec::len), Some(20));
        assert_eq!(api.get("/todos?title=7&sort=title").await.ok()["total"], 1);
        assert_eq!(api.post("/todos", &json!({ "title": "later" })).await.created()["title_length"], 5);
        api.stop().await;
    });
}

#[test]
fn public_url_is_the_base_of_urls() {
    on_each_backend(async |database| {
        let service = todos(database).await.server(|server| server.public_url("https://api.example.com/v1/"));
        let api = Api::start(database, service).await;
        let created = api.post("/todos", &json!({ "title": "a" })).await.created();
        assert_eq!(created["url"], "https://api.example.com/v1/todos/1");
        api.stop().await;
    });
}
