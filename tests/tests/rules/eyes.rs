use std::collections::BTreeMap;
use std::sync::Mutex;

use crud_runtime::access::Access;
use crud_runtime::auth::{Auth, Principal};
use crud_runtime::axum::Json;
use crud_runtime::axum::extract::{Extension, State};
use crud_runtime::prelude::*;
use crud_runtime::query::Aggregation;
use crud_runtime::routing::{
    Context, Created, ListParameters, Locked, Query, Record, delete, get, handler, patch, post, put,
};
use crud_runtime::testing::Test;
use crud_runtime::{BoxError, Job, Page, Result, ServiceState};
use crud_tests::{log_lines, on_each_backend, on_each_transactional_backend};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// An issue of a shop: guests reach those with their claim, other callers that are not staff their own.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    sort,
    pagination,
    soft_delete,
    derive(ToSchema),
    access(all(authenticated), restore(role("admin"))),
    scope(role("guest"), guest_id(claim("guest")))
)]
struct Issue {
    id: i64,
    #[crud(tenant(except(role("root"))))]
    shop_id: i64,
    guest_id: i64,
    #[crud(owner(except(any(role("staff"), role("guest"))), assign(role("staff"))))]
    author: String,
    title: String,
    #[crud(visible(role("staff")), default = 0)]
    cost: i32,
    deleted_at: Option<DateTime<Utc>>,
}

async fn cards(ctx: Context) -> Result<Json<Vec<i64>>> {
    let issues = ctx.store::<Issue>().list(Issue::FIELDS.id.asc()).await?;
    Ok(Json(issues.into_iter().map(|issue| issue.id).collect()))
}

async fn all_cards(ctx: Context) -> Result<Json<Vec<i64>>> {
    let issues = ctx.unscoped_store::<Issue>().list(Issue::FIELDS.id.asc()).await?;
    Ok(Json(issues.into_iter().map(|issue| issue.id).collect()))
}

/// Ways by which the caller's stores find an issue, deleted or not.
async fn roads(ctx: Context) -> Result<Json<BTreeMap<&'static str, bool>>> {
    let id: i64 = ctx.query("id").and_then(|id| id.parse().ok()).unwrap_or_default();
    let all = || Issue::FIELDS.id.eq(id).include_deleted();
    let store = ctx.store::<Issue>();
    Ok(Json(BTreeMap::from([
        ("find", store.find(id).await?.is_some()),
        ("find_deleted", store.find_deleted(id).await?.is_some()),
        ("is_soft_deleted", store.is_soft_deleted(id).await.is_ok()),
        ("list", !store.list(all()).await?.is_empty()),
        ("count", store.count(all()).await? > 0),
        ("count_up_to", store.count_up_to(all(), 5).await? > 0),
        ("page", store.page(all()).await?.total > 0),
        ("first", store.first(all()).await?.is_some()),
        ("get_where", store.get_where(all()).await.is_ok()),
        ("pluck", !store.pluck(Issue::FIELDS.title, all()).await?.is_empty()),
        ("aggregate", !store.aggregate(all(), Aggregation::new().group_by(Issue::FIELDS.title)).await?.is_empty()),
        ("tenant", store.tenant(1).count(all()).await? > 0),
        ("across_tenants", store.across_tenants().count(all()).await? > 0),
        ("handle", ctx.app().store::<Issue>().tenant(1).count(all()).await? > 0),
    ])))
}

async fn rename(ctx: Context) -> Result<Record<Issue>> {
    let id = ctx.id::<Issue>().unwrap_or_default();
    Ok(Record(ctx.store().update(id, IssuePatch::default().title("renamed")).await?))
}

async fn remove(ctx: Context) -> Result<()> {
    ctx.store::<Issue>().delete(ctx.id::<Issue>().unwrap_or_default()).await.map(drop)
}

async fn give(ctx: Context) -> Result<Record<Issue>> {
    let id = ctx.id::<Issue>().unwrap_or_default();
    Ok(Record(ctx.store().update(id, IssuePatch::default().author("another")).await?))
}

