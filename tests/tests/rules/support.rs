//! Support: a role that `tenant(except(…))` lets read in every tenant, in the log and the jobs too, and the entries of its reads.

use crud_runtime::access::Access;
use crud_runtime::auth::Auth;
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, get, post};
use crud_runtime::{BoxError, Job};
use crud_tests::fixtures::{column, records};
use crud_tests::{Answer, Api, on_each_backend};
use reqwest::Method;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::caller::{SECRET, with_claims};

/// A ticket, which support reads in every shop.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    sort(id, number),
    pagination,
    export,
    aggregate(group_by(number)),
    batch(mode(partial)),
    upsert(number),
    soft_delete,
    audit,
    access(read(authenticated), write(role("staff")))
)]
struct Ticket {
    id: i64,
    #[crud(tenant(except(role("support"))))]
    shop_id: i64,
    #[crud(unique, length(max = 40))]
    number: String,
    deleted_at: Option<DateTime<Utc>>,
}

/// A bill, which support does not read in other shops.
#[derive(Debug, Clone, Resource)]
#[crud(audit, pagination, access(read(authenticated), write(role("staff"))))]
struct Bill {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
}

/// A parcel for a ticket, whose changes may be in a transaction.
#[derive(Debug, Clone, Resource)]
#[crud(audit, pagination, idempotency, access(read(authenticated), write(role("staff"))))]
struct Parcel {
    id: i64,
    #[crud(tenant(except(role("support"))))]
    shop_id: i64,
    #[crud(references(Ticket, expand))]
    ticket_id: i64,
    #[crud(length(max = 40))]
    place: String,
}

/// A note on a ticket, without a log.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(shop_id),
    sort(ticket::number),
    pagination,
    soft_delete,
    access(read(authenticated), write(role("staff")))
)]
struct Note {
    id: i64,
    #[crud(tenant(except(role("support"))))]
    shop_id: i64,
    #[crud(references(Ticket))]
    ticket_id: i64,
    deleted_at: Option<DateTime<Utc>>,
}

/// A job that waits.
#[derive(Debug, Serialize, Deserialize)]
struct Nothing;

impl Job for Nothing {
    const KIND: &str = "nothing";

    async fn run(self, _: App) -> Result<(), BoxError> {
        Ok(())
    }
}

async fn numbers(ctx: Context) -> crud_runtime::Result<Json<Vec<String>>> {
    let tickets = ctx.store::<Ticket>().list(Ticket::FIELDS.id.gt(0).order_by(Ticket::FIELDS.id.asc())).await?;
    Ok(Json(tickets.into_iter().map(|ticket| ticket.number).collect()))
}

async fn count(ctx: Context) -> crud_runtime::Result<Json<u64>> {
    let number = ctx.path("number")?;
    Ok(Json(ctx.store::<Ticket>().count(Ticket::FIELDS.number.eq(number)).await?))
}

async fn purge(ctx: Context) -> crud_runtime::Result<Json<u64>> {
    let of_ticket = Note::FIELDS.ticket.is(Ticket::FIELDS.number.eq(ctx.path("number")?));
    Ok(Json(ctx.store::<Note>().permanent_delete_where(of_ticket).await?))
}

struct World<'a> {
    api: &'a Api,
    app: App,
}

/// Runs a test against a service with a ticket of each of two shops; `with_bills`: and bills.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_shops(with_bills: bool, test: impl AsyncFn(&World<'_>)) {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("shop").build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Ticket>();
        let is_interactive = database.backend().is_interactive();
        let service = if is_interactive { service.job::<Nothing>().resource::<Parcel>() } else { service };
        let service = if with_bills { service.resource::<Bill>() } else { service };
        // An order by another record needs SQL.
        let service = if database.backend().speaks_sql() {
            service.resource::<Note>().route("/purge/{number}", post(purge).access(Access::Role("staff")))
        } else {
            service
        };
        let service = service.route("/numbers", get(numbers).access(Access::Authenticated));
        let service = service.route("/count/{number}", get(count).access(Access::Authenticated));
        let service = service.migrate().await.expect("the tables");
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let world = World { api: &api, app };
        for (shop, number) in [(1, "a"), (2, "b")] {
            world.send(&staff(shop), Method::POST, "/tickets", Some(json!({ "number": number }))).await.created();
        }
        test(&world).await;
        api.stop().await;
    });
}

