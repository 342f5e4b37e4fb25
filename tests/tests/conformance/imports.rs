//! Imports: `POST {prefix}/import`.

use crud_tests::fixtures::{column, dense, dense_with};
use crud_tests::{Answer, Client, on_kitchen, on_kitchen_with_transactions, on_kitchen_without_transactions};
use serde_json::{Value, json};

const CSV: &str = "text/csv";
const NDJSON: &str = "application/x-ndjson";

async fn import(kitchen: &Client, target: &str, media_type: &str, file: impl Into<Vec<u8>>) -> Answer {
    kitchen.request(reqwest::Method::POST, target).body(media_type, file).await
}

/// The lines of a JSON object each.
fn ndjson(records: impl IntoIterator<Item = Value>) -> String {
    records.into_iter().map(|record| record.to_string() + "\n").collect()
}

fn result(created: u64, updated: u64, skipped: u64) -> Value {
    json!({ "created": created, "updated": updated, "skipped": skipped, "failed": 0, "errors": [] })
}

async fn total(kitchen: &Client, prefix: &str) -> Value {
    kitchen.get(format!("{prefix}?limit=1")).await.ok()["total"].clone()
}

#[test]
fn an_export_of_every_type_is_imported_as_it_was() {
    on_kitchen(async |kitchen| {
        let mut sparse = dense();
        let empty = [json!({}), json!({ "text": "", "texts": [], "json": "x", "bytes": "" })];
        for body in
            [dense(), dense_with("text", json!("=1+1,\"quoted\"\r\nsecond line ")), dense_with("json", json!([null]))]
        {
            kitchen.post("/dense", &body).await.created();
        }
        sparse["text"] = json!("'=not a formula");
        for body in empty.into_iter().chain([sparse]) {
            kitchen.post("/sparse", &body).await.created();
        }
        for (prefix, format, media_type) in [
            ("/dense", "ndjson", NDJSON),
            ("/dense", "csv", CSV),
            ("/sparse", "ndjson", NDJSON),
            ("/sparse", "csv", "text/csv; charset=UTF-8; header=present"),
        ] {
            // As another program writes it: texts are what they are.
            let raw = if format == "csv" { "&raw=true" } else { "" };
            let file = kitchen.get(format!("{prefix}/export?format={format}{raw}")).await.expect(200).text();
            let before = kitchen.get(format!("{prefix}?limit=3&sort=id")).await.ok();
            let target = format!("{prefix}/import?mode=partial{raw}");
            assert_eq!(import(kitchen, &target, media_type, file).await.ok(), result(3, 0, 0), "{prefix} {format}");
            let after = kitchen.get(format!("{prefix}?limit=3&skip=3&sort=id")).await.ok();
            let without_keys = |list: &Value| {
                let mut records = list["data"].as_array().expect("a list").clone();
                for record in &mut records {
                    record["id"] = Value::Null;
                }
                records
            };
            assert_eq!(without_keys(&after), without_keys(&before), "{prefix} {format}");
            for id in column(&after, "id") {
                kitchen.delete(format!("{prefix}/{id}")).await.expect(200);
            }
        }
        // A `'` that an export puts before a formula is taken away again.
        let file = kitchen.get("/dense/export?format=csv").await.expect(200).text();
        assert!(file.contains("\"'=1+1,"), "{file}");
        import(kitchen, "/dense/import?mode=partial", CSV, file).await.expect(200);
        let texts = column(&kitchen.get("/dense?sort=-id&limit=3").await.ok(), "text");
        assert_eq!(texts[1], "=1+1,\"quoted\"\r\nsecond line ");
    });
}

#[test]
fn a_text_that_a_spreadsheet_takes_for_a_formula_is_exported_as_text() {
    on_kitchen(async |kitchen| {
        // The last ones have their `'` from a person.
        let texts = ["=1+1", "\n=1+1", "\n\r\n@a", "＝1+1", "＋1", "－1", "＠a", "'=1+1", "''-2"];
        for text in texts {
            kitchen.post("/sparse", &json!({ "text": text })).await.created();
        }
        let file = kitchen.get("/sparse/export?format=csv").await.expect(200).text();
        for text in texts {
            assert!(file.contains(&format!("'{text}")), "{text:?} in {file}");
        }
        import(kitchen, "/sparse/import?mode=partial", CSV, file).await.expect(200);
        let imported = column(&kitchen.get("/sparse?sort=id&skip=9").await.ok(), "text");
        assert_eq!(imported, texts);
    });
}