/// Opens an issue of a guest, in an author's name.
async fn open(ctx: Context) -> Result<Created<Issue>> {
    let guest: i64 = ctx.query("guest").and_then(|guest| guest.parse().ok()).unwrap_or_default();
    let sender = ctx.principal().map(|sender| sender.subject().to_owned()).unwrap_or_default();
    let author = ctx.query("author").unwrap_or(sender);
    Ok(Created(ctx.store().create(NewIssue::new(guest, author, "opened")).await?))
}

/// A list of the program's: its own condition is on a field that not every caller sees.
async fn cheap(ctx: Context, parameters: ListParameters<Issue>) -> Result<Page<Issue>> {
    ctx.store::<Issue>().page(parameters.select().filter(Issue::FIELDS.cost.lt(10))).await
}

async fn titled(ctx: Context, parameters: ListParameters<Issue>) -> Result<Vec<Issue>> {
    ctx.store::<Issue>().list(parameters.select()).await
}

fn with_routes(service: Service) -> Service {
    let auth = Auth::builder().secret("a secret of at least thirty-two bytes").tenant_claim("shop");
    service
        .auth(auth.build().expect("a long secret"))
        .resource::<Issue>()
        .route("/issues/cards", get(cards))
        .route("/issues/all-cards", get(all_cards))
        .route("/issues/roads", get(roads))
        .route("/issues/{id}/rename", put(rename))
        .route("/issues/{id}/give", put(give))
        .route("/issues/{id}/remove", post(remove))
        .route("/issues/open", post(open))
        .route("/issues/cheap", get(cheap))
        .route("/issues/titled", get(titled))
}

fn principal(subject: &str, roles: &[&str], shop: i64) -> Principal {
    Principal::new(subject).with_roles(roles.iter().copied()).with_tenant(shop).with_claim("shop", shop)
}

fn guest() -> Principal {
    principal("5", &["guest"], 1).with_claim("guest", 5)
}

/// Runs a test of four issues: the first three of the guests 5, 6, 5 and the authors ann, bob, ann, the third in another
/// shop; the fourth is deleted, of the guest 5 and the author ann.
fn on_issues(test: impl AsyncFn(&Test) + Copy) {
    on_each_backend(async |database| test(&with_issues(with_routes(database.service().await)).await).await);
}

async fn with_issues(service: Service) -> Test {
    let service = service.test().await.expect("the tables");
    let issues = service.store::<Issue>();
    for (shop, guest, author, cost) in [(1, 5, "ann", 1), (1, 6, "bob", 20), (2, 5, "ann", 1), (1, 5, "ann", 1)] {
        let new = NewIssue::new(guest, author, format!("of {author}")).cost(cost);
        issues.tenant(shop).create(new).await.expect("an issue");
    }
    issues.tenant(1).delete(4).await.expect("the fourth");
    service
}

async fn ids(test: &Test, path: &str) -> Vec<i64> {
    let listed = test.get(path).await.expect(200).json();
    let records = listed.get("data").unwrap_or(&listed).as_array().expect("records").clone();
    records.iter().map(|record| record.get("id").unwrap_or(record).as_i64().expect("a key")).collect()
}

#[test]
fn store_of_a_route_has_the_records_of_the_generated_list() {
    on_issues(async |test| {
        for (caller, expected, of_tenant) in [
            (guest(), vec![1], vec![1, 2]),
            (principal("5", &["guest"], 1), vec![], vec![1, 2]),
            (principal("ann", &[], 1), vec![1], vec![1, 2]),
            (principal("eve", &[], 1), vec![], vec![1, 2]),
            (principal("ann", &[], 2), vec![3], vec![3]),
            (principal("ann", &["staff"], 1), vec![1, 2], vec![1, 2]),
            (principal("ann", &["staff"], 2), vec![3], vec![3]),
            (Principal::new("ann").with_roles(["root", "staff"]), vec![1, 2, 3], vec![1, 2, 3]),
        ] {
            let caller = test.as_principal(caller);
            assert_eq!(ids(&caller, "/issues?sort=id").await, expected);
            assert_eq!(ids(&caller, "/issues/cards").await, expected);
            assert_eq!(ids(&caller, "/issues/titled?sort=id").await, expected);
            assert_eq!(ids(&caller, "/issues/all-cards").await, of_tenant, "the program's, of the tenant");
        }
    });
}