fn staff(shop: i64) -> String {
    with_claims("1", &["staff"], &json!({ "shop": shop }))
}

/// A supporter, who reads the log too.
fn support() -> String {
    with_claims("sue", &["support", "admin"], &json!({}))
}

/// A supporter who may change records too, in every shop.
fn fixer() -> String {
    with_claims("sue", &["support", "staff"], &json!({}))
}

impl World<'_> {
    /// Writes a note on a ticket of each shop.
    async fn write_notes(&self) {
        for shop in [1, 2] {
            let ticket = self.get(&staff(shop), "/tickets").await.ok()["data"][0]["id"].clone();
            let note = json!({ "ticket_id": ticket });
            self.send(&staff(shop), Method::POST, "/notes", Some(note)).await.created();
        }
    }

    /// The newest change of a shop's record that its administrator sees.
    async fn last_update(&self, shop: i64) -> Value {
        let admin = with_claims("boss", &["admin"], &json!({ "shop": shop }));
        let log = self.get(&admin, "/audit-logs?action=update&limit=100").await.ok();
        records(&log).iter().max_by_key(|entry| entry["id"].as_i64()).cloned().unwrap_or_default()
    }

    async fn send(&self, token: &str, method: Method, path: &str, body: Option<Value>) -> Answer {
        let request = self.api.request(method, path).header("authorization", token);
        match body {
            Some(body) => request.json(&body).await,
            None => request.await,
        }
    }

    async fn get(&self, token: &str, path: &str) -> Answer {
        self.send(token, Method::GET, path, None).await
    }

    /// The entries of reads that a shop's administrator sees: the reader and the operation of each.
    async fn reads(&self, shop: i64) -> Vec<(Value, Value)> {
        let admin = with_claims("boss", &["admin"], &json!({ "shop": shop }));
        let log = self.get(&admin, "/audit-logs?action=read&limit=100").await.ok();
        let entry = |entry: &Value| (entry["actor"].clone(), entry["changes"]["operation"].clone());
        records(&log).iter().map(entry).collect()
    }
}

#[test]
fn each_read_of_another_tenant_is_in_its_log() {
    on_shops(true, async |world| {
        let list = world.get(&support(), "/tickets?sort=id").await.ok();
        assert_eq!(column(&list, "number"), ["a", "b"]);
        for shop in [1, 2] {
            assert_eq!(world.reads(shop).await, [(json!("sue"), json!("GET /tickets"))], "shop {shop}");
        }
        let id = list["data"][1]["id"].clone();
        for path in [format!("/tickets/{id}"), format!("/tickets/{id}/history"), "/tickets/export".to_owned()] {
            world.get(&support(), &path).await.expect(200);
        }
        world.get(&support(), "/tickets/aggregate?number=b").await.ok();
        world.send(&support(), Method::POST, "/tickets/search", Some(json!({ "limit": 5 }))).await.ok();
        world.get(&support(), "/numbers").await.expect(200);
        let operations: Vec<Value> = world.reads(2).await.into_iter().map(|(_, operation)| operation).collect();
        let (get, history) = (format!("GET /tickets/{id}"), format!("GET /tickets/{id}/history"));
        // A history reads the record, and the entries of the log.
        for operation in [
            "GET /tickets",
            &get,
            &history,
            "GET /tickets/export",
            "GET /tickets/aggregate",
            "POST /tickets/search",
            "GET /numbers",
        ] {
            assert!(operations.contains(&json!(operation)), "{operation}: {operations:?}");
        }
        let of_one: Vec<Value> = world.reads(1).await.into_iter().map(|(_, operation)| operation).collect();
        assert!(of_one.contains(&json!("GET /numbers")), "{of_one:?}");
        for of_other in [&get, "GET /tickets/aggregate"] {
            assert!(!of_one.contains(&json!(of_other)), "{of_other}: {of_one:?}");
        }
    });
}

