//! Views: resources whose records are computed by the program's SQL.

use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Api, Backend, Database, on_each_backend, on_each_sql_backend, query};
use serde_json::{Value, json};

use crate::caller::{SECRET, staff_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum Level {
    Low,
    High,
}

/// A customer.
#[derive(Debug, Clone, Resource)]
struct Customer {
    id: i64,
    name: String,
}

/// A ticket of a customer.
#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, audit)]
struct Ticket {
    id: i64,
    #[crud(references(Customer))]
    customer_id: Option<i64>,
    title: String,
    #[crud(decimal(18, 2))]
    price: Decimal,
    quantity: i32,
    weight: f64,
    urgent: bool,
    level: Level,
    due: DateTime<Utc>,
    deleted_at: Option<DateTime<Utc>>,
}

/// The tickets with the names of their customers.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    view(
        "SELECT t.id, t.title, c.name AS customer, t.urgent, t.due, t.level, t.price * t.quantity AS cost,
                CASE WHEN t.quantity > 2 THEN 'bulk' ELSE 'Single' END AS class
            FROM tickets t LEFT JOIN customers c ON c.id = t.customer_id
            WHERE t.deleted_at IS NULL -- a deleted ticket is not on the board
            ;",
        reads(Ticket, Customer)
    ),
    table = "board",
    prefix = "/board",
    filter,
    sort,
    pagination(default_limit = 2)
)]
struct BoardTicket {
    id: i64,
    title: String,
    /// Customer that brought it.
    customer: Option<String>,
    urgent: bool,
    due: DateTime<Utc>,
    level: Level,
    #[crud(decimal(18, 2))]
    cost: Decimal,
    class: String,
}

/// The sums of each customer's tickets, from another view.
#[derive(Debug, Clone, PartialEq, Resource)]
#[crud(
    view(
        "SELECT c.id, c.name, count(t.id) AS tickets, sum(t.quantity) AS pieces, sum(t.price) AS price,
                max(t.due) AS due, max(t.weight) AS heaviest, count(b.id) > 1 AS busy
            FROM customers c LEFT JOIN tickets t ON t.customer_id = c.id AND t.deleted_at IS NULL
            LEFT JOIN board b ON b.id = t.id
            GROUP BY c.id, c.name",
        reads(Customer, Ticket, BoardTicket)
    ),
    filter,
    sort
)]
struct CustomerSum {
    id: i64,
    name: String,
    tickets: i64,
    pieces: Option<i64>,
    #[crud(decimal(18, 2))]
    price: Option<Decimal>,
    due: Option<DateTime<Utc>>,
    heaviest: Option<f64>,
    busy: bool,
}

async fn unmigrated(database: &Database) -> Service {
    let service = database.service().await.resource::<Customer>().resource::<Ticket>();
    // A view may come after the view that reads it.
    service.resource::<CustomerSum>().resource::<BoardTicket>()
}

async fn service(database: &Database) -> Service {
    unmigrated(database).await.migrate().await.expect("the tables and views")
}

fn ticket(title: &str, customer: Option<i64>, price: &str, quantity: i32) -> NewTicket {
    let due = "2026-03-01T12:00:00.5Z".parse::<DateTime<Utc>>().expect("a time");
    NewTicket {
        customer_id: customer,
        title: title.into(),
        price: price.parse().expect("a price"),
        quantity,
        weight: 0.5,
        urgent: quantity > 1,
        level: if quantity > 1 { Level::High } else { Level::Low },
        due,
    }
}

/// Ann with two tickets, and one without customer.
async fn fill(app: &App) {
    let ann = app.store::<Customer>().create(NewCustomer::new("Ann")).await.expect("a customer").id;
    app.store::<Customer>().create(NewCustomer::new("Ben")).await.expect("a customer");
    for new in [
        ticket("Screen", Some(ann), "10.50", 2),
        ticket("Battery", Some(ann), "3.25", 3),
        ticket("Found", None, "0.00", 1),
    ] {
        app.store::<Ticket>().create(new).await.expect("a ticket");
    }
}

