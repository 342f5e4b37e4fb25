//! The typed `Store`: soft delete, batches and the audit log from a program's code.

use std::fmt::Debug;

use crud_runtime::audit::{AuditRecord, EntityId};
use crud_runtime::axum::extract::Request;
use crud_runtime::axum::middleware::{self, Next};
use crud_runtime::error::{Code, Error};
use crud_runtime::prelude::*;
use crud_runtime::{Result, Service, Store};
use crud_tests::kitchen::{
    Anonymous, Bare, Coupon, Draft, DraftPatch, Ledger, LedgerPatch, Member, NewAnonymous, NewBare, NewCoupon,
    NewDraft, NewLedger, NewNote, NewParcel, NewSlip, Note, NotePatch, Parcel, ParcelPatch, Slip, kitchen,
};
use crud_tests::{Api, Client, Database, audit_log, on_each_backend, on_each_backend_with_transactions};
use serde_json::json;

async fn service(database: &Database) -> Service {
    kitchen(database.service().await).migrate().await.expect("the kitchen's tables")
}

#[track_caller]
fn error_code<T: Debug>(result: Result<T>) -> Code {
    match result {
        Err(Error::Problem(problem)) => problem.code(),
        other => panic!("expected a problem: {other:?}"),
    }
}

/// Creates and soft-deletes notes of these ranks.
async fn deleted_notes(notes: &Store<Note>, ranks: impl IntoIterator<Item = i32>) -> Result<Vec<Note>> {
    let mut deleted = Vec::new();
    for rank in ranks {
        let note = notes.create(NewNote::new("x").rank(rank)).await?;
        deleted.push(notes.soft_delete(note.id).await?);
    }
    Ok(deleted)
}

fn ranks(notes: Vec<Note>) -> Vec<Option<i32>> {
    notes.into_iter().map(|note| note.rank).collect()
}

fn parcel(code: &str) -> NewParcel {
    NewParcel::new(code, 1.0)
}

/// The log's entries of one entity type, in order.
async fn log(service: &Service, entity_type: &str) -> Vec<AuditRecord> {
    let fields = AuditRecord::FIELDS;
    let query = fields.entity_type.eq(entity_type).order_by(fields.id.asc());
    service.store::<AuditRecord>().list(query).await.expect("the log")
}

#[test]
fn record_is_soft_deleted_restored_and_purged() {
    on_each_backend(async |database| {
        let notes = service(database).await.store::<Note>();
        let created = notes.create(NewNote::new("x")).await.expect("a note");
        assert!(!notes.is_soft_deleted(created.id).await.expect("an answer"));
        assert_eq!(notes.find_deleted(created.id).await.expect("an answer"), None);

        let deleted = notes.soft_delete(created.id).await.expect("the note");
        assert!(deleted.is_deleted && deleted.deleted_at > Some(created.updated_at));
        assert_eq!(deleted, Note { is_deleted: true, deleted_at: deleted.deleted_at, ..created.clone() });
        assert!(notes.is_soft_deleted(created.id).await.expect("an answer"));
        assert_eq!(notes.find_deleted(created.id).await.expect("an answer").as_ref(), Some(&deleted));
        assert_eq!(notes.find(created.id).await.expect("an answer"), None);
        assert_eq!(error_code(notes.get(created.id).await), Code::NotFound);
        assert_eq!(error_code(notes.soft_delete(created.id).await), Code::NotFound);

        assert_eq!(notes.restore(created.id).await.expect("the note"), created);
        assert_eq!(notes.get(created.id).await.expect("the note"), created);
        assert_eq!(error_code(notes.restore(created.id).await), Code::NotDeleted);
        assert_eq!(error_code(notes.permanent_delete(created.id).await), Code::NotDeleted);

        let deleted = notes.soft_delete(created.id).await.expect("the note");
        assert_eq!(notes.permanent_delete(created.id).await.expect("the note"), deleted);
        assert_eq!(notes.find_deleted(created.id).await.expect("an answer"), None);
        for result in [notes.restore(created.id).await, notes.permanent_delete(created.id).await] {
            assert_eq!(error_code(result), Code::NotFound);
        }
        assert_eq!(error_code(notes.is_soft_deleted(created.id).await), Code::NotFound);
    });
}

