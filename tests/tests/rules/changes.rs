use crud_runtime::Error;
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::query::Condition;
use crud_tests::{Api, Backend, on_each_backend};
use serde_json::json;

use crate::resources::{Booking, NewBooking, NewPart, Part, PartPatch, on_each, on_every, part, service};

fn problem<T: std::fmt::Debug>(result: Result<T, Error>) -> Problem {
    match result.unwrap_err() {
        Error::Problem(problem) => problem,
        error => panic!("{error:?}"),
    }
}

fn decimal(text: &str) -> Decimal {
    text.parse().unwrap()
}

#[test]
fn increments_add_to_what_is_stored_and_are_audited() {
    on_every(async |database, app| {
        let parts = app.store::<Part>();
        let new = NewPart { name: "lamp".into(), stock: 5, price: Some(decimal("1.25")), weight: Some(0.5) };
        let lamp = parts.create(new).await.unwrap();
        let patch = PartPatch::default()
            .add(Part::FIELDS.stock, -2)
            .add(Part::FIELDS.price, decimal("0.5"))
            .add(Part::FIELDS.weight, 0.25)
            .name("desk lamp");
        let grown = parts.update(lamp.id, patch).await.unwrap();
        assert_eq!((grown.stock, grown.price, grown.weight), (3, Some(decimal("1.75")), Some(0.75)));
        assert_eq!(grown.name, "desk lamp");
        let api = Api::start(database, service(database).await).await;
        let history = api.get(format!("/parts/{}/history", lamp.id)).await.ok();
        assert_eq!(history["data"][1]["changes"]["stock"], 3);
        assert_eq!(history["data"][1]["previous"]["stock"], 5);
        api.stop().await;
    });
}

#[test]
fn sum_obeys_the_rules_of_its_field() {
    on_every(async |_, app| {
        let parts = app.store::<Part>();
        let lamp = parts.create(part("lamp", 5)).await.unwrap();
        let add = |amount: i32| PartPatch::default().add(Part::FIELDS.stock, amount);
        for (patch, code) in [
            (add(-6), "min"),
            (add(996), "max"),
            (add(i32::MAX), "format"),
            (PartPatch::default().add(Part::FIELDS.weight, 1.0), "range"),
        ] {
            let problem = problem(parts.update(lamp.id, patch).await);
            assert_eq!((problem.code(), problem.errors()[0].code()), (Code::ValidationFailed, code), "{problem}");
        }
        assert_eq!(parts.get(lamp.id).await.unwrap(), lamp);
        assert_eq!(problem(parts.update(99, add(1)).await).code(), Code::NotFound);
    });
}

