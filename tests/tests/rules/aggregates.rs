//! Aggregates: groups of the caller's own records, their counts, sums, averages and extremes.

use crud_runtime::auth::Auth;
use crud_runtime::column::Value as Stored;
use crud_runtime::prelude::*;
use crud_runtime::query::{Aggregation, Bucket};
use crud_tests::fixtures::create_all;
use crud_tests::{Api, Database, on_each_backend, on_each_transactional_backend};
use serde_json::{Value, json};

use crate::caller::{SECRET, with_claims};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
#[crud(ordered)]
enum Status {
    Waiting,
    Done,
    Cancelled,
}

/// An order without an owner.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    search(text),
    soft_delete,
    aggregate(group_by(status, placed, text), over(price, weight, amount, placed), max_groups = 4)
)]
struct Order {
    id: i64,
    status: Option<Status>,
    placed: DateTime<Utc>,
    #[crud(length(max = 40))]
    text: String,
    #[crud(decimal(18, 2))]
    price: Decimal,
    weight: Option<f64>,
    amount: i64,
    deleted_at: Option<DateTime<Utc>>,
}

async fn open(database: &Database) -> Service {
    database.service().await.resource::<Order>().migrate().await.expect("the tables")
}

fn order(status: Option<&str>, placed: &str, text: &str, price: &str, weight: Option<f64>, amount: i64) -> Value {
    json!({ "status": status, "placed": placed, "text": text, "price": price, "weight": weight, "amount": amount })
}

fn on_orders(test: impl AsyncFn(&Api) + Copy) {
    on_each_backend(async |database| {
        let mut api = Api::start(database, open(database).await).await;
        api.check_against_document().await;
        let orders = [
            order(Some("Done"), "2026-11-05T23:59:59.5Z", "desk", "10.50", Some(1.5), 3),
            order(Some("Waiting"), "2026-11-30T00:00:00Z", "lamp", "0.25", None, -4),
            order(Some("Done"), "2026-12-01T00:30:00Z", "desk lamp", "1.00", Some(0.5), 5),
            order(None, "2025-01-01T12:00:00Z", "chair", "2.00", None, 0),
        ];
        create_all(&api, "/orders", orders).await;
        test(&api).await;
        api.stop().await;
    });
}

#[test]
fn group_has_its_count_and_the_sums_of_its_records() {
    on_orders(async |api| {
        let found =
            api.get("/orders/aggregate?group_by=status&sum=price,amount&avg=amount,price&max=weight").await.ok();
        assert_eq!(
            found,
            json!({
                "data": [
                    { "status": null, "count": 1, "sum": { "price": "2.00", "amount": 0 },
                      "avg": { "amount": 0.0, "price": 2.0 }, "max": { "weight": null } },
                    { "status": "Waiting", "count": 1, "sum": { "price": "0.25", "amount": -4 },
                      "avg": { "amount": -4.0, "price": 0.25 }, "max": { "weight": null } },
                    { "status": "Done", "count": 2, "sum": { "price": "11.50", "amount": 8 },
                      "avg": { "amount": 4.0, "price": 5.75 }, "max": { "weight": 1.5 } },
                ],
                "groups": 3
            })
        );
        let all = api.get("/orders/aggregate?sum=weight&min=placed,price&max=placed").await.ok();
        assert_eq!(
            all,
            json!({
                "data": [{
                    "count": 4, "sum": { "weight": 2.0 },
                    "min": { "placed": "2025-01-01T12:00:00.000000Z", "price": "0.25" },
                    "max": { "placed": "2026-12-01T00:30:00.000000Z" }
                }],
                "groups": 1
            })
        );
    });
}