#[test]
fn lists_and_counts_exclude_soft_deleted_records_by_default() {
    on_each_backend(async |database| {
        let notes = service(database).await.store::<Note>();
        deleted_notes(&notes, [1, 2]).await.expect("notes");
        notes.create(NewNote::new("x").rank(3)).await.expect("a note");
        let by_rank = || Select::all().order_by(Note::FIELDS.rank.asc());
        assert_eq!(ranks(notes.list(by_rank()).await.expect("a list")), [Some(3)]);
        let all = notes.list(by_rank().include_deleted()).await.expect("a list");
        assert_eq!(ranks(all), [Some(1), Some(2), Some(3)]);
        assert_eq!(ranks(notes.list(by_rank().only_deleted()).await.expect("a list")), [Some(1), Some(2)]);
        assert_eq!(notes.count(Select::all()).await.expect("a count"), 1);
        assert_eq!(notes.count(Select::all().include_deleted()).await.expect("a count"), 3);
        assert_eq!(notes.count(Select::all().only_deleted()).await.expect("a count"), 2);
        let page = notes.page(by_rank().only_deleted().limit(1)).await.expect("a page");
        assert_eq!((page.data.len(), page.total, page.pages), (1, 2, 2));
    });
}

#[test]
fn several_records_are_restored_and_purged() {
    on_each_backend_with_transactions(async |database| {
        let notes = service(database).await.store::<Note>();
        let deleted = deleted_notes(&notes, 1..=6).await.expect("notes");
        let fields = Note::FIELDS;
        assert_eq!(notes.restore_where(fields.rank.lte(2)).await.expect("a count"), 2);
        assert_eq!(
            notes.restore_where(fields.rank.lte(2)).await.expect("a count"),
            0,
            "only deleted records are restored"
        );
        let third = deleted[2].deleted_at.expect("a time");
        assert_eq!(notes.permanent_delete_where(fields.deleted_at.lte(third)).await.expect("a count"), 1);
        assert_eq!(notes.count(Select::all().include_deleted()).await.expect("a count"), 5);
        assert_eq!(notes.permanent_delete_where(fields.rank.gte(6)).await.expect("a count"), 1);
        assert_eq!(notes.restore_where(fields.rank.eq(4)).await.expect("a count"), 1);
        assert_eq!(notes.permanent_delete_all().await.expect("a count"), 1);
        assert_eq!(notes.count(Select::all().only_deleted()).await.expect("a count"), 0);
        deleted_notes(&notes, [7, 8]).await.expect("notes");
        assert_eq!(notes.restore_all().await.expect("a count"), 2);
        assert_eq!(notes.restore_all().await.expect("a count"), 0);
        assert_eq!(notes.permanent_delete_all().await.expect("a count"), 0, "active records are not purged");
        assert_eq!(notes.count(Select::all()).await.expect("a count"), 5);
    });
}

#[test]
fn delete_permanently_is_always_a_hard_delete_and_delete_is_not() {
    on_each_backend(async |database| {
        let service = service(database).await;
        let notes = service.store::<Note>();
        let active = notes.create(NewNote::new("x")).await.expect("a note");
        let deleted = deleted_notes(&notes, [1]).await.expect("notes").remove(0);
        assert_eq!(notes.delete_permanently(active.id).await.expect("the note"), active);
        // By the name of the adapter's operation.
        assert_eq!(notes.delete_one(deleted.id).await.expect("the note"), deleted);
        assert_eq!(notes.count(Select::all().include_deleted()).await.expect("a count"), 0);
        assert_eq!(error_code(notes.delete_permanently(active.id).await), Code::NotFound);
        let kept = notes.create(NewNote::new("y")).await.expect("a note");
        notes.delete(kept.id).await.expect("the note");
        assert!(notes.is_soft_deleted(kept.id).await.expect("it is there"));
    });
}

