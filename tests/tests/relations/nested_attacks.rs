//! Nested records: what a body would write that its sender could not write by itself.

use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Api, on_each_transactional_backend};
use serde_json::{Value, json};

use crate::caller::{Caller, SECRET, caller};

/// An album of a house.
#[derive(Debug, Clone, Resource)]
#[crud(
    pagination,
    access(all(authenticated)),
    has_many(photos(Photo::album_id, nested), remarks(Remark::album_id, nested), stamps(Stamp::album_id, nested))
)]
struct Album {
    id: i64,
    #[crud(tenant)]
    house_id: i64,
    title: String,
}

/// A photo of an album, of an owner.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
struct Photo {
    id: i64,
    #[crud(tenant)]
    house_id: i64,
    #[crud(references(Album))]
    album_id: i64,
    title: String,
    #[crud(owner(except(role("admin"))))]
    user_id: i64,
    #[crud(read_only)]
    views: Option<i32>,
    #[crud(immutable)]
    place: Option<String>,
    #[crud(visible(role("doctor")))]
    diagnosis: Option<String>,
}

/// A remark, which those of a desk see.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)), scope(role("clerk"), desk(claim("house"))))]
struct Remark {
    id: i64,
    #[crud(tenant)]
    house_id: i64,
    #[crud(references(Album))]
    album_id: i64,
    desk: Option<i64>,
}

/// A stamp: librarians make it, admins change it, and its requests only read it.
#[derive(Debug, Clone, Resource)]
#[crud(
    operations(list, get),
    access(read(authenticated), create(role("librarian")), update(role("admin")), delete(role("admin")))
)]
struct Stamp {
    id: i64,
    #[crud(tenant)]
    house_id: i64,
    #[crud(references(Album))]
    album_id: i64,
    #[crud(length(max = 10))]
    text: String,
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_albums(test: impl AsyncFn(&Api, &Caller<'_>, &Caller<'_>, &Caller<'_>)) {
    on_each_transactional_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("house").build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Album>().resource::<Photo>();
        let service = service.resource::<Remark>().resource::<Stamp>();
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let ada = caller(&api, "1", &["librarian"], 1);
        let (bob, cid) = (caller(&api, "2", &["librarian"], 2), caller(&api, "3", &[], 1));
        test(&api, &ada, &bob, &cid).await;
        api.stop().await;
    });
}

/// A trip, which a traveller with a seat reaches.
#[derive(Debug, Clone, Resource)]
#[crud(
    pagination,
    audit,
    access(all(authenticated)),
    has_many(seats(Seat::trip_id, nested), legs(Leg::trip_id, nested)),
    scope(role("traveller"), any(seats::user_id(me)))
)]
struct Trip {
    id: i64,
    title: String,
}

/// A seat of a user.
#[derive(Debug, Clone, Resource)]
#[crud(pagination, access(all(authenticated)), index(user_id, trip_id))]
struct Seat {
    id: i64,
    #[crud(references(Trip))]
    trip_id: i64,
    user_id: i64,
}

/// A leg of a trip.
#[derive(Debug, Clone, Resource)]
#[crud(pagination, access(all(authenticated)))]
struct Leg {
    id: i64,
    #[crud(references(Trip))]
    trip_id: i64,
    town: String,
}

