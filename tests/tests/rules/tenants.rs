use crud_runtime::auth::{Auth, Principal};
use crud_runtime::error::Problem;
use crud_runtime::hooks::{Changeset, HookContext};
use crud_runtime::prelude::*;
use crud_tests::fixtures::{column, now};
use crud_tests::{Answer, Api, Database, on_each_backend, on_each_sql_backend, on_each_transactional_backend, query};
use reqwest::Method;
use serde_json::{Value, json};

use crate::caller::{SECRET, with_claims};

/// A customer of a shop.
#[derive(Debug, Clone, Resource)]
#[crud(filter, sort(name), pagination, search(name), upsert(name), batch(mode(partial)), audit, soft_delete)]
struct Customer {
    id: i64,
    #[crud(tenant(except(role("root"))))]
    shop_id: i64,
    #[crud(unique)]
    name: String,
    #[crud(unique(global))]
    passport: Option<String>,
    deleted_at: Option<DateTime<Utc>>,
}

/// A ticket of a shop, which its customer sees too.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    sort(number),
    pagination,
    audit,
    soft_delete,
    batch,
    unique(customer_id, number, among(active)),
    scope(role("customer"), customer_id(claim("customer"))),
    scope(role("fitter"), fitter_id(claim("fitter")))
)]
struct Ticket {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    #[crud(references(Customer))]
    customer_id: i64,
    fitter_id: Option<i64>,
    number: i32,
    #[crud(references(Ticket, on_delete(restrict)))]
    follows: Option<i64>,
    deleted_at: Option<DateTime<Utc>>,
}

/// A note with an owner, whose reference to a customer is SET NULL.
#[derive(Debug, Clone, Resource)]
struct Note {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    #[crud(references(Customer, on_delete(set_null)))]
    customer_id: Option<i64>,
    #[crud(owner(except(role("root")), assign(role("staff"))))]
    author: String,
}

/// A permit, whose number is unique among all tenants.
#[derive(Debug, Clone, Resource)]
#[crud(upsert(number), access(all(authenticated)))]
struct Permit {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    #[crud(unique(global), length(max = 40))]
    number: String,
    text: Option<String>,
}

/// A contact, whose address is unique in any letter case.
#[derive(Debug, Clone, Resource)]
struct Contact {
    id: i64,
    #[crud(tenant)]
    shop_id: String,
    #[crud(unique(case_insensitive))]
    email: String,
    #[crud(unique(global, case_insensitive))]
    phone: String,
}

async fn service(database: &Database) -> Service {
    let auth = Auth::builder().secret(SECRET).tenant_claim("shop").build().expect("the authentication");
    let service = database.service().await.auth(auth);
    let service = service.resource::<Customer>().resource::<Ticket>().resource::<Note>().resource::<Permit>();
    service.migrate().await.expect("the tables")
}

fn on_each(test: impl AsyncFn(&Api, &App) + Copy) {
    on_each_backend(async |database| {
        let service = service(database).await;
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api, &app).await;
        api.stop().await;
    });
}

/// A caller with these roles and claims.
struct Caller<'a> {
    api: &'a Api,
    token: String,
}

fn caller<'a>(api: &'a Api, subject: &str, roles: &[&str], claims: &Value) -> Caller<'a> {
    Caller { api, token: with_claims(subject, roles, claims) }
}

/// Staff of a shop.
fn staff(api: &Api, shop: i64) -> Caller<'_> {
    caller(api, "1", &["staff"], &json!({ "shop": shop }))
}

