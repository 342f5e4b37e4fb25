//! Changes at the same time, and refusals after the upload.

use std::collections::BTreeSet;
use std::future::IntoFuture;

use crud_files::{File, Files, Verdict};
use crud_runtime::auth::Principal;
use crud_runtime::axum::http::Method;
use crud_runtime::prelude::*;
use crud_tests::{on_each_backend, on_each_transactional_backend};
use serde_json::json;

use crate::shop::{PNG, Place, Shop, bytes, on_shop};

/// A product whose changes a hook refuses after they are written.
#[derive(Debug, Clone, Resource)]
#[crud(hooks(after(refuse)))]
struct Sealed {
    id: i64,
    #[crud(file(types("*/*")))]
    photo: Option<File>,
}

#[allow(clippy::unused_async, reason = "hooks are asynchronous")]
async fn refuse(change: &Changed<'_, Sealed>, _: &mut HookContext<'_>) -> Result<(), Problem> {
    match change.record().photo {
        Some(_) => Err(Problem::new(crud_runtime::error::Code::Conflict, "the product is sealed")),
        None => Ok(()),
    }
}

#[test]
fn upload_whose_change_is_rolled_back_leaves_nothing() {
    on_each_transactional_backend(async |database| {
        let place = Place::new();
        let service = database.service().await.plugin(place.files()).expect("one plugin");
        let test = service.resource::<Sealed>().test().await.expect("the service");
        let id = test.post("/sealeds", json!({})).await.expect(201).json()["id"].clone();
        let path = format!("/sealeds/{id}/photo");
        test.request(Method::PUT, &path).body("image/png", PNG).await.problem("conflict");
        assert_eq!(test.get(format!("/sealeds/{id}")).await.expect(200).json()["photo"], serde_json::Value::Null);
        test.get(&path).await.problem("not_found");
        assert!(place.objects().is_empty(), "{:?}", place.objects());
    });
}

#[test]
fn file_that_an_inspection_refuses_is_not_stored() {
    on_each_backend(async |database| {
        let inspected = |files: Files| {
            files.inspect(async |file| {
                use futures_util::StreamExt;
                let mut bytes = file.stream().await?;
                while let Some(bytes) = bytes.next().await {
                    let bytes = bytes?;
                    if bytes.starts_with(b"EICAR") {
                        return Ok(Verdict::Refuse("has a virus".to_owned()));
                    }
                    if bytes.starts_with(b"down") {
                        return Err("the scanner is down".into());
                    }
                }
                Ok(Verdict::Accept)
            })
        };
        let shop = Shop::start(database, inspected).await;
        let path = shop.photo().await;
        let answer = shop.put(&path, b"EICAR".to_vec()).await;
        answer.problem("validation_failed");
        assert_eq!(crate::shop::words(&answer), "has a virus");
        shop.put(&path, b"down".to_vec()).await.problem("unavailable");
        assert_eq!(bytes(&shop, &path).await, PNG);
        shop.sweep_after(TimeDelta::hours(25)).await;
        assert_eq!(shop.place.objects().len(), 1);
    });
}

#[test]
fn of_two_uploads_at_once_the_record_has_one() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        for round in 0..5 {
            let ann = shop.test.as_principal(Principal::new("ann"));
            let uploads = (0..4).map(|number| {
                let body = format!("{round} {number} ").repeat(500);
                tokio::spawn(ann.request(Method::PUT, &path).body("text/plain", body).into_future())
            });
            let mut stored = BTreeSet::new();
            for upload in uploads.collect::<Vec<_>>() {
                let answer = upload.await.expect("an answer");
                if answer.status() == 200 {
                    stored.insert(answer.json()["photo"]["sha256"].to_string());
                }
            }
            let answer = shop.test.get(&path).await.expect(200);
            assert!(stored.contains(answer.header("etag").expect("a tag")), "{stored:?}");
        }
        // Storage without transactions knows of the others by the first sweep.
        shop.sweep_after(TimeDelta::hours(2)).await;
        shop.sweep_after(TimeDelta::days(31)).await;
        assert_eq!(shop.place.objects().len(), 1);
        assert!(bytes(shop, &path).await.starts_with(b"4 "));
    });
}