#[test]
fn record_is_created_with_the_item_that_admits_its_sender_or_not_at_all() {
    on_each_transactional_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("house").build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Trip>().resource::<Seat>().resource::<Leg>();
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let (staff, ann) = (caller(&api, "1", &[], 1), caller(&api, "7", &["traveller"], 1));
        let trip = json!({ "title": "a", "legs": [{ "town": "Ulm" }], "seats": [{ "user_id": 8 }, { "user_id": 7 }] });
        let created = ann.create("/trips", trip).await;
        assert_eq!(column(&created["seats"], "user_id"), [json!(8), json!(7)]);
        ann.get(format!("/trips/{}", created["id"])).await.ok();
        for body in [
            json!({ "title": "b" }),
            json!({ "title": "b", "seats": [] }),
            json!({ "title": "b", "seats": [{ "user_id": 8 }] }),
            json!({ "title": "b", "legs": [{ "town": "Ulm" }] }),
        ] {
            ann.post("/trips", &body).await.problem("permission_denied");
        }
        // An item still refers to no other trip that its sender does not reach.
        let other = staff.create("/trips", json!({ "title": "other" })).await;
        let seat = json!({ "trip_id": other["id"], "user_id": 7 });
        ann.post("/seats", &seat).await.problem("reference_not_found");
        let stolen = json!({ "title": "c", "seats": [seat] });
        ann.post("/trips", &stolen).await.problem("validation_failed");
        ann.patch(format!("/trips/{}", other["id"]), &json!({ "seats": [{ "user_id": 7 }] }))
            .await
            .problem("not_found");
        let totals = async |path: &str| staff.get(path).await.ok()["total"].clone();
        assert_eq!(
            (totals("/trips").await, totals("/seats").await, totals("/legs").await),
            (json!(2), json!(2), json!(1))
        );
        api.stop().await;
    });
}

/// The path and the photo's key of an album with one photo.
async fn album(caller: &Caller<'_>, title: &str) -> (String, Value) {
    let created = caller.create("/albums", json!({ "title": title, "photos": [{ "title": title }] })).await;
    (format!("/albums/{}", created["id"]), created["photos"]["data"][0]["id"].clone())
}

/// The pointer and the sentence of the only error.
async fn refused(caller: &Caller<'_>, path: &str, body: Value) -> (String, String) {
    let problem = caller.patch(path, &body).await.problem("validation_failed");
    (problem.only().at.clone(), problem.only().detail.clone())
}

#[test]
fn item_with_the_key_of_another_record_is_refused_as_one_that_is_not_there() {
    on_albums(async |_, ada, bob, cid| {
        let (own, _) = album(ada, "own").await;
        let (_, other) = album(ada, "other").await;
        let (_, of_tenant) = album(bob, "of bob").await;
        let (_, of_owner) = album(cid, "of cid").await;
        let change = |id: &Value| json!({ "photos": [{ "id": id, "title": "stolen" }] });
        let delete = |id: &Value| json!({ "photos": [{ "id": id, "_delete": true }] });
        let missing = refused(ada, &own, change(&json!(9_999))).await;
        assert_eq!(missing.0, "pointer /photos/0/id");
        for id in [&other, &of_tenant, &of_owner] {
            assert_eq!(refused(ada, &own, change(id)).await, missing, "{id}");
            assert_eq!(refused(ada, &own, delete(id)).await, missing, "{id}");
        }
        // The photo of another owner, in a visible record.
        let added = cid.patch(&own, &json!({ "photos": [{ "title": "by cid" }] })).await.ok();
        let id = &added["photos"]["data"][0]["id"];
        assert_eq!(column(&added["photos"], "title"), ["by cid"], "the answer has what the sender sees");
        assert_eq!(refused(ada, &own, change(id)).await, missing);
        assert_eq!(refused(ada, &own, delete(id)).await, missing);
        bob.patch(&own, &json!({ "photos": [{ "title": "a" }] })).await.problem("not_found");
        let titles = column(&ada.get("/photos").await.ok(), "title");
        assert_eq!(titles, ["own", "other"]);
    });
}

