//! Records with those that refer to them.

use crud_runtime::prelude::*;
use crud_runtime::query::QueryLimits;
use crud_tests::fixtures::{column, create_all};
use crud_tests::{Api, Client, on_each_backend, on_each_sql_backend, query};
use reqwest::Method;
use serde_json::{Value, json};

use crate::library::{fill, on_library};

/// A customer.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(name), pagination(default_limit = 40), export, has_many(orders(Order::customer_id, limit = 2)))]
struct Customer {
    id: i64,
    name: String,
}

/// An order of a customer.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    filter(status, total, product::name),
    sort(total),
    default_sort(desc(total)),
    soft_delete,
    batch,
    import,
    export,
    has_many(lines(Line::order_id, limit = 3))
)]
struct Order {
    id: i64,
    status: String,
    total: i32,
    #[crud(references(Customer))]
    customer_id: Option<i64>,
    #[crud(references(Product, expand))]
    product_id: Option<i64>,
    deleted_at: Option<DateTime<Utc>>,
}

/// A line of an order.
#[derive(Debug, Clone, PartialEq, Resource)]
struct Line {
    id: i64,
    #[crud(references(Order))]
    order_id: i64,
}

/// A product.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(filter(name))]
struct Product {
    id: i64,
    name: String,
}

fn shop(service: Service) -> Service {
    service.resource::<Customer>().resource::<Order>().resource::<Line>().resource::<Product>()
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_each(test: impl AsyncFn(&Api)) {
    on_each_backend(async |database| {
        let service = shop(database.service().await).migrate().await.expect("the tables");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api).await;
        api.stop().await;
    });
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_each_with_sql(queries: QueryLimits, test: impl AsyncFn(&Api)) {
    on_each_sql_backend(async |database| {
        let service = shop(database.service().await)
            .limits(|limits| limits.query(|_| queries))
            .migrate()
            .await
            .expect("the tables");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api).await;
        api.stop().await;
    });
}

/// Ann with three open orders, and one that is deleted; Bob with a closed one of 50 and an open one of 5; Cid without.
async fn customers(api: &Client) -> Vec<Value> {
    let names = ["Ann", "Bob", "Cid"].map(|name| json!({ "name": name }));
    let customers = create_all(api, "/customers", names).await;
    let product = api.post("/products", &json!({ "name": "Lamp" })).await.created();
    let order = |customer: usize, status: &str, total: i32| json!({ "customer_id": customers[customer]["id"], "status": status, "total": total, "product_id": product["id"] });
    let bodies = [
        order(0, "open", 1),
        order(0, "open", 3),
        order(0, "open", 2),
        order(0, "gone", 9),
        order(1, "closed", 50),
        order(1, "open", 5),
        json!({ "status": "open", "total": 7 }),
    ];
    let orders = create_all(api, "/orders", bodies).await;
    api.delete(format!("/orders/{}", orders[3]["id"])).await.ok();
    create_all(api, "/lines", (0..5).map(|_| json!({ "order_id": orders[1]["id"] }))).await;
    customers
}

async fn names(api: &Client, condition: Value) -> Vec<Value> {
    let target = query("/customers", [("where", condition.to_string())]);
    let list = api.get(target).await.ok();
    assert_eq!(list["total"], list["data"].as_array().map_or(0, Vec::len));
    column(&list, "name")
}

#[test]
fn a_condition_is_on_one_of_the_records_that_refer_to_another() {
    on_each(async |api| {
        customers(api).await;
        assert_eq!(names(api, json!({ "orders": { "status": "open" } })).await, ["Ann", "Bob"]);
        assert_eq!(names(api, json!({ "orders": { "status": "open", "total__gt": 10 } })).await, [""; 0]);
        let two = json!({ "and": [{ "orders": { "status": "open" } }, { "orders": { "total__gt": 10 } }] });
        assert_eq!(names(api, two).await, ["Bob"], "two conditions may be on two orders");
        assert_eq!(names(api, json!({ "orders": { "not": { "status": "open" } } })).await, ["Bob"]);
        assert_eq!(names(api, json!({ "not": { "orders": { "status": "open" } } })).await, ["Cid"], "none is open");
        assert_eq!(names(api, json!({ "not": { "orders": { "total__gt": 10 } } })).await, ["Ann", "Cid"]);
        assert_eq!(names(api, json!({ "not": { "not": { "orders": { "total": 50 } } } })).await, ["Bob"]);
        assert_eq!(names(api, json!({ "not": { "orders": { "not": { "status": "open" } } } })).await, ["Ann", "Cid"]);
        assert_eq!(names(api, json!({ "orders": { "status": "gone" } })).await, [""; 0], "a deleted one is none");
        let either = json!({ "or": [{ "orders": { "total__in": [3, 4] } }, { "name": "Cid" }] });
        assert_eq!(names(api, either).await, ["Ann", "Cid"]);
        let found = api.post("/customers/search", &json!({ "where": { "orders": { "total": 5 } } })).await.ok();
        assert_eq!(column(&found, "name"), ["Bob"]);
    });
}

