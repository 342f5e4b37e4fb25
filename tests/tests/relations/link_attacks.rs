//! Links: what they would tell and change of records, links and resources that the caller does not reach.

use crud_runtime::auth::Auth;
use crud_runtime::prelude::*;
use crud_tests::fixtures::column;
use crud_tests::{Api, on_each_transactional_backend, query};
use serde_json::{Value, json};

use crate::caller::{Caller, SECRET, caller};

/// A ticket of a house.
#[derive(Debug, Clone, Resource)]
#[crud(
    filter(title),
    pagination,
    audit,
    access(all(authenticated), history(authenticated)),
    many_to_many(labels(TicketLabel), notes(TicketNote), seals(TicketSeal), quotes(TicketQuote))
)]
struct Ticket {
    id: i64,
    #[crud(tenant)]
    house_id: i64,
    title: String,
}

/// A label of a house.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name), access(all(authenticated)))]
struct Label {
    id: i64,
    #[crud(tenant)]
    house_id: i64,
    name: String,
}

/// A label of a ticket: librarians alone remove one.
#[derive(Debug, Clone, Resource)]
#[crud(access(read(authenticated), create(authenticated), delete(any(role("librarian"), role("admin")))))]
#[allow(clippy::struct_field_names, reason = "a junction has keys alone")]
struct TicketLabel {
    #[crud(id, references(Ticket, on_delete(cascade)))]
    ticket_id: i64,
    #[crud(id, references(Label, on_delete(cascade)))]
    label_id: i64,
    #[crud(tenant)]
    house_id: i64,
}

/// A note, which its owner sees.
#[derive(Debug, Clone, Resource)]
#[crud(filter(text), access(all(authenticated)))]
struct Note {
    id: i64,
    #[crud(tenant)]
    house_id: i64,
    text: String,
    #[crud(owner(except(role("admin"))))]
    user_id: i64,
}

/// A note of a ticket.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
#[allow(clippy::struct_field_names, reason = "a junction has keys alone")]
struct TicketNote {
    #[crud(id, references(Ticket, on_delete(cascade)))]
    ticket_id: i64,
    #[crud(id, references(Note, on_delete(cascade)))]
    note_id: i64,
    #[crud(tenant)]
    house_id: i64,
}

/// A seal, which admins alone list.
#[derive(Debug, Clone, Resource)]
#[crud(filter(name), access(list(role("admin")), get(authenticated), create(authenticated)))]
struct Seal {
    id: i64,
    name: String,
}

/// A seal of a ticket.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
#[allow(clippy::struct_field_names, reason = "a junction has keys alone")]
struct TicketSeal {
    #[crud(id, references(Ticket, on_delete(cascade)))]
    ticket_id: i64,
    #[crud(id, references(Seal))]
    seal_id: i64,
    #[crud(tenant)]
    house_id: i64,
}

/// A quote of a note, of which a reader sees those of the reader's notes.
#[derive(Debug, Clone, Resource)]
#[crud(filter(text), access(all(authenticated)), scope(role("reader"), note::user_id(me)))]
struct Quote {
    id: i64,
    #[crud(tenant)]
    house_id: i64,
    #[crud(references(Note))]
    note_id: i64,
    text: String,
}

/// A quote of a ticket.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(authenticated)))]
#[allow(clippy::struct_field_names, reason = "a junction has keys alone")]
struct TicketQuote {
    #[crud(id, references(Ticket, on_delete(cascade)))]
    ticket_id: i64,
    #[crud(id, references(Quote))]
    quote_id: i64,
    #[crud(tenant)]
    house_id: i64,
}

/// The tickets 1 of Ada's house and 2 of Bob's, each with a label of its house, and a note of Ada's and one of Cid's, who is of
/// Ada's house too.
#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_tickets(test: impl AsyncFn(&Api, &Caller<'_>, &Caller<'_>, &Caller<'_>)) {
    on_each_transactional_backend(async |database| {
        let auth = Auth::builder().secret(SECRET).tenant_claim("house").build().expect("the authentication");
        let service = database.service().await.auth(auth).resource::<Ticket>().resource::<Label>();
        let service = service.resource::<TicketLabel>().resource::<Note>().resource::<TicketNote>();
        let service = service.resource::<Seal>().resource::<TicketSeal>();
        let service = service.resource::<Quote>().resource::<TicketQuote>();
        let mut api = Api::start(database, service.migrate().await.expect("the tables")).await;
        api.check_against_document().await;
        let ada = caller(&api, "1", &["librarian"], 1);
        let (bob, cid) = (caller(&api, "2", &["librarian"], 2), caller(&api, "3", &[], 1));
        for (caller, title) in [(&ada, "of ada"), (&bob, "of bob")] {
            caller.create("/tickets", json!({ "title": title })).await;
            caller.create("/labels", json!({ "name": title })).await;
        }
        ada.create("/notes", json!({ "text": "ada's" })).await;
        cid.create("/notes", json!({ "text": "cid's" })).await;
        ada.create("/seals", json!({ "name": "wax" })).await;
        test(&api, &ada, &bob, &cid).await;
        api.stop().await;
    });
}