#[test]
fn item_refers_to_the_record_around_it() {
    on_albums(async |_, ada, bob, _| {
        let (own, photo) = album(ada, "own").await;
        let (other, _) = album(ada, "other").await;
        let (foreign, _) = album(bob, "of bob").await;
        let key = |path: &str| path.rsplit('/').next().and_then(|id| id.parse::<i64>().ok()).expect("a key");
        let elsewhere = [key(&other), key(&foreign), 9_999];
        for album in elsewhere {
            let body = json!({ "title": "new", "photos": [{ "title": "a", "album_id": album }] });
            let problem = ada.post("/albums", &body).await.problem("validation_failed");
            assert_eq!(problem.pointers(), ["/photos/0/album_id"]);
            for item in [
                json!({ "title": "a", "album_id": album }),
                json!({ "id": photo, "album_id": album }),
                json!({ "id": photo, "album_id": album, "_delete": true }),
            ] {
                let (at, _) = refused(ada, &own, json!({ "photos": [item] })).await;
                assert_eq!(at, "pointer /photos/0/album_id", "{album}");
            }
        }
        let repeated = json!({ "photos": [{ "id": photo, "album_id": key(&own), "title": "same" }] });
        ada.patch(&own, &repeated).await.ok();
        assert_eq!(ada.get("/albums").await.ok()["total"], 2);
        assert_eq!(column(&ada.get("/photos").await.ok(), "title"), ["same", "other"]);
    });
}

#[test]
fn item_has_the_tenant_the_owner_and_the_scope_of_its_sender() {
    on_albums(async |api, ada, _, _| {
        let (own, photo) = album(ada, "own").await;
        let stored = ada.get(format!("/photos/{photo}")).await.ok();
        assert_eq!((&stored["house_id"], &stored["user_id"]), (&json!(1), &json!(1)));
        for (field, value) in [("house_id", 2), ("user_id", 3)] {
            let (at, _) = refused(ada, &own, json!({ "photos": [{ "title": "a", field: value }] })).await;
            assert_eq!(at, format!("pointer /photos/0/{field}"));
            let (at, _) = refused(ada, &own, json!({ "photos": [{ "id": photo, field: value }] })).await;
            assert_eq!(at, format!("pointer /photos/0/{field}"));
        }
        let clerk = caller(api, "7", &["clerk"], 1);
        let added = clerk.patch(&own, &json!({ "remarks": [{}] })).await.ok();
        assert_eq!(added["remarks"]["data"][0]["desk"], 1);
        let remark = &added["remarks"]["data"][0]["id"];
        let (at, _) = refused(&clerk, &own, json!({ "remarks": [{ "desk": 5 }] })).await;
        assert_eq!(at, "pointer /remarks/0/desk");
        let elsewhere = ada.patch(&own, &json!({ "remarks": [{ "desk": 5 }] })).await.ok();
        let other = elsewhere["remarks"]["data"][1]["id"].clone();
        let missing = refused(&clerk, &own, json!({ "remarks": [{ "id": 9_999, "desk": 1 }] })).await;
        assert_eq!(refused(&clerk, &own, json!({ "remarks": [{ "id": other, "desk": 1 }] })).await, missing);
        clerk.patch(&own, &json!({ "remarks": [{ "id": remark, "_delete": true }] })).await.ok();
    });
}

/// A docket of a clerk, with its memos.
#[derive(Debug, Clone, Resource)]
#[crud(pagination, access(all(authenticated)), has_many(memos(Memo::docket_id, nested)))]
struct Docket {
    id: i64,
    title: String,
    clerk_id: i64,
}

/// A memo, which a clerk reaches where its docket is the clerk's.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)), scope(role("clerk"), docket::clerk_id(me)))]
struct Memo {
    id: i64,
    #[crud(references(Docket))]
    docket_id: i64,
    text: String,
}

