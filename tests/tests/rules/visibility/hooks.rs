use std::sync::Mutex;

use crud_runtime::auth::{Auth, Principal};
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, Created, get, post};
use crud_runtime::{BoxError, Job, Result};
use crud_tests::on_each_transactional_backend;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Issue, NewIssue, Road, guest, with_routes};

/// A booking of a room by its guest, whom the others' bookings do not show.
#[derive(Debug, Clone, Resource)]
#[crud(
    access(all(authenticated)),
    scope(role("guest"), guest_id(claim("guest"))),
    hooks(before(is_free), committed(note))
)]
struct Stay {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    guest_id: i64,
    room: i32,
}

/// No two bookings are of one room, whoever makes them.
async fn is_free(changeset: &mut Changeset<'_, Stay>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let same = || Stay::FIELDS.room.eq(changeset.get(Stay::FIELDS.room).unwrap_or_default());
    let (all, own) = (ctx.as_program().store::<Stay>(), ctx.as_caller().store::<Stay>());
    let counts = [all.count(same()).await?, own.count(same()).await?];
    ctx.extension::<Seen>()?.0.lock().expect("no test panics").push(counts);
    if counts[0] > 0 { Err(Problem::at(Stay::FIELDS.room, "taken", "is taken")) } else { Ok(()) }
}

async fn note(_: Changed<'static, Stay>, app: App) {
    let count = app.transaction(async |tx| tx.store::<Stay>().count(Select::all()).await).await;
    let seen = app.extension::<Seen>().expect("it is provided");
    seen.0.lock().expect("no test panics").push([count.expect("the program's visibility"), 0]);
}

/// Numbers of bookings that hooks have seen, with the program's visibility and the caller's.
#[derive(Debug, Default)]
struct Seen(Mutex<Vec<[u64; 2]>>);

async fn book(ctx: Context) -> Result<Created<Stay>> {
    let guest = ctx.principal().and_then(|sender| sender.claim("guest")?.as_i64()).unwrap_or_default();
    Ok(Created(ctx.store().create(NewStay::new(guest, 8)).await?))
}

#[test]
fn hooks_have_the_visibility_that_they_name_and_the_tenant_of_the_change() {
    on_each_transactional_backend(async |database| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("shop");
        let service =
            database.service().await.auth(auth.build().unwrap()).extension(Seen::default()).resource::<Stay>();
        let test = service.route("/stays/book", post(book)).test().await.unwrap();
        let seen = || std::mem::take(&mut *test.app().extension::<Seen>().unwrap().0.lock().unwrap());
        let committed = async |count: u64| {
            let noted = || test.app().extension::<Seen>().unwrap().0.lock().unwrap().pop_if(|last| *last == [count, 0]);
            crud_tests::wait_until("the hook after the commit", async || noted().is_some()).await;
        };
        let stays = test.store::<Stay>();
        stays.tenant(2).create(NewStay::new(6, 7)).await.unwrap();
        committed(1).await;
        assert_eq!(seen(), [[0, 0]], "the other shop's room 7");
        // A store of the program in a tenant: its hooks are in that tenant, with or without a caller.
        stays.tenant(1).create(NewStay::new(6, 7)).await.unwrap();
        committed(1).await;
        assert_eq!(seen(), [[0, 0]]);
        stays.tenant(1).create(NewStay::new(6, 7)).await.unwrap_err();
        assert_eq!(seen(), [[1, 1]], "no caller: both are the program's visibility");
        // Across tenants, they are in that of the record.
        stays.across_tenants().create(NewStay::new(6, 7).shop_id(3)).await.unwrap();
        committed(1).await;
        assert_eq!(seen(), [[0, 0]]);
        stays.across_tenants().create(NewStay::new(6, 7).shop_id(3)).await.unwrap_err();
        assert_eq!(seen(), [[1, 1]]);
        let guest = test.as_principal(guest());
        guest.post("/stays", json!({ "guest_id": 5, "room": 7 })).await.problem("validation_failed");
        assert_eq!(seen(), [[1, 0]], "the guest does not see the other's");
        stays.of(&self::guest()).create(NewStay::new(5, 7)).await.unwrap_err();
        assert_eq!(seen(), [[1, 0]]);
        guest.post("/stays/book", json!({})).await.expect(201);
        committed(2).await;
        assert_eq!(seen(), [[0, 0]]);
        guest.post("/stays/book", json!({})).await.problem("validation_failed");
        assert_eq!(seen(), [[1, 1]]);
    });
}

/// A sale of a shop, whose hook prints its receipt.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)), hooks(after(print)))]
struct Sale {
    id: i64,
    #[crud(tenant(except(role("root"))))]
    shop_id: i64,
    item: String,
}

/// A receipt of a shop, whose hook files it.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)), hooks(after(file)))]
struct Receipt {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    item: String,
}

/// A file of no tenant, whose hook is in that of the change which it follows.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)), hooks(after(stamp)))]
struct Filed {
    id: i64,
    item: String,
}

/// A stamp of a shop.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
struct Stamp {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    item: String,
}