impl Caller<'_> {
    async fn send(&self, method: Method, target: impl Into<String>, body: Option<&Value>) -> Answer {
        let request = self.api.request(method, target).header("authorization", &self.token);
        match body {
            Some(body) => request.json(body).await,
            None => request.await,
        }
    }

    async fn get(&self, target: impl Into<String>) -> Answer {
        self.send(Method::GET, target, None).await
    }

    async fn delete(&self, target: impl Into<String>) -> Answer {
        self.send(Method::DELETE, target, None).await
    }

    async fn post(&self, target: impl Into<String>, body: &Value) -> Answer {
        self.send(Method::POST, target, Some(body)).await
    }

    async fn put(&self, target: impl Into<String>, body: &Value) -> Answer {
        self.send(Method::PUT, target, Some(body)).await
    }

    async fn customer(&self, name: &str) -> i64 {
        let customer = self.post("/customers", &json!({ "name": name })).await.created();
        customer["id"].as_i64().expect("a key")
    }
}

#[test]
fn tenant_is_set_from_the_claim() {
    on_each(async |api, _| {
        let ann = staff(api, 1);
        let customer = ann.post("/customers", &json!({ "name": "a" })).await.created();
        assert_eq!(customer["shop_id"], 1);
        let same = ann.post("/customers", &json!({ "name": "b", "shop_id": 1 })).await.created();
        assert_eq!(same["shop_id"], 1);
        let other = ann.post("/customers", &json!({ "name": "c", "shop_id": 2, "x": 1 })).await;
        assert_eq!(other.problem("validation_failed").pointers(), ["/shop_id", "/x"]);
        let path = format!("/customers/{}", customer["id"]);
        assert_eq!(ann.put(&path, &customer).await.ok()["shop_id"], 1, "what was read can be written back");
        let moved = ann.put(&path, &json!({ "shop_id": 2 })).await.problem("validation_failed");
        assert_eq!(moved.only().code, "immutable");
        let batch = json!({ "items": [{ "name": "c", "shop_id": 2 }, { "name": "d" }] });
        let batch = ann.post("/customers/batch", &batch).await.expect(207).into_json();
        assert_eq!((&batch["created"], &batch["items"][0]["shop_id"]), (&json!(1), &json!(1)));
    });
}

#[test]
fn claim_of_the_column_type_is_required() {
    on_each(async |api, _| {
        for claims in [json!({}), json!({ "shop": "1" }), json!({ "shop": 1.5 }), json!({ "shop": null })] {
            let ann = caller(api, "1", &[], &claims);
            ann.get("/customers").await.problem("tenant_required");
            ann.get("/customers/1").await.problem("tenant_required");
            ann.post("/customers", &json!({ "name": "a" })).await.problem("tenant_required");
            ann.get("/customers/1/history").await.problem("tenant_required");
        }
        api.get("/customers").await.problem("authentication_failed");
        let root = caller(api, "1", &["root"], &json!({}));
        let missing = root.post("/customers", &json!({ "name": "a" })).await.problem("validation_failed");
        assert_eq!(missing.only().at, "pointer /shop_id");
        assert_eq!(root.post("/customers", &json!({ "name": "a", "shop_id": 7 })).await.created()["shop_id"], 7);
    });
}

#[test]
fn records_of_other_tenants_are_not_found() {
    on_each(async |api, _| {
        let (ann, bob) = (staff(api, 1), staff(api, 2));
        let id = ann.customer("a").await;
        bob.customer("b").await;
        let path = format!("/customers/{id}");
        assert_eq!(bob.get("/customers").await.ok()["total"], 1);
        assert_eq!(bob.get("/customers?shop_id=1").await.ok()["total"], 0);
        assert_eq!(bob.get(format!("/customers?id__in={id}")).await.ok()["total"], 0);
        bob.get(&path).await.problem("not_found");
        bob.put(&path, &json!({ "name": "x" })).await.problem("not_found");
        bob.delete(&path).await.problem("not_found");
        bob.get(format!("{path}/history")).await.problem("not_found");
        bob.get(format!("{path}?as_of=2026-01-01T00:00:00Z")).await.problem("not_found");
        let failed = bob.post("/customers/batch/delete", &json!({ "ids": [id] })).await.expect(207);
        assert_eq!(failed.json()["errors"][0]["code"], "not_found");
        ann.delete(&path).await.ok();
        assert_eq!(bob.get("/customers?only_deleted=true").await.ok()["total"], 0);
        assert_eq!(bob.post("/customers/restore", &json!({ "ids": [id] })).await.ok()["restored"], 0);
        assert_eq!(bob.delete("/customers/deleted?all=true").await.ok()["deleted"], 0);
        assert_eq!(ann.delete(format!("{path}/permanent")).await.ok()["id"], id);
        assert_eq!(ann.get(format!("{path}/history")).await.ok()["total"], 3);
        bob.get(format!("{path}/history")).await.problem("not_found");
        let root = caller(api, "1", &["root"], &json!({}));
        assert_eq!(root.get("/customers").await.ok()["total"], 1);
    });
}

