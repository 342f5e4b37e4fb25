//! Any sequence of requests leaves the state that a model of the shop predicts.

use std::collections::{BTreeMap, BTreeSet};

use crud_tests::fixtures::{id, product_body, records};
use crud_tests::{Client, on_shop_blocking};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::for_all;

/// A request. Records are numbered by creation, so that requests address removed ones too.
#[derive(Debug, Clone)]
enum Step {
    CreateCategory { name: u8 },
    RenameCategory { category: usize, name: u8 },
    DeleteCategory { category: usize },
    CreateProduct { category: usize, stock: i32 },
    ChangeProduct { product: usize, category: Option<usize>, stock: Option<i32> },
    DeleteProduct { product: usize },
    RestoreProduct { product: usize },
    PurgeProduct { product: usize },
    ReadProduct { product: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let (record, name, stock) = (|| 0_usize..8, || 0_u8..5, || 0_i32..3);
    prop_oneof![
        3 => name().prop_map(|name| Step::CreateCategory { name }),
        2 => (record(), name()).prop_map(|(category, name)| Step::RenameCategory { category, name }),
        2 => record().prop_map(|category| Step::DeleteCategory { category }),
        4 => (record(), stock()).prop_map(|(category, stock)| Step::CreateProduct { category, stock }),
        4 => (record(), proptest::option::of(record()), proptest::option::of(stock()))
            .prop_map(|(product, category, stock)| Step::ChangeProduct { product, category, stock }),
        3 => record().prop_map(|product| Step::DeleteProduct { product }),
        2 => record().prop_map(|product| Step::RestoreProduct { product }),
        1 => record().prop_map(|product| Step::PurgeProduct { product }),
        2 => record().prop_map(|product| Step::ReadProduct { product }),
    ]
}

/// The expected content of the shop.
#[derive(Debug, Default)]
struct Model {
    categories: BTreeMap<i64, u8>,
    products: BTreeMap<i64, (i64, i32)>,
    /// The keys of the soft-deleted products, which `products` contains too.
    deleted: BTreeSet<i64>,
    /// Every assigned id, in order.
    category_ids: Vec<i64>,
    product_ids: Vec<i64>,
}

/// An id without a record.
const MISSING_ID: i64 = 1_000_000_000;

impl Model {
    fn category(&self, number: usize) -> i64 {
        self.category_ids.get(number).copied().unwrap_or(MISSING_ID)
    }

    fn product(&self, number: usize) -> i64 {
        self.product_ids.get(number).copied().unwrap_or(MISSING_ID)
    }

    /// The product, unless deleted.
    fn active(&self, key: i64) -> Option<(i64, i32)> {
        self.products.get(&key).copied().filter(|_| !self.deleted.contains(&key))
    }

    fn is_taken(&self, name: u8, except: Option<i64>) -> bool {
        self.categories.iter().any(|(id, taken)| *taken == name && Some(*id) != except)
    }

    fn is_referenced(&self, category: i64) -> bool {
        self.products.values().any(|(parent, _)| *parent == category)
    }

    async fn apply(&mut self, shop: &Client, step: Step) {
        match step {
            Step::CreateCategory { name } => {
                let answer = shop.post("/categories", &json!({ "name": name.to_string() })).await;
                if self.is_taken(name, None) {
                    answer.problem("conflict");
                } else {
                    let key = id(&answer.created());
                    self.categories.insert(key, name);
                    self.category_ids.push(key);
                }
            }
            Step::RenameCategory { category, name } => {
                let key = self.category(category);
                let answer = shop.put(format!("/categories/{key}"), &json!({ "name": name.to_string() })).await;
                match self.categories.contains_key(&key) {
                    false => drop(answer.problem("not_found")),
                    true if self.is_taken(name, Some(key)) => drop(answer.problem("conflict")),
                    true => {
                        assert_eq!(answer.ok()["name"], name.to_string());
                        self.categories.insert(key, name);
                    }
                }
            }
            Step::DeleteCategory { category } => {
                let key = self.category(category);
                let answer = shop.delete(format!("/categories/{key}")).await;
                match self.categories.contains_key(&key) {
                    false => drop(answer.problem("not_found")),
                    true if self.is_referenced(key) => drop(answer.problem("referenced")),
                    true => {
                        assert_eq!(id(&answer.ok()), key);
                        self.categories.remove(&key);
                    }
                }
            }
            step => self.apply_to_product(shop, step).await,
        }
    }

