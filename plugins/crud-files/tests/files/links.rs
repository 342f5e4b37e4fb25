//! Links for programs that send no token.

use crud_files::File;
use crud_runtime::access::Role;
use crud_runtime::axum::http::Method;
use crud_runtime::prelude::*;
use crud_runtime::testing::Test;
use crud_tests::{on_each_backend, on_each_sql_backend};
use serde_json::json;

use crate::shop::{PNG, Place, Shop, auth, bytes, on_shop};

/// A user of the service with a letter; its path.
async fn letter(ann: &Test) -> String {
    let made = ann.post("/letters", json!({})).await.expect(201).json();
    let path = format!("/letters/{}/scan", made["id"]);
    ann.request(Method::PUT, &path).body("image/png", PNG).await.expect(200);
    path
}

async fn ann(shop: &Shop) -> Test {
    shop.test.users().create_user("ann", "correct horse").await.expect("a user");
    shop.test.as_user("ann").await.expect("a user")
}

async fn link(user: &Test, path: &str) -> String {
    let made = user.post(format!("{path}/link"), json!({})).await.expect(200).json();
    made["url"].as_str().expect("a URL").to_owned()
}

#[test]
fn link_admits_to_the_file_for_five_minutes() {
    on_shop(async |shop| {
        let ann = ann(shop).await;
        let path = letter(&ann).await;
        let link = link(&ann, &path).await;
        shop.test.get(&path).await.problem("authentication_failed");
        assert_eq!(shop.test.get(&link).await.expect(200).bytes(), PNG);
        assert_eq!(shop.test.get(&link).header("range", "bytes=1-3").await.expect(206).bytes(), b"PNG");
        shop.test.clock().set(shop.test.app().now() + TimeDelta::seconds(301));
        shop.test.get(&link).await.problem("token_expired");
    });
}

#[test]
fn link_is_for_its_bytes_and_its_path_alone() {
    on_shop(async |shop| {
        let ann = ann(shop).await;
        let (path, other) = (letter(&ann).await, letter(&ann).await);
        let link = link(&ann, &path).await;
        let proof = link.split_once("?link=").expect("a proof").1;
        shop.test.get(format!("{other}?link={proof}")).await.problem("not_found");
        let (claim, signature) = proof.split_once('.').expect("a signature");
        for forged in
            [format!("{claim}.{}", "A".repeat(signature.len())), format!("{claim}."), claim.to_owned(), String::new()]
        {
            shop.test.get(format!("{path}?link={forged}")).await.problem("not_found");
        }
        shop.test.request(Method::PUT, &link).body("text/plain", "x").await.problem("authentication_failed");
        ann.request(Method::PUT, &path).body("text/plain", "other").await.expect(200);
        shop.test.get(&link).await.problem("not_found");
    });
}

#[test]
fn link_ends_with_the_users_rights() {
    on_shop(async |shop| {
        let ann = ann(shop).await;
        let path = letter(&ann).await;
        let link = link(&ann, &path).await;
        shop.test.users().disable("ann").await.expect("a change");
        shop.test.get(&link).await.problem("not_found");
        shop.test.users().enable("ann").await.expect("a change");
        assert_eq!(shop.test.get(&link).await.expect(200).bytes(), PNG);
        ann.delete(path.strip_suffix("/scan").expect("a letter")).await.expect(200);
        shop.test.get(&link).await.problem("not_found");
    });
}

#[test]
fn link_to_what_everyone_reads_needs_no_proof() {
    on_shop(async |shop| {
        let path = shop.photo().await;
        let made = shop.test.post(format!("{path}/link"), json!({})).await.expect(200).json();
        assert_eq!(made["url"], json!(path));
        assert_eq!(bytes(shop, &path).await, PNG);
    });
}

/// A sheet of paper, whose key is a name.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(role("reader"))))]
struct Sheet {
    id: String,
    #[crud(file(types("*/*")))]
    scan: Option<File>,
}