#[test]
fn all_records_of_a_file_are_created_or_none() {
    on_kitchen_with_transactions(async |kitchen| {
        let essays = |count: u64| ndjson((0..count).map(|n| json!({ "title": format!("essay {n}") })));
        assert_eq!(import(kitchen, "/essays/import", NDJSON, essays(1203)).await.ok(), result(1203, 0, 0));
        assert_eq!(total(kitchen, "/essays").await, 1203);
        // Each change has its entry.
        let log = kitchen.get("/audit-logs?entity_type=Essay&limit=1").await.ok();
        assert_eq!(log["total"], 1203);

        // Lines count from 1, blank ones too, and each wrong one is named.
        let file = essays(600) + "\n{\"title\": 7}\n{\"titel\": \"x\"}\n[]\n{\"title\": \n";
        let refused = import(kitchen, "/essays/import", NDJSON, file).await.problem("validation_failed");
        let expected = [(602, "/title"), (603, "/titel"), (603, "/title"), (604, ""), (605, "")];
        assert_eq!(refused.lines(), expected);
        assert_eq!(refused.detail, "line 602: title: must be a string (and 4 more errors)");
        assert_eq!(total(kitchen, "/essays").await, 1203);

        // Refusals of the database are found beside malformed lines.
        let articles = "sku,shelf,slot,name\na,1,1,a\na,1,2,b\nb,x,3,c\n";
        let refused = import(kitchen, "/articles/import", CSV, articles).await.problem("conflict");
        assert_eq!(refused.lines(), [(3, "/sku"), (4, "/shelf")]);
        assert_eq!(kitchen.get("/articles").await.ok(), json!([]));

        let large = import(kitchen, "/essays/import", NDJSON, essays(1501)).await.problem("batch_too_large");
        assert!(large.detail.contains("1500 records") && large.detail.contains("mode=partial"), "{}", large.detail);
        assert_eq!(import(kitchen, "/essays/import?mode=partial", NDJSON, essays(1501)).await.ok(), result(1501, 0, 0));
    });
}

#[test]
fn a_part_of_a_file_is_imported_by_itself() {
    on_kitchen(async |kitchen| {
        let file = "\u{FEFF}sku;x,shelf,slot,name\n";
        let refused = import(kitchen, "/articles/import", CSV, file).await.problem("validation_failed");
        assert_eq!(refused.lines(), [(1, "/sku;x")]);
        let file = "\u{FEFF}name,sku,shelf,slot,stock,id,deleted_at\r\n\
            first,a,1,1,,77,2020-01-01T00:00:00Z\r\n\
            \"two\nlines\",b,1,2,7,,\r\n\
            ,c,1,3,,,\r\n\
            taken,a,1,4,,,\r\n\
            few,d,1\r\n\
            \"\",e,1,5,,,\r\n\
            last,f,1,6,-1,,";
        let answer = import(kitchen, "/articles/import?mode=partial", CSV, file).await.expect(207).into_json();
        assert_eq!((&answer["created"], &answer["failed"]), (&json!(2), &json!(5)));
        let errors: Vec<(u64, u64, &str, &str)> = answer["errors"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|error| {
                let text = |name: &str| error[name].as_str().expect("a text");
                (
                    error["line"].as_u64().expect("a line"),
                    error["status"].as_u64().unwrap(),
                    text("code"),
                    text("detail"),
                )
            })
            .collect();
        assert_eq!(
            errors,
            [
                (5, 422, "validation_failed", "name: is required"),
                (6, 409, "conflict", "sku: is taken by another record"),
                (7, 422, "validation_failed", "has 3 cells, and the first line has 7"),
                (8, 422, "validation_failed", "name: must have at least 1 character"),
                (9, 422, "validation_failed", "stock: must be at least 0"),
            ]
        );
        let list = kitchen.get("/articles").await.ok();
        assert_eq!(column(&list, "name"), ["first", "two\nlines"]);
        assert_eq!(column(&list, "stock"), [5, 7], "an empty cell leaves the default");
        assert_eq!(column(&list, "deleted_at"), [Value::Null, Value::Null]);
    });
}

#[test]
fn a_file_can_be_imported_again_by_its_unique_values() {
    on_kitchen(async |kitchen| {
        let file = "sku,shelf,slot,name\na,1,1,one\nb,1,2,two\n";
        let target = "/articles/import?mode=partial&on_conflict=sku";
        assert_eq!(import(kitchen, target, CSV, file).await.ok(), result(2, 0, 0));
        let changed = file.replace("two", "zwei") + "c,1,3,three\n";
        assert_eq!(import(kitchen, target, CSV, changed.clone()).await.ok(), result(1, 2, 0));
        assert_eq!(column(&kitchen.get("/articles").await.ok(), "name"), ["one", "zwei", "three"]);
        let ignore = format!("{target}&conflict=ignore");
        assert_eq!(import(kitchen, &ignore, CSV, file.to_owned() + "d,1,4,four\n").await.ok(), result(1, 0, 2));
        assert_eq!(column(&kitchen.get("/articles").await.ok(), "name"), ["one", "zwei", "three", "four"]);
        // A key that the client chooses.
        let labels = "code,text\nx,one\ny,two\n";
        assert_eq!(
            import(kitchen, "/labels/import?mode=partial&on_conflict=code", CSV, labels).await.ok(),
            result(2, 0, 0)
        );
        assert_eq!(
            import(kitchen, "/labels/import?mode=partial&on_conflict=code", CSV, labels).await.ok(),
            result(0, 2, 0)
        );
        let refused = import(kitchen, "/articles/import?on_conflict=sku", CSV, file).await.problem("validation_failed");
        assert_eq!(refused.parameters(), ["on_conflict"]);
        assert!(refused.detail.contains("mode=partial"), "{}", refused.detail);
    });
}

