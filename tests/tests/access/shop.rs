//! The shop, with authentication.

use serde_json::json;

use crate::support::{caller, on_resources};

#[test]
fn shop_reads_are_public_and_deletes_require_admin() {
    on_resources(shop::shop, async |api| {
        api.get("/products").await.ok();
        let lamps = json!({ "name": "Lamps" });
        api.post("/categories", &lamps).await.problem("authentication_failed");
        let (clerk, admin) = (caller(api, "1", &["clerk"], &[]), caller(api, "2", &["admin"], &[]));
        let category = clerk.post("/categories", &lamps).await.created()["id"].clone();
        let product = json!({ "name": "Lamp", "price": 1, "stock": 1, "category_id": category });
        let id = clerk.post("/products", &product).await.created()["id"].clone();
        let path = format!("/products/{id}");
        clerk.put(&path, &json!({ "stock": 2 })).await.ok();
        clerk.delete(&path).await.problem("permission_denied");
        clerk.post("/products/batch/delete", &json!({ "ids": [id] })).await.problem("permission_denied");
        api.get(format!("{path}/history")).await.problem("authentication_failed");
        clerk.get(format!("{path}/history")).await.ok();
        admin.delete(&path).await.ok();
        clerk.delete(format!("{path}/permanent")).await.problem("permission_denied");
        clerk.delete("/products/deleted?all=true").await.problem("permission_denied");
        clerk.post(format!("{path}/restore"), &json!({})).await.problem("permission_denied");
        admin.post(format!("{path}/restore"), &json!({})).await.ok();
        admin.post("/products/batch/delete", &json!({ "ids": [id] })).await.ok();
        admin.delete(format!("{path}/permanent")).await.ok();
    });
}
