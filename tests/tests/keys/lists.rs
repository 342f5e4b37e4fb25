//! Lists of records of composite keys.

use crud_tests::{on_each_backend, on_each_sql_backend, query};
use serde_json::json;

use crate::line::{HOSTILE, codes, line, shop, text};

#[test]
fn records_are_found_by_keys_and_by_their_parts() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        for code in HOSTILE {
            api.post("/lines", &line(1, code, 1)).await.created();
            api.post("/lines", &line(2, code, 2)).await.created();
        }
        for code in HOSTILE {
            let found = api.get(query("/lines", [("code", code), ("order_id", "2")])).await.ok();
            assert_eq!(found["data"], json!([line(2, code, 2)]), "{code}");
            let keys = format!("\"{}\",\"{}\"", text(2, code), text(9, code));
            let found = api.get(query("/lines", [("id__in", &*keys)])).await.ok();
            assert_eq!(found["data"], json!([line(2, code, 2)]), "{code}");
        }
        let all: Vec<String> = HOSTILE.iter().map(|code| format!("\"{}\"", text(1, code))).collect();
        let found = api.get(query("/lines", [("id__in", &*all.join(",")), ("sort", "code")])).await.ok();
        assert_eq!(found["total"], HOSTILE.len());
        let body = json!({ "id__in": HOSTILE.map(|code| text(2, code)), "sort": ["code"] });
        assert_eq!(api.post("/lines/search", &body).await.ok()["total"], HOSTILE.len());
        let problem = api.get("/lines?id__in=7,3").await.problem("validation_failed");
        assert_eq!(problem.at("id__in"), "must be `order_id,code`");
    });
}

#[test]
fn pages_follow_one_another_in_every_order() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        for order in [1, 2] {
            for (index, code) in HOSTILE.iter().enumerate() {
                let amount = i32::try_from(index % 3).expect("a small number");
                api.post("/lines", &line(order, code, amount)).await.created();
            }
        }
        for sort in ["", "sort=code", "sort=-order_id", "sort=amount,-code", "sort=-amount"] {
            let whole = api.get(format!("/lines?{sort}")).await.ok()["data"].clone();
            let (mut seen, mut next) = (Vec::new(), String::new());
            loop {
                let page = api.get(format!("/lines?limit=5&{sort}{next}")).await.ok();
                seen.extend(page["data"].as_array().expect("a page").iter().cloned());
                let Some(cursor) = page["next_cursor"].as_str() else { break };
                next = format!("&cursor={cursor}");
            }
            assert_eq!(json!(seen), whole, "{sort}");
            assert_eq!(seen.len(), 2 * HOSTILE.len());
        }
        let ordered = codes(&api.get("/lines?order_id=1").await.ok()["data"]);
        let mut sorted = ordered.clone();
        sorted.sort();
        assert_eq!(ordered, sorted);
    });
}

#[test]
fn a_line_has_its_order_beside_it() {
    on_each_backend(async |database| {
        let api = shop(database).await;
        api.post("/lines", &line(2, "a/b", 1)).await.created();
        let expanded = api.get("/lines?expand=order").await.ok();
        assert_eq!(expanded["data"][0]["order"], json!({ "id": 2, "name": "second" }));
    });
}

#[test]
fn an_order_has_its_lines_beside_it() {
    on_each_sql_backend(async |database| {
        let api = shop(database).await;
        for code in HOSTILE {
            api.post("/lines", &line(1, code, 1)).await.created();
        }
        api.post("/lines", &line(2, "b", 1)).await.created();
        let orders = api.get("/orders?expand=lines&sort=id").await.ok();
        let mut sorted = HOSTILE.map(str::to_owned);
        sorted.sort();
        assert_eq!(codes(&orders["data"][0]["lines"]["data"]), sorted);
        assert_eq!(codes(&orders["data"][1]["lines"]["data"]), ["b"]);
    });
}
