//! A backup: the database first, then the files, while the service goes on between the two copies.

use std::fs;
use std::path::Path;

use crud_files::Files;
use crud_runtime::adapter::SqliteAdapter;
use crud_runtime::axum::http::Method;
use crud_runtime::prelude::{Service, TimeDelta};
use crud_runtime::testing::Test;
use crud_tests::on_sqlite;
use serde_json::json;
use tempfile::TempDir;

use crate::process::films;

async fn service(url: &str, directory: &Path) -> Service {
    films(Service::connect(url).await.expect("the database"), directory)
}

async fn upload(test: &Test, film: u32, text: &str) {
    let request = test.request(Method::PUT, format!("/films/{film}/copy"));
    request.body("application/octet-stream", text.as_bytes().to_vec()).await.expect(200);
}

/// Copies a directory with all that is in it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let path = entry.expect("an entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).expect("a copy");
        }
    }
}

#[test]
fn restored_pair_has_every_file_of_its_database() {
    on_sqlite(async |database| {
        let [files, copies] = [(); 2].map(|()| TempDir::new().expect("a directory"));
        let test = service(database.url(), files.path()).await.test().await.expect("the service");
        for film in 1..=3 {
            test.post("/films", json!({ "name": film.to_string() })).await.expect(201);
            upload(&test, film, &format!("film {film}")).await;
        }
        let restored = copies.path().join("films.db");
        let running = SqliteAdapter::connect(database.url()).await.expect("the database");
        running.backup(&restored).await.expect("a copy of the database");

        upload(&test, 1, "another cut").await;
        test.delete("/films/2/copy").await.expect(204);
        test.clock().set(test.app().now() + TimeDelta::days(2));
        Files::local(files.path()).sweep(test.app()).await.expect("a sweep");
        for _ in 0..2 {
            service(database.url(), files.path()).await.test().await.expect("a start");
        }
        let directory = copies.path().join("files");
        copy(files.path(), &directory);

        let url = format!("sqlite://{}", restored.display());
        let refused = service(&url, &directory).await.test().await.expect_err("a refusal").to_string();
        assert!(refused.contains("older copy than the storage"), "{refused}");
        let stopped = service(&url, &directory).await;
        Files::local(&directory).adopt(stopped.state().expect("the state").app()).await.expect("an adoption");
        let test = service(&url, &directory).await.test().await.expect("the restored service");
        for film in 1..=3 {
            let text = format!("film {film}");
            assert_eq!(test.get(format!("/films/{film}/copy")).await.expect(200).bytes(), text.as_bytes());
        }
    });
}