#[test]
fn condition_on_records_that_refer_to_one_leads_on_by_their_own_filters() {
    on_each(async |api| {
        customers(api).await;
        let of = |name: &str| json!({ "orders": { "product": { "name": name } } });
        assert_eq!(names(api, of("Lamp")).await, ["Ann", "Bob"]);
        assert_eq!(names(api, of("Desk")).await, [""; 0]);
        assert_eq!(names(api, json!({ "orders": { "product.name__contains": "am", "total": 50 } })).await, ["Bob"]);
        assert_eq!(names(api, json!({ "not": of("Lamp") })).await, ["Cid"]);
        assert_eq!(names(api, json!({ "orders": { "not": { "product": { "name": "Lamp" } } } })).await, [""; 0]);
        let either = json!({ "orders": { "or": [{ "product": { "name": "Desk" } }, { "total": 3 }] } });
        assert_eq!(names(api, either).await, ["Ann"]);
        let many = (0..4).map(|_| of("Lamp")).collect::<Vec<_>>();
        names(api, json!({ "and": many })).await;
        let too_many = (0..5).map(|_| of("Lamp")).collect::<Vec<_>>();
        let target = query("/customers", [("where", json!({ "and": too_many }).to_string())]);
        api.get(target).await.problem("query_too_complex");
    });
}

#[test]
fn wrong_conditions_are_refused() {
    on_each(async |api| {
        let refused = async |condition: Value| {
            let body = json!({ "where": condition });
            let problem = api.post("/customers/search", &body).await.problem("validation_failed");
            (problem.only().code.clone(), problem.pointers().concat())
        };
        let at = |code: &str, pointer: &str| (code.to_owned(), pointer.to_owned());
        assert_eq!(refused(json!({ "orders": { "state": 1 } })).await, at("unknown_field", "/where/orders/state"));
        assert_eq!(refused(json!({ "orders": {} })).await, at("value", "/where/orders"));
        assert_eq!(refused(json!({ "orders": [] })).await, at("type", "/where/orders"));
        assert_eq!(refused(json!({ "order": { "total": 1 } })).await, at("unknown_field", "/where/order"));
        assert_eq!(refused(json!({ "orders.total": 1 })).await, at("unknown_field", "/where/orders.total"));
        assert_eq!(
            refused(json!({ "orders": { "customer_id": 1 } })).await,
            at("not_filterable", "/where/orders/customer_id")
        );
        assert_eq!(refused(json!({ "orders": { "deleted_at__isnull": false } })).await.0, "not_filterable");
        assert_eq!(refused(json!({ "orders": { "product.nme": "x" } })).await.0, "unknown_field");
        assert_eq!(refused(json!({ "orders": { "lines": { "id": 1 } } })).await.0, "unknown_field", "a third hop");
        api.get("/customers?orders.total=1").await.problem("validation_failed");
        let deep = json!({ "not": { "not": { "not": { "not": { "orders": { "total": 1 } } } } } });
        let target = query("/customers", [("where", deep.to_string())]);
        api.get(target).await.problem("query_too_complex");
    });
}

#[test]
fn storage_without_the_first_records_of_each_refuses_them() {
    on_each(async |api| {
        let customers = customers(api).await;
        if api.backend().speaks_sql() {
            return;
        }
        for target in
            ["/customers?expand=orders".to_owned(), format!("/customers/{}?expand=orders", customers[0]["id"])]
        {
            let problem = api.get(target).await.problem("unsupported_here");
            assert!(problem.detail.contains("related records for several records"), "{problem}");
        }
    });
}