#[test]
fn read_of_one_tenant_is_in_its_log_alone() {
    on_shops(true, async |world| {
        assert_eq!(world.get(&support(), "/tickets?shop_id=2").await.ok()["total"], 1);
        world.get(&support(), "/tickets?shop_id=3").await.ok();
        world.get(&support(), "/tickets/99").await.problem("not_found");
        assert_eq!((world.reads(1).await, world.reads(2).await.len()), (Vec::new(), 1));
        // Its own tenant is not another one, and staff is of one.
        let own = with_claims("sam", &["support"], &json!({ "shop": 1 }));
        assert_eq!(world.get(&own, "/tickets").await.ok()["total"], 2);
        world.get(&staff(1), "/tickets").await.ok();
        assert_eq!((world.reads(1).await.len(), world.reads(2).await.len()), (0, 2));
    });
}

#[test]
fn count_of_records_that_are_not_returned_is_a_read_of_their_tenant() {
    on_shops(true, async |world| {
        // A condition and a total guess every value.
        assert_eq!(world.get(&support(), "/tickets?number=b&skip=9").await.ok()["total"], 1);
        assert_eq!((world.reads(1).await.len(), world.reads(2).await.len()), (0, 1));
        assert_eq!(world.get(&support(), "/count/a").await.ok(), 1);
        assert_eq!(world.get(&support(), "/count/c").await.ok(), 0);
        assert_eq!(world.reads(1).await, [(json!("sue"), json!("GET /count/a"))]);
        assert_eq!(world.reads(2).await.len(), 1);
        let first = world.get(&support(), "/tickets?sort=id&limit=1").await.ok();
        assert_eq!((column(&first, "number"), &first["total"]), (vec![json!("a")], &json!(2)));
        assert_eq!((world.reads(1).await.len(), world.reads(2).await.len()), (2, 2));
    });
}

#[test]
fn order_by_a_record_of_another_tenant_is_a_read_of_it() {
    on_shops(true, async |world| {
        if !world.api.backend().speaks_sql() {
            return;
        }
        world.write_notes().await;
        assert_eq!(world.get(&support(), "/notes").await.ok()["total"], 2);
        assert_eq!((world.reads(1).await, world.reads(2).await), (Vec::new(), Vec::new()), "notes have no log");
        world.get(&support(), "/notes?sort=ticket.number&shop_id=2").await.ok();
        assert_eq!((world.reads(1).await.len(), world.reads(2).await.len()), (0, 1));
        world.get(&support(), "/notes?sort=-ticket.number").await.ok();
        assert_eq!((world.reads(1).await.len(), world.reads(2).await.len()), (1, 2));
    });
}

#[test]
fn condition_of_a_purge_by_an_own_route_is_a_read_of_the_other_record() {
    on_shops(true, async |world| {
        if !world.api.backend().speaks_sql() {
            return;
        }
        world.write_notes().await;
        assert_eq!(world.send(&fixer(), Method::POST, "/purge/b", None).await.ok(), 0, "no note is deleted");
        assert_eq!(world.reads(2).await, [(json!("sue"), json!("POST /purge/b"))]);
        assert!(world.reads(1).await.is_empty());
    });
}

#[test]
fn log_shows_support_the_entries_of_what_exempts_it() {
    on_shops(true, async |world| {
        for shop in [1, 2] {
            world.send(&staff(shop), Method::POST, "/bills", Some(json!({}))).await.created();
        }
        let log = world.get(&support(), "/audit-logs?action=create").await.ok();
        assert_eq!(column(&log, "entity_type"), ["Ticket", "Ticket"], "no bills");
        assert_eq!(column(&log, "tenant"), ["1", "2"]);
        // That was a read of both shops' entries.
        for shop in [1, 2] {
            assert_eq!(world.reads(shop).await, [(json!("sue"), json!("GET /audit-logs"))]);
        }
        let own = with_claims("sam", &["support", "admin"], &json!({ "shop": 1 }));
        let log = world.get(&own, "/audit-logs?action=create").await.ok();
        assert_eq!(column(&log, "entity_type"), ["Ticket", "Ticket", "Bill"], "the bill of its own shop");
        world.get(&support(), "/bills").await.problem("tenant_required");
        // Without the role that reads the log, nothing.
        let reader = with_claims("sue", &["support"], &json!({}));
        world.get(&reader, "/audit-logs").await.problem("permission_denied");
        let admin = with_claims("ada", &["admin"], &json!({}));
        world.get(&admin, "/audit-logs").await.problem("tenant_required");
    });
}

