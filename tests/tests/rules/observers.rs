//! Observers of changes of any resource, in their transactions.

use std::sync::{Arc, Mutex, PoisonError};

use crud_runtime::adapter::BoxFuture;
use crud_runtime::descriptor::Descriptor;
use crud_runtime::error::{Code, Problem};
use crud_runtime::prelude::*;
use crud_runtime::{ChangeObserver, ObservedChange, ObservedKind, Tx};
use crud_tests::{Api, Database, on_each_backend_with_transactions};
use serde_json::json;

#[derive(Debug, Clone, Resource)]
struct Album {
    id: i64,
    name: String,
}

#[derive(Debug, Clone, Resource)]
#[crud(soft_delete, batch)]
struct Picture {
    id: i64,
    #[crud(references(Album, on_delete(cascade)))]
    album_id: i64,
    name: String,
    deleted_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, Resource)]
#[crud(audit)]
struct Frame {
    id: i64,
    #[crud(references(Picture, on_delete(set_null)))]
    picture_id: Option<i64>,
}

/// A trace of a picture that is gone.
#[derive(Debug, Clone, Resource)]
#[crud(internal)]
struct Negative {
    id: i64,
    picture: String,
}

#[derive(Clone, Default)]
struct Darkroom(Arc<Mutex<Vec<String>>>);

impl Darkroom {
    fn note(&self, line: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(line);
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl ChangeObserver for Darkroom {
    fn observes(&self, resource: &'static Descriptor, kind: ObservedKind) -> bool {
        match kind {
            ObservedKind::Remove => resource.name == "Picture",
            ObservedKind::Update => resource.name == "Frame",
            _ => false,
        }
    }

    fn changed<'a>(&'a self, change: &'a ObservedChange<'a>, tx: &'a Tx<'_>) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let (resource, key) = (change.resource().name, change.key());
            if change.value("name") == Some(json!("precious")) {
                return Err(Problem::new(Code::Conflict, "it is precious"));
            }
            if change.kind() == ObservedKind::Remove {
                tx.store::<Negative>().create(NewNegative { picture: key.clone() }).await?;
            }
            let values = ["picture_id"].map(|field| (change.previous(field), change.value(field)));
            self.note(format!("{:?} {resource} {key} {values:?}", change.kind()));
            Ok(())
        })
    }

    fn history_erased<'a>(
        &'a self,
        resource: &'static Descriptor,
        key: &'a str,
        app: &'a App,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        Box::pin(async move {
            let there = app.stored_records(resource.name)?.existing([key]).await?;
            self.note(format!("Erase {} {key} {there:?}", resource.name));
            Ok(())
        })
    }
}

/// The gallery's service, which a darkroom observes.
async fn observed(database: &Database, darkroom: &Darkroom) -> Service {
    let service = database.service().await.resource::<Album>().resource::<Picture>().resource::<Frame>();
    service.table::<Negative>().extend(|options| options.observe(darkroom.clone())).migrate().await.expect("the tables")
}

async fn gallery(database: &Database) -> (Api, App, Darkroom) {
    let darkroom = Darkroom::default();
    let service = observed(database, &darkroom).await;
    let app = service.app();
    let api = Api::start(database, service).await;
    api.post("/albums", &json!({ "name": "summer" })).await.created();
    for name in ["sea", "sand", "precious"] {
        api.post("/pictures", &json!({ "album_id": 1, "name": name })).await.created();
    }
    (api, app, darkroom)
}

/// The pictures that the observer has seen, by what it has written in their transactions.
async fn negatives(app: &App) -> Vec<String> {
    let all = app.store::<Negative>().list(Select::all()).await.expect("a list");
    all.into_iter().map(|negative| negative.picture).collect()
}

#[test]
fn removals_for_good_are_observed_in_their_transactions() {
    on_each_backend_with_transactions(async |database| {
        let (api, app, darkroom) = gallery(database).await;
        api.delete("/pictures/1").await.ok();
        assert_eq!(darkroom.take(), Vec::<String>::new(), "it is not gone for good");
        api.delete("/pictures/1/permanent").await.ok();
        assert_eq!(darkroom.take(), ["Remove Picture 1 [(None, None)]"]);
        app.store::<Picture>().delete(2).await.expect("a delete");
        app.store::<Picture>().permanent_delete_where(Picture::FIELDS.name.eq("sand")).await.expect("a purge");
        assert_eq!(darkroom.take(), ["Remove Picture 2 [(None, None)]"]);
        assert_eq!(negatives(&app).await, ["1", "2"]);
        app.store::<Picture>().delete(3).await.expect("a delete");
        api.delete("/pictures/3/permanent").await.problem("conflict");
        assert_eq!((negatives(&app).await.len(), darkroom.take()), (2, Vec::new()), "nothing is left of a refused one");
        api.stop().await;
    });
}

#[test]
fn removals_and_changes_with_another_record_are_observed() {
    on_each_backend_with_transactions(async |database| {
        let (api, app, darkroom) = gallery(database).await;
        api.patch("/pictures/3", &json!({ "name": "dune" })).await.ok();
        api.post("/frames", &json!({ "picture_id": 2 })).await.created();
        api.delete("/albums/1").await.ok();
        let mut lines = darkroom.take();
        lines.sort();
        let expected = [
            "Remove Picture 1 [(None, None)]",
            "Remove Picture 2 [(None, None)]",
            "Remove Picture 3 [(None, None)]",
            "Update Frame 1 [(Some(Number(2)), Some(Null))]",
        ];
        assert_eq!(lines, expected);
        assert_eq!(negatives(&app).await.len(), 3);
        assert_eq!(api.get("/frames/1").await.ok()["picture_id"], json!(null));
        api.stop().await;
    });
}

#[test]
fn erasures_from_the_log_are_observed() {
    on_each_backend_with_transactions(async |database| {
        let darkroom = Darkroom::default();
        let service = observed(database, &darkroom).await;
        service.store::<Frame>().create(NewFrame { picture_id: None }).await.expect("a frame");
        assert_eq!(service.audit_log().erase("Frame", 1).await.expect("an erasure"), 1);
        assert_eq!(darkroom.take(), ["Erase Frame 1 [\"1\"]"]);
    });
}