#[test]
fn update_restores_with_auto_restore() {
    on_each_backend(async |database| {
        let service = service(database).await;
        let (notes, drafts) = (service.store::<Note>(), service.store::<Draft>());
        let note = deleted_notes(&notes, [1]).await.expect("notes").remove(0);
        let updated = notes.update(note.id, NotePatch::default().title("y")).await.expect("the note");
        assert!(updated.is_deleted && updated.deleted_at == note.deleted_at, "{updated:?}");
        drafts.create(NewDraft::new("a", 1)).await.expect("a draft");
        drafts.soft_delete("a").await.expect("the draft");
        let updated = drafts.update("a", DraftPatch::default().word_count(2)).await.expect("the draft");
        assert_eq!((updated.word_count, updated.removed_at), (2, None));
        assert!(!drafts.is_soft_deleted("a").await.expect("an answer"));
    });
}

#[test]
fn soft_delete_methods_fail_without_soft_delete() {
    on_each_backend(async |database| {
        let store = service(database).await.store::<Bare>();
        let bare = store.create(NewBare::new("x")).await.expect("a record");
        assert_eq!(error_code(store.soft_delete(bare.id).await), Code::ValidationFailed);
        assert_eq!(error_code(store.restore(bare.id).await), Code::ValidationFailed);
        assert_eq!(error_code(store.permanent_delete(bare.id).await), Code::ValidationFailed);
        assert_eq!(error_code(store.restore_all().await), Code::ValidationFailed);
        assert_eq!(error_code(store.permanent_delete_all().await), Code::ValidationFailed);
        assert_eq!(error_code(store.permanent_delete_where(Bare::FIELDS.name.eq("x")).await), Code::ValidationFailed);
        assert!(!store.is_soft_deleted(bare.id).await.unwrap_or_default());
        assert_eq!(store.get(bare.id).await.expect("the record"), bare);
    });
}

#[test]
fn batch_is_atomic() {
    on_each_backend_with_transactions(async |database| {
        let service = service(database).await;
        let parcels = service.store::<Parcel>();
        let created = parcels.create_batch(["b", "a"].map(parcel)).await.expect("a batch");
        let codes: Vec<_> = created.items.iter().map(|parcel| parcel.code.as_str()).collect();
        assert_eq!((codes, created.errors.len()), (vec!["b", "a"], 0));
        let [first, second] = created.items.as_slice() else { panic!("two parcels") };

        assert_eq!(error_code(parcels.create_batch([parcel("c"), parcel("a")]).await), Code::Conflict);
        assert_eq!(error_code(parcels.create_batch([parcel("c"), parcel("")]).await), Code::ValidationFailed);
        let bad = [(first.id, ParcelPatch::default().weight(2.0)), (4711, ParcelPatch::default().weight(2.0))];
        assert_eq!(error_code(parcels.update_batch(bad).await), Code::NotFound);
        assert_eq!(error_code(parcels.delete_batch([first.id, 4711]).await), Code::NotFound);
        let stored = parcels.list(Select::all().order_by(Parcel::FIELDS.id.asc())).await.expect("a list");
        assert_eq!(stored, created.items);

        let patches = [
            (second.id, ParcelPatch::default().weight(3.0)),
            (first.id, ParcelPatch::default().code("c").team_id(None)),
        ];
        let updated = parcels.update_batch(patches).await.expect("a batch").items;
        assert_eq!((updated[0].id, updated[0].weight, updated[1].code.as_str()), (second.id, 3.0, "c"));
        let deleted = parcels.delete_batch([first.id, second.id]).await.expect("a batch").items;
        assert_eq!(deleted, [updated[1].clone(), updated[0].clone()]);
        assert_eq!(parcels.count(Select::all()).await.expect("a count"), 0);
    });
}

#[test]
fn partial_batch_reports_failures() {
    on_each_backend(async |database| {
        let service = service(database).await;
        let slips = service.store::<Slip>();
        let new = [NewSlip::new("a", 1), NewSlip::new("b", 101), NewSlip::new("a", 2), NewSlip::new("c", 3)];
        let batch = slips.create_batch(new).await.expect("a batch");
        let codes: Vec<_> = batch.items.iter().map(|slip| slip.code.as_str()).collect();
        assert_eq!(codes, ["a", "c"]);
        let errors: Vec<_> = batch.errors.iter().map(|error| (error.index, error.problem.code())).collect();
        assert_eq!(errors, [(1, Code::ValidationFailed), (2, Code::Conflict)]);
        let deleted = slips.delete_batch([batch.items[1].id, 4711]).await.expect("a batch");
        assert_eq!((deleted.items.len(), deleted.errors[0].index), (1, 1));
        assert_eq!(deleted.errors[0].problem.code(), Code::NotFound);
        assert!(deleted.items[0].is_deleted, "soft delete");
    });
}

