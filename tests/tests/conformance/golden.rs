//! Section 8: the whole OpenAPI document, compared with the one in `golden/`.
//!
//! `CRUD_TEST_UPDATE=1` writes the files instead; the difference is then reviewed as a change of the code is.

use std::path::Path;
use std::{env, fs};

use crud_tests::{Api, on_kitchen, on_shop};

async fn compare(api: &Api, name: &str) {
    let document = api.get("/openapi.json").await.ok();
    let actual = format!("{document:#}\n");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/golden").join(name);
    if env::var_os("CRUD_TEST_UPDATE").is_some() {
        fs::write(&file, actual).expect("the file can be written");
        return;
    }
    let expected = fs::read_to_string(&file).expect("the file is there; CRUD_TEST_UPDATE=1 writes it");
    let differing = actual.lines().zip(expected.lines()).position(|(actual, expected)| actual != expected);
    if let Some(line) = differing {
        let around = |text: &str| text.lines().skip(line.saturating_sub(5)).take(12).collect::<Vec<_>>().join("\n");
        panic!("{name}, line {}: is\n{}\nand was\n{}", line + 1, around(&actual), around(&expected));
    }
    assert_eq!(actual.len(), expected.len(), "one of the two has more lines");
}

#[test]
fn the_shops_document_is_the_one_that_was_reviewed() {
    on_shop(async |shop| compare(shop, "shop.json").await);
}

#[test]
fn the_kitchens_document_is_the_one_that_was_reviewed() {
    on_kitchen(async |kitchen| compare(kitchen, "kitchen.json").await);
}
