//! Configurations with which a service does not start.

use crud_runtime::Service;
use crud_runtime::prelude::*;
use crud_tests::on_each_backend;
use shop::{Category, NewCategory, Order, Product};

/// The error with which a service does not start.
async fn start_error(service: Service) -> String {
    match service.migrate().await.and_then(Service::into_router) {
        Ok(_) => panic!("the service starts"),
        Err(error) => error.to_string(),
    }
}

/// A note whose defaults are expressions, which no derive evaluates.
#[derive(Debug, Clone, Resource)]
struct Note {
    id: i64,
    #[crud(validate(pattern = "^[a-z]+$"), default(format!("{}-1", "a")))]
    code: String,
}

#[derive(Debug, Clone, Resource)]
struct Link {
    id: i64,
    #[crud(validate(url), default = "nowhere")]
    target: String,
}

#[test]
fn default_that_breaks_its_fields_rules_is_rejected() {
    on_each_backend(async |database| {
        let error = start_error(database.service().await.resource::<Note>()).await;
        assert_eq!(error, "Note.code has the default `a-1`, and by its own rules it must match `^[a-z]+$`");
        let error = start_error(database.service().await.resource::<Link>()).await;
        assert_eq!(error, "Link.target has the default `nowhere`, and by its own rules it must be an absolute URL");
    });
}

#[test]
fn duplicate_prefix_is_rejected() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Category>();
        let error = start_error(service.resource_with::<Product>(|options| options.prefix("/categories"))).await;
        assert!(error.contains("/categories"), "{error}");
    });
}

#[test]
fn prefix_of_a_service_route_is_rejected() {
    on_each_backend(async |database| {
        for prefix in ["/docs", "/health", "/ready", "/openapi.json", "/"] {
            let service = database.service().await.resource_with::<Category>(|options| options.prefix(prefix));
            let error = start_error(service).await;
            assert!(error.contains(prefix), "{error}");
        }
    });
}

#[test]
fn prefix_under_another_resource_is_rejected() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Category>();
        let error =
            start_error(service.resource_with::<Product>(|options| options.prefix("/categories/products"))).await;
        assert!(error.contains("/categories"), "{error}");
    });
}

#[test]
fn prefix_must_be_a_path() {
    on_each_backend(async |database| {
        for prefix in ["", "products", "/products/", "/a//b", "/{id}", "/a b", "/*x", "/a?b"] {
            let service = database.service().await.resource_with::<Category>(|options| options.prefix(prefix));
            start_error(service).await;
        }
    });
}

#[test]
fn referenced_tables_are_created_too() {
    on_each_backend(async |database| {
        let service = database.service().await.resource::<Order>().migrate().await.expect("all three tables");
        let new = NewCategory { name: "Lamps".to_owned(), description: None };
        service.store::<Category>().create(new).await.expect("a category");
    });
}

#[test]
fn invalid_limits_are_rejected() {
    on_each_backend(async |database| {
        for (default, max) in [(0, 10), (20, 10), (0, 0)] {
            let choose = move |options: crud_runtime::ResourceOptions| options.max_limit(max).default_limit(default);
            start_error(database.service().await.resource_with::<Category>(choose)).await;
        }
    });
}

#[test]
fn second_migrate_changes_nothing() {
    on_each_backend(async |database| {
        let first = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        let new = NewCategory { name: "Lamps".to_owned(), description: None };
        first.store::<Category>().create(new).await.expect("a category");
        let second = shop::open_shop(database.service().await).migrate().await.expect("the same tables");
        assert_eq!(second.store::<Category>().list(Select::all()).await.expect("a list").len(), 1);
    });
}

#[test]
fn concurrent_migrations_succeed() {
    on_each_backend(async |database| {
        let mut starts = tokio::task::JoinSet::new();
        for _ in 0..8 {
            let service = shop::open_shop(database.service().await);
            starts.spawn(async move { service.migrate().await.map(drop).map_err(|error| format!("{error:?}")) });
        }
        let results = starts.join_all().await;
        assert!(results.iter().all(Result::is_ok), "{results:?}");
    });
}

/// A category with a changed description and without a name.
mod changed {
    use super::*;

    #[derive(Debug, Resource)]
    #[crud(table = "categories")]
    #[allow(dead_code, reason = "only the columns matter")]
    pub(super) struct Category {
        id: i64,
        description: Option<i64>,
        colour: String,
    }
}

#[test]
fn every_mismatched_column_is_reported() {
    on_each_backend(async |database| {
        let shop = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        // A database without columns has differences in its documents alone.
        let new = NewCategory { name: "Lamps".to_owned(), description: Some("bright".to_owned()) };
        shop.store::<Category>().create(new).await.expect("a category");
        let error = start_error(database.service().await.resource::<changed::Category>()).await;
        for word in ["categories", "description", "colour"] {
            assert!(error.contains(word), "{word} in {error}");
        }
        let unchanged = shop::open_shop(database.service().await).migrate().await;
        assert!(unchanged.is_ok(), "the table was altered: {unchanged:?}");
    });
}

#[test]
fn invalid_or_unreachable_database_is_reported() {
    on_each_backend(async |_| {
        for url in [
            "",
            "shop.db",
            "carrier-pigeon://shop",
            "sqlite:///nowhere/at/all/shop.db",
            "mongodb://127.0.0.1",
            "mongodb://127.0.0.1:1/shop?serverSelectionTimeoutMS=100",
        ] {
            let error = Service::connect(url).await.map(drop).expect_err(url);
            assert!(!error.to_string().is_empty());
        }
    });
}