    async fn apply_to_product(&mut self, shop: &Client, step: Step) {
        match step {
            Step::CreateProduct { category, stock } => {
                let parent = self.category(category);
                let mut body = product_body(parent, "Lamp");
                body["stock"] = json!(stock);
                let answer = shop.post("/products", &body).await;
                if self.categories.contains_key(&parent) {
                    let key = id(&answer.created());
                    self.products.insert(key, (parent, stock));
                    self.product_ids.push(key);
                } else {
                    assert_eq!(answer.problem("reference_not_found").pointers(), ["/category_id"]);
                }
            }
            Step::ChangeProduct { product, category, stock } => {
                let key = self.product(product);
                let parent = category.map(|category| self.category(category));
                let mut body = json!({});
                if let Some(parent) = parent {
                    body["category_id"] = json!(parent);
                }
                if let Some(stock) = stock {
                    body["stock"] = json!(stock);
                }
                let answer = shop.patch(format!("/products/{key}"), &body).await;
                match self.products.get_mut(&key) {
                    None => drop(answer.problem("not_found")),
                    Some(_) if parent.is_some_and(|parent| !self.categories.contains_key(&parent)) => {
                        answer.problem("reference_not_found");
                    }
                    Some(held) => {
                        *held = (parent.unwrap_or(held.0), stock.unwrap_or(held.1));
                        assert_eq!(state(&answer.ok()), *held);
                    }
                }
            }
            Step::DeleteProduct { product } => {
                let key = self.product(product);
                let answer = shop.delete(format!("/products/{key}")).await;
                match self.active(key) {
                    None => drop(answer.problem("not_found")),
                    Some(held) => {
                        assert_eq!(state(&answer.ok()), held);
                        self.deleted.insert(key);
                    }
                }
            }
            Step::RestoreProduct { product } => {
                let key = self.product(product);
                let answer = shop.post(format!("/products/{key}/restore"), &json!({})).await;
                match self.products.get(&key) {
                    None => drop(answer.problem("not_found")),
                    Some(held) if self.deleted.remove(&key) => assert_eq!(state(&answer.ok()), *held),
                    Some(_) => drop(answer.problem("not_deleted")),
                }
            }
            Step::PurgeProduct { product } => {
                let key = self.product(product);
                let answer = shop.delete(format!("/products/{key}/permanent")).await;
                match self.products.get(&key).copied() {
                    None => drop(answer.problem("not_found")),
                    Some(held) if self.deleted.remove(&key) => {
                        assert_eq!(state(&answer.ok()), held);
                        self.products.remove(&key);
                    }
                    Some(_) => drop(answer.problem("not_deleted")),
                }
            }
            Step::ReadProduct { product } => {
                let key = self.product(product);
                let answer = shop.get(format!("/products/{key}")).await;
                match self.active(key) {
                    None => drop(answer.problem("not_found")),
                    Some(held) => assert_eq!(state(&answer.ok()), held),
                }
            }
            _ => {}
        }
    }

    /// Compares the shop's lists with the model.
    async fn compare(&self, shop: &Client) {
        let categories = shop.get("/categories?limit=100").await.ok();
        let names: BTreeMap<_, _> = records(&categories)
            .iter()
            .map(|record| (id(record), record["name"].as_str().and_then(|n| n.parse().ok())))
            .collect();
        assert_eq!(names, self.categories.iter().map(|(key, name)| (*key, Some(*name))).collect());
        for (target, deleted) in [("/products?limit=100", false), ("/products?limit=100&only_deleted=true", true)] {
            let products = shop.get(target).await.ok();
            let states: BTreeMap<_, _> = records(&products).iter().map(|record| (id(record), state(record))).collect();
            let held = self.products.iter().filter(|(key, _)| self.deleted.contains(key) == deleted);
            assert_eq!(states, held.map(|(key, held)| (*key, *held)).collect());
        }
    }

    /// Removes every record before the next sequence.
    async fn clear(&self, shop: &Client) {
        for key in self.products.keys().filter(|key| !self.deleted.contains(key)) {
            shop.delete(format!("/products/{key}")).await.ok();
        }
        for key in self.products.keys() {
            shop.delete(format!("/products/{key}/permanent")).await.ok();
        }
        for key in self.categories.keys() {
            shop.delete(format!("/categories/{key}")).await.ok();
        }
    }
}

/// The category and stock of a product.
fn state(product: &Value) -> (i64, i32) {
    let stock = product["stock"].as_i64().and_then(|stock| stock.try_into().ok());
    (product["category_id"].as_i64().expect("a category"), stock.expect("a stock"))
}

#[test]
fn any_sequence_of_requests_leaves_the_models_state() {
    on_shop_blocking(|runtime, shop| {
        for_all(80, vec(step(), 1..40), |steps| {
            runtime.block_on(async {
                let mut model = Model::default();
                for step in steps {
                    model.apply(shop, step).await;
                }
                model.compare(shop).await;
                model.clear(shop).await;
            });
        });
    });
}
