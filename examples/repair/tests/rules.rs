//! The rules of the repair shop, over HTTP, on each back end with SQL.
//!
//! The document database is not among them: the board is a view, and bookings and invoices write several records in one transaction
//! (`hooks(…)`), which the service refuses at start there.

use std::sync::{Arc, Mutex};

use crud_runtime::testing::Test;
use crud_tests::{on_each_sql_backend, start_lines, untyped};
use repair::{Mailer, NewShop, Shop, auth, repair};
use serde_json::{Value, json};

/// Keeps the mails.
#[derive(Clone, Default)]
struct Outbox(Arc<Mutex<Vec<String>>>);

impl Mailer for Outbox {
    fn send(&self, address: &str, text: &str) -> Result<(), String> {
        self.0.lock().unwrap().push(format!("{address}: {text}"));
        Ok(())
    }
}

/// A shop with staff, a customer, a device and a part.
struct Setup {
    test: Test,
    outbox: Outbox,
    shop: i64,
    customer: i64,
    device: i64,
    part: i64,
}

fn id(answer: &Value) -> i64 {
    answer["id"].as_i64().expect("a key")
}

impl Setup {
    async fn new(test: &Test, outbox: &Outbox, name: &str) -> Self {
        let shop = test.store::<Shop>().create(NewShop::new(name)).await.expect("a shop").id;
        let mut setup = Self { test: test.clone(), outbox: outbox.clone(), shop, customer: 0, device: 0, part: 0 };
        let staff = setup.staff();
        let email = format!("{name}@example.com");
        setup.customer =
            id(&staff.post("/customers", json!({ "name": "Cleo", "email": email })).await.expect(201).json());
        setup.device = setup.device_of(setup.customer, "S-1").await;
        let part = json!({ "name": "Screen", "price": "49.90", "stock": 5 });
        setup.part = id(&staff.post("/parts", part).await.expect(201).json());
        setup
    }

    fn staff(&self) -> Test {
        self.test.as_role("staff").claim("shop", self.shop)
    }

    fn customer(&self) -> Test {
        self.test.as_role("customer").claim("shop", self.shop).claim("customer", self.customer)
    }

    async fn device_of(&self, customer: i64, serial: &str) -> i64 {
        let device = json!({ "customer_id": customer, "model": "Phone", "serial": serial });
        id(&self.staff().post("/devices", device).await.expect(201).json())
    }

    /// A ticket in progress.
    async fn ticket(&self) -> i64 {
        let body = json!({ "customer_id": self.customer, "device_id": self.device, "problem": "Broken screen" });
        let ticket = id(&self.staff().post("/tickets", body).await.expect(201).json());
        self.staff().post(format!("/tickets/{ticket}/start"), json!({})).await.expect(200);
        ticket
    }

    fn line(&self, ticket: i64, quantity: i64) -> Value {
        json!({ "ticket_id": ticket, "part_id": self.part, "quantity": quantity })
    }

    async fn stock(&self) -> i64 {
        self.staff().get(format!("/parts/{}", self.part)).await.json()["stock"].as_i64().expect("a number")
    }
}

fn on_each(test: impl AsyncFn(Setup)) {
    on_each_sql_backend(async |database| {
        let auth = auth().secret("a secret of at least thirty-two bytes").build().expect("the authentication");
        let outbox = Outbox::default();
        let service = repair(database.service().await.auth(auth), outbox.clone());
        let service = service.test().await.expect("the service");
        test(Setup::new(&service, &outbox, "north").await).await;
    });
}

#[test]
fn every_body_parameter_and_answer_has_a_type() {
    on_each_sql_backend(async |database| {
        let auth = auth().secret("a secret of at least thirty-two bytes").build().expect("the authentication");
        let document =
            repair(database.service().await.auth(auth), Outbox::default()).openapi_json().expect("the document");
        assert_eq!(untyped(&document), [""; 0]);
    });
}