#[test]
fn jobs_are_those_of_every_tenant_where_each_resource_exempts() {
    for with_bills in [false, true] {
        on_shops(with_bills, async |world| {
            if !world.api.backend().is_interactive() {
                return;
            }
            let later = world.app.now() + TimeDelta::hours(1);
            for shop in [1, 2] {
                let app = world.app.acting_as(Principal::new("1").with_tenant(shop));
                app.enqueue(Nothing.run_at(later)).await.expect("a job");
            }
            let jobs = world.get(&support(), "/_service/jobs").await;
            if with_bills {
                jobs.problem("tenant_required");
                return;
            }
            assert_eq!(jobs.ok()["total"], 2);
            for shop in [1, 2] {
                assert_eq!(world.reads(shop).await, [(json!("sue"), json!("GET /_service/jobs"))]);
            }
        });
    }
}

#[test]
fn support_writes_in_no_tenant() {
    on_shops(true, async |world| {
        let id = world.get(&support(), "/tickets?shop_id=2").await.ok()["data"][0]["id"].clone();
        let path = format!("/tickets/{id}");
        let body = json!({ "number": "x", "shop_id": 2 });
        for (method, path, body) in [
            (Method::POST, "/tickets".to_owned(), body.clone()),
            (Method::PATCH, path.clone(), json!({ "number": "x" })),
            (Method::PUT, path.clone(), body.clone()),
            (Method::DELETE, path.clone(), json!({})),
            (Method::POST, format!("{path}/restore"), json!({})),
            (Method::DELETE, format!("{path}/permanent"), json!({})),
            (Method::POST, "/tickets?on_conflict=number".to_owned(), body.clone()),
            (Method::POST, "/tickets/batch".to_owned(), json!({ "items": [body] })),
            (Method::POST, "/tickets/batch/delete".to_owned(), json!({ "ids": [id] })),
            (Method::DELETE, "/tickets/deleted?all=true".to_owned(), json!({})),
        ] {
            world.send(&support(), method.clone(), &path, Some(body)).await.problem("permission_denied");
        }
        assert_eq!(world.get(&staff(2), &path).await.ok()["number"], "b");
        // The audit log is not written to.
        let entry = json!({ "action": "read" });
        assert_eq!(world.send(&support(), Method::POST, "/audit-logs", Some(entry)).await.status(), 405);
    });
}

#[test]
fn history_of_a_record_has_no_reads() {
    on_shops(true, async |world| {
        let id = world.get(&support(), "/tickets?shop_id=1").await.ok()["data"][0]["id"].clone();
        world.get(&support(), &format!("/tickets/{id}")).await.ok();
        let history = world.get(&staff(1), &format!("/tickets/{id}/history")).await.ok();
        assert_eq!(column(&history, "action"), ["create"]);
    });
}

