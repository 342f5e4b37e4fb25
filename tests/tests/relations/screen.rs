//! One request for one screen: a page of the shop's orders with everything that is shown beside them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crud_runtime::Service;
use crud_tests::fixtures::{category, product_body};
use crud_tests::{Api, Backend, Client, on_each_sql_backend, query};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The products, in the order of their names, and the orders of each.
const PRODUCTS: [(&str, usize); 3] = [("Arc lamp", 2), ("Bed", 1), ("Clip lamp", 3)];

async fn fill(shop: &Client) {
    let category = category(shop, "Home").await;
    for (name, orders) in PRODUCTS {
        let product = shop.post("/products", &product_body(category, name)).await.created();
        for number in 0..orders {
            let order = json!({
                "order_number": format!("web-{number}-{}", name.replace(' ', "-")),
                "product_id": product["id"],
                "total_price": 10 * (number + 1),
                "status": if number == 2 { "paid" } else { "pending" },
            });
            shop.post("/orders", &order).await.created();
        }
    }
}

/// Every page of the screen: open or dear orders with a number that begins with `web`, by the product's name.
async fn pages(shop: &Client) -> Vec<Value> {
    let target = query(
        "/orders",
        [
            ("expand", "product.category"),
            ("where", r#"{"or":[{"status":"pending"},{"total_price__gte":30}]}"#),
            ("sort", "product.name,-total_price"),
            ("q", "web"),
            ("limit", "2"),
        ],
    );
    let mut pages: Vec<Value> = Vec::new();
    loop {
        let cursor = pages.last().and_then(|page| page["next_cursor"].as_str());
        let next = cursor.map_or_else(|| target.clone(), |cursor| format!("{target}&cursor={cursor}"));
        pages.push(shop.get(next).await.ok());
        if pages.last().is_some_and(|page| page["next_cursor"].is_null()) {
            return pages;
        }
    }
}

#[test]
fn page_of_orders_is_filtered_searched_sorted_and_has_its_products() {
    on_each_sql_backend(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.expect("the tables");
        let api = Api::start(database, service).await;
        fill(&api).await;
        let pages = pages(&api).await;
        let shown: Vec<_> = pages.iter().flat_map(|page| page["data"].as_array().expect("a page")).collect();
        let seen: Vec<_> = shown
            .iter()
            .map(|order| (order["product"]["name"].as_str().unwrap_or_default(), order["total_price"].as_f64()))
            .collect();
        let expected = [
            ("Arc lamp", Some(20.0)),
            ("Arc lamp", Some(10.0)),
            ("Bed", Some(10.0)),
            ("Clip lamp", Some(30.0)),
            ("Clip lamp", Some(20.0)),
            ("Clip lamp", Some(10.0)),
        ];
        assert_eq!(seen, expected);
        assert!(shown.iter().all(|order| order["product"]["category"]["name"] == "Home"), "{shown:?}");
        api.stop().await;
    });
}

#[tokio::test]
async fn each_page_of_orders_is_three_queries() {
    if !Backend::available().contains(&Backend::Sqlite) {
        return;
    }
    let queries = Arc::new(AtomicUsize::new(0));
    let service = Service::connect("sqlite::memory:").await.expect("a database");
    let service = service.storage_layer(|inner| crate::statements::Counted { inner, queries: queries.clone() });
    let service = shop::open_shop(service).migrate().await.expect("the tables");
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address");
    let server = tokio::spawn(async move { service.serve_on(listener, std::future::pending()).await });
    let client = Client::new(format!("http://{address}"), Vec::new());
    fill(&client).await;
    // The first cursor reads the secret that signs it.
    pages(&client).await;
    let before = queries.load(Ordering::Relaxed);
    let pages = pages(&client).await.len();
    assert_eq!(queries.load(Ordering::Relaxed) - before, 3 * pages);
    server.abort();
}
