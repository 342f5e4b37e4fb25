//! The shop's whole OpenAPI document, compared with the file in `golden/`. `document_operations` and
//! `document_schemas` state what the kitchen sink's must have, and `refusals` what another one says on storage without
//! transactions.
//!
//! `CRUD_TEST_UPDATE=1` writes the file instead; review the difference like a change of code.

use std::path::Path;
use std::{env, fs};

use crud_tests::{Api, on_each_sql_backend};

async fn compare(api: &Api, name: &str) {
    let document = api.get("/openapi.json").await.ok();
    let actual = format!("{document:#}\n");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/golden").join(name);
    if env::var_os("CRUD_TEST_UPDATE").is_some() {
        fs::write(&file, actual).expect("the file is written");
        return;
    }
    let expected = fs::read_to_string(&file).expect("the golden file; CRUD_TEST_UPDATE=1 writes it");
    let differing = actual.lines().zip(expected.lines()).position(|(actual, expected)| actual != expected);
    if let Some(line) = differing {
        let around = |text: &str| text.lines().skip(line.saturating_sub(5)).take(12).collect::<Vec<_>>().join("\n");
        panic!("{name}, line {}: found\n{}\nexpected\n{}", line + 1, around(&actual), around(&expected));
    }
    assert_eq!(actual.len(), expected.len(), "the numbers of lines differ");
}

#[test]
fn shops_document_equals_the_golden_file() {
    // Storage without subselects refuses more.
    on_each_sql_backend(async |database| {
        let service = shop::open_shop(database.service().await).migrate().await.expect("the shop's tables");
        let shop = Api::start(database, service).await;
        compare(&shop, "shop.json").await;
        shop.stop().await;
    });
}