#[test]
fn batch_may_be_empty_and_have_any_type_of_key() {
    on_each_backend(async |database| {
        let service = service(database).await;
        let coupons = service.store::<Coupon>();
        assert!(coupons.create_batch([]).await.expect("a batch").items.is_empty());
        let batch = coupons.create_batch([NewCoupon::new(1), NewCoupon::new(2)]).await.expect("a batch");
        let ids: Vec<Uuid> = batch.items.iter().map(|coupon| coupon.id).collect();
        assert_eq!(coupons.delete_batch(ids).await.expect("a batch").items, batch.items);
        let none = service.store::<Member>().delete_batch(Vec::<Uuid>::new()).await.expect("a batch");
        assert!(none.items.is_empty() && none.errors.is_empty());
    });
}

#[test]
fn every_change_is_logged() {
    on_each_backend_with_transactions(async |database| {
        let service = service(database).await;
        let ledgers = service.store::<Ledger>();
        let ledger = ledgers.create(NewLedger::new("a")).await.expect("a ledger");
        ledgers.update(ledger.id, LedgerPatch::default().name("b")).await.expect("the ledger");
        ledgers.update(ledger.id, LedgerPatch::default().name("b")).await.expect("nothing changes");
        ledgers.soft_delete(ledger.id).await.expect("the ledger");
        ledgers.restore(ledger.id).await.expect("the ledger");
        ledgers.soft_delete(ledger.id).await.expect("the ledger");
        assert_eq!(ledgers.restore_where(Ledger::FIELDS.name.eq("b")).await.expect("a count"), 1);
        ledgers.soft_delete(ledger.id).await.expect("the ledger");
        assert_eq!(ledgers.restore_all().await.expect("a count"), 1);
        ledgers.delete_one(ledger.id).await.expect("the ledger");
        let batch = ledgers.create_batch(["x", "y", "z"].map(NewLedger::new)).await.expect("a batch").items;
        ledgers.update_batch([(batch[0].id, LedgerPatch::default().balance(5))]).await.expect("a batch");
        ledgers.delete_batch([batch[1].id, batch[0].id, batch[2].id]).await.expect("a batch");
        ledgers.permanent_delete(batch[2].id).await.expect("the ledger");
        ledgers.permanent_delete_where(Ledger::FIELDS.name.eq("x")).await.expect("a count");
        ledgers.permanent_delete_all().await.expect("a count");

        let entries = log(&service, "Ledger").await;
        let actions: Vec<_> = entries.iter().map(|entry| entry.action.as_str()).collect();
        let single = [
            "create",
            "update",
            "soft_delete",
            "restore",
            "soft_delete",
            "restore",
            "soft_delete",
            "restore",
            "delete",
        ];
        assert_eq!(actions[..9], single);
        let batches = ["create", "create", "create", "update", "soft_delete", "soft_delete", "soft_delete"];
        assert_eq!(actions[9..16], batches);
        assert_eq!(actions[16..], ["delete"; 3]);
        let of_batch: Vec<_> = entries[12..].iter().map(|entry| entry.entity_id).collect();
        let [x, y, z] = [0, 1, 2].map(|number: usize| Some(batch[number].id));
        assert_eq!(of_batch, [x, y, x, z, z, x, y]);
        assert_eq!(entries[12].changes.as_ref().and_then(|changes| changes["balance"].as_i64()), Some(5));

        let api = Api::start(database, service).await;
        let entries = audit_log::entries(&api, "Ledger").await;
        assert!(audit_log::replay(&entries).expect("a consistent log").values().all(Option::is_none));
        api.stop().await;
    });
}