#[test]
fn link_to_a_record_with_any_key_is_a_url() {
    on_each_backend(async |database| {
        let place = Place::new();
        let service = database.service().await.auth(auth().build().expect("the authentication"));
        let service = service.plugin(place.files()).expect("one plugin").resource::<Sheet>();
        let test = service.test().await.expect("the service");
        let reader = test.as_role("reader");
        for (key, segment) in
            [("a b", "a%20b"), ("a/b?c#d", "a%2Fb%3Fc%23d"), ("50%41", "50%2541"), ("na\u{ef}ve", "na%C3%AFve")]
        {
            reader.post("/sheets", json!({ "id": key })).await.expect(201);
            let path = format!("/sheets/{segment}/scan");
            reader.request(Method::PUT, &path).body("image/png", PNG).await.expect(200);
            let link = link(&reader, &path).await;
            assert!(link.starts_with(&format!("{path}?link=")), "{link}");
            assert_eq!(test.get(&link).await.expect(200).bytes(), PNG);
            let begun =
                reader.post(format!("{path}/uploads"), json!({})).header("upload-length", "9").await.expect(201);
            let upload = begun.header("location").expect("a path").to_owned();
            assert_eq!(reader.get(upload).await.expect(200).header("upload-length"), Some("9"));
        }
    });
}

#[test]
fn link_has_the_roles_that_a_users_role_implies() {
    on_each_backend(async |database| {
        let place = Place::new();
        let service = database.service().await.auth(auth().build().expect("the authentication"));
        let service = service.access(|access| access.role(Role::new("librarian").implies("reader")));
        let service = service.plugin(place.files()).expect("one plugin").resource::<Sheet>();
        let test = service.test().await.expect("the service");
        test.users().create_user("ann", "correct horse").roles(["librarian"]).await.expect("a user");
        let ann = test.as_user("ann").await.expect("a user");
        ann.post("/sheets", json!({ "id": "1" })).await.expect(201);
        ann.request(Method::PUT, "/sheets/1/scan").body("image/png", PNG).await.expect(200);
        let link = link(&ann, "/sheets/1/scan").await;
        assert_eq!(test.get(&link).await.expect(200).bytes(), PNG);
    });
}

/// A membership in a club.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(role("owner"))))]
struct Member {
    id: i64,
    #[crud(tenant(members(user_id, role)))]
    club_id: i64,
    #[crud(unique, references(users))]
    user_id: i64,
    #[crud(length(max = 20))]
    role: String,
}

/// A statute of a club, which its members read.
#[derive(Debug, Clone, Resource)]
#[crud(access(all(role("member"))))]
struct Statute {
    id: i64,
    #[crud(tenant)]
    club_id: i64,
    #[crud(file(types("*/*")))]
    text: Option<File>,
}

#[test]
fn link_of_a_member_is_for_the_tenant_and_as_long_as_the_membership() {
    on_each_sql_backend(async |database| {
        let place = Place::new();
        let service = database.service().await.auth(auth().tenant_claim("club").build().expect("the authentication"));
        let service = service.plugin(place.files()).expect("one plugin").resource::<Member>().resource::<Statute>();
        let test = service.test().await.expect("the service");
        let ann = test.users().create_user("ann", "correct horse").await.expect("a user").id().expect("an id");
        let members = test.app().store::<Member>();
        for club in [1, 2] {
            let role = if club == 2 { "member" } else { "guest" };
            let new = NewMember { club_id: Some(club), user_id: ann, role: role.to_owned() };
            members.across_tenants().create(new).await.expect("a membership");
        }
        let login = json!({ "username": "ann", "password": "correct horse", "tenant": 2 });
        let token = test.post("/auth/login", login).await.expect(200).json()["access_token"].clone();
        let bearer = format!("Bearer {}", token.as_str().expect("a token"));
        let sent = |method: Method, path: &str| test.request(method, path).header("authorization", &bearer);
        let made = sent(Method::POST, "/statutes").json(json!({})).await.expect(201).json();
        let path = format!("/statutes/{}/text", made["id"]);
        sent(Method::PUT, &path).body("text/plain", "be kind").await.expect(200);
        let made = sent(Method::POST, &format!("{path}/link")).await.expect(200).json();
        let link = made["url"].as_str().expect("a URL");
        assert_eq!(test.get(link).await.expect(200).bytes(), b"be kind");
        database.execute("DELETE FROM members WHERE club_id = 2").await;
        let refused = async || test.get(link).await.status() == 404;
        crud_tests::wait_until("the membership is over for all", refused).await;
    });
}