fn ids(ids: impl Into<Value>) -> Value {
    json!({ "ids": ids.into() })
}

#[test]
fn record_and_label_of_another_tenant_are_as_none() {
    on_tickets(async |_, ada, bob, _| {
        for answer in [
            bob.get("/tickets/1/labels").await,
            bob.put("/tickets/1/labels", &ids([2])).await,
            bob.post("/tickets/1/labels", &ids([2])).await,
            bob.delete("/tickets/1/labels/1").await,
        ] {
            let missing = bob.get("/tickets/99/labels").await.problem("not_found");
            assert_eq!(answer.problem("not_found").detail.replace("id 1", "id 99"), missing.detail);
        }
        let other = ada.put("/tickets/1/labels", &ids([1, 2])).await.problem("reference_not_found");
        let missing = ada.put("/tickets/1/labels", &ids([1, 99])).await.problem("reference_not_found");
        assert_eq!((other.pointers(), &other.detail), (missing.pointers(), &missing.detail));
        assert_eq!(column(&ada.get("/tickets/1/labels").await.ok(), "id"), [0; 0]);
        assert_eq!(column(&ada.put("/tickets/1/labels", &ids([1])).await.ok(), "name"), ["of ada"]);
    });
}

#[test]
fn link_to_a_record_that_the_caller_does_not_see_stays() {
    on_tickets(async |api, ada, _, cid| {
        let admin = caller(api, "9", &["admin"], 1);
        assert_eq!(column(&ada.put("/tickets/1/notes", &ids([1])).await.ok(), "id"), [1]);
        let before = cid.get("/tickets/1/notes").await;
        assert_eq!(column(before.json(), "id"), [0; 0]);
        let set = cid.put("/tickets/1/notes", &ids([2])).await.ok();
        assert_eq!(column(&set, "id"), [2], "and what is not seen is in no answer");
        assert_eq!(column(&admin.get("/tickets/1/notes").await.ok(), "id"), [1, 2]);
        assert_eq!(column(&cid.put("/tickets/1/notes", &ids(json!([]))).await.ok(), "id"), [0; 0]);
        assert_eq!(column(&admin.get("/tickets/1/notes").await.ok(), "id"), [1]);
        // A guess is answered as a wrong one.
        let (guess, wrong) = (cid.delete("/tickets/1/notes/1").await, cid.delete("/tickets/1/notes/98").await);
        let (guess, wrong) = (guess.problem("not_found"), wrong.problem("not_found"));
        assert_eq!(guess.detail.replace("id 1 ", "id 98 "), wrong.detail);
        let (guess, wrong) =
            (cid.post("/tickets/1/notes", &ids([1])).await, cid.post("/tickets/1/notes", &ids([98])).await);
        assert_eq!(guess.problem("reference_not_found"), wrong.problem("reference_not_found"));
        // The version of the set is that of what the caller sees.
        cid.put("/tickets/1/notes", &ids([2])).await.ok();
        let tag = cid.get("/tickets/1/notes").await.etag();
        admin.delete("/tickets/1/notes/1").await.ok();
        assert_eq!(cid.get("/tickets/1/notes").await.etag(), tag);
    });
}