fn on_each(test: impl AsyncFn(&Api, &App) + Copy) {
    on_each_sql_backend(async |database| {
        let service = service(database).await;
        let app = service.app();
        fill(&app).await;
        let mut api = Api::start(database, service).await;
        api.check_against_document().await;
        test(&api, &app).await;
        api.stop().await;
    });
}

#[test]
fn a_view_is_read_by_key_with_joined_and_computed_columns() {
    on_each(async |api, _| {
        assert_eq!(
            api.get("/board/1").await.ok(),
            json!({
                "id": 1, "title": "Screen", "customer": "Ann", "urgent": true, "due": "2026-03-01T12:00:00.500000Z",
                "level": "High", "cost": "21.00", "class": "Single"
            })
        );
        assert_eq!(api.get("/board/3").await.ok()["customer"], Value::Null);
        api.get("/board/9").await.problem("not_found");
    });
}

#[test]
fn sums_counts_flags_and_times_have_the_types_of_their_fields() {
    on_each(async |api, app| {
        let found = api.get("/customer_sums?sort=id").await;
        assert_eq!(
            found.ok(),
            json!([
                {
                    "id": 1, "name": "Ann", "tickets": 2, "pieces": 5, "price": "13.75",
                    "due": "2026-03-01T12:00:00.500000Z", "heaviest": 0.5, "busy": true
                },
                {
                    "id": 2, "name": "Ben", "tickets": 0, "pieces": null, "price": null, "due": null,
                    "heaviest": null, "busy": false
                }
            ])
        );
        let sums = app.store::<CustomerSum>();
        let ann = sums.get(1).await.expect("Ann");
        assert_eq!((ann.pieces, ann.busy, ann.price), (Some(5), true, Some("13.75".parse().expect("a price"))));
        let busy = CustomerSum::FIELDS.busy.eq(true).and(CustomerSum::FIELDS.pieces.gt(4));
        assert_eq!(sums.list(busy).await.expect("a list"), [ann]);
    });
}

#[test]
fn a_list_of_a_view_has_filters_orders_and_pages() {
    on_each(async |api, _| {
        let titles = async |target: &str| column(&api.get(target).await.ok(), "title");
        assert_eq!(titles("/board?sort=-title").await, ["Screen", "Found"]);
        assert_eq!(titles("/board?sort=-title&skip=2").await, ["Battery"]);
        assert_eq!(api.get("/board?limit=1").await.ok()["total"], 3);
        assert_eq!(titles("/board?customer=Ann&sort=cost").await, ["Battery", "Screen"]);
        assert_eq!(titles("/board?customer__isnull=true").await, ["Found"]);
        assert_eq!(titles("/board?cost__gte=10&urgent=true&sort=title").await, ["Screen"]);
        assert_eq!(titles("/board?level=Low").await, ["Found"]);
        assert_eq!(titles(&query("/board", [("due__gt", "2026-03-01T12:00:00Z"), ("limit", "1")])).await.len(), 1);
        // Text of the view's own has the order and equality of every text: by code point.
        assert_eq!(titles("/board?class=single").await, Vec::<Value>::new());
        assert_eq!(titles("/board?sort=-class,title&limit=1").await, ["Battery"]);
        api.get("/board?sort=nothing").await.problem("validation_failed");
    });
}

#[test]
fn a_view_is_not_written() {
    on_each(async |api, _| {
        let body = json!({ "title": "x" });
        api.post("/board", &body).await.problem("method_not_allowed");
        api.patch("/board/1", &body).await.problem("method_not_allowed");
        api.delete("/board/1").await.problem("method_not_allowed");
        let document = api.get("/openapi.json").await.ok();
        let paths = document["paths"].as_object().expect("paths");
        let methods = |path: &str| paths[path].as_object().expect("methods").keys().cloned().collect::<Vec<_>>();
        assert!(!methods("/board").contains(&"post".to_owned()), "{:?}", methods("/board"));
        assert!(!methods("/board/{id}").iter().any(|method| method == "patch" || method == "delete"));
    });
}

