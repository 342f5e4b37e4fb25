//! A bucket whose server fails in the middle.

use crud_files::Files;
use crud_runtime::axum::http::Method;
use crud_runtime::prelude::TimeDelta;
use crud_tests::on_sqlite;
use crud_tests::s3::{Bucket, Fault, S3, S3Proxy, Step};
use serde_json::json;

use crate::shop::{PNG, service, url_of};

/// Faults that the client of the store meets by another attempt.
const PASSING: [(Step, Fault); 4] = [
    (Step::UploadPart, Fault::Answer(503)),
    (Step::UploadPart, Fault::CutRequest(100_000)),
    (Step::UploadPart, Fault::LoseAnswer),
    (Step::Complete, Fault::Answer(503)),
];

/// Bytes of several parts of S3.
fn large() -> Vec<u8> {
    (0..12_000_000_u32).map(|number| u8::try_from(number % 251).expect("a byte")).collect()
}

#[test]
fn large_file_is_stored_in_parts() {
    let Some(server) = S3::get() else { return };
    on_sqlite(async |database| {
        let bucket = server.bucket();
        let files = Files::s3(&url_of(&bucket)).expect("a bucket");
        let test = service(database, files).await.test().await.expect("the service");
        let ann = test.as_principal(crud_runtime::auth::Principal::new("ann"));
        let made = ann.post("/letters", json!({})).await.expect(201).json();
        let path = format!("/letters/{}/scan", made["id"]);
        ann.request(Method::PUT, &path).body("application/octet-stream", large()).await.expect(200);
        assert_eq!(ann.get(&path).await.expect(200).bytes(), large());
        let range = ann.get(&path).header("range", "bytes=11999990-").await.expect(206);
        assert_eq!(range.bytes(), &large()[11_999_990..]);
    });
}

#[test]
fn upload_that_a_failing_server_breaks_off_leaves_nothing() {
    let Some(server) = S3::get() else { return };
    on_sqlite(async |database| {
        let bucket = server.bucket();
        let proxy = S3Proxy::start(&bucket.endpoint).await;
        let proxied = Bucket { endpoint: proxy.endpoint(), ..bucket.clone() };
        let files = Files::s3(&url_of(&proxied)).expect("a bucket");
        let test = service(database, files.clone()).await.test().await.expect("the service");
        let ann = test.as_principal(crud_runtime::auth::Principal::new("ann"));
        let made = ann.post("/letters", json!({})).await.expect(201).json();
        let path = format!("/letters/{}/scan", made["id"]);
        for step in [Step::StartUpload, Step::UploadPart, Step::Complete] {
            // A status that is not tried again.
            proxy.fail(step, Fault::Answer(403), 1);
            ann.request(Method::PUT, &path).body("application/octet-stream", large()).await.problem("unavailable");
            ann.get(&path).await.problem("not_found");
        }
        ann.request(Method::PUT, &path).body("image/png", PNG).await.expect(200);
        assert_eq!(ann.get(&path).await.expect(200).bytes(), PNG);
        test.clock().set(test.app().now() + TimeDelta::hours(25));
        files.sweep(test.app()).await.expect("a sweep");
        assert_eq!(ann.get(&path).await.expect(200).bytes(), PNG);
        let rows = database.texts("SELECT state FROM files_object").await;
        assert_eq!(rows, ["live"]);
    });
}

#[test]
fn upload_outlives_the_faults_that_pass() {
    let Some(server) = S3::get() else { return };
    on_sqlite(async |database| {
        let bucket = server.bucket();
        let proxy = S3Proxy::start(&bucket.endpoint).await;
        let proxied = Bucket { endpoint: proxy.endpoint(), ..bucket.clone() };
        let files = Files::s3(&url_of(&proxied)).expect("a bucket");
        let test = service(database, files).await.test().await.expect("the service");
        let ann = test.as_principal(crud_runtime::auth::Principal::new("ann"));
        let made = ann.post("/letters", json!({})).await.expect(201).json();
        let path = format!("/letters/{}/scan", made["id"]);
        for (step, fault) in PASSING {
            proxy.fail(step, fault, 1);
            ann.request(Method::PUT, &path).body("application/octet-stream", large()).await.expect(200);
            assert_eq!(ann.get(&path).await.expect(200).bytes(), large(), "{step:?} {fault:?}");
        }
    });
}