/// The issues of a shop by axum's extractor of the service's storage, twice, and those that the program has there.
async fn cards_of_state(State(app): State<App>, State(state): State<ServiceState>) -> Result<Json<Vec<Vec<i64>>>> {
    let mut cards = Vec::new();
    for app in [&app, state.app(), &app.unscoped()] {
        let issues = app.store::<Issue>().tenant(1).list(Issue::FIELDS.id.asc()).await?;
        cards.push(issues.into_iter().map(|issue| issue.id).collect());
    }
    Ok(Json(cards))
}

async fn list_of_state(State(app): State<App>) -> Result<Json<Vec<i64>>> {
    let issues = app.store::<Issue>().tenant(1).list(Issue::FIELDS.id.asc()).await?;
    Ok(Json(issues.into_iter().map(|issue| issue.id).collect()))
}

#[test]
fn storage_by_the_extractor_of_state_has_the_eyes_of_the_caller() {
    on_each_backend(async |database| {
        let service = with_routes(database.service().await)
            .route("/issues/state-cards", get(cards_of_state))
            .route("/issues/layered-cards", get(cards_of_state).layer(Extension("red")))
            .replace::<Issue>(Operation::List, handler(list_of_state));
        let test = with_issues(service).await;
        for (caller, expected) in [
            (guest(), vec![1]),
            (principal("ann", &[], 1), vec![1]),
            (principal("eve", &[], 1), vec![]),
            (principal("ann", &["staff"], 1), vec![1, 2]),
        ] {
            let caller = test.as_principal(caller);
            for path in ["/issues/state-cards", "/issues/layered-cards"] {
                let cards = caller.get(path).await.expect(200).json();
                assert_eq!(cards, json!([expected, expected, [1, 2]]), "{path}");
            }
            assert_eq!(caller.get("/issues").await.expect(200).json(), json!(expected));
        }
    });
}

#[test]
fn record_that_the_caller_does_not_reach_is_found_by_no_road() {
    on_issues(async |test| {
        let staff = || principal("ann", &["staff"], 1);
        let admin = || principal("ann", &["staff", "admin"], 1);
        for (caller, id, found) in [
            (guest(), 2, vec![]),
            (guest(), 4, vec![]),
            (staff(), 4, vec![]),
            (staff(), 3, vec![]),
            (admin(), 2, vec!["find", "is_soft_deleted"]),
            (admin(), 4, vec!["find_deleted", "is_soft_deleted"]),
        ] {
            let caller = test.as_principal(caller);
            let roads = caller.get(format!("/issues/roads?id={id}")).await.expect(200).json();
            let seen = |road: &str| roads[road] == true;
            for road in ["find", "find_deleted", "is_soft_deleted"] {
                assert_eq!(seen(road), found.contains(&road), "{road} of {id}: {roads}");
            }
            for road in
                ["list", "count", "count_up_to", "page", "first", "get_where", "pluck", "aggregate", "tenant", "handle"]
            {
                assert_eq!(seen(road), !found.is_empty(), "{road} of {id}: {roads}");
            }
        }
        // What lifts the tenant lifts neither the claims nor the state.
        let roads = test.as_principal(guest()).get("/issues/roads?id=3").await.expect(200).json();
        assert_eq!((&roads["list"], &roads["across_tenants"]), (&json!(false), &json!(true)));
        let roads = test.as_principal(principal("eve", &[], 1)).get("/issues/roads?id=3").await.expect(200).json();
        assert_eq!(roads["across_tenants"], false);
    });
}

async fn seen(issue: Record<Issue>) -> Record<Issue> {
    issue
}

async fn held(issue: Locked<Issue>) -> Record<Issue> {
    Record(issue.into_inner())
}