#[test]
fn a_view_shows_what_is_in_its_tables_and_in_the_transaction() {
    on_each(async |api, app| {
        app.store::<Ticket>().delete(2).await.expect("a delete");
        api.get("/board/2").await.problem("not_found");
        let seen = app
            .transaction(async |tx| {
                tx.store::<Ticket>().update(1, TicketPatch::default().title("Glass")).await?;
                Ok::<_, crud_runtime::Error>(tx.store::<BoardTicket>().get(1).await?.title)
            })
            .await;
        assert_eq!(seen.expect("a title"), "Glass");
    });
}

#[test]
fn a_second_migration_finds_the_views() {
    on_each_sql_backend(async |database| {
        drop(service(database).await);
        assert_eq!(unmigrated(database).await.plan().await.expect("a plan"), Vec::<String>::new());
        drop(service(database).await);
    });
}

mod changed {
    use super::{Customer, Ticket};
    use crud_runtime::prelude::*;

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(
        view("SELECT id, quantity AS pieces, title FROM tickets", reads(Ticket, Customer)),
        table = "board",
        prefix = "/board"
    )]
    pub(super) struct BoardTicket {
        pub(super) id: i64,
        pub(super) pieces: i32,
    }

    #[derive(Debug, Clone, PartialEq, Resource)]
    #[crud(view("SELECT id, pieces FROM board", reads(BoardTicket)))]
    pub(super) struct CustomerSum {
        pub(super) id: i64,
        pub(super) pieces: i32,
    }
}

#[test]
fn a_view_whose_query_changed_is_made_anew_with_those_that_read_it() {
    on_each_sql_backend(async |database| {
        let service = service(database).await;
        fill(&service.app()).await;
        let service = database.service().await.resource::<Ticket>();
        let service = service.resource::<changed::CustomerSum>().resource::<changed::BoardTicket>();
        let service = service.migrate().await.expect("the changed views");
        let app = service.app();
        assert_eq!(app.store::<changed::BoardTicket>().get(2).await.expect("a record").pieces, 3);
        assert_eq!(app.store::<changed::CustomerSum>().count(Select::all()).await.expect("a count"), 3);
        assert_eq!(service.plan().await.expect("a plan"), Vec::<String>::new());
    });
}

#[test]
fn a_table_in_place_of_a_view_is_refused() {
    on_each_sql_backend(async |database| {
        let tables = database.service().await.resource::<Customer>().resource::<Ticket>();
        drop(tables.migrate().await.expect("the tables"));
        database.execute("CREATE TABLE board (id INTEGER)").await;
        let error = unmigrated(database).await.migrate().await.expect_err("a table");
        assert!(error.to_string().contains("view `board`: is a table, must be a view"), "{error}");
    });
}

/// A view of a table that does not exist.
#[derive(Debug, Clone, Resource)]
#[crud(view("SELECT id FROM nowhere", reads()))]
struct Astray {
    id: i64,
}

/// A view of a column that does not exist.
#[derive(Debug, Clone, Resource)]
#[crud(view("SELECT id, title FROM tickets", reads(Ticket)))]
struct Renamed {
    id: i64,
    name: String,
}

/// A view with a column of another type.
#[derive(Debug, Clone, Resource)]
#[crud(view("SELECT id, title AS quantity FROM tickets", reads(Ticket)))]
struct Mistyped {
    id: i64,
    quantity: i64,
}

#[test]
fn a_view_that_cannot_be_read_is_refused_by_its_name() {
    on_each_sql_backend(async |database| {
        let refusal = async |service: Service| {
            let error = service.migrate().await.expect_err("a view that cannot be read").to_string();
            assert!(error.starts_with("the database does not fit the resources:\n  view `"), "{error}");
            error
        };
        let error = refusal(database.service().await.resource::<Astray>()).await;
        assert!(error.contains("view `astrays`: its SQL is refused: ") && error.contains("nowhere"), "{error}");
        let error = refusal(database.service().await.resource::<Renamed>()).await;
        assert!(error.contains("view `renameds`") && error.contains("name"), "{error}");
        let error = refusal(database.service().await.resource::<Mistyped>()).await;
        assert!(error.contains("view `mistypeds`, column `quantity`: is "), "{error}");
    });
}

