//! A shop whose records have files.

use std::env;
use std::path::Path;

use crud_files::{File, Files};
use crud_runtime::audit::AuditLog;
use crud_runtime::auth::{Auth, AuthBuilder, Principal};
use crud_runtime::axum::http::Method;
use crud_runtime::prelude::*;
use crud_runtime::testing::{Test, TestAnswer, TestRequest};
use crud_tests::s3::{Bucket, S3};
use crud_tests::{Database, on_each_backend};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A product, which everyone sees.
#[derive(Debug, Clone, Resource)]
#[crud(audit, soft_delete, pagination, access(all(authenticated), read(public)))]
pub(crate) struct Product {
    pub(crate) id: i64,
    pub(crate) name: String,
    #[crud(file(max = "100KB", types("image/*", "image/svg+xml", "application/pdf", "text/plain", "text/html")))]
    pub(crate) photo: Option<File>,
    pub(crate) deleted_at: Option<DateTime<Utc>>,
}

/// A letter of its owner.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
pub(crate) struct Letter {
    pub(crate) id: i64,
    #[crud(owner)]
    pub(crate) owner: String,
    #[crud(file(max = "2GB", types("*/*")))]
    pub(crate) scan: Option<File>,
}

/// An issue of a tenant.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
pub(crate) struct Issue {
    pub(crate) id: i64,
    #[crud(tenant)]
    pub(crate) team: i64,
    #[crud(file(types("*/*")))]
    pub(crate) log: Option<File>,
}

/// A candidate, whose report only staff sees, and whose papers are checked first.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
pub(crate) struct Candidate {
    pub(crate) id: i64,
    pub(crate) name: String,
    #[crud(visible(role("staff")), file(types("*/*")))]
    pub(crate) report: Option<File>,
    #[crud(file(types("*/*"), hold))]
    pub(crate) papers: Option<File>,
}

/// The first bytes of a PNG, with some of a picture.
pub(crate) const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

/// The files of a shop: in a directory or in a bucket that is removed with the test.
#[derive(Debug)]
pub(crate) enum Place {
    Directory(TempDir),
    Bucket(Bucket),
}

impl Place {
    /// A directory, or with `CRUD_TEST_FILES=s3` a bucket.
    pub(crate) fn new() -> Self {
        let is_bucket = env::var("CRUD_TEST_FILES").is_ok_and(|place| place == "s3");
        match S3::get().filter(|_| is_bucket) {
            Some(server) => Self::Bucket(server.bucket()),
            None => Self::Directory(TempDir::new().expect("a directory")),
        }
    }

    /// The plugin with files in the place.
    pub(crate) fn files(&self) -> Files {
        match self {
            Self::Directory(directory) => Files::local(directory.path()),
            Self::Bucket(bucket) => Files::s3(&url_of(bucket)).expect("a bucket"),
        }
    }

    /// The objects, without the marker.
    pub(crate) fn objects(&self) -> Vec<String> {
        let root = match self {
            Self::Directory(directory) => Some(directory.path()),
            Self::Bucket(bucket) => bucket.directory.as_deref(),
        };
        objects_in(root.expect("the directory of a server that the test has started"))
    }
}

/// The objects below a directory, without the marker.
pub(crate) fn objects_in(root: &Path) -> Vec<String> {
    let (mut found, mut directories) = (Vec::new(), vec![root.to_owned()]);
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() {
                directories.push(path);
            } else if !name.starts_with("crud-files.json") && !name.starts_with('.') {
                found.push(name);
            }
        }
    }
    found
}

/// The URL of a bucket.
pub(crate) fn url_of(bucket: &Bucket) -> String {
    let Bucket { endpoint, name, prefix, access_key, secret_key, .. } = bucket;
    let server = endpoint.strip_prefix("http://").expect("a server without TLS");
    format!("http://{access_key}:{secret_key}@{server}/{name}/{prefix}")
}

pub(crate) fn auth() -> AuthBuilder {
    Auth::builder().secret("a secret of at least thirty-two bytes").logout()
}

/// A service with the resources, and with these files.
pub(crate) async fn service(database: &Database, files: Files) -> Service {
    let service = database.service().await.auth(auth().tenant_claim("team").build().expect("the authentication"));
    let service = service.plugin(files).expect("one plugin").resource::<Product>().resource::<Letter>();
    service.resource::<Issue>().resource::<Candidate>()
}

/// A running shop.
pub(crate) struct Shop {
    pub(crate) test: Test,
    pub(crate) files: Files,
    pub(crate) place: Place,
    pub(crate) log: AuditLog,
}

impl Shop {
    pub(crate) async fn start(database: &Database, change: impl Fn(Files) -> Files) -> Self {
        let place = Place::new();
        let files = change(place.files());
        let service = service(database, files.clone()).await;
        let log = service.audit_log();
        let test = service.test().await.expect("the service");
        Self { test, files, place, log }
    }

    /// The shop as a user of a name sees it.
    pub(crate) fn as_user(&self, name: &str) -> Test {
        self.test.as_principal(Principal::new(name))
    }

    /// A new record.
    pub(crate) async fn create(&self, path: &str, body: Value) -> String {
        let made = self.as_user("ann").post(path, body).await.expect(201).json();
        format!("{path}/{}", made["id"])
    }

    /// A new product.
    pub(crate) async fn product(&self) -> String {
        self.create("/products", json!({ "name": "chair" })).await
    }

    /// An upload by a user.
    pub(crate) fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) -> TestRequest {
        self.as_user("ann").request(Method::PUT, path).body("application/octet-stream", bytes.into())
    }

    /// A new product with a photo; the path of that.
    pub(crate) async fn photo(&self) -> String {
        let path = format!("{}/photo", self.product().await);
        self.put(&path, PNG).await.expect(200);
        path
    }

    /// A sweep, a time later.
    pub(crate) async fn sweep_after(&self, time: TimeDelta) {
        let now = self.test.app().now();
        self.test.clock().set(now + time);
        self.files.sweep(self.test.app()).await.expect("a sweep");
    }
}

/// The bytes of a download.
pub(crate) async fn bytes(shop: &Shop, path: &str) -> Vec<u8> {
    shop.as_user("ann").get(path).await.expect(200).bytes().to_vec()
}

/// The message of a refusal's first field.
pub(crate) fn words(answer: &TestAnswer) -> String {
    answer.json()["errors"][0]["detail"].as_str().unwrap_or_default().to_owned()
}

/// Runs a test on a shop on every back end.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
pub(crate) fn on_shop(test: impl AsyncFn(&Shop)) {
    on_each_backend(async |database| test(&Shop::start(database, |files| files).await).await);
}
