use std::path::Path;

use crud_runtime::prelude::*;
use crud_runtime::routing::{Context, get};
use crud_runtime::testing::Test;

use super::{Book, By, message, service};

/// The place of a board's card.
#[derive(Debug, Clone, Resource)]
#[crud(table = "board_card", internal)]
struct Card {
    id: i64,
    place: i64,
}

/// A table whose name is not of the plugin.
#[derive(Debug, Clone, Resource)]
#[crud(table = "cards", internal)]
struct Stray {
    id: i64,
}

/// A resource of the program on the table of the plugin.
#[derive(Debug, Clone, Resource)]
#[crud(table = "board_card", prefix = "/cards")]
struct OtherCard {
    id: i64,
}

fn board() -> By {
    By { install: |service| Ok(service.table::<Card>()), ..By::named("board") }
}

#[tokio::test]
async fn table_is_migrated_and_has_neither_routes_nor_a_document() {
    let plain = service().await.resource::<Book>().test().await.unwrap();
    let test = service().await.plugin(board()).unwrap().resource::<Book>().test().await.unwrap();
    test.store::<Card>().create(NewCard { place: 7 }).await.unwrap();
    let document = async |test: &Test| test.get("/openapi.json").await.expect(200).json();
    assert_eq!(document(&test).await, document(&plain).await);
    test.get("/cards").await.problem("route_not_found");
}

#[tokio::test]
async fn program_has_tables_by_any_name() {
    let test = service().await.table::<Stray>().test().await.unwrap();
    test.store::<Stray>().create(NewStray {}).await.unwrap();
}

#[tokio::test]
async fn table_of_a_plugin_has_its_name_in_front() {
    let stray = By { install: |service| Ok(service.table::<Stray>()), ..By::named("task-board") };
    let error = message(service().await.plugin(stray).unwrap().migrate().await);
    assert_eq!(error, "the plugin `task-board` has the table `cards`: expected a name that begins with `task_board_`");
}

#[tokio::test]
async fn table_of_a_struct_with_operations_is_refused() {
    let error = message(service().await.table::<Book>().migrate().await);
    assert!(error.contains("Book offers operations; write `#[crud(internal)]` on it"), "{error}");
}

#[tokio::test]
async fn table_that_the_program_wants_too_is_an_error_that_names_both() {
    for service in [
        service().await.plugin(board()).unwrap().resource::<OtherCard>(),
        service().await.resource::<OtherCard>().plugin(board()).unwrap(),
    ] {
        let error = message(service.into_router());
        assert!(error.contains("the plugin `board` and the program both have the table `board_card`"), "{error}");
    }
}

/// A resource without access rules.
#[derive(Debug, Clone, Resource)]
struct Shelf {
    id: i64,
}

/// A service on a file of SQLite.
async fn on(path: &Path) -> Service {
    Service::connect(&format!("sqlite://{}", path.display())).await.expect("a file").resource::<Shelf>()
}

#[tokio::test]
async fn table_of_a_plugin_that_is_removed_has_its_owner() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("shop.db");
    let test = on(&path).await.plugin(board()).unwrap().test().await.unwrap();
    assert!(test.app().store::<Card>().create(NewCard { place: 7 }).await.is_ok());
    drop(test);
    let with = on(&path).await.plugin(board()).unwrap();
    assert_eq!(with.unused_tables().await.unwrap(), []);
    let without = on(&path).await.migrate().await.unwrap();
    let unused: Vec<String> = without.unused_tables().await.unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(unused, ["`board_card` (1 record, of the plugin `board`)"]);
}

/// A route that names the table.
async fn named(ctx: Context) -> crud_runtime::Result<()> {
    ctx.records("Card")?.list().await?;
    Ok(())
}

#[tokio::test]
async fn table_has_no_operations_by_name_either() {
    let service = service().await.plugin(board()).unwrap();
    let test = service.route("/named", get(named).access(crud_runtime::access::Access::Public)).test().await.unwrap();
    test.get("/named").await.problem("method_not_allowed");
}