/// A view with SQL for databases that tests do not have.
#[derive(Debug, Clone, Resource)]
#[crud(view(
    sqlite = "SELECT id, title || '!' AS title FROM tickets",
    mysql = "SELECT id, CONCAT(title, '!') AS title FROM tickets",
    reads(Ticket)
))]
struct Loud {
    id: i64,
    title: String,
}

#[test]
fn a_view_has_the_sql_of_its_database_or_is_refused() {
    on_each_sql_backend(async |database| {
        let service = database.service().await.resource::<Ticket>().resource::<Loud>().migrate().await;
        if database.backend() == Backend::Postgres {
            let error = service.expect_err("no SQL").to_string();
            assert!(error.contains("view `louds`: has no SQL for this database: add it to `view(…)`"), "{error}");
            return;
        }
        let app = service.expect("the view").app();
        app.store::<Ticket>().create(ticket("Screen", None, "1", 1)).await.expect("a ticket");
        assert_eq!(app.store::<Loud>().get(1).await.expect("a record").title, "Screen!");
    });
}

#[test]
fn storage_without_views_refuses_them_at_start() {
    on_each_backend(async |database| {
        if database.backend().speaks_sql() {
            return;
        }
        let error = unmigrated(database).await.migrate().await.expect_err("no views").to_string();
        assert_eq!(error, "BoardTicket is a view, and this storage has none: remove it, or use another database",);
    });
}

mod of_tenants {
    use crud_runtime::prelude::*;

    /// A device of a shop and a customer.
    #[derive(Debug, Clone, Resource)]
    #[crud(scope(role("customer"), customer_id(claim("customer"))))]
    pub(super) struct Device {
        pub(super) id: i64,
        #[crud(tenant)]
        pub(super) shop_id: i64,
        #[crud(owner(except(role("staff")), assign(role("staff"))))]
        pub(super) keeper: String,
        pub(super) customer_id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT id FROM devices", reads(Device)))]
    pub(super) struct NoTenant {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT id, shop_id FROM devices", reads(Device)))]
    pub(super) struct NoOwner {
        id: i64,
        #[crud(tenant)]
        shop_id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT id, shop_id, keeper FROM devices", reads(Device)))]
    pub(super) struct NoScope {
        id: i64,
        #[crud(tenant)]
        shop_id: i64,
        #[crud(owner(except(role("staff"))))]
        keeper: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(
        view("SELECT id, shop_id, keeper, customer_id AS customer FROM devices", reads(Device)),
        scope(role("customer"), customer(claim("customer")))
    )]
    pub(super) struct Shown {
        pub(super) id: i64,
        #[crud(tenant)]
        pub(super) shop_id: i64,
        #[crud(owner(except(role("staff"))))]
        pub(super) keeper: String,
        pub(super) customer: i64,
    }
}

async fn with_tenants(database: &Database) -> Service {
    let auth = Auth::builder().secret(SECRET).tenant_claim("shop").build().expect("the authentication");
    database.service().await.auth(auth)
}

#[test]
fn a_view_across_tenants_owners_or_scopes_is_refused_at_start() {
    on_each_sql_backend(async |database| {
        assert_eq!(
            refusal(with_tenants(database).await.resource::<of_tenants::NoTenant>()).await,
            "NoTenant depends on Device, whose records have tenants: select that column in the view, and mark its field \
             with `tenant`"
        );
        assert_eq!(
            refusal(with_tenants(database).await.resource::<of_tenants::NoOwner>()).await,
            "NoOwner depends on Device, whose records have owners: select that column in the view, and mark its field \
             with `owner`"
        );
        assert_eq!(
            refusal(with_tenants(database).await.resource::<of_tenants::NoScope>()).await,
            "NoScope depends on Device, whose records have scopes: select that column in the view, and write \
             `scope(…, field(claim(\"customer\")))` with the same access on the struct"
        );
    });
}

/// Views whose `reads` leaves out a table of records with tenants.
mod unsaid {
    use super::of_tenants::{Device, Shown};
    use crud_runtime::prelude::*;