#[test]
fn concurrent_increments_add_up() {
    on_every(async |database, app| {
        // MongoDB's server for tests runs one command at a time, of all tests.
        let changes = if database.backend() == Backend::MongoDb { 5 } else { 20 };
        let parts = app.store::<Part>();
        let id = parts.create(part("lamp", 0)).await.unwrap().id;
        let tasks: Vec<_> = (0..changes)
            .map(|_| {
                let parts = parts.clone();
                tokio::spawn(async move { parts.update(id, PartPatch::default().add(Part::FIELDS.stock, 1)).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap().unwrap();
        }
        assert_eq!(parts.get(id).await.unwrap().stock, changes);
    });
}

#[test]
fn update_with_a_false_condition_changes_nothing() {
    on_every(async |_, app| {
        let parts = app.store::<Part>();
        let lamp = parts.create(part("lamp", 5)).await.unwrap();
        let set = |stock: i32| PartPatch::default().stock(stock);
        assert!(parts.update_if(lamp.id, Part::FIELDS.stock.gt(5), set(1)).await.unwrap().is_none());
        assert_eq!(parts.get(lamp.id).await.unwrap(), lamp);
        let updated = parts.update_if(lamp.id, Part::FIELDS.name.eq("lamp"), set(1)).await.unwrap();
        assert_eq!(updated.unwrap().stock, 1);
        assert_eq!(problem(parts.update_if(99, Part::FIELDS.stock.gt(5), set(1)).await).code(), Code::NotFound);
        // The condition comes before the rules of what would be written.
        let too_many = PartPatch::default().add(Part::FIELDS.stock, -9);
        assert!(parts.update_if(lamp.id, Part::FIELDS.stock.gte(9), too_many).await.unwrap().is_none());
    });
}

#[test]
fn changes_of_many_records_are_all_or_none_and_audited() {
    on_each(async |database, app| {
        let parts = app.store::<Part>();
        let made: Vec<NewPart> = (0..1_200).map(|stock| part(&format!("part {stock:04}"), stock % 100)).collect();
        for chunk in made.chunks(400) {
            parts.create_batch(chunk.iter().cloned()).await.unwrap();
        }
        let low = || Part::FIELDS.stock.lt(50);
        let grown = parts.update_where(low(), PartPatch::default().add(Part::FIELDS.stock, 100)).await.unwrap();
        assert_eq!(grown, 600);
        assert_eq!(parts.count(Part::FIELDS.stock.gte(100)).await.unwrap(), 600);
        let refused =
            parts.update_where(Part::FIELDS.stock.gte(0), PartPatch::default().add(Part::FIELDS.stock, 900)).await;
        assert_eq!(problem(refused).code(), Code::ValidationFailed);
        assert_eq!(parts.count(Part::FIELDS.stock.gte(150)).await.unwrap(), 0);
        let booked = parts.list(Part::FIELDS.name.eq("part 0007")).await.unwrap().remove(0);
        app.store::<Booking>().create(NewBooking { part_id: booked.id, quantity: 1 }).await.unwrap();
        assert_eq!(problem(parts.delete_where(Part::FIELDS.stock.gte(100)).await).code(), Code::Referenced);
        let unbooked = Part::FIELDS.stock.gte(100).and(Part::FIELDS.id.ne(booked.id));
        assert_eq!(parts.delete_where(unbooked).await.unwrap(), 599);
        assert_eq!(app.store::<Booking>().delete_where(Booking::FIELDS.quantity.eq(1)).await.unwrap(), 1);
        assert_eq!(
            app.store::<Booking>().delete_where(Booking::FIELDS.quantity.eq(1)).await.unwrap(),
            0,
            "deleted already"
        );
        assert_eq!(app.store::<Booking>().delete_where(Condition::all()).await.unwrap(), 0, "none is left");
        let api = Api::start(database, service(database).await).await;
        let log = |action: &str| format!("/audit-logs?entity_type=Part&action={action}&limit=1");
        for (action, total) in [("create", 1_200), ("update", 600), ("delete", 599)] {
            assert_eq!(api.get(log(action)).await.ok()["total"], json!(total), "{action}");
        }
        api.stop().await;
    });
}

/// A table of the program's own, without routes.
#[derive(Debug, Clone, Resource)]
#[crud(internal)]
struct Setting {
    id: i64,
    #[crud(decimal(18, 2))]
    value: Decimal,
    #[crud(hidden)]
    secret: Option<String>,
}

#[test]
fn resource_without_routes_is_the_program_s_own() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Setting>().migrate().await.expect("the tables");
        let settings = service.store::<Setting>();
        let api = Api::start(database, service).await;
        let setting = settings.create(NewSetting::new(Decimal::ONE).secret("s")).await.unwrap();
        assert_eq!(settings.json(&setting).await.unwrap(), json!({ "id": setting.id, "value": "1.00" }));
        api.get("/settings").await.problem("route_not_found");
        let document = api.get("/openapi.json").await.ok();
        assert!(document["paths"].as_object().unwrap().keys().all(|path| !path.contains("settings")), "{document}");
        api.stop().await;
    });
}

/// Records that the program creates: clients read them.
#[derive(Debug, Clone, Resource)]
#[crud(operations(list, get, update))]
struct ApiToken {
    id: i64,
    #[crud(hidden)]
    hash: String,
    #[crud(read_only)]
    kind: String,
    note: Option<String>,
}

#[test]
fn hidden_and_read_only_fields_need_no_default_where_the_program_creates() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<ApiToken>().migrate().await.expect("the tables");
        let tokens = service.store::<ApiToken>();
        let api = Api::start(database, service).await;
        let token = tokens.create(NewApiToken::new("a1", "robot")).await.unwrap();
        let path = format!("/api_tokens/{}", token.id);
        let shown = json!({ "id": token.id, "kind": "robot", "note": null });
        assert_eq!(api.get(&path).await.ok(), shown);
        api.post("/api_tokens", &json!({ "note": "x" })).await.problem("method_not_allowed");
        api.patch(&path, &json!({ "hash": "b2" })).await.problem("validation_failed");
        assert_eq!(api.patch(&path, &json!({ "note": "x" })).await.ok()["kind"], "robot");
        assert_eq!(tokens.get(token.id).await.unwrap().hash, "a1");
        api.stop().await;
    });
}