#[test]
fn change_in_another_tenant_is_an_entry_of_its_author_and_record() {
    on_shops(true, async |world| {
        let id = world.get(&staff(2), "/tickets").await.ok()["data"][0]["id"].clone();
        let batch = json!({ "items": [{ "id": id, "number": "d" }] });
        for (method, path, body) in [
            (Method::PATCH, format!("/tickets/{id}"), json!({ "number": "c" })),
            (Method::PUT, "/tickets/batch".to_owned(), batch),
        ] {
            world.send(&fixer(), method, &path, Some(body)).await.expect(200);
            let entry = world.last_update(2).await;
            assert_eq!((&entry["actor"], &entry["tenant"]), (&json!("sue"), &json!("2")), "{path}");
            assert_eq!((&entry["entity_type"], &entry["entity_id"]), (&json!("Ticket"), &id), "{path}");
            assert!(world.reads(2).await.is_empty(), "{path}: the change is the entry");
        }
        assert_eq!(world.last_update(2).await["changes"]["number"], "d");
        assert_eq!((world.reads(1).await, world.last_update(1).await), (Vec::new(), Value::Null));
    });
}

#[test]
fn change_of_nothing_in_another_tenant_is_a_read() {
    on_shops(true, async |world| {
        let id = world.get(&staff(2), "/tickets").await.ok()["data"][0]["id"].clone();
        let (path, ticket) = (format!("/tickets/{id}"), json!({ "number": "b", "shop_id": 2 }));
        let item = json!({ "id": id, "number": "b" });
        let requests = [
            (Method::PATCH, path.clone(), json!({})),
            (Method::PATCH, path.clone(), json!({ "number": "b" })),
            (Method::PUT, path, json!({ "number": "b" })),
            (Method::POST, "/tickets?on_conflict=number".to_owned(), ticket.clone()),
            (Method::POST, "/tickets?on_conflict=number&conflict=ignore".to_owned(), ticket),
            (Method::PUT, "/tickets/batch".to_owned(), json!({ "items": [item] })),
        ];
        for (number, (method, path, body)) in requests.into_iter().enumerate() {
            let operation = format!("{method} {}", path.split('?').next().unwrap_or_default());
            let answer = world.send(&fixer(), method.clone(), &path, Some(body.clone())).await.expect(200);
            assert!(answer.text().contains("\"b\""), "{answer:?}");
            let reads = world.reads(2).await;
            assert_eq!(reads.len(), number + 1, "{method} {path}: {reads:?}");
            assert!(reads.contains(&(json!("sue"), json!(operation))), "{operation}: {reads:?}");
            // One of its own tenant is none.
            let own = if path.contains("on_conflict") { json!({ "number": "b" }) } else { body };
            world.send(&staff(2), method, &path, Some(own)).await.expect(200);
            assert_eq!(world.reads(2).await.len(), number + 1);
        }
        assert_eq!((world.reads(1).await, world.last_update(2).await), (Vec::new(), Value::Null));
    });
}

#[test]
fn answer_of_a_transaction_is_a_read_when_it_has_ended() {
    on_shops(true, async |world| {
        if !world.api.backend().is_interactive() {
            return;
        }
        let ticket = world.get(&staff(2), "/tickets").await.ok()["data"][0]["id"].clone();
        let parcel = json!({ "ticket_id": ticket, "place": "shelf" });
        let parcel = world.send(&staff(2), Method::POST, "/parcels", Some(parcel)).await.created();
        let path = format!("/parcels/{}", parcel["id"]);
        let send = async |key: &str, body: Value| {
            let request = world.api.request(Method::PATCH, format!("{path}?expand=ticket")).json(&body);
            request.header("authorization", &fixer()).header("idempotency-key", key).await
        };
        let answer = send("a", json!({})).await.expect(200).into_json();
        assert_eq!((&answer["place"], &answer["ticket"]["number"]), (&json!("shelf"), &json!("b")));
        // That of the parcel, and that of the ticket beside it.
        let operation = (json!("sue"), json!(format!("PATCH {path}")));
        assert_eq!(world.reads(2).await, [operation.clone(), operation.clone()]);
        // A change has its own entry; the ticket beside it is read.
        send("b", json!({ "place": "door" })).await.expect(200);
        assert_eq!(world.last_update(2).await["entity_type"], "Parcel");
        assert_eq!(world.reads(2).await.len(), 3);
        // A failing handler returns nothing.
        send("c", json!({ "place": 7 })).await.problem("validation_failed");
        assert_eq!((world.reads(2).await.len(), world.reads(1).await.len()), (3, 0));
    });
}