    /// A table whose name needs quotes.
    #[derive(Debug, Clone, Resource)]
    #[crud(table = "order-items")]
    pub(super) struct Item {
        id: i64,
        #[crud(tenant)]
        shop_id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT d.id FROM devices d", reads()))]
    pub(super) struct Plain {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT id /* don't */ FROM devices", reads()))]
    pub(super) struct Commented {
        id: i64,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT id, 'a--b' AS note FROM devices", reads()))]
    pub(super) struct Dashed {
        id: i64,
        note: String,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(view(
        sqlite = "SELECT id FROM \"order-items\"",
        postgres = "SELECT id FROM \"order-items\"",
        mysql = "SELECT id FROM `order-items`",
        reads()
    ))]
    pub(super) struct Quoted {
        id: i64,
    }

    /// Reads a subquery without a column.
    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT count(*) AS id, (SELECT count(*) FROM devices) AS devices", reads()))]
    pub(super) struct Counted {
        id: i64,
        devices: i64,
    }

    /// Reads a view without a resource.
    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT id FROM every_device", reads()))]
    pub(super) struct Indirect {
        id: i64,
    }

    /// Calls a function that reads devices.
    #[derive(Debug, Clone, Resource)]
    #[crud(view("SELECT count(*) AS id, last_device() AS device", reads()))]
    pub(super) struct Called {
        id: i64,
        device: Option<i64>,
    }

    /// Calls a function that reads nothing, with the table's name as a text, an alias and a comment.
    #[derive(Debug, Clone, Resource)]
    #[crud(view(
        "SELECT devices.id, 'FROM devices' AS note, doubled(devices.id) AS devices
                FROM (SELECT count(*) AS id /* not of devices */) devices",
        reads()
    ))]
    pub(super) struct Harmless {
        pub(super) id: i64,
        pub(super) note: String,
        pub(super) devices: i64,
    }

    /// Reads a view that `reads` names, and the table that this view reads.
    #[derive(Debug, Clone, Resource)]
    #[crud(
        view(
            "SELECT s.id, s.shop_id, s.keeper, d.customer_id AS customer FROM showns s JOIN devices d ON d.id = s.id",
            reads(Shown)
        ),
        scope(role("customer"), customer(claim("customer")))
    )]
    pub(super) struct Nested {
        id: i64,
        #[crud(tenant)]
        shop_id: i64,
        #[crud(owner(except(role("staff"))))]
        keeper: String,
        customer: i64,
    }