#[test]
fn acting_as_sets_the_logged_actor() {
    on_each_backend(async |database| {
        let service = service(database).await;
        let ledgers = service.store::<Ledger>();
        let ada = ledgers.acting_as(Principal::new("ada"));
        let ledger = ada.create(NewLedger::new("a")).await.expect("a ledger");
        ledgers.acting_as(Principal::new("42")).soft_delete(ledger.id).await.expect("the ledger");
        ledgers.restore(ledger.id).await.expect("the ledger");
        ada.create_batch([NewLedger::new("b")]).await.expect("a batch");
        service
            .store::<Anonymous>()
            .acting_as(Principal::new("7"))
            .create(NewAnonymous::new("x"))
            .await
            .expect("a record");
        let entries = log(&service, "Ledger").await;
        let actors: Vec<_> = entries.iter().map(|entry| (entry.user_id, entry.actor.as_deref())).collect();
        assert_eq!(actors, [(None, Some("ada")), (Some(42), Some("42")), (None, None), (None, Some("ada"))]);
        let anonymous = &log(&service, "Anonymous").await[0];
        assert_eq!((anonymous.user_id, &anonymous.actor), (None, &None), "not tracked");
        let api = Api::start(database, service).await;
        assert_eq!(api.get("/audit-logs?user_id=42").await.ok()["data"][0]["action"], "soft_delete");
        assert_eq!(api.get("/audit-logs?user_id=42").await.ok()["total"], 1);
        assert_eq!(api.get("/audit-logs?entity_type=Ledger&limit=1").await.ok()["data"][0]["actor"], "ada");
        api.stop().await;
    });
}

#[test]
fn principal_of_a_layer_is_the_logged_actor_without_authentication() {
    on_each_backend(async |database| {
        let router = service(database).await.into_router().expect("a router");
        let app = router.layer(middleware::from_fn(async |mut request: Request, next: Next| {
            let name = request.headers().get("x-user").and_then(|name| name.to_str().ok()).map(Principal::new);
            if let Some(actor) = name {
                request.extensions_mut().insert(actor);
            }
            next.run(request).await
        }));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let origin = format!("http://{}", listener.local_addr().expect("its address"));
        let server = tokio::spawn(async move { crud_runtime::axum::serve(listener, app).await });
        let client = Client::of_program(origin, database.secrets());
        let body = json!({ "name": "a" });
        client.post("/ledgers", &body).header("x-user", "42").await.created();
        client.post("/ledgers/batch", &json!({ "items": [body] })).header("x-user", "ada").await.ok();
        client.put("/ledgers/1", &json!({ "name": "b" })).header("x-user", "-7").await.ok();
        client.delete("/ledgers/1").await.ok();
        client.request(reqwest::Method::POST, "/ledgers/restore?all=true").header("x-user", "007").await.ok();
        let entries = audit_log::entries(&client, "Ledger").await;
        let actors: Vec<_> = entries.iter().map(|entry| (entry["user_id"].as_i64(), entry["actor"].as_str())).collect();
        let expected =
            [(Some(42), Some("42")), (None, Some("ada")), (Some(-7), Some("-7")), (None, None), (None, Some("007"))];
        assert_eq!(actors, expected);
        server.abort();
    });
}

#[test]
fn program_writes_custom_entries() {
    on_each_backend(async |database| {
        let service = service(database).await;
        let log = service.audit_log();
        let entry = log.log("Report", 7, "export", Some(42), Some(json!({ "rows": 3 }))).await.expect("an entry");
        assert_eq!((entry.entity_id, entry.user_id), (Some(7), Some(42)));
        log.log("Report", EntityId::from("weekly"), "export", None, None).await.expect("an entry");
        let api = Api::start(database, service).await;
        let entries = audit_log::entries(&api, "Report").await;
        assert_eq!(audit_log::actions(&entries), ["export"; 2]);
        assert_eq!((&entries[0]["entity_id"], &entries[0]["changes"]), (&json!(7), &json!({ "rows": 3 })));
        assert_eq!(entries[1]["entity_id"], "weekly");
        assert!(entries[1].get("changes").is_none(), "{}", entries[1]);
        assert!(entries[0]["timestamp"].is_string(), "{}", entries[0]);
        assert_eq!(api.get("/audit-logs?action=export&user_id=42").await.ok()["total"], 1);
        assert_eq!(api.get("/audit-logs?entity_id=weekly").await.ok()["total"], 1);
        api.stop().await;
    });
}
