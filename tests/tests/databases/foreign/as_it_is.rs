//! Tables of another program are served as they are: by its rights alone, and nothing of them changes.

use crud_runtime::prelude::*;
use crud_runtime::schema::Verdict;
use crud_tests::{Api, Backend, Database, log_lines, on_each_sql_backend};
use serde_json::json;

use crate::foreign::support::{books, catalogue, unfit};

#[derive(Debug, Clone, Resource)]
#[crud(table = "customer", prefix = "/customers", filter, sort)]
struct Customer {
    id: i32,
    #[crud(length(max = 40))]
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(
    table = "invoice",
    prefix = "/invoices",
    filter,
    sort,
    search(reference, memo),
    pagination(cursor),
    default_sort(desc(total)),
    batch
)]
struct Invoice {
    id: i32,
    #[crud(references(Customer, expand))]
    customer_id: Option<i32>,
    reference: Option<String>,
    total: i32,
    paid_on: Option<NaiveDate>,
    memo: Option<String>,
}

async fn service(database: &Database) -> Service {
    database.service().await.resource::<Customer>().resource::<Invoice>()
}

#[test]
fn tables_are_served_and_stay_as_they_are() {
    on_each_sql_backend(async |database| {
        books(database).await;
        let before = catalogue(database).await;
        let checked = service(database).await.check_schema().await.expect("the tables fit");
        let api = Api::start(database, checked).await;
        let listed = api.get("/invoices?customer_id=1&sort=total&expand=customer").await.ok();
        assert_eq!(listed["data"][0]["reference"], "b-1", "{listed}");
        assert_eq!(listed["data"][1]["total"], 30);
        assert_eq!(listed["data"][0]["customer"]["name"], "Ann");
        assert_eq!(api.get("/invoices?paid_on=2021-01-01").await.ok()["data"][0]["id"], 1);
        assert_eq!(api.get("/invoices?q=late").await.ok()["data"][0]["id"], 2, "a search reads every record");
        let new = json!({ "customer_id": 2, "reference": "c-4", "total": 40 });
        let id = api.post("/invoices", &new).await.created()["id"].clone();
        assert_eq!(api.patch(format!("/invoices/{id}"), &json!({ "total": 41 })).await.ok()["total"], 41);
        api.delete(format!("/invoices/{id}")).await.ok();
        api.stop().await;
        assert_eq!(catalogue(database).await, before);
    });
}

#[test]
fn cursors_walk_every_record_once() {
    on_each_sql_backend(async |database| {
        books(database).await;
        let api = Api::start(database, service(database).await.check_schema().await.expect("the tables fit")).await;
        for order in ["reference", "-reference", "paid_on,-reference", "memo,total", "-total"] {
            let column = order.split(',').map(|key| match key.strip_prefix('-') {
                Some(key) => format!("{key} DESC"),
                None => key.to_owned(),
            });
            let nulls = |key: String| match database.backend() {
                Backend::Postgres if key.ends_with(" DESC") => format!("{key} NULLS LAST"),
                Backend::Postgres => format!("{key} NULLS FIRST"),
                _ => key,
            };
            let keys: Vec<String> = column.map(nulls).collect();
            let text = if database.backend() == Backend::MySql { "CAST(id AS CHAR)" } else { "CAST(id AS TEXT)" };
            let sql = format!("SELECT {text} FROM invoice ORDER BY {}, id", keys.join(", "));
            let expected = database.texts(&sql).await;
            let mut target = format!("/invoices?sort={order}&limit=1");
            let mut walked = Vec::new();
            loop {
                let page = api.get(target.as_str()).await.ok();
                walked.extend(page["data"].as_array().expect("items").iter().map(|item| item["id"].to_string()));
                let Some(cursor) = page["next_cursor"].as_str() else { break };
                target = format!("/invoices?sort={order}&limit=1&cursor={cursor}");
            }
            assert_eq!(walked, expected, "{order}");
        }
        api.stop().await;
    });
}