    /// Tables of records with tenants.
    pub(super) fn tables(service: Service) -> Service {
        service.resource::<Device>().resource::<Item>()
    }
}

/// The refusal of a view.
async fn refusal(service: Service) -> String {
    service.migrate().await.expect_err("a view across tenants").to_string()
}

#[test]
fn a_view_of_records_with_tenants_that_depends_leaves_out_is_refused() {
    on_each_sql_backend(async |database| {
        drop(unsaid::tables(with_tenants(database).await).migrate().await.expect("the tables"));
        database.execute("CREATE VIEW every_device AS SELECT id FROM devices").await;
        let service = async || unsaid::tables(with_tenants(database).await);
        let refused = |view: &str, table: &str, resource: &str| {
            format!(
                "the database does not fit the resources:\n  view `{view}`: reads `{table}`, the table of {resource}, whose \
                 records have tenants, owners or scopes: add `{resource}` to `reads(…)`"
            )
        };
        // Nor can it be served unless the database was asked.
        let unasked = service().await.resource::<unsaid::Commented>().into_router().map(drop);
        assert_eq!(
            unasked.expect_err("a view that was not compared").to_string(),
            "Commented is a view, and whether it reads Device, whose records have tenants, owners or scopes, is not known: \
             call `Service::migrate` after the last resource and before the service starts"
        );
        // Also at the next start, where the view may be there.
        for _ in 0..2 {
            let of_devices = async |view: &str, service: Service| {
                assert_eq!(refusal(service).await, refused(view, "devices", "Device"));
            };
            of_devices("plains", service().await.resource::<unsaid::Plain>()).await;
            of_devices("commenteds", service().await.resource::<unsaid::Commented>()).await;
            of_devices("dasheds", service().await.resource::<unsaid::Dashed>()).await;
            of_devices("counteds", service().await.resource::<unsaid::Counted>()).await;
            of_devices("indirects", service().await.resource::<unsaid::Indirect>()).await;
            let quoted = service().await.resource::<unsaid::Quoted>();
            assert_eq!(refusal(quoted).await, refused("quoteds", "order-items", "Item"));
        }
        let nested = service().await.resource::<unsaid::Nested>().migrate().await.expect("a view of a view");
        drop(nested.into_router().expect("the routes"));
    });
}

#[test]
fn a_view_with_a_function_that_may_read_records_with_tenants_is_refused() {
    on_each_sql_backend(async |database| {
        let (reads, pure) = match database.backend() {
            Backend::Postgres => (
                "CREATE FUNCTION last_device() RETURNS bigint LANGUAGE sql AS 'SELECT max(id) FROM devices'",
                "CREATE FUNCTION doubled(a bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 2 * a'",
            ),
            Backend::MySql => (
                "CREATE FUNCTION last_device() RETURNS BIGINT READS SQL DATA RETURN (SELECT max(id) FROM devices)",
                "CREATE FUNCTION doubled(a BIGINT) RETURNS BIGINT DETERMINISTIC NO SQL RETURN 2 * a",
            ),
            // Without stored functions.
            _ => return,
        };
        drop(unsaid::tables(with_tenants(database).await).migrate().await.expect("the tables"));
        database.execute(reads).await;
        database.execute(pure).await;
        let service = unsaid::tables(with_tenants(database).await).resource::<unsaid::Called>();
        let error = refusal(service).await;
        assert!(
            error.contains("view `calleds`: may read `devices`, the table of Device, whose records have tenants"),
            "{error}"
        );
        assert!(error.contains("last_device"), "{error}");
        let service = unsaid::tables(with_tenants(database).await).resource::<unsaid::Harmless>();
        let app = service.migrate().await.expect("a view that reads no table").app();
        let found = app.store::<unsaid::Harmless>().get(1).await.expect("a record");
        assert_eq!((found.id, found.note.as_str(), found.devices), (1, "FROM devices", 2));
    });
}

#[test]
fn a_view_shows_the_records_of_the_callers_tenant() {
    on_each_sql_backend(async |database| {
        let service = with_tenants(database).await.resource::<of_tenants::Device>().resource::<of_tenants::Shown>();
        let service = service.migrate().await.expect("the view");
        let app = service.app();
        for shop in [1, 2] {
            let device = of_tenants::NewDevice::new("7", 1).shop_id(shop);
            app.store::<of_tenants::Device>().across_tenants().create(device).await.expect("a device");
        }
        let shown = app.store::<of_tenants::Shown>().tenant(2).list(Select::all()).await.expect("a list");
        assert_eq!((shown.len(), shown[0].shop_id, shown[0].customer, shown[0].keeper.as_str()), (1, 2, 1, "7"));
        let api = Api::start(database, service).await;
        let list = api.get("/showns").header("authorization", &staff_of(1)).await;
        assert_eq!(column(&list.ok(), "id"), [1]);
        api.get("/showns/2").header("authorization", &staff_of(1)).await.problem("not_found");
        api.get("/showns").await.problem("authentication_failed");
        api.stop().await;
    });
}

/// A reference to a view.
#[derive(Debug, Clone, Resource)]
struct Pin {
    id: i64,
    #[crud(references(BoardTicket))]
    board_ticket_id: i64,
}

#[test]
fn a_reference_to_a_view_is_refused_at_start() {
    on_each_sql_backend(async |database| {
        let error = unmigrated(database).await.resource::<Pin>().migrate().await.expect_err("a reference").to_string();
        assert_eq!(
            error,
            "Pin.board_ticket_id refers to BoardTicket, which is a view and so has no foreign keys to it: write \
             `references(BoardTicket, unconstrained)`"
        );
    });
}