#[test]
fn record_in_the_path_is_one_that_the_caller_reaches() {
    on_each_transactional_backend(async |database| {
        let service = with_routes(database.service().await)
            .route("/issues/{id}/seen", get(seen))
            .route("/issues/{id}/held", post(held));
        let test = with_issues(service).await;
        for (caller, reached) in [
            (guest(), vec![1]),
            (principal("5", &["guest"], 1), vec![]),
            (principal("ann", &[], 1), vec![1]),
            (principal("eve", &[], 1), vec![]),
            (principal("ann", &[], 2), vec![3]),
            (principal("ann", &["staff"], 1), vec![1, 2]),
            (principal("ann", &["staff", "admin"], 1), vec![1, 2]),
            (Principal::new("ann").with_roles(["root", "staff"]), vec![1, 2, 3]),
        ] {
            let name = format!("{caller:?}");
            let caller = test.as_principal(caller);
            for id in 1..=5 {
                let (seen, held) = (format!("/issues/{id}/seen"), format!("/issues/{id}/held"));
                let answers = [caller.get(seen).await, caller.post(held, json!({})).await];
                if reached.contains(&id) {
                    let generated = caller.get(format!("/issues/{id}")).await.expect(200).json();
                    for answer in answers {
                        assert_eq!(answer.expect(200).json(), generated, "{name}");
                    }
                } else {
                    for answer in answers {
                        answer.problem("not_found");
                    }
                }
            }
        }
        test.get("/issues/1/seen").await.problem("authentication_failed");
        test.as_principal(Principal::new("ann")).get("/issues/1/seen").await.problem("tenant_required");
    });
}

#[test]
fn changes_of_a_route_are_of_what_its_caller_may_reach() {
    on_issues(async |test| {
        let (guest, eve) = (test.as_principal(guest()), test.as_principal(principal("eve", &[], 1)));
        for (caller, id) in [(&guest, 2), (&guest, 3), (&guest, 4), (&eve, 1)] {
            caller.put(format!("/issues/{id}/rename"), json!({})).await.problem("not_found");
            caller.post(format!("/issues/{id}/remove"), json!({})).await.problem("not_found");
        }
        assert_eq!(guest.put("/issues/1/rename", json!({})).await.expect(200).json()["title"], "renamed");
        guest.put("/issues/1/give", json!({})).await.problem("validation_failed");
        let opened = guest.post("/issues/open?guest=5", json!({})).await.expect(201).json();
        assert_eq!((&opened["shop_id"], &opened["author"]), (&json!(1), &json!("5")));
        guest.post("/issues/open?guest=6", json!({})).await.problem("validation_failed");
        guest.post("/issues/open?guest=5&author=ann", json!({})).await.problem("validation_failed");
        guest.post("/issues/1/remove", json!({})).await.expect(204);
        let titles = test.store::<Issue>().across_tenants().list(Issue::FIELDS.id.asc()).await.unwrap();
        let titles: Vec<String> = titles.into_iter().map(|issue| issue.title).collect();
        assert_eq!(titles, ["of bob", "of ann", "opened"]);
    });
}

/// Numbers of the issues that a caller's store changes where the program names no caller.
async fn change_many(ctx: Context) -> Result<Json<BTreeMap<&'static str, u64>>> {
    let store = ctx.store::<Issue>();
    let every = || Issue::FIELDS.id.gt(0);
    let renamed = || IssuePatch::default().title("renamed");
    let updated = store.update_where(every(), renamed()).await?;
    let batch = store.update_batch([(1_i64, renamed()), (2, renamed())]).await;
    let removed = store.delete_batch([2_i64]).await;
    Ok(Json(BTreeMap::from([
        ("update_where", updated),
        ("update_batch", u64::from(batch.is_ok())),
        ("delete_batch", u64::from(removed.is_ok())),
        ("delete_where", store.delete_where(every()).await?),
    ])))
}

#[test]
fn changes_of_many_records_are_of_those_that_the_caller_reaches() {
    on_each_transactional_backend(async |database| {
        let service = with_routes(database.service().await).route("/issues/many", post(change_many));
        let test = with_issues(service).await;
        let changed = test.as_principal(guest()).post("/issues/many", json!({})).await.expect(200).json();
        let expected = json!({ "delete_batch": 0, "delete_where": 1, "update_batch": 0, "update_where": 1 });
        assert_eq!(changed, expected);
        let issues = test.store::<Issue>().across_tenants().list(Issue::FIELDS.id.asc()).await.expect("a list");
        assert_eq!(issues.iter().map(|issue| issue.title.as_str()).collect::<Vec<_>>(), ["of bob", "of ann"]);
    });
}