#[test]
fn search_finds_records_of_the_tenant() {
    on_each(async |api, app| {
        let (ann, bob) = (staff(api, 1), staff(api, 2));
        for (caller, name) in [(&ann, "Smith of one"), (&bob, "Smith of two")] {
            caller.customer(name).await;
        }
        let found = async |caller: &Caller<'_>, text: &str| {
            let list = caller.get(format!("/customers?q={text}")).await.ok();
            assert_eq!(list["total"], list["data"].as_array().map_or(0, Vec::len));
            column(&list, "name")
        };
        assert_eq!(found(&ann, "smith").await, ["Smith of one"]);
        assert_eq!(found(&bob, "smith").await, ["Smith of two"]);
        assert_eq!(found(&bob, "one").await, [""; 0]);
        let root = caller(api, "1", &["root"], &json!({}));
        assert_eq!(root.get("/customers?q=smith").await.ok()["total"], 2);
        let customers = app.store::<Customer>().tenant(2);
        assert_eq!(customers.count(Select::all().search("smith")).await.expect("a number"), 1);
        assert_eq!(customers.count(Select::all().search("one")).await.expect("a number"), 0);
    });
}

/// A page of a tenant with a name, which an index of words may have too.
#[derive(Debug, Clone, Resource)]
#[crud(search(title, text), access(all(authenticated)))]
struct Article {
    id: i64,
    #[crud(tenant, length(max = 40))]
    site: String,
    title: String,
    text: Option<String>,
}

/// A page of a tenant with a UUID.
#[derive(Debug, Clone, Resource)]
#[crud(search(title), access(all(authenticated)))]
struct Entry {
    id: i64,
    #[crud(tenant)]
    site: Uuid,
    title: String,
}

#[test]
fn search_tells_tenants_of_any_name_apart_and_finds_no_tenant_by_its_name() {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("shop").build().unwrap();
        let service = database.service().await.auth(auth).resource::<Article>().resource::<Entry>();
        let service = service.migrate().await.unwrap();
        let articles = service.store::<Article>();
        let sites = ["a-b", "a_b", "a b", "desk", "--", "q\"x", "\u{e4}", "AND", "*"];
        for site in sites {
            articles.tenant(site.to_owned()).create(NewArticle::new(format!("Desk of {}", site.len()))).await.unwrap();
        }
        for site in sites {
            let found = articles.tenant(site.to_owned()).list(Select::all().search("of desk")).await.unwrap();
            assert_eq!(found.into_iter().map(|article| article.site).collect::<Vec<_>>(), [site]);
            let not_of_words = Select::all().filter(Article::FIELDS.id.gt(0)).search("lamp");
            assert_eq!(articles.tenant(site.to_owned()).count(not_of_words).await.unwrap(), 0, "{site}");
        }
        let all = articles.across_tenants();
        assert_eq!(all.count(Select::all().search("desk")).await.unwrap(), sites.len() as u64);
        assert_eq!(all.count(Select::all().search("q")).await.unwrap(), 0, "the name of a tenant is no word of a text");
        let entries = service.store::<Entry>();
        for site in [Uuid::from_u128(1), Uuid::from_u128(2)] {
            entries.tenant(site).create(NewEntry::new("A desk")).await.unwrap();
            assert_eq!(entries.tenant(site).count(Select::all().search("desk")).await.unwrap(), 1);
        }
    });
}