#[test]
fn conditions_on_other_records_are_limited() {
    on_each(async |api| {
        customers(api).await;
        let one = |total: usize| json!({ "orders": { "total": total } });
        let many = |count| json!({ "or": (0..count).map(one).collect::<Vec<_>>() });
        assert_eq!(names(api, many(8)).await, ["Ann", "Bob"]);
        let nested = json!({ "and": [many(5), { "not": many(4) }] });
        let most = json!({ "and": [many(20), many(20), many(20), many(4)] });
        for condition in [many(9), nested, most] {
            let target = query("/customers", [("where", condition.to_string())]);
            let problem = api.get(target).await.problem("query_too_complex");
            assert!(problem.detail.contains("at most 8 conditions on other records"), "{problem}");
            api.post("/customers/search", &json!({ "where": condition })).await.problem("query_too_complex");
        }
        // Filters of one other record are one condition.
        let products = (0..12).map(|number| json!({ "product": { "name": format!("{number}") } }));
        let target = query("/orders", [("where", json!({ "or": products.collect::<Vec<_>>() }).to_string())]);
        api.get(target).await.problem("query_too_complex");
        let together =
            json!({ "product": { "or": (0..12).map(|n| json!({ "name": format!("{n}") })).collect::<Vec<_>>() } });
        api.get(query("/orders", [("where", together.to_string())])).await.ok();
    });
    on_each_with_sql(QueryLimits::default().related(1), async |api| {
        let two = json!({ "and": [{ "orders": { "total": 1 } }, { "orders": { "total": 2 } }] });
        api.get(query("/customers", [("where", two.to_string())])).await.problem("query_too_complex");
    });
}

#[test]
fn expand_returns_the_first_records_that_refer_to_each() {
    on_each_with_sql(QueryLimits::default(), async |api| {
        let customers = customers(api).await;
        let list = api.get("/customers?expand=orders").await.ok();
        let orders = column(&list, "orders");
        let totals: Vec<_> = orders.iter().map(|orders| column(orders, "total")).collect();
        assert_eq!(totals, [vec![json!(3), json!(2)], vec![json!(50), json!(5)], vec![]], "in their own order");
        assert_eq!(orders[0]["more"], true);
        assert_eq!(
            (&orders[1]["more"], &orders[2]["more"]),
            (&json!(false), &json!(false)),
            "two are not more than two"
        );
        assert!(orders.iter().all(|orders| orders["limit"] == 2));
        let plain = api.get("/customers").await.ok();
        assert_eq!(plain["total"], list["total"]);
        assert!(plain["data"][0].get("orders").is_none());

        let path = format!("/customers/{}", customers[0]["id"]);
        let one = api.get(format!("{path}?expand=orders")).await.ok();
        assert_eq!(one, list["data"][0]);
        assert_eq!(api.post("/customers/search", &json!({ "expand": ["orders"] })).await.ok(), list);
        // A record that was read can be written back.
        let updated = api.put(format!("{path}?expand=orders"), &one).await.ok();
        assert_eq!(updated["orders"], one["orders"]);
        let created = api.post("/customers?expand=orders", &json!({ "name": "Dora" })).await.created();
        assert_eq!(created["orders"], json!({ "data": [], "limit": 2, "more": false }));
    });
}

#[test]
fn export_has_the_expanded_records_of_the_list() {
    on_each(async |api| {
        let product = api.post("/products", &json!({ "name": "=lamp, \"red\"" })).await.created();
        let orders = (0..1_203).map(|number| {
            let product = (number % 2 == 0).then(|| product["id"].clone());
            json!({ "status": "open", "total": number, "product_id": product })
        });
        let orders = create_all(api, "/orders", orders).await;
        let list = api.get("/orders?expand=product&sort=total").await.ok();
        let export = api.get("/orders/export?expand=product&sort=total").await.expect(200);
        let lines: Vec<Value> = export.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(list, json!(lines));
        let export = api.get("/orders/export?expand=product&sort=total&format=csv").await.expect(200).text();
        let lines: Vec<&str> = export.lines().collect();
        let id = &orders[0]["id"];
        assert_eq!(lines.len(), 1_204);
        assert_eq!(lines[0], "id,status,total,customer_id,product_id,deleted_at,is_deleted,product.id,product.name");
        assert_eq!(lines[1], format!("{id},open,0,,{0},,false,{0},\"'=lamp, \"\"red\"\"\"", product["id"]));
        assert_eq!(lines[2], format!("{},open,1,,,,false,,", orders[1]["id"]), "none is empty");
        api.get("/orders/export?expand=prodct").await.problem("validation_failed");
    });
}