#[test]
fn a_dry_run_writes_nothing() {
    on_kitchen_with_transactions(async |kitchen| {
        import(kitchen, "/articles/import", CSV, "sku,shelf,slot,name\na,1,1,one\n").await.expect(200);
        let file = "sku,shelf,slot,name\na,1,1,two\nb,1,2,two\n";
        let dry = "/articles/import?dry_run=true";
        import(kitchen, dry, CSV, file).await.problem("conflict");
        let partial = import(kitchen, &format!("{dry}&mode=partial"), CSV, file).await.expect(207).into_json();
        assert_eq!(
            (&partial["created"], &partial["failed"], &partial["errors"][0]["line"]),
            (&json!(1), &json!(1), &json!(2))
        );
        let upsert = format!("{dry}&mode=partial&on_conflict=sku");
        assert_eq!(import(kitchen, &upsert, CSV, file).await.ok(), result(1, 1, 0));
        assert_eq!(import(kitchen, dry, CSV, "sku,shelf,slot,name\nb,1,2,two\n").await.ok(), result(1, 0, 0));
        assert_eq!(column(&kitchen.get("/articles").await.ok(), "name"), ["one"]);
        assert_eq!(kitchen.get("/audit-logs?entity_type=Article").await.ok()["total"], 1);
    });
}

#[test]
fn a_request_that_is_no_import_is_refused() {
    on_kitchen(async |kitchen| {
        for target in
            ["mode=all", "mode=atomic&mode=atomic", "dry_run=maybe", "on_conflict=name", "limit=5", "mood=atomic"]
        {
            let target = format!("/articles/import?mode=partial&{target}").replace("mode=partial&mode", "mode");
            import(kitchen, &target, CSV, "sku\n").await.problem("validation_failed");
        }
        let answer = import(kitchen, "/articles/import?mood=atomic", CSV, "sku\n").await.problem("validation_failed");
        assert!(answer.detail.contains("did you mean `mode`?"), "{}", answer.detail);
        import(kitchen, "/articles/import?raw=true", NDJSON, "").await.problem("validation_failed");
        for media_type in ["", "application/json", "text/csv; charset=latin1", "text/csv; header=absent"] {
            import(kitchen, "/articles/import", media_type, "x").await.problem("unsupported_media_type");
        }
        for (file, line) in [("sku,sku\n", 1), ("sku,shelf\n\"a\n", 2), ("sku\n\"a\"b\n", 2)] {
            let refused = import(kitchen, "/articles/import", CSV, file).await.problem("validation_failed");
            assert!(refused.detail.starts_with(&format!("line {line}: ")), "{}", refused.detail);
        }
        let refused =
            import(kitchen, "/articles/import", CSV, b"sku\n\xFF\n".to_vec()).await.problem("validation_failed");
        assert_eq!(refused.detail, "line 2: must be UTF-8");
        assert_eq!(import(kitchen, "/articles/import", CSV, "").await.ok(), result(0, 0, 0));
        assert_eq!(import(kitchen, "/articles/import", CSV, "sku,name\n").await.ok(), result(0, 0, 0));
        import(kitchen, "/poems/import", CSV, "").await.problem("method_not_allowed");
        kitchen.put("/labels/import", &json!({ "code": "import", "text": "x" })).await.expect(405);
        let refused =
            kitchen.post("/labels", &json!({ "code": "import", "text": "x" })).await.problem("validation_failed");
        assert_eq!(refused.pointers(), ["/code"]);
    });
}

#[test]
fn a_record_that_is_too_large_ends_the_import() {
    on_kitchen(async |kitchen| {
        let mut file = ndjson((0..700).map(|n| json!({ "title": format!("essay {n}") })));
        file += &"x".repeat(3 * 1024 * 1024);
        let refused = import(kitchen, "/essays/import?mode=partial", NDJSON, file).await.problem("body_too_large");
        // Whole parts of the file are written: of 500 records, or of 50.
        let written = if kitchen.backend().has_transactions() { 500 } else { 700 };
        let said = format!("the import stopped after {written} records, of which 0 failed: line 701: ");
        assert!(refused.detail.starts_with(&said), "{}", refused.detail);
        assert_eq!(total(kitchen, "/essays").await, written);
    });
}

#[test]
fn without_transactions_each_record_is_imported_by_itself_alone() {
    on_kitchen_without_transactions(async |kitchen| {
        let file = ndjson([json!({ "title": "a" }), json!({ "title": "b" })]);
        import(kitchen, "/essays/import", NDJSON, file.clone()).await.problem("unsupported_here");
        assert_eq!(import(kitchen, "/essays/import?mode=partial", NDJSON, file).await.ok(), result(2, 0, 0));
    });
}