#[test]
fn upsert_changes_records_of_the_tenant() {
    on_each(async |api, app| {
        let (ann, bob) = (staff(api, 1), staff(api, 2));
        let target = "/customers?on_conflict=name";
        let of_ann = ann.post(target, &json!({ "name": "a" })).await.created();
        let of_bob = bob.post(target, &json!({ "name": "a" })).await.created();
        assert_ne!(of_ann["id"], of_bob["id"], "each tenant has its own");
        let changed = bob.post(target, &json!({ "name": "a", "passport": "p" })).await.ok();
        assert_eq!((&changed["id"], &changed["shop_id"]), (&of_bob["id"], &json!(2)));
        assert_eq!(ann.get(format!("/customers/{}", of_ann["id"])).await.ok(), of_ann, "the other's is untouched");
        bob.post(target, &json!({ "name": "a", "shop_id": 1 })).await.problem("validation_failed");
        // A value that is unique among all tenants may be another tenant's: a conflict, as in a create.
        let target = "/permits?on_conflict=number";
        let permit = ann.post(target, &json!({ "number": "1", "text": "of ann" })).await.created();
        let body = json!({ "number": "1", "text": "of bob" });
        let created = bob.post("/permits", &body).await.problem("conflict");
        for target in [target, "/permits?on_conflict=number&conflict=ignore"] {
            assert_eq!(bob.post(target, &body).await.problem("conflict").detail, created.detail);
        }
        assert_eq!(ann.get(format!("/permits/{}", permit["id"])).await.ok(), permit);
        let permits = app.store::<Permit>();
        let new = |text: &str| NewPermit { shop_id: None, number: "1".to_owned(), text: Some(text.to_owned()) };
        assert!(permits.tenant(2).upsert(Permit::FIELDS.number, new("x")).await.is_err());
        let upserted = permits.tenant(1).upsert(Permit::FIELDS.number, new("y")).await.expect("the permit");
        assert_eq!((upserted.created, upserted.record.text.as_deref()), (false, Some("y")));
    });
}

/// A bike, which a hook hands to another shop.
#[derive(Debug, Clone, Resource)]
#[crud(audit, hooks(before(hand_over)))]
struct Bike {
    id: i64,
    #[crud(tenant(except(role("root"))))]
    shop_id: i64,
    note: String,
    to: Option<i64>,
}

async fn hand_over(changeset: &mut Changeset<'_, Bike>, _: &mut HookContext<'_>) -> Result<(), Problem> {
    if let Some(Some(to)) = changeset.get(Bike::FIELDS.to) {
        changeset.set(Bike::FIELDS.shop_id, to);
    }
    Ok(())
}

#[test]
fn move_to_another_tenant_shows_it_no_earlier_value() {
    // The resource has hooks.
    on_each_transactional_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("shop").build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Bike>().migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        let admin = |shop: i64| caller(&api, "1", &["admin"], &json!({ "shop": shop }));
        let bike = admin(1).post("/bikes", &json!({ "note": "secret" })).await.created();
        let path = format!("/bikes/{}", bike["id"]);
        let before = query(&path, [("as_of", now())]);
        let moved = admin(1).put(&path, &json!({ "note": "open", "to": 2 })).await.ok();
        assert_eq!(moved["shop_id"], 2);
        admin(2).put(&path, &json!({ "note": "of two", "to": null })).await.ok();
        let history = async |caller: Caller<'_>| caller.get(format!("{path}/history")).await.ok();
        for (shop, seen, unseen) in [(1, "secret", "of two"), (2, "of two", "secret")] {
            for log in [history(admin(shop)).await, admin(shop).get("/audit-logs").await.ok()] {
                assert_eq!(log["total"], 1, "{log}");
                assert_eq!(column(&log, "tenant"), [shop.to_string()]);
                let text = log.to_string();
                assert!(text.contains(seen) && !text.contains(unseen), "{text}");
            }
        }
        for shop in [1, 2] {
            admin(shop).get(&before).await.problem("not_found");
        }
        for body in [json!({}), json!({ "note": "of one" })] {
            admin(1).put(&path, &body).await.problem("not_found");
        }
        assert_eq!(admin(2).put(&path, &json!({})).await.ok()["note"], "of two");
        let root = caller(&api, "1", &["root", "admin"], &json!({}));
        // The log first: reads in other tenants are entries of it.
        for all in [root.get("/audit-logs").await.ok(), history(caller(&api, "1", &["root"], &json!({}))).await] {
            assert_eq!((&all["total"], &all["data"][1]["previous"]["note"]), (&json!(3), &json!("secret")));
            assert_eq!(column(&all, "tenant"), [json!("1"), json!(null), json!("2")]);
        }
        assert_eq!(root.get(&before).await.ok()["note"], "secret");
        api.stop().await;
    });
}

