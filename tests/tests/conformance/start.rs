//! What a service refuses to start with.

use crud_runtime::Service;
use crud_runtime::prelude::*;
use crud_tests::on_each_backend;
use shop::{Category, NewCategory, Product};

/// Why a service cannot start.
async fn refusal(service: Service) -> String {
    match service.migrate().await.and_then(Service::into_router) {
        Ok(_) => panic!("the service starts"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn two_resources_cannot_have_one_prefix() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Category>();
        let refusal = refusal(service.resource_with::<Product>(|options| options.prefix("/categories"))).await;
        assert!(refusal.contains("/categories"), "{refusal}");
    });
}

#[test]
fn a_prefix_cannot_be_that_of_a_service_route() {
    on_each_backend(async |database| {
        for prefix in ["/docs", "/health", "/ready", "/openapi.json", "/"] {
            let service = database.service().await.resource_with::<Category>(|options| options.prefix(prefix));
            let refusal = refusal(service).await;
            assert!(refusal.contains(prefix), "{refusal}");
        }
    });
}

#[test]
fn a_prefix_cannot_be_where_another_resource_has_its_records() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Category>();
        let refusal = refusal(service.resource_with::<Product>(|options| options.prefix("/categories/products"))).await;
        assert!(refusal.contains("/categories"), "{refusal}");
    });
}

#[test]
fn a_prefix_must_be_a_path() {
    on_each_backend(async |database| {
        for prefix in ["", "products", "/products/", "/a//b", "/{id}", "/a b", "/*x", "/a?b"] {
            let service = database.service().await.resource_with::<Category>(|options| options.prefix(prefix));
            refusal(service).await;
        }
    });
}

#[test]
fn the_tables_that_references_lead_to_are_made_too() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Product>().migrate().await.expect("both tables");
        let new = NewCategory { name: "Lamps".to_owned(), description: None };
        service.store::<Category>().create(new).await.expect("a category");
    });
}

#[test]
fn a_limit_that_makes_no_sense_is_told() {
    on_each_backend(async |database| {
        for (default, max) in [(0, 10), (20, 10), (0, 0)] {
            let choose = move |options: crud_runtime::ResourceOptions| options.max_limit(max).default_limit(default);
            refusal(database.service().await.resource_with::<Category>(choose)).await;
        }
    });
}

#[test]
fn migrating_twice_changes_nothing() {
    on_each_backend(async |database| {
        let first = shop::shop(database.service().await).migrate().await.expect("the shop's tables");
        let new = NewCategory { name: "Lamps".to_owned(), description: None };
        first.store::<Category>().create(new).await.expect("a category");
        let second = shop::shop(database.service().await).migrate().await.expect("the same tables");
        assert_eq!(second.store::<Category>().list(Query::all()).await.expect("a list").len(), 1);
    });
}

#[test]
fn several_processes_may_migrate_at_once() {
    on_each_backend(async |database| {
        let mut starts = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let service = shop::shop(database.service().await);
            starts.spawn(async move { service.migrate().await.map(drop).map_err(|error| error.to_string()) });
        }
        let results = starts.join_all().await;
        assert!(results.iter().all(Result::is_ok), "{results:?}");
    });
}

/// A category whose description has become a number and whose name has gone.
mod changed {
    use super::*;

    #[derive(Debug, Resource)]
    #[crud(table = "categories")]
    #[allow(dead_code, reason = "the struct is there for its columns")]
    pub(super) struct Category {
        id: i64,
        description: Option<i64>,
        colour: String,
    }
}

#[test]
fn a_table_that_contradicts_the_struct_is_told_column_by_column() {
    on_each_backend(async |database| {
        drop(shop::shop(database.service().await).migrate().await.expect("the shop's tables"));
        let refusal = refusal(database.service().await.resource::<changed::Category>()).await;
        for word in ["categories", "description", "colour"] {
            assert!(refusal.contains(word), "{word} in {refusal}");
        }
        let unchanged = shop::shop(database.service().await).migrate().await;
        assert!(unchanged.is_ok(), "nothing was altered: {unchanged:?}");
    });
}

#[test]
fn a_database_that_cannot_be_opened_is_told() {
    on_each_backend(async |_| {
        for url in ["", "shop.db", "carrier-pigeon://shop", "sqlite:///nowhere/at/all/shop.db"] {
            let error = Service::connect(url).await.map(drop).expect_err(url);
            assert!(!error.to_string().is_empty());
        }
    });
}