#[test]
fn replies_and_parameters_have_the_fields_that_the_caller_sees() {
    on_issues(async |test| {
        let (guest, staff) = (test.as_principal(guest()), test.as_principal(principal("ann", &["staff"], 1)));
        let page = guest.get("/issues/cheap?sort=id").await.expect(200);
        let page = (page.header("x-total-count").map(str::to_owned), page.json());
        let record = json!({
            "id": 1, "shop_id": 1, "guest_id": 5, "author": "ann", "title": "of ann", "is_deleted": false, "deleted_at": null,
        });
        let mut generated = guest.get("/issues").await.expect(200).json();
        assert_eq!(generated["data"], json!([record]));
        assert_eq!(page, (Some("1".to_owned()), generated.take()));
        assert_eq!(guest.get("/issues/titled").await.expect(200).json(), json!([record]));
        for parameters in ["cost=1", "sort=cost", "where=%7B%22cost%22:1%7D", "expand=x", "cursor=x", "limit=0"] {
            guest.get(format!("/issues/cheap?{parameters}")).await.problem("validation_failed");
        }
        guest.get("/issues/cheap?include_deleted=true").await.problem("permission_denied");
        assert_eq!(staff.get("/issues/titled?cost=20").await.expect(200).json()[0]["cost"], 20);
        let one = staff.get("/issues/titled?sort=-id&limit=1").await.expect(200).json();
        assert_eq!((one.as_array().map(Vec::len), &one[0]["id"]), (Some(1), &json!(2)));
        assert_eq!(guest.put("/issues/1/rename", json!({})).await.expect(200).json().get("cost"), None);
    });
}

/// Counts of the issues in a transaction, with the caller's eyes and the program's.
async fn counted(ctx: Context) -> Result<Json<Vec<u64>>> {
    let counts = ctx.app().transaction(async |tx| {
        let own = tx.store::<Issue>().count(Select::all()).await?;
        Ok::<_, crud_runtime::Error>([own, tx.unscoped_store::<Issue>().count(Select::all()).await?])
    });
    Ok(Json(counts.await?.to_vec()))
}

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
    seen.0.lock().expect("no test panics").push([count.expect("the program's eyes"), 0]);
}

/// Numbers of bookings that hooks have seen, with the program's eyes and the caller's.
#[derive(Debug, Default)]
struct Seen(Mutex<Vec<[u64; 2]>>);

async fn book(ctx: Context) -> Result<Created<Stay>> {
    let guest = ctx.principal().and_then(|sender| sender.claim("guest")?.as_i64()).unwrap_or_default();
    Ok(Created(ctx.store().create(NewStay::new(guest, 8)).await?))
}

#[test]
fn hooks_have_the_eyes_that_they_name_and_the_tenant_of_the_change() {
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
        assert_eq!(seen(), [[1, 1]], "no caller: both are the program's eyes");
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

#[test]
fn transactions_of_a_route_have_the_eyes_of_its_caller_and_jobs_those_of_the_program() {
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
        let service = with_routes(database.service().await).extension(Seen::default()).job::<Count>();
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

/// A note whose parts of access differ.
#[derive(Debug, Clone, Resource)]
#[crud(access(
    list(permission("list")),
    get(permission("get")),
    create(permission("create")),
    update(permission("update")),
    delete(permission("delete"))
))]
struct Label {
    id: i64,
    name: String,
}

async fn nothing() -> Result<()> {
    Ok(())
}