#[test]
fn audit_log_shows_the_caller_s_tenant() {
    on_each(async |api, _| {
        let admin = |roles: &[&str], claims: Value| caller(api, "1", roles, &claims);
        let (one, two) = (staff(api, 1), staff(api, 2));
        let customer = one.customer("a").await;
        one.post("/tickets", &json!({ "customer_id": customer, "number": 1 })).await.created();
        two.customer("b").await;
        let log = admin(&["admin"], json!({ "shop": 2 })).get("/audit-logs").await.ok();
        assert_eq!((column(&log, "tenant"), &log["total"]), (vec![json!("2")], &json!(1)));
        admin(&["admin"], json!({})).get("/audit-logs").await.problem("tenant_required");
        // Customers exempt the role, and tickets exempt none.
        let log = admin(&["admin", "root"], json!({})).get("/audit-logs").await.ok();
        assert_eq!(column(&log, "entity_type"), ["Customer", "Customer"]);
        assert_eq!(column(&log, "tenant"), ["1", "2"]);
    });
}

#[test]
fn values_are_unique_in_each_tenant() {
    on_each(async |api, _| {
        let (ann, bob) = (staff(api, 1), staff(api, 2));
        let body = json!({ "name": "a", "passport": "P1" });
        ann.post("/customers", &body).await.created();
        let taken = ann.post("/customers", &json!({ "name": "a" })).await.problem("conflict");
        assert_eq!(taken.pointers(), ["/name"]);
        let taken = bob.post("/customers", &body).await.problem("conflict");
        assert_eq!(taken.pointers(), ["/passport"]);
        bob.post("/customers", &json!({ "name": "a" })).await.created();
    });
}

#[test]
fn text_in_any_letter_case_is_unique_in_each_tenant() {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("shop").build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Contact>().migrate().await.expect("the tables");
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let body = |email: &str, phone: &str| json!({ "email": email, "phone": phone });
        // The tenants' own names are compared as they are written.
        let [ann, bob] = ["shop", "Shop"].map(|shop| caller(&api, "1", &["staff"], &json!({ "shop": shop })));
        ann.post("/contacts", &body("ann@x.org", "a1")).await.created();
        let taken = ann.post("/contacts", &body("ANN@x.org", "a2")).await.problem("conflict");
        assert_eq!(taken.pointers(), ["/email"]);
        bob.post("/contacts", &body("Ann@x.org", "b1")).await.created();
        let taken = bob.post("/contacts", &body("bob@x.org", "A1")).await.problem("conflict");
        assert_eq!(taken.pointers(), ["/phone"], "a value of another tenant");
        api.stop().await;
    });
}

#[test]
fn group_is_unique_among_active_records() {
    on_each(async |api, _| {
        let ann = staff(api, 1);
        let customer = ann.customer("a").await;
        let body = json!({ "customer_id": customer, "number": 1 });
        let ticket = ann.post("/tickets", &body).await.created();
        let taken = ann.post("/tickets", &body).await.problem("conflict");
        assert_eq!(taken.pointers(), ["/customer_id", "/number"]);
        ann.delete(format!("/tickets/{}", ticket["id"])).await.ok();
        ann.post("/tickets", &body).await.created();
        ann.post(format!("/tickets/{}/restore", ticket["id"]), &json!({})).await.problem("conflict");
    });
}

