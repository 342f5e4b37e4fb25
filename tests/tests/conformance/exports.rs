//! Exports: `GET {prefix}/export`.

use crud_tests::fixtures::create_all;
use crud_tests::{Client, on_kitchen};
use reqwest::Method;
use serde_json::{Value, json};

/// The records of an export, one from each line.
async fn records(kitchen: &Client, parameters: &str) -> Vec<Value> {
    let answer = kitchen.get(format!("/essays/export?{parameters}")).await.expect(200);
    answer.text().lines().map(|line| serde_json::from_str(line).expect("a JSON object")).collect()
}

/// The text of an export as comma-separated values.
async fn csv(kitchen: &Client, parameters: &str) -> String {
    let answer = kitchen.get(format!("/essays/export?format=csv&{parameters}")).await.expect(200);
    assert_eq!(answer.require("content-type"), "text/csv; charset=utf-8; header=present");
    answer.text()
}

#[test]
fn an_export_has_every_record_of_the_list_in_its_order() {
    on_kitchen(async |kitchen| {
        // More than one chunk, with ties and nulls in the order.
        let bodies: Vec<Value> = (0..1203)
            .map(|n| json!({ "title": format!("essay {n}"), "grade": (n % 4 > 0).then_some(n % 4) }))
            .collect();
        create_all(kitchen, "/essays", bodies).await;
        let all = records(kitchen, "sort=grade,-title").await;
        assert_eq!(all.len(), 1203);
        let page = kitchen.get("/essays?sort=grade,-title&limit=100").await.ok();
        assert_eq!(page["data"].as_array().map(Vec::as_slice), Some(&all[..100]));
        let mut ids: Vec<i64> = all.iter().filter_map(|record| record["id"].as_i64()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 1203, "each once");
        assert_eq!(csv(kitchen, "").await.lines().count(), 1204, "and the names");
        // Filters and searches are those of the list.
        assert_eq!(records(kitchen, "grade=2").await.len(), 301);
        assert_eq!(records(kitchen, "q=essay+77").await.len(), 11);
        assert_eq!(records(kitchen, "grade=7").await.len(), 0);
    });
}

#[test]
fn a_file_is_named_and_typed() {
    on_kitchen(async |kitchen| {
        for (parameters, media_type, name) in [
            ("", "application/x-ndjson", "essays.ndjson"),
            ("?format=csv", "text/csv; charset=utf-8; header=present", "essays.csv"),
        ] {
            let answer = kitchen.get(format!("/essays/export{parameters}")).await.expect(200);
            assert_eq!(answer.require("content-type"), media_type);
            assert_eq!(answer.require("content-disposition"), format!("attachment; filename=\"{name}\""));
        }
        kitchen.head("/essays/export").await.expect(200);
        kitchen.request(Method::POST, "/essays/export").await.expect(405);
        kitchen.get("/poems/export").await.problem("validation_failed");
        kitchen.get("/labels/export").await.problem("not_found");
    });
}

#[test]
fn a_cell_is_what_its_value_says() {
    on_kitchen(async |kitchen| {
        let bodies = [
            json!({ "title": "=1+1", "body": "a,\"b\"\nc", "grade": -5 }),
            json!({ "title": "-x", "body": "", "grade": null }),
            json!({ "title": "@x", "body": null }),
        ];
        create_all(kitchen, "/essays", bodies).await;
        let names = "id,title,body,grade,deleted_at,is_deleted\r\n";
        let expected = ["1,'=1+1,\"a,\"\"b\"\"\nc\",-5,,false\r\n", "2,'-x,\"\",,,false\r\n", "3,'@x,,,,false\r\n"];
        assert_eq!(csv(kitchen, "").await, names.to_owned() + &expected.concat());
        let raw = csv(kitchen, "raw=true").await;
        assert!(raw.contains("1,=1+1,") && raw.contains("2,-x,"), "{raw}");
    });
}

#[test]
fn parameters_are_those_of_the_list_without_its_page() {
    on_kitchen(async |kitchen| {
        for parameters in
            ["format=xml", "format=csv&format=csv", "raw=true", "limit=5", "skip=5", "cursor=x", "titel=x", "expand=x"]
        {
            kitchen.get(format!("/essays/export?{parameters}")).await.problem("validation_failed");
        }
    });
}