#[test]
fn parts_are_taken_with_the_line_and_go_back_with_it() {
    on_each(async |shop| {
        let (staff, ticket) = (shop.staff(), shop.ticket().await);
        let line = staff.post("/lines", shop.line(ticket, 2)).await.expect(201).json();
        assert_eq!((&line["price"], shop.stock().await), (&json!("49.90"), 3));
        let refused = staff.post("/lines", shop.line(ticket, 4)).await.problem("validation_failed");
        assert_eq!(
            (&refused["errors"][0]["pointer"], &refused["errors"][0]["code"]),
            (&json!("/quantity"), &json!("stock"))
        );
        // The items of a batch are one transaction.
        let batch = json!({ "items": [shop.line(ticket, 3), shop.line(ticket, 1)] });
        staff.post("/lines/batch", batch).await.problem("validation_failed");
        assert_eq!(shop.stock().await, 3);
        staff.delete(format!("/lines/{}", line["id"])).await.expect(200);
        assert_eq!(shop.stock().await, 5);
        let history = staff.get(format!("/parts/{}/history", shop.part)).await.json();
        let stocks: Vec<&Value> =
            history["data"].as_array().unwrap().iter().map(|entry| &entry["changes"]["stock"]).collect();
        assert_eq!(stocks, [&json!(5), &json!(3), &json!(5)]);
    });
}

#[test]
fn fifty_bookings_of_the_last_part_leave_exactly_one() {
    on_each(async |shop| {
        let (staff, ticket) = (shop.staff(), shop.ticket().await);
        staff.put(format!("/parts/{}", shop.part), json!({ "stock": 1 })).await.expect(200);
        let bookings = (0..50).map(|_| {
            let (staff, line) = (staff.clone(), shop.line(ticket, 1));
            tokio::spawn(async move { staff.post("/lines", line).await.status() })
        });
        let mut statuses = Vec::new();
        for booking in bookings.collect::<Vec<_>>() {
            statuses.push(booking.await.expect("an answer"));
        }
        let booked = statuses.iter().filter(|status| **status == 201).count();
        assert!(booked == 1 && statuses.iter().all(|status| [201, 422].contains(status)), "{statuses:?}");
        let lines = staff.get("/lines").await.json();
        assert_eq!((shop.stock().await, &lines["total"]), (0, &json!(1)));
    });
}

