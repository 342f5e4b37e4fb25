//! The document's examples are what the service sends.

use crud_tests::http::on_shop;
use crud_tests::{Answer, Api, on_shop_with_transactions, query};
use reqwest::Method;
use serde_json::{Map, Value, json};

/// A time, as the examples have it.
const MOMENT: &str = "2026-01-31T12:00:00.000000Z";

/// The value with each time replaced by that of the examples.
fn at_moment(value: &Value) -> Value {
    let is_time = |text: &str| text.len() == MOMENT.len() && text.as_bytes()[10] == b'T' && text.ends_with('Z');
    match value {
        Value::String(text) if is_time(text) => MOMENT.into(),
        Value::Array(items) => items.iter().map(at_moment).collect(),
        Value::Object(object) => object.iter().map(|(name, value)| (name.clone(), at_moment(value))).collect(),
        other => other.clone(),
    }
}

/// The document's examples, compared with answers.
struct Examples(Value);

impl Examples {
    async fn of(api: &Api) -> Self {
        Self(api.get("/openapi.json").await.ok())
    }

    fn of_schema(&self, schema: &str) -> &Value {
        let example = &self.0["components"]["schemas"][schema]["examples"][0];
        assert!(!example.is_null(), "{schema} has no example");
        example
    }

    /// Compares a page with the examples of its members, of which `data` has the record's.
    fn compare_page(&self, record: &str, answer: &Answer) {
        let list = &self.0["components"]["schemas"][format!("{record}List")];
        let members = list["properties"].as_object().expect("members");
        let mut page: Map<_, _> =
            members.iter().map(|(name, member)| (name.clone(), member["examples"][0].clone())).collect();
        page.insert("data".to_owned(), json!([self.of_schema(record)]));
        // The resource's own limit is the default of the parameter.
        page.insert("limit".to_owned(), answer.json()["limit"].clone());
        assert_eq!(at_moment(answer.json()), Value::Object(page), "{record}");
    }

    /// Compares an answer's body with the example of a schema.
    fn compare(&self, schema: &str, answer: &Answer) {
        assert_eq!(at_moment(answer.json()), *self.of_schema(schema), "{schema}");
    }

    /// Compares a problem with the example of its code, in the response that an operation declares.
    fn compare_problem(&self, operation: &Value, code: &str, answer: &Answer) {
        let responses = operation["responses"].as_object().expect("responses");
        let named = responses.values().filter_map(|response| response["$ref"].as_str());
        let mut found = named.filter_map(|name| self.0.pointer(name.trim_start_matches('#')));
        let example =
            found.find_map(|response| response["content"]["application/problem+json"]["examples"][code].get("value"));
        assert_eq!(answer.json(), example.expect(code), "{code}");
    }

    fn operation(&self, method: &str, path: &str) -> &Value {
        &self.0["paths"][path][method]
    }
}

