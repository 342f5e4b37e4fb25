//! The shop, run as a program.

use crud_tests::fixtures::{category, product_body, records};
use crud_tests::{RawConnection, Server, on_each_backend_with_url, on_each_sql_backend, start_lines, wait_until};
use serde_json::json;

const SHOP: &str = env!("CARGO_BIN_EXE_shop");

#[test]
fn seeded_shop_serves_the_readmes_first_request() {
    on_each_sql_backend(async |database| {
        let (status, printed) = Server::run(SHOP, &["seed"], database).await;
        assert!(status.success(), "{printed}");
        assert!(printed.contains("40 categories, 400 products, 200 orders, 40 photos"), "{printed}");
        let shop = Server::start(SHOP, database).await;
        let target = "/products?category_id=3&price__gt=10&name__ilike=%25a%25&sort=-price,name&limit=3";
        let list = shop.get(target).await.ok();
        assert_eq!((list["limit"].as_i64(), records(&list).len()), (Some(3), 3), "{list}");
        for product in records(&list) {
            assert_eq!(product["category_id"], 3);
            assert!(product["price"].as_f64() > Some(10.0), "{product}");
            assert!(product["name"].as_str().is_some_and(|name| name.to_lowercase().contains('a')), "{product}");
        }
        let prices: Vec<_> = records(&list).iter().filter_map(|product| product["price"].as_f64()).collect();
        assert!(prices.is_sorted_by(|one, other| one >= other), "{prices:?}");
        let orders = shop.get("/orders?expand=product&limit=5").await.ok();
        for order in records(&orders) {
            assert!(order["product"]["name"].is_string(), "an order refers to a product: {order}");
        }
    });
}

#[test]
fn seed_is_deterministic() {
    on_each_sql_backend(async |database| {
        let other = database.backend().fresh();
        let mut lists = Vec::new();
        for database in [database, &other] {
            assert!(Server::run(SHOP, &["seed"], database).await.0.success());
            let shop = Server::start(SHOP, database).await;
            let mut products = shop.get("/products?sort=name&limit=100&skip=100").await.ok();
            for product in products["data"].as_array_mut().expect("a list") {
                product["created_at"].take();
                product["updated_at"].take();
            }
            lists.push((products, shop.get("/categories?limit=100").await.ok()));
        }
        assert_eq!(lists[0], lists[1]);
    });
}

#[test]
fn newest_products_of_a_seeded_shop_have_photos() {
    on_each_sql_backend(async |database| {
        assert!(Server::run(SHOP, &["seed"], database).await.0.success());
        let shop = Server::start(SHOP, database).await;
        let newest = shop.get("/products?limit=3").await.ok();
        for product in records(&newest) {
            let url = product["photo"]["url"].as_str().expect("a product with a photo");
            let photo = shop.get(url).await.expect(200);
            assert_eq!(photo.header("content-type"), Some("image/png"));
            assert!(photo.body().starts_with(b"\x89PNG"), "{url}");
        }
    });
}

#[test]
fn seed_requires_an_empty_database() {
    on_each_backend_with_url(async |database| {
        let shop = Server::start(SHOP, database).await;
        category(&shop, "Mine").await;
        let (status, printed) = Server::run(SHOP, &["seed"], database).await;
        assert!(!status.success());
        assert!(printed.contains("only an empty shop can be seeded"), "{printed}");
        assert_eq!(shop.get("/categories").await.ok()["total"], 1);
        assert_eq!(shop.get("/products").await.ok()["total"], 0);
    });
}

#[test]
fn unknown_arguments_print_the_usage() {
    on_each_backend_with_url(async |database| {
        for arguments in [&["sead"][..], &["seed", "more"], &["seed", "0"]] {
            let (status, printed) = Server::run(SHOP, arguments, database).await;
            assert!(!status.success());
            assert!(printed.contains("usage: shop [--auth | seed [PRODUCTS]]"), "{printed}");
        }
        for (argument, expected) in [("--help", "usage: shop"), ("--version", "shop 0.")] {
            let (status, printed) = Server::run(SHOP, &[argument], database).await;
            assert!(status.success() && printed.starts_with(expected), "{printed}");
        }
    });
}