#[test]
fn reader_with_the_right_to_select_alone_is_enough() {
    on_each_sql_backend(async |database| {
        if database.backend() == Backend::Sqlite {
            return; // it has no users
        }
        books(database).await;
        let name = format!("reader_{}", crate::foreign::support::name_of(database));
        let grants = match database.backend() {
            Backend::Postgres => format!(
                "CREATE ROLE {name} LOGIN; GRANT USAGE ON SCHEMA public TO {name}; \
                 GRANT SELECT ON customer, invoice TO {name}"
            ),
            // A user of the server without a name may come before one of any host.
            _ => ["%", "localhost"]
                .map(|host| {
                    format!(
                        "CREATE USER {name}@'{host}'; GRANT SELECT ON customer TO {name}@'{host}'; \
                 GRANT SELECT ON invoice TO {name}@'{host}'"
                    )
                })
                .join("; "),
        };
        database.execute(&grants).await;
        let before = catalogue(database).await;
        let (scheme, rest) = database.url().split_once("://").expect("a URL");
        let (_, host) = rest.split_once('@').expect("a user");
        let reader = Service::connect(&format!("{scheme}://{name}@{host}")).await.expect("the reader connects");
        let reader = reader.resource::<Customer>().resource::<Invoice>().check_schema().await.expect("the tables fit");
        let api = Api::start(database, reader).await;
        let page = api.get("/invoices?sort=reference&limit=2&expand=customer").await.ok();
        let next =
            format!("/invoices?sort=reference&limit=2&cursor={}", page["next_cursor"].as_str().expect("a cursor"));
        assert_eq!(api.get(next).await.ok()["data"].as_array().expect("items").len(), 1);
        api.stop().await;
        assert_eq!(catalogue(database).await, before);
        let remove = match database.backend() {
            Backend::Postgres => format!("DROP OWNED BY {name}; DROP ROLE {name}"),
            _ => format!("DROP USER {name}@'%', {name}@'localhost'"),
        };
        database.execute(&remove).await;
    });
}

mod unfit_structs {
    use super::*;

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "invoices")]
    pub(super) struct Misspelt {
        id: i32,
        total: i32,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "invoice")]
    pub(super) struct Missing {
        id: i32,
        tax: i32,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "invoice")]
    pub(super) struct Mistyped {
        id: i32,
        reference: Uuid,
        memo: bool,
    }

    #[derive(Debug, Clone, Resource)]
    #[crud(table = "invoice")]
    pub(super) struct Keyed {
        #[crud(id, column = "customer_id")]
        id: i32,
        total: i32,
    }
}

#[test]
fn what_cannot_be_read_is_refused() {
    on_each_sql_backend(async |database| {
        books(database).await;
        let empty = async || database.service().await;
        let misspelt = unfit(empty().await.resource::<unfit_structs::Misspelt>()).await;
        assert!(misspelt.contains("table `invoices`: is missing"), "{misspelt}");
        let missing = unfit(empty().await.resource::<unfit_structs::Missing>()).await;
        assert!(missing.contains("table `invoice`, column `tax`: is missing"), "{missing}");
        let mistyped = unfit(empty().await.resource::<unfit_structs::Mistyped>()).await;
        assert!(mistyped.contains("column `memo`: is "), "{mistyped}");
        let keyed = unfit(empty().await.resource::<unfit_structs::Keyed>()).await;
        assert!(
            keyed.contains("its primary key is `id`, must be `customer_id`"),
            "a change would be of two records: {keyed}"
        );
    });
}