#[test]
fn records_pages_batches_and_entries_are_those_of_a_service_with_one_of_each() {
    on_shop_with_transactions(async |shop| {
        let examples = Examples::of(shop).await;
        let root = shop.get("/").await;
        examples.compare("Root", &root.expect(200));
        examples.compare("ServiceStatus", &shop.get("/health").await.expect(200));
        for (prefix, name) in [("/categories", "Category"), ("/products", "Product"), ("/orders", "Order")] {
            let of = |end: &str| format!("{name}{end}");
            let created = shop.post(prefix, examples.of_schema(&of("Create"))).await.expect(201);
            examples.compare(name, &created);
            if name == "Product" {
                let log = shop.get("/audit-logs").await.expect(200);
                assert_eq!(at_moment(&log.json()["data"][0]), *examples.of_schema("AuditLog"));
                examples.compare("AuditLogList", &log);
            }
            examples.compare_page(name, &shop.get(prefix).await.expect(200));
            let searched = shop.post(format!("{prefix}/search"), examples.of_schema(&of("Search"))).await;
            examples.compare_page(name, &searched.expect(200));
            shop.patch(format!("{prefix}/1"), examples.of_schema(&of("Patch"))).await.expect(200);
            let batch = format!("{prefix}/batch");
            let updated = shop.put(&batch, examples.of_schema(&of("BatchUpdate"))).await;
            examples.compare(&of("BatchUpdated"), &updated.expect(200));
        }
        for (prefix, name) in [("/orders", "Order"), ("/products", "Product")] {
            let of = |end: &str| format!("{name}{end}");
            let batch = format!("{prefix}/batch");
            let deleted = shop.delete(&batch).json(examples.of_schema(&of("BatchDelete"))).await;
            examples.compare(&of("BatchDeleted"), &deleted.expect(200));
            let restored = shop.post(format!("{prefix}/restore"), examples.of_schema(&of("BatchDelete"))).await;
            examples.compare("RestoredCount", &restored.expect(200));
            shop.delete(format!("{prefix}/1")).await.expect(200);
            examples.compare("PurgedCount", &shop.delete(format!("{prefix}/deleted?all=true")).await.expect(200));
        }
        // A batch of new records has the keys that storage assigns it.
        let created = shop.post("/products/batch", examples.of_schema("ProductBatchCreate")).await.expect(200);
        let mut expected = examples.of_schema("ProductBatchCreated").clone();
        expected["items"][0]["id"] = created.json()["items"][0]["id"].clone();
        assert_eq!(at_moment(created.json()), expected);
    });
}

#[test]
fn problems_are_those_of_a_service_that_refuses() {
    on_shop(async |shop| {
        let examples = Examples::of(shop).await;
        let compare = |method: &str, path: &str, code: &str, answer: Answer| {
            examples.compare_problem(examples.operation(method, path), code, &answer);
        };
        let create = |body: &str| shop.post_bytes("/categories", body.as_bytes());
        compare("get", "/categories/{id}", "not_found", shop.get("/categories/1").await);
        compare("post", "/categories", "malformed_json", create("{\"name\":}").await);
        compare("post", "/categories", "validation_failed", create("{}").await);
        compare("post", "/categories", "body_too_large", create(&"x".repeat(3 << 20)).await);
        let text = shop.request(Method::POST, "/categories").body("text/plain", "name");
        compare("post", "/categories", "unsupported_media_type", text.await);
        let product = examples.of_schema("ProductCreate");
        let category = examples.of_schema("CategoryCreate");
        shop.post("/categories", category).await.created();
        shop.post("/products", product).await.created();
        compare("post", "/categories", "conflict", shop.post("/categories", category).await);
        compare("delete", "/categories/{id}", "referenced", shop.delete("/categories/1").await);
        let restored = shop.post("/products/1/restore", &json!({})).await;
        compare("post", "/products/{id}/restore", "not_deleted", restored);
        // After the records that have the examples' keys: a refused one may use up a key.
        let mut lost = product.clone();
        lost["category_id"] = 999.into();
        compare("post", "/products", "reference_not_found", shop.post("/products", &lost).await);
        let stale = shop.delete("/products/1").header("if-match", "\"stale\"").await;
        compare("delete", "/products/{id}", "precondition_failed", stale);
        let items: Vec<&Value> = std::iter::repeat_n(category, 1001).collect();
        let large = shop.post("/categories/batch", &json!({ "items": items })).await;
        compare("post", "/categories/batch", "batch_too_large", large);
        let long = shop.get(query("/products", [("name", "x".repeat(9_000))])).await;
        compare("get", "/products", "query_too_long", long);
        let many = shop.get(query("/products", std::iter::repeat_n(("stock", "1"), 201))).await;
        compare("get", "/products", "query_too_complex", many);
        compare("get", "/orders", "cursor_invalid", shop.get("/orders?cursor=x").await);
    });
}