#[test]
fn only_the_admin_may_delete() {
    on_each_backend_with_url(async |database| {
        let variables = [("SHOP_ADMIN_PASSWORD", "correct horse")];
        let login = json!({ "username": "admin", "password": "correct horse" });
        let token = async |shop: &Server| {
            let tokens = shop.post("/auth/login", &login).await.ok();
            format!("Bearer {}", tokens["access_token"].as_str().expect("a token"))
        };
        let shop = Server::start_with(SHOP, &["--auth"], &variables, database).await;
        let lamps = json!({ "name": "Lamps" });
        shop.post("/categories", &lamps).await.problem("authentication_failed");
        let admin = token(&shop).await;
        let category = shop.post("/categories", &lamps).header("authorization", &admin).await.created();
        let path = format!("/categories/{}", category["id"]);
        shop.get(&path).await.ok();
        shop.delete(&path).await.problem("authentication_failed");
        shop.delete(&path).header("authorization", &admin).await.ok();
        drop(shop);
        // The first password is kept, whatever the environment says later; a secret enables authentication too.
        let variables =
            [("SHOP_ADMIN_PASSWORD", "another one"), ("JWT_SECRET_KEY", "thirty-two bytes or more, by far!")];
        let shop = Server::start_with(SHOP, &[], &variables, database).await;
        let admin = token(&shop).await;
        shop.get("/audit-logs").header("authorization", &admin).await.ok();
        shop.get("/audit-logs").await.problem("authentication_failed");
    });
}

#[test]
fn sigterm_completes_requests_in_flight() {
    on_each_backend_with_url(async |database| {
        let mut shop = Server::start(SHOP, database).await;
        let category = category(&shop, "Lamps").await;
        let mut in_flight = Vec::new();
        for number in 0..10 {
            let body = product_body(category, &format!("Lamp {number}")).to_string();
            let (first, rest) = body.split_at(body.len() / 2);
            let head = format!(
                "POST /products HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
                 Expect: 100-continue\r\n\r\n",
                body.len()
            );
            let mut connection = RawConnection::connect(shop.address()).await;
            connection.send(head).await;
            // The shop reads the body from now on.
            assert_eq!(connection.answer().await.expect("an answer").status, 100);
            connection.send(first).await;
            in_flight.push((connection, rest.to_owned()));
        }
        shop.signal("TERM").await;
        let closed = async || tokio::net::TcpStream::connect(shop.address()).await.is_err();
        wait_until("no connection is accepted", closed).await;
        for (connection, rest) in &mut in_flight {
            connection.send(rest).await;
            assert_eq!(connection.answer().await.expect("an answer").status, 201);
        }
        assert_eq!(shop.ended().await.code(), Some(0));
        let again = Server::start(SHOP, database).await;
        assert_eq!(again.get("/products").await.ok()["total"], 10, "a product is missing");
    });
}

#[test]
fn sigint_ends_the_process_successfully() {
    on_each_backend_with_url(async |database| {
        let mut shop = Server::start(SHOP, database).await;
        shop.get("/health").await.expect(200);
        shop.signal("INT").await;
        assert_eq!(shop.ended().await.code(), Some(0));
    });
}

#[test]
fn start_logs_whether_the_shop_is_open_and_its_address() {
    on_each_sql_backend(async |database| {
        let open = "WARN the service is open to everyone by `without_auth`: no access rule is enforced, although Category \
                    states `write(authenticated)`";
        let listens = "INFO listening on http://ADDRESS";
        assert_eq!(start_lines(SHOP, &[], database).await, [open, listens]);
        assert!(Server::run(SHOP, &["seed"], database).await.0.success());
        assert_eq!(start_lines(SHOP, &[], database).await, [open, listens], "with records");
        let secret = [("JWT_SECRET_KEY", "a secret of at least thirty-two bytes")];
        assert_eq!(start_lines(SHOP, &secret, database).await, [listens], "with logins");
    });
}