#[test]
fn times_are_grouped_by_spans_in_utc() {
    on_orders(async |api| {
        let groups = async |span: &str| {
            let found = api.get(format!("/orders/aggregate?group_by=placed:{span}")).await.ok();
            let groups = found["data"].as_array().expect("groups").clone();
            groups.into_iter().map(|group| (group["placed"].clone(), group["count"].clone())).collect::<Vec<_>>()
        };
        let group = |placed: &str, count: u64| (json!(placed), json!(count));
        assert_eq!(groups("year").await, [group("2025", 1), group("2026", 3)]);
        assert_eq!(groups("month").await, [group("2025-01", 1), group("2026-11", 2), group("2026-12", 1)]);
        let days = [group("2025-01-01", 1), group("2026-11-05", 1), group("2026-11-30", 1), group("2026-12-01", 1)];
        assert_eq!(groups("day").await, days);
        assert_eq!(groups("hour").await[1], group("2026-11-05T23", 1));
        let both = api.get("/orders/aggregate?group_by=placed:year&group_by=status").await.ok();
        assert_eq!(both["groups"], 3);
        assert_eq!(both["data"][1], json!({ "placed": "2026", "status": "Waiting", "count": 1 }));
    });
}

/// The groups of some times by a span, each with its number of records.
async fn spans(api: &Api, times: &[&str], parameters: &str) -> Vec<(String, u64)> {
    for id in api.get("/orders").await.ok().as_array().expect("orders") {
        drop(api.delete(format!("/orders/{}", id["id"])).await.ok());
    }
    create_all(api, "/orders", times.iter().map(|time| order(None, time, "desk", "1.00", None, 1))).await;
    let found = api.get(format!("/orders/aggregate?group_by=placed:{parameters}")).await.ok();
    let groups = found["data"].as_array().expect("groups");
    let text = |group: &Value| group["placed"].as_str().expect("a text").to_owned();
    groups.iter().map(|group| (text(group), group["count"].as_u64().expect("a number"))).collect()
}

fn groups(expected: &[(&str, u64)]) -> Vec<(String, u64)> {
    expected.iter().map(|(text, count)| ((*text).to_owned(), *count)).collect()
}

/// Weeks begin on Monday, and belong to the year of their Thursday: the first days of 2027 are in the last week of 2026.
#[test]
fn weeks_are_those_of_iso_8601() {
    on_orders(async |api| {
        let times = [
            "2026-12-27T23:59:59.999999Z",
            "2026-12-28T00:00:00Z",
            "2027-01-03T23:59:59Z",
            "2027-01-04T00:00:00Z",
            "2024-12-30T00:00:00Z",
        ];
        let expected = [("2025-W01", 1), ("2026-W52", 1), ("2026-W53", 2), ("2027-W01", 1)];
        assert_eq!(spans(api, &times, "week").await, groups(&expected));
        // The Sunday evening of UTC is a Monday in Tokyo.
        let expected = [("2025-W01", 1), ("2026-W53", 2), ("2027-W01", 2)];
        assert_eq!(spans(api, &times, "week&tz=Asia/Tokyo").await, groups(&expected));
    });
}