#[test]
fn reference_to_another_tenant_is_like_a_missing_one() {
    on_each_backend(async |database| {
        let service = service(database).await;
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let api = &api;
        let (ann, bob) = (staff(api, 1), staff(api, 2));
        let (own, other) = (ann.customer("a").await, bob.customer("b").await);
        let missing = ann.post("/tickets", &json!({ "customer_id": 999_999, "number": 1 })).await;
        let missing = missing.problem("reference_not_found");
        let refused = ann.post("/tickets", &json!({ "customer_id": other, "number": 1 })).await;
        let refused = refused.problem("reference_not_found");
        assert_eq!((refused.pointers(), &refused.detail), (missing.pointers(), &missing.detail));
        let ticket = ann.post("/tickets", &json!({ "customer_id": own, "number": 1 })).await.created();
        let path = format!("/tickets/{}", ticket["id"]);
        let refused = ann.put(&path, &json!({ "customer_id": other })).await.problem("reference_not_found");
        assert_eq!(refused.pointers(), ["/customer_id"]);
        let batch = json!({ "items": [{ "customer_id": own, "number": 2 }, { "customer_id": other, "number": 3 }] });
        if database.backend().has_transactions() {
            let refused = ann.post("/tickets/batch", &batch).await.problem("reference_not_found");
            assert_eq!(refused.items(), [(1, "/customer_id")]);
        }
        assert_eq!(ann.get("/tickets").await.ok()["total"], 1);
        ann.post("/notes", &json!({ "customer_id": other })).await.problem("reference_not_found");
        // The program's own code is held to it too.
        let new = NewTicket { shop_id: None, customer_id: other, fitter_id: None, number: 4, follows: None };
        let refused = app.store::<Ticket>().tenant(1).create(new).await.unwrap_err();
        assert!(
            matches!(refused, crud_runtime::Error::Problem(problem) if problem.code().as_str() == "reference_not_found")
        );
    });
}

#[test]
fn storage_refuses_references_across_tenants() {
    on_each_transactional_backend(async |database| {
        let app = service(database).await.app();
        let new = |shop| NewCustomer { shop_id: Some(shop), name: "a".into(), passport: None };
        let other = app.store::<Customer>().across_tenants().create(new(2)).await.expect("a customer");
        let ticket = NewTicket { shop_id: Some(1), customer_id: other.id, fitter_id: None, number: 1, follows: None };
        let refused = app.store::<Ticket>().across_tenants().create(ticket).await.unwrap_err();
        let crud_runtime::Error::Problem(problem) = refused else { panic!("{refused:?}") };
        assert_eq!(problem.code().as_str(), "reference_not_found");
        assert_eq!(problem.errors().len(), 1, "{problem:?}");
    });
}

#[test]
fn scopes_restrict_the_roles_that_they_name() {
    on_each(async |api, _| {
        let ann = staff(api, 1);
        let (one, two) = (ann.customer("a").await, ann.customer("b").await);
        for (customer, number, fitter) in [(one, 1, None), (two, 2, Some(5)), (two, 3, None)] {
            let body = json!({ "customer_id": customer, "number": number, "fitter_id": fitter });
            ann.post("/tickets", &body).await.created();
        }
        let numbers = async |caller: Caller<'_>| column(&caller.get("/tickets?sort=number").await.ok(), "number");
        let claims = json!({ "shop": 1, "customer": one, "fitter": 5 });
        assert_eq!(numbers(caller(api, "9", &["customer"], &claims)).await, [1]);
        assert_eq!(numbers(caller(api, "9", &["fitter"], &claims)).await, [2]);
        assert_eq!(numbers(caller(api, "9", &["customer", "fitter"], &claims)).await, [1, 2]);
        assert_eq!(numbers(caller(api, "9", &["other"], &claims)).await, [1, 2, 3]);
        assert_eq!(numbers(caller(api, "9", &["customer"], &json!({ "shop": 1 }))).await, Vec::<Value>::new());
        let text = json!({ "shop": 1, "customer": one.to_string() });
        assert_eq!(numbers(caller(api, "9", &["customer"], &text)).await, Vec::<Value>::new());
        assert_eq!(
            numbers(caller(api, "9", &["customer"], &json!({ "shop": 2, "customer": one }))).await,
            Vec::<Value>::new()
        );
    });
}

