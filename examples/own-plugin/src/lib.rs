#![doc = include_str!("../README.md")]

use std::future::ready;
use std::time::Duration;

use crud_runtime::access::Access;
use crud_runtime::adapter::BoxFuture;
use crud_runtime::axum::Json;
use crud_runtime::error::Code;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Routes, StaticFiles, Undescribed, get, post};
use crud_runtime::{BoxError, Error, Job, Model, Plugin, PluginCommand, PluginSettings, Result, ServiceState};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A record that a user keeps within reach.
#[derive(Debug, Clone, Resource)]
#[crud(table = "pins_pin", internal, unique(user, path, record))]
struct Pin {
    id: i64,
    #[crud(length(max = 100))]
    user: String,
    /// The path of the resource, and the key of the record.
    #[crud(length(max = 100))]
    path: String,
    #[crud(length(max = 100))]
    record: String,
    #[crud(created_at)]
    created_at: DateTime<Utc>,
}

/// Pins on the records of every resource: `POST {prefix}/{id}/pin` sets one, and `GET /pins` has the caller's records.
#[derive(Debug)]
pub struct Pins {
    /// The days after which a pin is removed: `days` of `[pins]` in `crud.toml`.
    pub days: u64,
}

impl Plugin for Pins {
    fn name(&self) -> &'static str {
        "pins"
    }

    fn configure(&mut self, settings: &mut PluginSettings) -> Result<()> {
        self.days = settings.number("days")?.unwrap_or(self.days);
        Ok(())
    }

    fn install(&self, service: Service) -> Result<Service> {
        service.table::<Pin>().beside(report).schedule("0 3 * * *", Forget { days: self.days })
    }

    fn routes(&self, model: &Model) -> Result<Routes> {
        let page = StaticFiles::new().index("text/html; charset=utf-8", "<!doctype html><title>Pins</title>Pins");
        let routes = Routes::new().route("/pins", get(pins).access(Access::Authenticated)).files("/pins/about", page);
        let pinned = model.resources().filter(|resource| resource.descriptor().offers(Operation::Get));
        Ok(pinned.fold(routes, |routes, resource| {
            let path = resource.prefix().to_owned();
            let place = format!("{path}/{{id}}/pin");
            routes.route(place, post(move |ctx| pin(ctx, path.clone())).access(Access::Authenticated))
        }))
    }

    fn ready<'a>(&'a self, state: &'a ServiceState) -> BoxFuture<'a, Result<()>> {
        let missing = || Error::Setup("pins are of users: add `Service::auth`".to_owned());
        Box::pin(ready(state.model().has_principals().then_some(()).ok_or_else(missing)))
    }

    fn commands(&self) -> Vec<PluginCommand> {
        vec![PluginCommand::new("count", "Prints the number of pins", async |state, _| print(&state).await)]
    }
}

fn user(ctx: &Context) -> String {
    ctx.principal().map(|principal| principal.subject().to_owned()).unwrap_or_default()
}

/// Pins a record that the caller sees.
async fn pin(ctx: Context, path: String) -> Result<()> {
    let record = ctx.key()?;
    ctx.records(&path)?.get(&record).await?;
    let by = (Pin::FIELDS.user, Pin::FIELDS.path, Pin::FIELDS.record);
    ctx.store::<Pin>().upsert(by, NewPin { user: user(&ctx), path, record }).await.map(drop)
}

/// The caller's pinned records that the caller still sees.
async fn pins(ctx: Context) -> Result<Undescribed<Json<Vec<Value>>>> {
    let own = Pin::FIELDS.user.eq(user(&ctx)).order_by(Pin::FIELDS.id.desc()).limit(50);
    let mut records = Vec::new();
    for Pin { path, record, .. } in ctx.store::<Pin>().list(own).await? {
        let found = async { ctx.records(&path)?.get(&record).await };
        match found.await {
            Ok(found) => records.push(json!({ "path": path, "record": found.json() })),
            Err(problem) if matches!(problem.code(), Code::NotFound | Code::PermissionDenied) => {}
            Err(problem) => return Err(problem.into()),
        }
    }
    Ok(Undescribed(Json(records)))
}

/// Removes old pins, every night.
#[derive(Serialize, Deserialize)]
struct Forget {
    days: u64,
}

impl Job for Forget {
    const KIND: &str = "forget_pins";

    async fn run(self, app: App) -> Result<(), BoxError> {
        let before = app.now() - Duration::from_hours(24 * self.days.min(36_500));
        Ok(app.store::<Pin>().delete_where(Pin::FIELDS.created_at.lt(before)).await.map(drop)?)
    }
}

async fn print(state: &ServiceState) -> Result<()> {
    println!("{} pins", state.app().store::<Pin>().count(Select::all()).await?);
    Ok(())
}

/// Prints the number of pins every hour, until the service stops or the database fails.
async fn report(state: ServiceState) {
    while print(&state).await.is_ok() {
        tokio::time::sleep(Duration::from_hours(1)).await;
    }
}