/// In Berlin, March 29 has 23 hours and October 25 has 25.
#[test]
fn spans_are_those_of_a_time_zone_also_where_its_clocks_change() {
    on_orders(async |api| {
        let spring = [
            "2026-03-28T22:59:59Z",
            "2026-03-28T23:00:00Z",
            "2026-03-29T00:59:59Z",
            "2026-03-29T01:00:00Z",
            "2026-03-29T21:59:59Z",
            "2026-03-29T22:00:00Z",
        ];
        let days = [("2026-03-28", 1), ("2026-03-29", 4), ("2026-03-30", 1)];
        assert_eq!(spans(api, &spring, "day&tz=Europe/Berlin").await, groups(&days));
        let hours = [("2026-03-28T23", 1), ("2026-03-29T00", 1), ("2026-03-29T01", 1), ("2026-03-29T03", 1)];
        assert_eq!(spans(api, &spring[..4], "hour&tz=Europe/Berlin").await, groups(&hours));
        let autumn = [
            "2026-10-24T21:59:59Z",
            "2026-10-24T22:00:00Z",
            "2026-10-25T00:59:59Z",
            "2026-10-25T01:00:00Z",
            "2026-10-25T22:59:59Z",
            "2026-10-25T23:00:00Z",
        ];
        let days = [("2026-10-24", 1), ("2026-10-25", 4), ("2026-10-26", 1)];
        assert_eq!(spans(api, &autumn, "day&tz=Europe/Berlin").await, groups(&days));
        let hours = [("2026-10-25T02", 2), ("2026-10-25T23", 1)];
        assert_eq!(
            spans(api, &autumn[2..5], "hour&tz=Europe/Berlin").await,
            groups(&hours),
            "an hour that is shown twice"
        );
        // West of Greenwich, by half hours, and long ago.
        let times = ["2026-01-01T03:29:59Z", "2026-01-01T03:30:00Z", "1900-01-01T00:00:00Z"];
        let years = [("1899", 1), ("2025", 1), ("2026", 1)];
        assert_eq!(spans(api, &times, "year&tz=America/St_Johns").await, groups(&years));
        assert_eq!(spans(api, &[], "day&tz=Europe/Berlin").await, groups(&[]));
    });
}

#[test]
fn time_zone_that_does_not_exist_is_refused_with_one_that_does() {
    on_orders(async |api| {
        let problem =
            api.get("/orders/aggregate?group_by=placed:day&tz=Europe/Berlni").await.problem("validation_failed");
        assert!(problem.detail.contains("did you mean `Europe/Berlin`?"), "{}", problem.detail);
    });
}

#[test]
fn store_groups_by_the_spans_of_a_time_zone() {
    on_each_backend(async |database| {
        let app = open(database).await.app();
        let orders = app.store::<Order>();
        let placed = "2026-03-28T23:30:00Z".parse().expect("a time");
        let new =
            NewOrder { status: None, placed, text: "desk".to_owned(), price: Decimal::ONE, weight: None, amount: 1 };
        orders.create(new).await.expect("an order");
        let by_day = || Aggregation::new().group_by_time(Order::FIELDS.placed, Bucket::Day);
        let found = orders.aggregate(Select::all(), by_day().time_zone("Europe/Berlin")).await.expect("groups");
        assert_eq!(found[0].keys, [Stored::Text("2026-03-29".to_owned())]);
        let found = orders.aggregate(Select::all(), by_day()).await.expect("groups");
        assert_eq!(found[0].keys, [Stored::Text("2026-03-28".to_owned())]);
        let refused = orders.aggregate(Select::all(), by_day().time_zone("Mars")).await.expect_err("no zone");
        assert!(refused.to_string().contains("is not a time zone of the IANA database"), "{refused}");
    });
}

#[test]
fn conditions_are_those_of_the_list() {
    on_orders(async |api| {
        let count = async |parameters: &str| {
            let found = api.get(format!("/orders/aggregate?{parameters}")).await.ok();
            found["data"][0]["count"].clone()
        };
        assert_eq!(count("amount__gt=0").await, 2);
        assert_eq!(
            count("where=%7B%22or%22%3A%5B%7B%22amount%22%3A0%7D%2C%7B%22text%22%3A%22lamp%22%7D%5D%7D").await,
            2
        );
        assert_eq!(count("q=desk").await, 2);
        assert_eq!(count("status__gt=Waiting").await, 2, "an enum in the order of its declaration");
        assert_eq!(count("amount=77").await, 0, "no record is one group without keys");
        let none = api.get("/orders/aggregate?group_by=status&amount=77&sum=amount").await.ok();
        assert_eq!(none, json!({ "data": [], "groups": 0 }), "a group without records is absent");
        drop(api.delete("/orders/1").await.ok());
        assert_eq!(count("").await, 3);
        assert_eq!(count("include_deleted=true").await, 4);
        assert_eq!(count("only_deleted=true").await, 1);
    });
}