#[test]
fn scope_sets_its_field_and_keeps_it() {
    on_each(async |api, _| {
        let ann = staff(api, 1);
        let (one, two) = (ann.customer("a").await, ann.customer("b").await);
        let cleo = caller(api, "9", &["customer"], &json!({ "shop": 1, "customer": one }));
        let ticket = cleo.post("/tickets", &json!({ "number": 1 })).await.created();
        assert_eq!(ticket["customer_id"], one);
        let refused = cleo.post("/tickets", &json!({ "number": 2, "customer_id": two })).await;
        assert_eq!(refused.problem("validation_failed").only().at, "pointer /customer_id");
        let path = format!("/tickets/{}", ticket["id"]);
        assert_eq!(cleo.put(&path, &ticket).await.ok()["number"], 1);
        let refused = cleo.put(&path, &json!({ "customer_id": two })).await.problem("validation_failed");
        assert_eq!(refused.only().code, "immutable");
        assert_eq!(ann.put(&path, &json!({ "customer_id": two })).await.ok()["customer_id"], two);
        cleo.get(&path).await.problem("not_found");
        let missing = ann.post("/tickets", &json!({ "number": 7 })).await.problem("validation_failed");
        assert_eq!((missing.only().at.as_str(), missing.only().code.as_str()), ("pointer /customer_id", "required"));
        let without = caller(api, "9", &["customer"], &json!({ "shop": 1 }));
        without.post("/tickets", &json!({ "number": 2 })).await.problem("permission_denied");
    });
}

#[test]
fn owner_is_assigned_by_those_who_may() {
    on_each(async |api, _| {
        let ann = staff(api, 1);
        assert_eq!(ann.post("/notes", &json!({})).await.created()["author"], "1");
        let note = ann.post("/notes", &json!({ "author": "2" })).await.created();
        assert_eq!(note["author"], "2");
        ann.get(format!("/notes/{}", note["id"])).await.problem("not_found");
        let bob = caller(api, "2", &[], &json!({ "shop": 1 }));
        let path = format!("/notes/{}", note["id"]);
        assert_eq!(bob.get(&path).await.ok()["author"], "2");
        let refused = bob.put(&path, &json!({ "author": "1" })).await.problem("validation_failed");
        assert_eq!(refused.only().at, "pointer /author");
        let refused = bob.post("/notes", &json!({ "author": "1" })).await.problem("validation_failed");
        assert_eq!(refused.only().at, "pointer /author");
    });
}

#[test]
fn store_says_whose_records_it_means() {
    on_each(async |_, app| {
        let customers = app.store::<Customer>();
        let ann = Principal::new("7").with_tenant(1);
        let customer = customers.of(&ann).create(NewCustomer::new("a")).await.expect("a customer");
        assert_eq!(customer.shop_id, 1);
        let (own, other) = (customers.tenant(1), customers.tenant(2));
        assert!(other.find(customer.id).await.expect("an answer").is_none());
        assert_eq!(problem(other.update(customer.id, CustomerPatch::default().name("b")).await), "not_found");
        assert_eq!(problem(other.soft_delete(customer.id).await), "not_found");
        assert_eq!(problem(other.create(NewCustomer::new("a").shop_id(1)).await), "validation_failed");
        assert_eq!(problem(customers.across_tenants().create(NewCustomer::new("a")).await), "validation_failed");
        assert_eq!(other.count(Select::all()).await.expect("a number"), 0);
        assert_eq!(own.list(Customer::FIELDS.name.eq("a")).await.expect("a list").len(), 1);
        other.create(NewCustomer::new("a")).await.expect("a customer of shop 2");
        assert_eq!(customers.across_tenants().count(Select::all()).await.expect("a number"), 2);
        own.delete_one(customer.id).await.expect("a deleted record");
    });
}

