//! The basic operations on records: insert, get, list, update, delete.

use crud_runtime::adapter::Changes;
use crud_runtime::adapter::{Adapter, AdapterError};
use crud_runtime::column::Value;
use crud_runtime::descriptor::{Descriptor, SortKey};
use crud_runtime::query::{Comparison, Predicate};

use crate::support::{self, Outcome, changes, column, id, int, leak_descriptor, memory, resource, text};

fn products() -> &'static Descriptor {
    leak_descriptor(resource(
        "products",
        vec![
            id(),
            column::<String>("name").filterable().sortable(),
            column::<Option<String>>("description"),
            column::<f64>("price").filterable().sortable(),
            support::updated_at(),
        ],
    ))
}

fn product(name: &str, price: f64) -> Vec<Value> {
    vec![Value::Null, text(name), Value::Null, Value::Float(price), Value::Null]
}

#[tokio::test]
async fn record_is_inserted_read_updated_and_deleted() {
    let products = products();
    let adapter = memory(&[products]).await;
    let inserted = support::insert(&adapter, products, &product("lamp", 12.5)).await.unwrap();
    assert_eq!(inserted[..4], [Value::Int(1), text("lamp"), Value::Null, Value::Float(12.5)]);
    assert_eq!(support::get(&adapter, products, &Value::Int(1)).await, Some(inserted.clone()));

    let update = changes([(3, Value::Float(13.0)), (2, text("bright"))]);
    let (outcome, updated) = support::update(&adapter, products, &Value::Int(1), &update, None).await.unwrap();
    assert_eq!(outcome, Outcome::Done);
    let expected = updated.expect("the record");
    assert_eq!(expected[..4], [Value::Int(1), text("lamp"), text("bright"), Value::Float(13.0)]);
    assert_ne!(expected[4], inserted[4], "the time of the update");

    let (outcome, deleted) = support::delete(&adapter, products, &Value::Int(1), None).await.unwrap();
    assert_eq!((outcome, deleted), (Outcome::Done, Some(expected)));
    assert_eq!(support::get(&adapter, products, &Value::Int(1)).await, None);
}

#[tokio::test]
async fn update_without_changes_does_not_set_updated_at() {
    let products = products();
    let adapter = memory(&[products]).await;
    let inserted = support::insert(&adapter, products, &product("lamp", 12.5)).await.unwrap();
    for same in [changes([(1, text("lamp")), (2, Value::Null)]), Changes::new()] {
        let (outcome, record) = support::update(&adapter, products, &Value::Int(1), &same, None).await.unwrap();
        assert_eq!((outcome, record), (Outcome::Done, Some(inserted.clone())));
    }
}

#[tokio::test]
async fn missing_record_is_reported() {
    let products = products();
    let adapter = memory(&[products]).await;
    let missing = Value::Int(7);
    let update = changes([(1, text("x"))]);
    assert_eq!(support::get(&adapter, products, &missing).await, None);
    for update in [update, Changes::new()] {
        let outcome = support::update(&adapter, products, &missing, &update, None).await.unwrap();
        assert_eq!(outcome, (Outcome::Missing, None));
    }
    assert_eq!(support::delete(&adapter, products, &missing, None).await.unwrap(), (Outcome::Missing, None));
}

#[tokio::test]
async fn list_filters_sorts_and_paginates() {
    let products = products();
    let adapter = memory(&[products]).await;
    for (name, price) in [("a", 3.0), ("b", 1.0), ("c", 2.0), ("d", 2.0)] {
        support::insert(&adapter, products, &product(name, price)).await.unwrap();
    }
    let filter = Predicate::Compare { column: 3, operator: Comparison::Gt, value: Value::Float(1.5) };
    let query = support::sorted(products, &[SortKey::descending(3)]).filter(filter.clone()).skip(1).limit(2);
    let page = support::list(&adapter, products, &query).await.unwrap();
    let ids: Vec<i64> = page.iter().map(|record| int(&record[0])).collect();
    assert_eq!(ids, [4, 3]);
    assert_eq!(adapter.count(products, &filter).await.unwrap(), 3);
    let mut unlimited = query;
    unlimited.limit = None;
    assert_eq!(support::list(&adapter, products, &unlimited).await.unwrap(), page);
}

#[tokio::test]
async fn ping_queries_the_database() {
    let adapter = memory(&[]).await;
    adapter.ping().await.unwrap();
}

#[tokio::test]
async fn resource_without_statements_is_an_error() {
    let bare = leak_descriptor(Descriptor::new("Bare", "tests", "/bares", "bares", products().columns, 0));
    let adapter = memory(&[]).await;
    let error = adapter.count(bare, &Predicate::All).await.unwrap_err();
    assert!(matches!(error, AdapterError::MissingTable(_)), "{error:?}");
}
