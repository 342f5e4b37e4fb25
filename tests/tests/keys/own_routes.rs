//! Own routes of a record with a composite key.

use crud_runtime::axum::Json;
use crud_runtime::error::Problem;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Created, Locked, Record, RecordsAnswer, post};
use crud_tests::{Api, Database, on_each_backend, on_each_transactional_backend};
use reqwest::Method;
use serde_json::json;

use crate::line::{HOSTILE, Line, LinePatch, NewLine, NewOrder, Order, line, path};

async fn key(ctx: Context) -> Json<serde_json::Value> {
    Json(json!(ctx.id::<Line>()))
}

async fn copy(ctx: Context, line: Record<Line>) -> crud_runtime::Result<Created<Line>> {
    let copy = NewLine::new(line.order_id + 1, line.code.clone(), line.amount);
    Ok(Created(ctx.store::<Line>().create(copy).await?))
}

async fn take(ctx: Context, line: Locked<Line>) -> crud_runtime::Result<Record<Line>> {
    let patch = LinePatch::default().amount(line.amount - 1);
    Ok(Record(ctx.store::<Line>().update(line.id(), patch).await?))
}

/// The record of the path, by the resource's name.
async fn named(ctx: Context) -> Result<RecordsAnswer, Problem> {
    ctx.records("lines")?.get(ctx.key()?).await
}

async fn started(database: &Database) -> Api {
    let service = database.service().await.resource::<Order>().resource::<Line>();
    let service = service.route("/lines/{id}/key", post(key)).route("/lines/{id}/copy", post(copy));
    let service = service
        .route("/lines/{id}/named", post(named))
        .route("/lines/{id}/take", post(take))
        .migrate()
        .await
        .expect("the tables");
    for name in ["first", "second"] {
        service.store::<Order>().create(NewOrder::new(name)).await.expect("an order");
    }
    let api = Api::start(database, service).await;
    for code in HOSTILE {
        api.post("/lines", &line(1, code, 3)).await.created();
    }
    api
}

#[test]
fn a_route_has_the_key_of_its_path() {
    on_each_backend(async |database| {
        let api = started(database).await;
        for code in HOSTILE {
            let found = api.request(Method::POST, format!("{}/key", path(1, code))).await.ok();
            assert_eq!(found, json!([1, code]));
            let copied = api.request(Method::POST, format!("{}/copy", path(1, code))).await.expect(201);
            assert_eq!((copied.require("location"), copied.json()), (&*path(2, code), &line(2, code, 3)));
        }
        api.request(Method::POST, "/lines/7/key").await.problem("validation_failed");
    });
}

#[test]
fn key_of_the_path_finds_its_record_by_the_name_of_the_resource() {
    on_each_backend(async |database| {
        let api = started(database).await;
        for code in HOSTILE {
            let found = api.request(Method::POST, format!("{}/named", path(1, code))).await.ok();
            assert_eq!(found, line(1, code, 3));
        }
    });
}

#[test]
fn a_route_locks_the_record_of_its_path() {
    on_each_transactional_backend(async |database| {
        let api = started(database).await;
        for code in HOSTILE {
            let taken = api.request(Method::POST, format!("{}/take", path(1, code))).await.ok();
            assert_eq!(taken, line(1, code, 2));
        }
    });
}
