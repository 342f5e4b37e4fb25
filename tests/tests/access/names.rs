//! The names of roles and permissions: each with its places in the table of access, and those that look misspelt in the log.

use crud_runtime::access::Access;
use crud_runtime::axum::Json;
use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, post};
use crud_tests::http::on_each_backend;

use crate::start_log::start_log;
use crate::support::secured;

#[derive(Debug, Clone, Copy, PartialEq, Eq, ResourceEnum)]
enum Stage {
    Draft,
    Done,
}

/// A name in each place that can have one.
#[derive(Debug, Clone, Resource)]
#[crud(
    audit,
    access(write(any(role("editor"), permission("tasks:write"))), delete(role("admin"))),
    scope(role("customer"), customer_id(claim("customer")))
)]
struct Task {
    id: i64,
    #[crud(owner(except(role("admin")), assign(role("editor"))))]
    user_id: i64,
    customer_id: i64,
    #[crud(visible(role("auditor")))]
    cost: Option<i32>,
    #[crud(default(Stage::Draft), transitions(finish(Draft, Done, role("chief"))))]
    stage: Stage,
}

/// A name that is misspelt.
#[derive(Debug, Clone, Resource)]
#[crud(access(delete(role("amdin"))))]
struct Memo {
    id: i64,
}

async fn ping(_: Context) -> crud_runtime::Result<Json<bool>> {
    Ok(Json(true))
}

#[test]
fn table_lists_every_name_with_its_places() {
    on_each_backend(async |database| {
        let ping = post(ping).access(Access::Role("chief"));
        let service = secured(database.service().await.resource::<Task>().route("/tasks/ping", ping));
        let table = service
            .openapi(|document| document.docs_role("auditor"))
            .model()
            .expect("the table")
            .access_table()
            .to_string();
        let (_, names) = table.split_once("\n\n").expect("the names are below the routes");
        let expected = "\
ROLE         STANDS AT
admin        Task: delete; Task.user_id: owner(except); audit_role, by default
auditor      Task.cost: visible; docs_role
chief        Task: transition finish; POST /tasks/ping
customer     Task: scope
editor       Task: write; Task.user_id: owner(assign)

PERMISSION   STANDS AT
tasks:write  Task: write
";
        assert_eq!(names, expected);
    });
}

#[test]
fn name_that_occurs_once_near_another_is_a_line_at_start() {
    on_each_backend(async |database| {
        let tasks = secured(database.service().await.resource::<Task>());
        assert_eq!(start_log(&tasks.migrate().await.expect("the tables"), "misspelt"), [""; 0]);
        let both = secured(database.service().await.resource::<Task>().resource::<Memo>());
        let lines = start_log(&both.migrate().await.expect("the tables"), "misspelt");
        let [line] = &lines[..] else { panic!("one line: {lines:?}") };
        assert!(line.starts_with("WARN ") && line.contains("`amdin`") && line.contains("`admin`"), "{line}");
        assert!(line.contains("Memo: delete"), "{line}");
    });
}