#[test]
fn route_without_access_has_that_of_the_operation_that_it_resembles() {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap();
        let service = database.service().await.auth(auth).resource::<Label>();
        let service = service
            .route("/labels/{id}/x", get(nothing))
            .route("/labels/{id}/x", put(nothing))
            .route("/labels/{id}/x", post(nothing))
            .route("/labels/{id}/x", patch(nothing))
            .route("/labels/{id}/x", delete(nothing))
            .route("/labels", delete(nothing))
            .route("/labels/y", get(nothing))
            .route("/labels/y", post(nothing))
            .route("/labels/y", delete(nothing))
            .route("/labels/z", post(nothing).access(Access::Authenticated))
            .route("/free", post(nothing).access(Access::Authenticated));
        let document: serde_json::Value = serde_json::to_value(service.openapi().unwrap()).unwrap();
        let test = service.test().await.unwrap();
        let all = ["list", "get", "create", "update", "delete"];
        for (method, path, needed) in [
            ("GET", "/labels/1/x", Some("get")),
            ("PUT", "/labels/1/x", Some("update")),
            ("POST", "/labels/1/x", Some("update")),
            ("PATCH", "/labels/1/x", Some("update")),
            ("DELETE", "/labels/1/x", Some("update")),
            ("DELETE", "/labels", Some("delete")),
            ("GET", "/labels/y", Some("list")),
            ("POST", "/labels/y", Some("create")),
            ("DELETE", "/labels/y", Some("create")),
            ("POST", "/labels/z", None),
            ("POST", "/free", None),
        ] {
            let request = |test: &Test| test.request(method.parse().unwrap(), path);
            request(&test).await.problem("authentication_failed");
            let Some(needed) = needed else {
                request(&test.as_principal(Principal::new("1"))).await.expect(204);
                continue;
            };
            request(&test.as_principal(Principal::new("1").with_permissions([needed]))).await.expect(204);
            let others = all.into_iter().filter(|other| *other != needed);
            request(&test.as_principal(Principal::new("1").with_permissions(others)))
                .await
                .problem("permission_denied");
            let operation = &document["paths"][path.replace("/1/", "/{id}/")][method.to_lowercase()];
            let says = operation["description"].as_str().unwrap_or_default();
            assert!(says.contains(&format!("Requires the permission `{needed}`.")), "{method} {path}: {says}");
        }
    });
}

/// A resource whose reads and writes are open.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(public)))]
struct Board {
    id: i64,
}

#[test]
fn routes_whose_access_nothing_states_are_a_line_at_start() {
    on_each_backend(async |database| {
        let lines = async |is_secured: bool| {
            let service = database.service().await.resource::<Label>().resource::<Board>();
            let auth = || Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap();
            let service = if is_secured { service.auth(auth()) } else { service.without_auth() };
            let service = service
                .route("/boards/{id}/pin", post(nothing))
                .route("/boards/pinned", get(nothing).access(Access::Public))
                .route("/labels/{id}/x", post(nothing))
                .route("/own", get(nothing).access(Access::Authenticated));
            let lines = log_lines(|| drop(service.into_router().unwrap()));
            lines.into_iter().filter(|line| line.contains("routes are open")).collect::<Vec<_>>()
        };
        assert_eq!(
            lines(true).await,
            ["WARN message=routes are open to everyone, as what they resemble: state their access \
                 routes=\"POST /boards/{id}/pin\""]
        );
        assert_eq!(lines(false).await, [""; 0]);
    });
}

#[test]
fn route_below_no_resource_without_access_is_refused_at_start() {
    on_each_backend(async |database| {
        let auth = || Auth::builder().secret("a secret of at least thirty-two bytes").build().unwrap();
        let service = async || database.service().await.resource::<Label>().route("/top", get(nothing));
        for service in [service().await.auth(auth()), service().await.without_auth()] {
            let error = service.into_router().unwrap_err().to_string();
            assert!(error.starts_with("the route GET `/top` states no access"), "{error}");
            assert!(error.contains(".access(Access::Authenticated)"), "{error}");
        }
        // Without authentication, nothing could tell callers apart.
        drop(database.service().await.route("/top", get(nothing)).into_router().unwrap());
    });
}

#[derive(Debug, Schema)]
struct Shown {
    title: Option<String>,
}

#[test]
fn one_handler_reads_the_query_string_in_one_way() {
    async fn both(query: Query<Shown>, _: ListParameters<Issue>) -> Result<Json<Option<String>>> {
        Ok(Json(query.0.title))
    }
    on_each_backend(async |database| {
        let service = with_routes(database.service().await).route("/issues/both", get(both));
        let error = service.into_router().unwrap_err().to_string();
        assert_eq!(
            error,
            "the route GET `/issues/both` takes `Query` and `ListParameters`, which both read the whole query string"
        );
    });
}

