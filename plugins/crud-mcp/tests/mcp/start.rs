//! Mistakes of the program are errors at start.

use crud_mcp::Mcp;
use crud_tests::on_sqlite;
use serde_json::json;

use crate::support::{call, editor, workshop};

#[test]
fn unknown_resources_and_urls_are_errors() {
    on_sqlite(async |database| {
        for (mcp, error) in [
            (Mcp::new().without("/jbos"), "`Mcp::without(\"/jbos\")` names no resource"),
            (Mcp::new().origin("inspector.example"), "`Mcp::origin(\"inspector.example\")` is not a URL"),
            (Mcp::new().authorization_server("login"), "`Mcp::authorization_server(\"login\")` is not a URL"),
        ] {
            let service = workshop(database).await.plugin(mcp).expect("one plugin");
            let failed = service.test().await.expect_err("an error").to_string();
            assert!(failed.contains(error), "{failed}");
        }
    });
}

#[test]
fn hidden_resources_are_not_there() {
    on_sqlite(async |database| {
        let service = workshop(database).await.plugin(Mcp::new().without("/machines")).expect("one plugin");
        let ed = editor(&service.test().await.expect("the tables"));
        let named = call(&ed, "resources", json!({})).await;
        let names: Vec<_> = named["resources"].as_array().expect("resources").iter().map(|it| &it["name"]).collect();
        assert_eq!(names, ["jobs", "notes"]);
        let jobs = call(&ed, "describe", json!({ "resource": "jobs" })).await;
        assert_eq!(jobs["list"]["expand"], json!([]));
        assert!(!jobs.to_string().contains("\"machines\""), "{jobs}");
    });
}