#[test]
fn link_to_a_record_that_a_policy_across_references_hides_stays() {
    on_tickets(async |api, _, _, _| {
        let (admin, reader) = (caller(api, "9", &["admin"], 1), caller(api, "3", &["reader"], 1));
        for (note, text) in [(1, "of ada's"), (2, "of cid's")] {
            admin.create("/quotes", json!({ "note_id": note, "text": text })).await;
        }
        assert_eq!(column(&admin.put("/tickets/1/quotes", &ids([1, 2])).await.ok(), "id"), [1, 2]);
        assert_eq!(column(&reader.get("/tickets/1/quotes").await.ok(), "text"), ["of cid's"]);
        let (guess, wrong) = (reader.delete("/tickets/1/quotes/1").await, reader.delete("/tickets/1/quotes/98").await);
        let (guess, wrong) = (guess.problem("not_found"), wrong.problem("not_found"));
        assert_eq!(guess.detail.replace("id 1 ", "id 98 "), wrong.detail);
        let set = async |id: i64| reader.put("/tickets/1/quotes", &ids([id])).await.problem("reference_not_found");
        assert_eq!(set(1).await, set(98).await);
        let add = async |id: i64| reader.post("/tickets/1/quotes", &ids([id])).await.problem("reference_not_found");
        assert_eq!(add(1).await, add(98).await);
        assert_eq!(column(&reader.put("/tickets/1/quotes", &ids(json!([]))).await.ok(), "id"), [0; 0]);
        assert_eq!(column(&admin.get("/tickets/1/quotes").await.ok(), "id"), [1], "what is not seen stays");
        let condition = json!({ "quotes": { "text__startswith": "of" } }).to_string();
        let titles = async |by: &Caller<'_>| {
            column(&by.get(query("/tickets", [("where", condition.as_str())])).await.ok(), "title")
        };
        assert_eq!(titles(&admin).await, ["of ada"]);
        assert_eq!(titles(&reader).await, [""; 0]);
        if api.backend().speaks_sql() {
            let shown = reader.get("/tickets/1?expand=quotes").await.ok();
            assert_eq!(shown["quotes"], json!({ "data": [], "limit": 20, "more": false }));
        }
        // The log of the ticket names the keys of all links.
        assert_eq!(column(&admin.get("/tickets/1/history").await.ok(), "action"), ["create", "link", "unlink"]);
        assert_eq!(column(&reader.get("/tickets/1/history").await.ok(), "action"), ["create"]);
    });
}

#[test]
fn condition_and_expand_tell_nothing_of_what_is_not_seen() {
    on_tickets(async |api, ada, _, cid| {
        ada.put("/tickets/1/notes", &ids([1])).await.ok();
        ada.put("/tickets/1/labels", &ids([1])).await.ok();
        let titles = async |caller: &Caller<'_>, text: &str| {
            let condition = json!({ "notes": { "text": text } }).to_string();
            column(&caller.get(query("/tickets", [("where", condition)])).await.ok(), "title")
        };
        assert_eq!(titles(ada, "ada's").await, ["of ada"]);
        assert_eq!(titles(cid, "ada's").await, [""; 0]);
        if api.backend().speaks_sql() {
            let seen = async |caller: &Caller<'_>| caller.get("/tickets/1?expand=notes,labels").await.ok();
            assert_eq!(column(&seen(ada).await["notes"], "id"), [1]);
            assert_eq!(seen(cid).await["notes"], json!({ "data": [], "limit": 20, "more": false }));
            assert_eq!(column(&seen(cid).await["labels"], "id"), [1]);
            // Records that the caller may not list are not in the list.
            let sealed = ada.get("/tickets/1?expand=seals").await.ok();
            assert_eq!(sealed["seals"]["data"], json!([]), "{sealed}");
        }
        let typo = ada.get("/tickets?expand=zeals").await.problem("validation_failed");
        assert_eq!(typo.only().code, "unknown_field");
        ada.get("/tickets/1/seals").await.problem("permission_denied");
        ada.post("/tickets/1/seals", &ids([1])).await.problem("permission_denied");
        let admin = caller(api, "9", &["admin"], 1);
        assert_eq!(column(&admin.put("/tickets/1/seals", &ids([1])).await.ok(), "name"), ["wax"]);
    });
}

#[test]
fn access_is_that_of_the_junction() {
    on_tickets(async |api, ada, _, cid| {
        assert_eq!(column(&cid.post("/tickets/1/labels", &ids([1])).await.ok(), "id"), [1]);
        cid.delete("/tickets/1/labels/1").await.problem("permission_denied");
        cid.put("/tickets/1/labels", &ids(json!([]))).await.problem("permission_denied");
        cid.put("/tickets/1/labels", &ids([1])).await.problem("permission_denied");
        assert_eq!(column(&ada.get("/tickets/1/labels").await.ok(), "id"), [1]);
        assert_eq!(column(&ada.delete("/tickets/1/labels/1").await.ok(), "id"), [0; 0]);
        api.get("/tickets/1/labels").await.problem("authentication_failed");
        for method in [reqwest::Method::PUT, reqwest::Method::POST] {
            let anonymous = api.request(method, "/tickets/1/labels").json(&ids([1])).await;
            anonymous.problem("authentication_failed");
        }
    });
}

#[test]
fn log_tells_a_reader_of_links_where_it_sees_all_of_them() {
    on_tickets(async |api, ada, _, cid| {
        ada.put("/tickets/1/notes", &ids([1])).await.ok();
        let actions = async |caller: &Caller<'_>| column(&caller.get("/tickets/1/history").await.ok(), "action");
        let admin = caller(api, "9", &["admin"], 1);
        assert_eq!(actions(&admin).await, ["create", "link"]);
        assert_eq!(actions(cid).await, ["create"]);
    });
}