async fn add(ctx: Context, Json(new): Json<NewIssue>) -> Result<Created<Issue>> {
    Ok(Created(ctx.store::<Issue>().create(new).await?))
}

async fn edit(ctx: Context, issue: Record<Issue>, Json(patch): Json<IssuePatch>) -> Result<Record<Issue>> {
    Ok(Record(ctx.store::<Issue>().update(issue.id, patch).await?))
}

async fn edit_held(ctx: Context, issue: Locked<Issue>, Json(patch): Json<IssuePatch>) -> Result<Record<Issue>> {
    Ok(Record(ctx.store::<Issue>().update(issue.id, patch).await?))
}

#[test]
fn bodies_of_a_route_set_no_scope_owner_or_tenant_that_is_not_the_callers() {
    on_each_transactional_backend(async |database| {
        let service = with_routes(database.service().await)
            .route("/issues/add", post(add))
            .route("/issues/{id}/edit", post(edit))
            .route("/issues/{id}/edit-held", post(edit_held));
        let test = with_issues(service).await;
        let [guest, ann, staff] = [guest(), principal("ann", &[], 1), principal("ann", &["staff"], 1)]
            .map(|caller| test.as_principal(caller));
        let before = test.store::<Issue>().across_tenants().list(Issue::FIELDS.id.asc()).await.unwrap();
        for (caller, body) in [
            (&guest, json!({ "guest_id": 6, "author": "5", "title": "x" })),
            (&guest, json!({ "guest_id": 5, "author": "ann", "title": "x" })),
            (&ann, json!({ "guest_id": 5, "author": "bob", "title": "x" })),
            (&ann, json!({ "guest_id": 5, "author": "ann", "title": "x", "cost": 1 })),
            (&staff, json!({ "guest_id": "6", "author": "ann", "title": "x" })),
        ] {
            caller.post("/issues/add", &body).await.problem("validation_failed");
        }
        for (caller, id, body, code) in [
            (&guest, 1, json!({ "guest_id": 6 }), "validation_failed"),
            (&guest, 1, json!({ "author": "ann2" }), "validation_failed"),
            (&ann, 1, json!({ "author": "bob" }), "validation_failed"),
            (&ann, 1, json!({ "cost": 2 }), "validation_failed"),
            (&guest, 2, json!({ "title": "x" }), "not_found"),
            (&guest, 3, json!({ "title": "x" }), "not_found"),
            (&ann, 2, json!({ "title": "x" }), "not_found"),
            (&staff, 3, json!({ "title": "x" }), "not_found"),
            (&staff, 4, json!({ "title": "x" }), "not_found"),
        ] {
            for route in ["edit", "edit-held"] {
                caller.post(format!("/issues/{id}/{route}"), &body).await.problem(code);
            }
        }
        // A member of the tenant's name moves nothing, whether it is refused or read past.
        staff.post("/issues/1/edit", json!({ "shop_id": 2 })).await;
        staff.post("/issues/1/edit-held", json!({ "shop_id": 2 })).await;
        let unchanged = |issue: &Issue| (issue.id, issue.shop_id, issue.guest_id, issue.author.clone(), issue.cost);
        let after = test.store::<Issue>().across_tenants().list(Issue::FIELDS.id.asc()).await.unwrap();
        assert_eq!(after.iter().map(unchanged).collect::<Vec<_>>(), before.iter().map(unchanged).collect::<Vec<_>>());
        staff.post("/issues/add", json!({ "shop_id": 2, "guest_id": 6, "author": "ann", "title": "x" })).await;
        assert_eq!(test.store::<Issue>().tenant(2).count(Select::all()).await.unwrap(), 1);
        let edited = guest.post("/issues/1/edit-held", json!({ "title": "mine" })).await.expect(200).json();
        assert_eq!((&edited["title"], edited.get("cost")), (&json!("mine"), None));
    });
}