#[test]
fn export_has_lists_of_expanded_records() {
    on_each_with_sql(QueryLimits::default(), async |api| {
        customers(api).await;
        let list = api.get("/customers?expand=orders").await.ok();
        let export = api.get("/customers/export?expand=orders").await.expect(200);
        let lines: Vec<Value> = export.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!(list["data"], json!(lines));
        let export = api.get("/customers/export?expand=orders&format=csv").await.expect(200).text();
        let cell = list["data"][2]["orders"].to_string().replace('"', "\"\"");
        assert!(export.starts_with("id,name,orders\r\n"), "{export}");
        assert!(export.ends_with(&format!(",\"{cell}\"\r\n")), "{export}");
    });
}

#[test]
fn relation_that_expand_does_not_return_is_refused_in_a_body() {
    on_each(async |api| {
        let order = |member: &str, value: Value| {
            let mut order = json!({ "status": "open", "total": 1 });
            order[member] = value;
            order
        };
        let page = |records: Value| json!({ "data": records, "limit": 3, "more": false });
        let kept = api.post("/orders", &json!({ "status": "open", "total": 1 })).await.created();
        let path = format!("/orders/{}", kept["id"]);
        for (member, value, at, code) in [
            ("product", json!("lamp"), "/product", "expanded"),
            ("product", json!(7), "/product", "expanded"),
            ("product", json!([{ "id": 7 }]), "/product", "expanded"),
            ("product", json!({ "name": "Lamp" }), "/product", "expanded"),
            ("product", json!({ "id": 7, "nme": "Lamp" }), "/product/nme", "unknown_field"),
            ("lines", json!(["a"]), "/lines", "expanded"),
            ("lines", json!(null), "/lines", "expanded"),
            ("lines", json!({ "limit": 3 }), "/lines", "expanded"),
            ("lines", json!({ "data": [], "count": 0 }), "/lines/count", "unknown_field"),
            ("lines", page(json!(["a"])), "/lines/data/0", "type"),
            (
                "lines",
                page(json!([{ "id": 1, "order_id": 1 }, { "order": 1 }])),
                "/lines/data/1/order",
                "unknown_field",
            ),
        ] {
            let body = order(member, value);
            for answer in [
                api.post("/orders", &body).await,
                api.put(&path, &body).await,
                api.patch(&path, &body).await,
                api.post("/orders/batch", &json!({ "items": [body] })).await,
            ] {
                let problem = answer.problem("validation_failed");
                let error = problem.only();
                assert_eq!((error.at.as_str(), error.code.as_str()), (&*format!("pointer {at}"), code), "{body}");
            }
            let import = api.request(Method::POST, "/orders/import?mode=partial");
            let imported = import.body("application/x-ndjson", format!("{body}\n")).await.expect(207).into_json();
            let error = &imported["errors"][0]["errors"][0];
            assert_eq!((&error["pointer"], &error["code"]), (&json!(at), &json!(code)), "{imported}");
        }
        let hint = api.post("/orders", &order("product", json!({ "id": 7, "nme": "Lamp" }))).await;
        let hint = hint.problem("validation_failed");
        assert_eq!(hint.only().detail, "is not a field of Product; did you mean `name`?");
        let detail = api.post("/orders", &order("product", json!("lamp"))).await.problem("validation_failed");
        assert_eq!(
            detail.only().detail,
            "must be the record that `expand` returned, or null: to refer to another, set `product_id`"
        );
        for (member, value) in [
            ("product", json!(null)),
            ("product", json!({ "id": 7, "name": "Lamp" })),
            ("lines", page(json!([{ "id": 1, "order_id": 1 }]))),
            ("lines", page(json!([]))),
        ] {
            let created = api.post("/orders", &order(member, value)).await.created();
            assert_eq!(created["product_id"], json!(null));
        }
        assert_eq!(api.get(&path).await.ok(), kept);
    });
}