#[test]
fn parameters_name_what_the_attribute_lists() {
    on_orders(async |api| {
        for parameters in [
            "group_by=amount",
            "group_by=status:month",
            "group_by=placed:quarter",
            "group_by=placed:day&tz=Europe/Berlni",
            "group_by=placed:day&tz=%2B02:00",
            "group_by=placed:day&tz=",
            "group_by=placed:day&tz=UTC&tz=UTC",
            "group_by=placed&tz=UTC",
            "tz=UTC",
            "group_by=status,status",
            "group_by=placed:month,placed:day",
            "sum=placed",
            "sum=status",
            "avg=text",
            "sum=",
            "sum=amount,amount",
            "median=amount",
            "limit=5",
            "sort=amount",
            "expand=x",
            "amount=x",
        ] {
            api.get(format!("/orders/aggregate?{parameters}")).await.problem("validation_failed");
        }
        let problem = api.get("/orders/aggregate?group_by=statu").await.problem("validation_failed");
        assert!(problem.detail.contains("did you mean `status`?"), "{}", problem.detail);
    });
}

#[test]
fn more_groups_than_the_limit_are_refused() {
    on_orders(async |api| {
        assert_eq!(api.get("/orders/aggregate?group_by=text").await.ok()["groups"], 4);
        let body = order(None, "2026-01-01T00:00:00Z", "fifth", "1.00", None, 1);
        api.post("/orders", &body).await.created();
        let problem = api.get("/orders/aggregate?group_by=text").await.problem("too_many_groups");
        assert_eq!(problem.detail, "there are more than 4 groups: group by fewer fields, or narrow the condition");
        assert_eq!(api.get("/orders/aggregate?group_by=text&q=desk").await.ok()["groups"], 2);
    });
}

#[test]
fn integer_sum_is_exact_up_to_the_bounds_of_64_bits() {
    on_orders(async |api| {
        let add = async |amount: i64| {
            let body = order(Some("Cancelled"), "2026-01-01T00:00:00Z", "big", "0.00", None, amount);
            api.post("/orders", &body).await.created();
        };
        // Beyond 64 bits before the last record brings it back.
        add(i64::MAX).await;
        add(1).await;
        let sum = "/orders/aggregate?status=Cancelled&sum=amount";
        let problem = api.get(sum).await.problem("constraint_failed");
        assert_eq!(problem.detail, "a sum or average of `amount` is beyond the numbers of its type");
        add(-2).await;
        assert_eq!(api.get(sum).await.ok()["data"][0]["sum"]["amount"], i64::MAX - 1);
    });
}

/// A sale of a shop, which its seller sees, with a margin that only managers see.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter,
    aggregate(group_by(seller, region), over(price, margin)),
    access(all(authenticated), aggregate(any(role("analyst"), role("manager")))),
    scope(role("regional"), region(claim("region")))
)]
struct Sale {
    id: i64,
    #[crud(tenant)]
    shop_id: i64,
    #[crud(owner(except(any(role("manager"), role("regional")))))]
    seller: String,
    region: String,
    price: i64,
    #[crud(visible(role("manager")))]
    margin: Option<i64>,
}

fn on_sales(test: impl AsyncFn(&Api) + Copy) {
    on_each_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("shop").build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Sale>();
        let service = service.migrate().await.expect("the tables");
        let app = service.app();
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        let sales = app.store::<Sale>().across_tenants();
        for (shop, seller, region, price) in
            [(1, "ann", "north", 10), (1, "ann", "south", 20), (1, "ben", "north", 40), (2, "ann", "north", 80)]
        {
            let sale = NewSale::new(seller, region, price).shop_id(shop).margin(price / 10);
            sales.create(sale).await.expect("a sale");
        }
        test(&api).await;
        api.stop().await;
    });
}

async fn sales(api: &Api, roles: &[&str], claims: &Value, parameters: &str) -> crud_tests::Answer {
    let token = with_claims("ann", roles, claims);
    api.get(format!("/sales/aggregate?{parameters}")).header("authorization", &token).await
}

