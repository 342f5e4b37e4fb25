//! Services that do not start.

use crud_runtime::prelude::*;
use crud_tests::{Api, on_each_backend, on_each_sql_backend};

use crate::library::{Author, Book, Note};

/// The error with which a service does not start.
async fn start_error(service: Service) -> String {
    match service.migrate().await.and_then(Service::into_router) {
        Ok(_) => panic!("the service starts"),
        Err(error) => error.to_string(),
    }
}

/// A resource whose lists have no order by the year.
#[derive(Debug, Clone, Resource)]
#[crud(sort(name))]
struct Person {
    id: i64,
    name: String,
    born: i32,
}

#[derive(Debug, Clone, Resource)]
#[crud(sort(person::born))]
struct Letter {
    id: i64,
    #[crud(references(Person))]
    person_id: i64,
}

#[test]
fn a_list_sorts_by_what_the_other_one_sorts_by() {
    on_each_sql_backend(async |database| {
        let error = start_error(database.service().await.resource::<Person>().resource::<Letter>()).await;
        assert!(error.contains("Letter has `sort(person::born)`, and lists of Person do not sort by it"), "{error}");
    });
}

#[test]
fn storage_without_joins_refuses_the_order() {
    on_each_backend(async |database| {
        if database.backend().speaks_sql() {
            return;
        }
        let service = database.service().await.resource::<Author>().resource::<Book>().resource::<Note>();
        let api = Api::start(database, service.migrate().await.expect("the tables")).await;
        let refused = api.get("/books?sort=author.name").await.problem("unsupported_here");
        assert!(refused.detail.contains("orders by fields of other records"), "{refused:?}");
        api.get("/books?sort=title").await.ok();
        api.stop().await;
    });
}

/// A street whose houses refer to another resource.
#[derive(Debug, Clone, Resource)]
#[crud(has_many(houses(House::town_id)))]
struct Street {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(has_many(houses(House::town_id)))]
struct Town {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
#[crud(has_many(houses(House::hidden_id)))]
struct Land {
    id: i64,
}

#[derive(Debug, Clone, Resource)]
struct House {
    id: i64,
    #[crud(references(Town))]
    town_id: i64,
    #[crud(references(Land), hidden)]
    hidden_id: Option<i64>,
}

#[test]
fn has_many_names_a_reference_of_a_resource_of_the_service() {
    on_each_backend(async |database| {
        let service = || database.service();
        let error = start_error(service().await.resource::<House>().resource::<Street>()).await;
        assert!(
            error.contains("`has_many(houses(House::town_id))`: House.town_id needs `references(Street)`"),
            "{error}"
        );
        let error = start_error(service().await.resource::<Town>()).await;
        assert!(error.contains("`has_many(houses(House::town_id))`: the service does not have House"), "{error}");
        let error = start_error(service().await.resource::<House>().resource::<Land>()).await;
        assert!(error.contains("House.hidden_id is hidden from requests"), "{error}");
    });
}