#[test]
fn expand_goes_on_from_the_records_that_it_returns() {
    on_each_with_sql(QueryLimits::default(), async |api| {
        customers(api).await;
        let list = api.get("/customers?expand=orders.lines,orders.product").await.ok();
        let orders = &list["data"][0]["orders"]["data"];
        assert_eq!(orders[0]["product"]["name"], "Lamp");
        assert_eq!(orders[0]["lines"]["data"].as_array().map(Vec::len), Some(3));
        assert_eq!((&orders[0]["lines"]["more"], &orders[1]["lines"]["more"]), (&json!(true), &json!(false)));
        assert_eq!(orders[0].get("customer"), None);
        api.get("/customers?expand=orders.lines.order").await.problem("validation_failed");
        // Lists without pages have them too.
        let orders = api.get("/orders?expand=lines&sort=-total").await.ok();
        let lines: Vec<_> = orders.as_array().expect("orders").iter().map(|order| &order["lines"]["more"]).collect();
        assert_eq!(lines, [false, false, false, true, false, false]);
    });
}

#[test]
fn a_page_has_so_many_records_beside_its_own() {
    on_each_with_sql(QueryLimits::default().expand_rows(25), async |api| {
        customers(api).await;
        let problem = api.get("/customers?expand=orders").await.problem("query_too_complex");
        assert!(problem.detail.ends_with("`limit` must be at most 12"), "{problem}");
        api.get("/customers?expand=orders&limit=12").await.ok();
        let problem = api.get("/customers?expand=orders&limit=13").await.problem("query_too_complex");
        assert!(problem.detail.contains("up to 2 related records for each"), "{problem}");
        let problem = api.get("/customers?expand=orders.lines&limit=4").await.problem("query_too_complex");
        assert!(
            problem.detail.contains("up to 8 related records for each") && problem.detail.ends_with("most 3"),
            "{problem}"
        );
        let body = json!({ "expand": ["orders"], "limit": 13 });
        api.post("/customers/search", &body).await.problem("query_too_complex");
        // A list without pages is read in smaller parts.
        create_all(api, "/orders", (0..20).map(|total| json!({ "status": "new", "total": total }))).await;
        let orders = api.get("/orders?expand=lines").await.ok();
        assert_eq!(orders.as_array().map(Vec::len), Some(26));
    });
    on_each_with_sql(QueryLimits::default().expand_rows(1), async |api| {
        let customers = customers(api).await;
        let path = format!("/customers/{}?expand=orders", customers[0]["id"]);
        let problem = api.get(path).await.problem("query_too_complex");
        assert!(problem.detail.contains("at most 1 are returned"), "{problem}");
    });
}

#[test]
fn records_of_the_same_resource_refer_to_each_other() {
    on_library(async |api| {
        let books = fill(api).await;
        let list = api.get("/books?limit=50&expand=sequels,notes,author.books").await.ok();
        for book in list["data"].as_array().expect("books") {
            let expected: Vec<_> = books.iter().filter(|other| other["previous_id"] == book["id"]).collect();
            let sequels = column(&book["sequels"], "id");
            assert_eq!(sequels, expected.iter().map(|book| book["id"].clone()).collect::<Vec<_>>());
            if book["author"].is_null() {
                continue;
            }
            let mut titles: Vec<_> = books.iter().filter(|other| other["author_id"] == book["author_id"]).collect();
            titles.sort_by(|one, other| other["title"].as_str().cmp(&one["title"].as_str()));
            let titles: Vec<_> = titles.iter().take(2).map(|book| book["title"].clone()).collect();
            assert_eq!(column(&book["author"]["books"], "title"), titles);
            assert_eq!(book["author"]["books"]["more"], true);
        }
        let with_sequel = query("/books", [("where", r#"{"sequels":{"title":"a"}}"#), ("limit", "100")]);
        let expected = books
            .iter()
            .filter(|book| books.iter().any(|other| other["previous_id"] == book["id"] && other["title"] == "a"));
        let mut expected: Vec<_> = expected.map(|book| book["id"].as_i64()).collect();
        expected.sort_unstable();
        let mut found: Vec<_> = column(&api.get(with_sequel).await.ok(), "id").iter().map(Value::as_i64).collect();
        found.sort_unstable();
        assert_eq!(found, expected);
    });
}
