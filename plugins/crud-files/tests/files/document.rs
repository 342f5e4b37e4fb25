//! The document of the routes.

use serde_json::{Value, json};

use crate::shop::on_shop;

#[test]
fn document_has_the_bodies_of_the_fields_types() {
    on_shop(async |shop| {
        let document = shop.test.get("/openapi.json").await.expect(200).json();
        let path = &document["paths"]["/products/{id}/photo"];
        let binary = json!({ "type": "string", "format": "binary" });
        for media_type in ["application/pdf", "image/svg+xml", "application/octet-stream"] {
            assert_eq!(path["put"]["requestBody"]["content"][media_type]["schema"], binary, "{media_type}");
            assert_eq!(path["get"]["responses"]["200"]["content"][media_type]["schema"], binary, "{media_type}");
        }
        assert_eq!(path["put"]["requestBody"]["content"]["image/*"], Value::Null);
        assert_eq!(path["put"]["operationId"], "uploadProductPhoto");
        let statuses = |method: &str| -> Vec<String> {
            path[method]["responses"].as_object().expect("answers").keys().cloned().collect()
        };
        for status in ["200", "206", "304", "404", "410", "416"] {
            assert!(statuses("get").contains(&status.to_owned()), "{status} of {:?}", statuses("get"));
        }
        for status in ["200", "404", "412", "413", "415", "422", "5XX"] {
            assert!(statuses("put").contains(&status.to_owned()), "{status} of {:?}", statuses("put"));
        }
        let product = &document["components"]["schemas"]["Product"]["properties"]["photo"];
        assert!(product.to_string().contains("File"), "{product}");
        assert_eq!(product["x-crud-file"]["max"], 100_000);
        let create = &document["components"]["schemas"]["ProductCreate"]["properties"]["photo"];
        assert_eq!(create["readOnly"], true);
        let uploads = &document["paths"]["/products/{id}/photo/uploads/{upload}"];
        assert_eq!(uploads["patch"]["requestBody"]["content"]["application/offset+octet-stream"]["schema"], binary);
    });
}