#[test]
fn finished_ticket_gets_an_invoice_and_its_mail_after_the_commit() {
    on_each(async |shop| {
        let staff = shop.staff();
        shop.test.clock().set("2026-12-31T23:59:59Z".parse().unwrap());
        for number in 1..=2 {
            let ticket = shop.ticket().await;
            staff.post("/lines", shop.line(ticket, number)).await.expect(201);
            staff.post(format!("/tickets/{ticket}/finish"), json!({})).await.expect(200);
            staff.post(format!("/tickets/{ticket}/finish"), json!({})).await.problem("illegal_transition");
        }
        shop.test.clock().set("2027-01-01T00:00:00Z".parse().unwrap());
        let ticket = shop.ticket().await;
        staff.put(format!("/tickets/{ticket}"), json!({ "status": "done" })).await.expect(200);
        let invoices = shop.customer().get("/invoices?sort=year,number").await.json();
        let numbers: Vec<(&Value, &Value, &Value)> = invoices["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|invoice| (&invoice["year"], &invoice["number"], &invoice["total"]))
            .collect();
        let expected = [(2026, 1, "49.90"), (2026, 2, "99.80"), (2027, 1, "0.00")];
        assert_eq!(
            numbers,
            expected
                .map(|(year, number, total)| (json!(year), json!(number), json!(total)))
                .each_ref()
                .map(|(a, b, c)| (a, b, c))
        );
        assert!(shop.outbox.0.lock().unwrap().is_empty());
        assert_eq!(shop.test.run_jobs().await.expect("the jobs"), 3);
        assert_eq!(shop.outbox.0.lock().unwrap()[1], "north@example.com: Invoice 2026/2: 99.80");
    });
}

#[test]
fn cancelled_ticket_gives_its_parts_back() {
    on_each(async |shop| {
        let (staff, ticket) = (shop.staff(), shop.ticket().await);
        staff.post("/lines", shop.line(ticket, 2)).await.expect(201);
        shop.customer().post(format!("/tickets/{ticket}/cancel"), json!({})).await.problem("permission_denied");
        staff.post(format!("/tickets/{ticket}/cancel"), json!({})).await.expect(200);
        assert_eq!(shop.stock().await, 5);
        staff.post("/lines", shop.line(ticket, 1)).await.problem("validation_failed");
        assert_eq!(staff.get("/invoices").await.json()["total"], 0);
    });
}

#[test]
fn board_shows_the_unfinished_tickets_with_the_names_of_their_customers() {
    on_each(async |shop| {
        let staff = shop.staff();
        let (done, ticket) = (shop.ticket().await, shop.ticket().await);
        staff.post(format!("/tickets/{done}/finish"), json!({})).await.expect(200);
        let board = staff.get("/board?customer=Cleo").await.json();
        assert_eq!(
            board["data"],
            json!([{
                "id": ticket, "shop_id": shop.shop, "customer_id": shop.customer, "customer": "Cleo", "device": "Phone",
                "status": "in_progress", "urgent": false, "due": null
            }])
        );
        let others = shop.test.as_role("customer").claim("shop", shop.shop).claim("customer", 999_999);
        assert_eq!(others.get("/board").await.json()["total"], 0);
        assert_eq!(shop.customer().get("/board").await.json()["total"], 1);
        staff.delete(format!("/board/{ticket}")).await.problem("method_not_allowed");
        let south = Setup::new(&shop.test, &shop.outbox, "south").await;
        assert_eq!(south.staff().get("/board").await.json()["total"], 0);
    });
}

#[test]
fn ticket_is_of_a_device_of_its_customer() {
    on_each(async |shop| {
        let staff = shop.staff();
        let other = json!({ "name": "Otto", "email": "otto@example.com" });
        let other = id(&staff.post("/customers", other).await.expect(201).json());
        let theirs = shop.device_of(other, "S-2").await;
        let body = |device| json!({ "customer_id": shop.customer, "device_id": device, "problem": "Broken" });
        let refused = staff.post("/tickets", body(theirs)).await.problem("validation_failed");
        assert_eq!(refused["errors"][0]["pointer"], "/device_id");
        staff.post("/tickets", body(999_999)).await.problem("reference_not_found");
        // A customer reaches its own devices alone, and says whose the ticket is by being who it is.
        let customer = shop.customer();
        customer
            .post("/tickets", json!({ "device_id": theirs, "problem": "Broken" }))
            .await
            .problem("reference_not_found");
        let ticket =
            customer.post("/tickets", json!({ "device_id": shop.device, "problem": "Broken" })).await.expect(201);
        assert_eq!(ticket.json()["customer_id"], shop.customer);
        customer.get(format!("/devices/{theirs}")).await.problem("not_found");
        let urgent = json!({ "device_id": shop.device, "problem": "Broken", "urgent": true });
        let refused = customer.post("/tickets", urgent).await.problem("validation_failed");
        assert_eq!(refused["errors"][0]["code"], "due_required");
    });
}

#[test]
fn shops_do_not_see_each_other() {
    on_each(async |north| {
        let south = Setup::new(&north.test, &north.outbox, "south").await;
        let ticket = north.ticket().await;
        let staff = south.staff();
        staff.get(format!("/tickets/{ticket}")).await.problem("not_found");
        staff.post(format!("/tickets/{ticket}/finish"), json!({})).await.problem("not_found");
        assert_eq!(staff.get("/tickets").await.json()["total"], 0);
        let own = south.ticket().await;
        staff.post("/lines", south.line(ticket, 1)).await.problem("reference_not_found");
        let line = json!({ "ticket_id": own, "part_id": north.part, "quantity": 1 });
        staff.post("/lines", line).await.problem("reference_not_found");
        // Same serial number and part name, other numbers.
        for shop in [&north, &south] {
            let ticket = shop.ticket().await;
            shop.staff().post(format!("/tickets/{ticket}/finish"), json!({})).await.expect(200);
            assert_eq!(shop.staff().get("/invoices").await.json()["data"][0]["number"], 1);
        }
        north.test.as_role("staff").get("/tickets").await.problem("tenant_required");
        for shop in [&north, &south] {
            let jobs = shop.staff().as_role("admin").get("/_service/jobs").await.json();
            assert_eq!((&jobs["total"], &jobs["data"][0]["payload"]["shop"]), (&json!(1), &json!(shop.shop)));
        }
        north.test.as_role("admin").get("/_service/jobs").await.problem("tenant_required");
    });
}

#[test]
fn start_logs_the_address_alone() {
    on_each_sql_backend(async |database| {
        let variables =
            [("JWT_SECRET_KEY", "a secret of at least thirty-two bytes"), ("ADMIN_PASSWORD", "correct horse")];
        for _ in ["without records", "with records"] {
            let lines = start_lines(env!("CARGO_BIN_EXE_repair"), &variables, database).await;
            assert_eq!(lines, ["INFO listening on http://ADDRESS"]);
        }
    });
}