async fn print(change: &Changed<'_, Sale>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    let own = ctx.as_caller().store::<Sale>().count(Select::all()).await?;
    let all = ctx.as_program().store::<Sale>().count(Select::all()).await?;
    ctx.extension::<Seen>()?.0.lock().expect("no test panics").push([all, own]);
    ctx.as_program().store::<Receipt>().create(NewReceipt::new(change.record().item.clone())).await?;
    Ok(())
}

async fn file(change: &Changed<'_, Receipt>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    ctx.as_program().store::<Filed>().create(NewFiled::new(change.record().item.clone())).await?;
    Ok(())
}

async fn stamp(change: &Changed<'_, Filed>, ctx: &mut HookContext<'_>) -> Result<(), Problem> {
    ctx.as_program().store::<Stamp>().create(NewStamp::new(change.record().item.clone())).await?;
    ctx.enqueue(Stamped).await?;
    Ok(())
}

#[derive(Serialize, Deserialize)]
struct Stamped;

impl Job for Stamped {
    const KIND: &str = "stamped";

    async fn run(self, _: App) -> Result<(), BoxError> {
        Ok(())
    }
}

#[test]
fn changes_of_hooks_and_their_hooks_are_in_the_tenant_of_the_record() {
    on_each_transactional_backend(async |database| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("shop");
        let service = database.service().await.auth(auth.build().unwrap()).extension(Seen::default());
        let service = service.resource::<Sale>().resource::<Receipt>().resource::<Filed>().resource::<Stamp>();
        let test = service.job::<Stamped>().test().await.unwrap();
        let (sales, root) = (test.store::<Sale>(), Principal::new("1").with_roles(["root"]));
        sales.tenant(1).create(NewSale::new("of another shop")).await.unwrap();
        sales.tenant(2).create(NewSale::new("by a store of a tenant")).await.unwrap();
        sales.across_tenants().create(NewSale::new("across tenants").shop_id(2)).await.unwrap();
        sales.of(&root).create(NewSale::new("of a caller without a tenant").shop_id(2)).await.unwrap();
        let by_http = json!({ "shop_id": 2, "item": "by HTTP" });
        test.as_principal(root).post("/sales", by_http).await.expect(201);
        let mut items = test.store::<Stamp>().tenant(2).list(Stamp::FIELDS.id.asc()).await.unwrap().into_iter();
        assert_eq!(items.next().unwrap().item, "by a store of a tenant");
        assert_eq!(items.map(|stamp| stamp.shop_id).collect::<Vec<_>>(), [2, 2, 2]);
        let jobs = test.app().jobs().list(None, None, 0, 10).await.unwrap().data;
        let mut tenants: Vec<_> = jobs.into_iter().map(|job| job.tenant.unwrap_or_default()).collect();
        tenants.sort();
        assert_eq!(tenants, ["1", "2", "2", "2", "2"]);
        let seen = std::mem::take(&mut *test.app().extension::<Seen>().unwrap().0.lock().unwrap());
        assert_eq!(seen, [[1, 1], [1, 1], [2, 2], [3, 4], [4, 5]], "a caller without a tenant reaches all");
    });
}

/// Counts of the issues in a transaction, with the caller's visibility and the program's.
async fn counted(ctx: Context) -> Result<Json<Vec<u64>>> {
    let counts = ctx.app().transaction(async |tx| {
        let own = tx.store::<Issue>().count(Select::all()).await?;
        Ok::<_, crud_runtime::Error>([own, tx.unscoped_store::<Issue>().count(Select::all()).await?])
    });
    Ok(Json(counts.await?.to_vec()))
}

#[test]
fn transactions_of_a_route_have_the_visibility_of_its_caller_and_jobs_those_of_the_program() {
    #[derive(Serialize, Deserialize)]
    struct Count;

    impl Job for Count {
        const KIND: &str = "count";

        async fn run(self, app: App) -> Result<(), BoxError> {
            let counts = [
                app.store::<Issue>().tenant(1).count(Select::all()).await?,
                app.store::<Issue>().across_tenants().count(Select::all()).await?,
            ];
            app.extension::<Seen>()?.0.lock().expect("no test panics").push(counts);
            Ok(())
        }
    }

    async fn enqueue(ctx: Context) -> Result<()> {
        ctx.app().enqueue(Count).await.map(drop)
    }

    on_each_transactional_backend(async |database| {
        let service = with_routes(database.service().await, Road::Typed).extension(Seen::default()).job::<Count>();
        let service = service.route("/issues/counted", get(counted));
        let test = service.route("/issues/enqueue", post(enqueue)).test().await.unwrap();
        for (shop, guest) in [(1, 5), (1, 6), (2, 5)] {
            test.store::<Issue>().tenant(shop).create(NewIssue::new(guest, "ann", "a")).await.unwrap();
        }
        let guest = test.as_principal(guest());
        assert_eq!(guest.get("/issues/counted").await.expect(200).json(), json!([1, 2]));
        guest.post("/issues/enqueue", json!({})).await.expect(204);
        assert_eq!(test.run_jobs().await.unwrap(), 1);
        assert_eq!(*test.app().extension::<Seen>().unwrap().0.lock().unwrap(), [[2, 3]]);
    });
}