#[test]
fn groups_are_of_the_records_that_the_caller_reaches() {
    on_sales(async |api| {
        let shop = json!({ "shop": 1, "region": "north" });
        let sum =
            async |roles: &[&str], claims: &Value| sales(api, roles, claims, "sum=price").await.ok()["data"][0].clone();
        assert_eq!(sum(&["analyst"], &shop).await, json!({ "count": 2, "sum": { "price": 30 } }), "the owner's");
        assert_eq!(sum(&["manager"], &shop).await, json!({ "count": 3, "sum": { "price": 70 } }), "the tenant's");
        let regional = ["analyst", "regional"];
        assert_eq!(sum(&regional, &shop).await, json!({ "count": 2, "sum": { "price": 50 } }), "those of the scope");
        assert_eq!(sum(&regional, &json!({ "shop": 1 })).await["count"], 0, "none without the claim");
        sales(api, &["manager"], &json!({}), "sum=price").await.problem("tenant_required");
        let other = sales(api, &["manager"], &shop, "shop_id=2&sum=price").await.ok();
        assert_eq!(
            other["data"][0],
            json!({ "count": 0, "sum": { "price": null } }),
            "no filter leads to another tenant"
        );
        let groups = sales(api, &["analyst"], &shop, "group_by=seller").await.ok();
        assert_eq!(groups["data"], json!([{ "seller": "ann", "count": 2 }]), "no group tells of other owners");
    });
}

#[test]
fn groups_in_a_transaction_are_of_its_changes_too() {
    on_each_transactional_backend(async |database| {
        let app = open(database).await.app();
        let tx = app.begin().await.expect("a transaction");
        for (status, amount) in [(Status::Done, 3), (Status::Waiting, 1), (Status::Done, 4)] {
            let (placed, text) = (app.now(), "desk".to_owned());
            let new = NewOrder { status: Some(status), placed, text, price: Decimal::ONE, weight: None, amount };
            tx.store::<Order>().create(new).await.expect("an order");
        }
        let by_status = || Aggregation::new().group_by(Order::FIELDS.status).sum(Order::FIELDS.amount);
        let found = tx.store::<Order>().aggregate(Select::all(), by_status()).await.expect("groups");
        let found: Vec<_> = found.into_iter().map(|group| (group.count, group.measures)).collect();
        assert_eq!(found, [(1, vec![Stored::Int(1)]), (2, vec![Stored::Int(7)])]);
        tx.rollback().await.expect("a rollback");
        let found = app.store::<Order>().aggregate(Select::all(), by_status()).await.expect("groups");
        assert!(found.is_empty(), "{found:?}");
    });
}

#[test]
fn access_of_aggregates_is_their_own() {
    on_sales(async |api| {
        let shop = json!({ "shop": 1 });
        sales(api, &[], &shop, "").await.problem("permission_denied");
        api.get("/sales/aggregate").await.problem("authentication_failed");
        let list = api.get("/sales").header("authorization", &with_claims("ann", &[], &shop)).await.ok();
        assert_eq!(list.as_array().map(Vec::len), Some(2));
    });
}

#[test]
fn field_that_the_caller_does_not_see_is_unknown() {
    on_sales(async |api| {
        let shop = json!({ "shop": 1 });
        let seen = sales(api, &["manager"], &shop, "sum=margin&max=margin").await.ok();
        assert_eq!(seen["data"][0], json!({ "count": 3, "sum": { "margin": 7 }, "max": { "margin": 4 } }));
        for parameters in ["sum=margin", "max=margin", "avg=margin&group_by=seller"] {
            let problem = sales(api, &["analyst"], &shop, parameters).await.problem("validation_failed");
            let typo = parameters.replace("margin", "margni");
            let other = sales(api, &["analyst"], &shop, &typo).await.problem("validation_failed");
            assert_eq!(problem.detail.replace("margin", "margni"), other.detail, "as a name that is none");
        }
    });
}