#[test]
fn transaction_is_of_the_actor_s_tenant() {
    on_each_transactional_backend(async |database| {
        let app = service(database).await.app();
        let ann = Principal::new("7").with_tenant(1);
        let made: crud_runtime::Result<i64> = app
            .acting_as(&ann)
            .transaction(async |tx| {
                let customer = tx.store::<Customer>().create(NewCustomer::new("a")).await?;
                assert_eq!(tx.store::<Customer>().tenant(2).count(Select::all()).await?, 0);
                Ok(tx.store::<Customer>().lock(customer.id).await?.id)
            })
            .await;
        let id = made.expect("a transaction");
        assert_eq!(app.store::<Customer>().tenant(1).get(id).await.expect("the customer").name, "a");
        let bob = Principal::new("8").with_tenant(2);
        let refused = app.acting_as(&bob).transaction(async |tx| tx.store::<Customer>().lock(id).await).await;
        assert_eq!(problem(refused), "not_found");
        let without_actor = app.transaction(async |tx| tx.store::<Customer>().get(id).await).await;
        assert_eq!(problem(without_actor), "internal", "the transaction has no actor");
    });
}

/// A record of no tenant that refers to one of a tenant.
#[derive(Debug, Clone, Resource)]
struct Global {
    id: i64,
    #[crud(references(Customer))]
    customer_id: i64,
}

#[test]
fn reference_of_every_tenant_s_record_to_one_tenant_s_is_refused_at_start() {
    on_each_backend(async |database| {
        let service = service(database).await.resource::<Global>();
        let error = service.into_router().expect_err("the service does not start").to_string();
        assert!(error.contains("Global.customer_id refers to Customer"), "{error}");
    });
}

fn problem<T: std::fmt::Debug>(result: crud_runtime::Result<T>) -> &'static str {
    match result.unwrap_err() {
        crud_runtime::Error::Problem(problem) => Problem::code(&problem).as_str(),
        error => panic!("{error:?}"),
    }
}

mod before_tenants {
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "labels")]
    pub(super) struct Label {
        pub(super) id: i64,
        #[crud(unique)]
        pub(super) text: String,
    }
}

/// A label of a shop, which had none before.
#[derive(Debug, Clone, Resource)]
#[crud(table = "labels")]
struct Label {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    #[crud(unique)]
    text: String,
}

#[test]
fn refusal_of_a_table_without_tenants_has_the_statements_that_give_it_some() {
    on_each_sql_backend(async |database| {
        let before = database.service().await.resource::<before_tenants::Label>().migrate().await.expect("a table");
        let label = before_tenants::NewLabel::new("fragile");
        before.store::<before_tenants::Label>().create(label).await.expect("a label");
        drop(before);
        let labels = async || {
            let auth = Auth::builder().secret(SECRET).tenant_claim("shop").build().expect("the authentication");
            database.service().await.auth(auth).resource::<Label>()
        };
        let error = labels().await.migrate().await.expect_err("no tenant").to_string();
        assert!(error.contains("table `labels`, column `shop_id`: is missing\n    ALTER TABLE"), "{error}");
        let statements = error.lines().filter_map(|line| line.strip_prefix("    "));
        for statement in statements {
            database.execute(&statement.replace("DEFAULT …", "DEFAULT 7")).await;
        }
        let service = labels().await.migrate().await.expect("the tenants");
        let label = service.store::<Label>().tenant(7).get(1).await.expect("the label");
        assert_eq!((label.text.as_str(), label.shop_id), ("fragile", 7));
    });
}