#[test]
fn item_that_the_record_around_it_leads_elsewhere_is_not_written() {
    on_each_transactional_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Docket>().resource::<Memo>();
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let (staff, clerk) = (caller(&api, "1", &[], 1), caller(&api, "7", &["clerk"], 1));
        let docket = |of: i64, text: &str| json!({ "title": "a", "clerk_id": of, "memos": [{ "text": text }] });
        let (own, other) =
            (clerk.create("/dockets", docket(7, "own")).await, staff.create("/dockets", docket(8, "of 8")).await);
        assert_eq!(column(&own["memos"], "text"), ["own"]);
        let elsewhere = clerk.post("/dockets", &docket(8, "x")).await.problem("validation_failed");
        let error = elsewhere.only();
        assert_eq!((error.at.as_str(), error.code.as_str()), ("pointer /memos/0/docket_id", "scope"));
        let (memo, hidden) = (&own["memos"]["data"][0]["id"], &other["memos"]["data"][0]["id"]);
        let (own, other) = (format!("/dockets/{}", own["id"]), format!("/dockets/{}", other["id"]));
        let missing = refused(&clerk, &other, json!({ "memos": [{ "id": 9_999, "text": "x" }] })).await;
        for item in [json!({ "id": hidden, "text": "x" }), json!({ "id": hidden, "_delete": true })] {
            assert_eq!(refused(&clerk, &other, json!({ "memos": [item] })).await, missing);
        }
        let (at, _) = refused(&clerk, &other, json!({ "memos": [{ "text": "x" }] })).await;
        assert_eq!(at, "pointer /memos/0/docket_id");
        // The docket is changed first, and all of it is undone.
        let give = |item: Value| json!({ "clerk_id": 8, "memos": [item] });
        assert_eq!(refused(&clerk, &own, give(json!({ "id": memo, "text": "x" }))).await, missing);
        let (at, _) = refused(&clerk, &own, give(json!({ "text": "x" }))).await;
        assert_eq!(at, "pointer /memos/0/docket_id");
        let changes = json!({ "memos": [{ "id": memo, "text": "changed" }, { "text": "second" }] });
        clerk.patch(&own, &changes).await.ok();
        assert_eq!(column(&staff.get("/dockets").await.ok(), "clerk_id"), [7, 8]);
        assert_eq!(column(&staff.get("/memos").await.ok(), "text"), ["changed", "of 8", "second"]);
        api.stop().await;
    });
}

#[test]
fn fields_of_an_item_are_those_that_its_own_requests_may_set() {
    on_albums(async |_, ada, _, _| {
        let body = json!({ "title": "own", "photos": [{ "title": "a", "views": 9, "place": "Rome" }] });
        let created = ada.create("/albums", body).await;
        let path = format!("/albums/{}", created["id"]);
        let photo = &created["photos"]["data"][0];
        assert_eq!((&photo["views"], &photo["place"]), (&Value::Null, &json!("Rome")));
        let (at, _) = refused(ada, &path, json!({ "photos": [{ "id": photo["id"], "place": "Oslo" }] })).await;
        assert_eq!(at, "pointer /photos/0/place");
        let hidden = refused(ada, &path, json!({ "photos": [{ "title": "b", "diagnosis": "x" }] })).await;
        let typo = refused(ada, &path, json!({ "photos": [{ "title": "b", "zzzzzzzzz": "x" }] })).await;
        assert_eq!(hidden.1, typo.1);
    });
}

#[test]
fn access_to_items_is_that_of_their_resource() {
    on_albums(async |api, ada, _, cid| {
        let (own, _) = album(ada, "own").await;
        let new = json!({ "stamps": [{ "text": "seen" }] });
        cid.patch(&own, &new).await.problem("permission_denied");
        let body = json!({ "title": "b", "stamps": [{ "text": "seen" }] });
        cid.post("/albums", &body).await.problem("permission_denied");
        // A nested body can do what the resource's own requests cannot, where attribute and access allow it.
        let made = ada.patch(&own, &new).await.ok();
        let id = &made["stamps"]["data"][0]["id"];
        let change = json!({ "stamps": [{ "id": id, "text": "void" }] });
        let delete = json!({ "stamps": [{ "id": id, "_delete": true }] });
        for body in [&change, &delete] {
            ada.patch(&own, body).await.problem("permission_denied");
        }
        let admin = caller(api, "9", &["admin"], 1);
        admin.patch(&own, &change).await.ok();
        assert_eq!(column(&ada.get("/stamps").await.ok(), "text"), ["void"]);
        admin.patch(&own, &delete).await.ok();
        assert_eq!(ada.get("/stamps").await.ok(), json!([]));
        api.patch(&own, &new).await.problem("authentication_failed");
        assert_eq!(ada.get("/albums").await.ok()["total"], 1);
    });
}