#[test]
fn service_that_was_not_told_whose_the_tables_are_refuses_the_same_when_it_serves() {
    on_each_sql_backend(async |database| {
        books(database).await;
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let service = database.service().await.resource::<unfit_structs::Keyed>();
        let error = service.serve_on(listener, async {}).await.expect_err("a refusal").to_string();
        assert!(error.contains("must be `customer_id`"), "{error}");
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table("customer", unmanaged), prefix = "/customers", filter, sort, unique(name))]
struct NamedCustomer {
    id: i32,
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(table("invoice", unmanaged), prefix = "/invoices", filter(customer_id, memo), sort(reference))]
struct PaidInvoice {
    id: i32,
    #[crud(references(NamedCustomer))]
    customer_id: Option<i32>,
    reference: String,
    total: i64,
    memo: Option<String>,
}

#[test]
fn what_costs_is_noted_and_a_prefix_of_an_index_serves() {
    on_each_sql_backend(async |database| {
        books(database).await;
        let service = database.service().await.resource::<NamedCustomer>().resource::<PaidInvoice>();
        let service = service.migrate().await.expect("the tables are used as they are");
        let all = service.migrations().diff().await.expect("a comparison");
        let costs: Vec<String> =
            all.iter().filter(|one| one.verdict() == Verdict::Warning).map(ToString::to_string).collect();
        let has = |text: &str| costs.iter().any(|line| line.contains(text));
        assert!(has("column `name`: must be UNIQUE"), "{costs:#?}");
        assert!(has("column `reference`: allows null, must be NOT NULL"), "{costs:#?}");
        assert!(has("is missing on `invoice` (`memo`"), "{costs:#?}");
        assert!(!has("(`customer_id`"), "`by_customer` begins with it: {costs:#?}");
        assert!(has("column `reference`: is COLLATE "), "{costs:#?}");
        assert!(has("column `paid_on`: is in no field"), "{costs:#?}");
        assert!(all.iter().all(|one| one.verdict() != Verdict::Refuses), "{all:#?}");
        assert_eq!(service.plan().await.expect("a plan"), Vec::<String>::new());
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table("invoice", unmanaged), prefix = "/invoices", filter(memo), sort(reference))]
struct NotedInvoice {
    id: i32,
    reference: String,
    total: i32,
    memo: Option<String>,
}

#[test]
fn start_notes_in_one_line_what_costs() {
    on_each_sql_backend(async |database| {
        books(database).await;
        let url = database.url().to_owned();
        let start = move || {
            log_lines(|| {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
                runtime.block_on(async {
                    let service = Service::connect(&url).await.expect("the database").resource::<NotedInvoice>();
                    drop(service.check_schema().await.expect("the table fits"));
                });
            })
        };
        let lines = std::thread::spawn(start).join().expect("no panic");
        let noted: Vec<&String> = lines.iter().filter(|line| line.contains("used as they are, at a cost: ")).collect();
        let [line] = noted.as_slice() else { panic!("{lines:#?}") };
        for cost in [
            "column `reference`: allows null, must be NOT NULL",
            "column `reference`: is COLLATE ",
            "is missing on `invoice` (`memo`",
            "column `paid_on`: is in no field",
        ] {
            assert!(line.contains(cost), "{cost}: {line}");
        }
    });
}

#[derive(Debug, Clone, Resource)]
#[crud(table("open_invoice", unmanaged), prefix = "/open", operations(list, get), filter, sort)]
struct OpenInvoice {
    id: i32,
    reference: Option<String>,
}

#[test]
fn view_that_is_there_is_read_as_it_is() {
    on_each_sql_backend(async |database| {
        books(database).await;
        database.execute("CREATE VIEW open_invoice AS SELECT id, reference FROM invoice WHERE paid_on IS NULL").await;
        let before = catalogue(database).await;
        let service = database.service().await.resource::<OpenInvoice>().migrate().await.expect("the view is read");
        let api = Api::start(database, service).await;
        assert_eq!(api.get("/open?sort=-id").await.ok()[0]["id"], 3);
        assert_eq!(api.get("/open/2").await.ok()["reference"], "A-2");
        api.stop().await;
        assert_eq!(catalogue(database).await, before);
    });
}
