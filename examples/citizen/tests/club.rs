//! The club under `axum::serve`.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use citizen::{BoxError, add_member, application, open, serve};
use crud_tests::{Database, RawConnection, not_before, on_sqlite, start_lines, untyped, wait_until, within};
use reqwest::Method;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use sqlx::SqlitePool;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

const PASSWORD: &str = "correct horse";

/// The town's proxy, and a client that is not it.
const PROXY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 2));
const ELSEWHERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 3));

/// The club with its members: Ada, who is a librarian, Bob and Grace.
struct Program {
    address: SocketAddr,
    pool: SqlitePool,
    stop: oneshot::Sender<()>,
    server: JoinHandle<Result<(), BoxError>>,
}

impl Program {
    async fn start(database: &Database, grace: Duration) -> Self {
        let pool = open(database.url()).await.expect("the database");
        for (name, is_librarian) in [("ada", true), ("bob", false), ("grace", false)] {
            add_member(&pool, name, PASSWORD, is_librarian).await.expect("a member");
        }
        let application = application(pool.clone(), PROXY).await.expect("the application");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("the port's address");
        let (stop, stopped) = oneshot::channel::<()>();
        let server = tokio::spawn(serve(listener, application, async { drop(stopped.await) }, grace));
        Self { address, pool, stop, server }
    }

    /// A browser without a session, which shows a page of the club.
    fn browser(&self) -> Browser {
        let origin = format!("http://{}", self.address);
        let http = reqwest::Client::builder().no_proxy().build().expect("a client");
        Browser { http, page: origin.clone(), origin, cookie: None }
    }

    /// The browser of a member who has logged in.
    async fn log_in(&self, name: &str) -> Browser {
        let mut browser = self.browser();
        let answer = browser.post("/login", json!({ "name": name, "password": PASSWORD })).await.expect(204);
        let cookie = answer.headers["set-cookie"].to_str().expect("a cookie");
        browser.cookie = Some(cookie.split(';').next().expect("its value").to_owned());
        browser
    }

    /// The answer to a request without a body from an address of this machine.
    async fn send_from(&self, source: IpAddr, method: &str, path: &str, headers: &str) -> (u16, Value) {
        let mut connection = RawConnection::connect_from(source, self.address).await;
        connection.send(format!("{method} {path} HTTP/1.1\r\nHost: club.example\r\n{headers}\r\n")).await;
        let answer = connection.answer().await.expect("an answer");
        (answer.status, serde_json::from_slice(&answer.body).unwrap_or_default())
    }

    async fn stop(self) {
        drop(self.stop);
        self.server.await.expect("no panic").expect("a graceful stop");
    }
}

/// A browser, which sends its cookie for pages of other origins too.
#[derive(Clone)]
struct Browser {
    http: reqwest::Client,
    origin: String,
    page: String,
    cookie: Option<String>,
}

impl Browser {
    async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let mut request = self.http.request(method, format!("{}{path}", self.origin)).header("origin", &self.page);
        if let Some(cookie) = &self.cookie {
            request = request.header("cookie", cookie);
        }
        if let Some(body) = body {
            request = request.json(&body);
        }
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Answer { status, headers, text: response.text().await.expect("a body") }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body)).await
    }

    /// Creates a book.
    async fn book(&self, title: &str) -> Answer {
        self.post("/books", json!({ "title": title, "author": "George Eliot" })).await
    }

    /// The texts of the letters to the member.
    async fn letters(&self) -> Vec<String> {
        let letters = self.get("/letters").await.expect(200).json();
        let text = |letter: &Value| letter["text"].as_str().expect("a text").to_owned();
        letters.as_array().expect("a list").iter().map(text).collect()
    }
}

struct Answer {
    status: u16,
    headers: HeaderMap,
    text: String,
}

impl Answer {
    #[track_caller]
    fn expect(self, status: u16) -> Self {
        assert_eq!(self.status, status, "{}", self.text);
        self
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().expect("a text"))
    }

    /// Expects a problem document with this code.
    #[track_caller]
    fn problem(&self, code: &str) {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{}", self.text);
        assert_eq!(self.json()["code"], code, "{}", self.text);
    }

    /// Expects an error of the club's handlers.
    #[track_caller]
    fn refused(self, status: u16, error: &str) {
        assert_eq!(self.header("content-type"), Some("application/json"), "{}", self.text);
        assert_eq!((self.status, self.json()), (status, json!({ "error": error })));
    }
}

#[allow(clippy::needless_pass_by_value, reason = "a test reads better without a `&` before its closure")]
fn on_club(test: impl AsyncFn(&Program)) {
    on_sqlite(async |database| {
        let program = Program::start(database, Duration::from_secs(10)).await;
        test(&program).await;
        program.stop().await;
    });
}

#[test]
fn resources_take_the_members_of_the_session() {
    on_club(async |club| {
        let stranger = club.browser();
        let (ada, bob, grace) = (club.log_in("ada").await, club.log_in("bob").await, club.log_in("grace").await);
        stranger.book("Romola").await.expect(401).problem("authentication_failed");
        bob.book("Romola").await.expect(403).problem("permission_denied");
        let book = ada.book("Middlemarch").await.expect(201).json();
        stranger.get("/books").await.expect(200);
        let history = ada.get(&format!("/books/{}/history", book["id"])).await.expect(200).json();
        assert_eq!(history["data"][0]["actor"], "1", "the audit log names the member");

        let note = json!({ "book_id": book["id"], "text": "Read it twice." });
        stranger.post("/notes", note.clone()).await.expect(401).problem("authentication_failed");
        let note = bob.post("/notes", note).await.expect(201).json();
        assert_eq!(note["member_id"], 2);
        let path = format!("/notes/{}", note["id"]);
        bob.get(&path).await.expect(200);
        grace.get(&path).await.expect(404).problem("not_found");
        assert_eq!(grace.get("/notes").await.expect(200).json()["total"], 0);
    });
}

#[test]
fn session_ends_with_its_logout_and_its_member() {
    on_club(async |club| {
        let (bob, grace) = (club.log_in("bob").await, club.log_in("grace").await);
        for browser in [&bob, &grace] {
            browser.get("/notes").await.expect(200);
        }
        bob.send(Method::POST, "/logout", None).await.expect(204);
        sqlx::query("DELETE FROM members WHERE name = 'grace'").execute(&club.pool).await.expect("she leaves");
        for browser in [&bob, &grace, &Browser { cookie: Some("id=forged".to_owned()), ..club.browser() }] {
            browser.get("/notes").await.expect(401).problem("authentication_failed");
            browser.get("/profile").await.refused(401, "log in first");
        }
    });
}

#[test]
fn routes_of_the_club_stay_its_own() {
    on_club(async |club| {
        let ada = club.log_in("ada").await;
        ada.book("Middlemarch").await.expect(201);
        assert_eq!(ada.get("/").await.expect(200).text, "<h1>Reading club</h1><p>1 books</p>");
        assert_eq!(ada.get("/health").await.expect(200).text, "fine");
        assert_eq!(ada.get("/profile").await.expect(200).json(), json!({ "id": 1, "name": "ada" }));
        ada.get("/internal/ready").await.expect(200);
        let wrong = json!({ "name": "ada", "password": "wrong" });
        club.browser().post("/login", wrong).await.refused(401, "the name or the password is wrong");
        for path in ["/no/such/page", "/docs", "/openapi.json", "/auth/login", "/ready"] {
            let page = ada.get(path).await.expect(404);
            assert_eq!(page.text, "<h1>There is no such page</h1>", "{path}");
            assert_eq!(page.header("x-request-id"), None, "{path}");
        }
        ada.get("/books/9").await.expect(404).problem("not_found");
        ada.send(Method::DELETE, "/books", None).await.expect(405).problem("method_not_allowed");
    });
}

#[test]
fn answers_of_resources_are_private() {
    on_club(async |club| {
        for browser in [club.browser(), club.log_in("ada").await] {
            for path in ["/books", "/notes", "/books/9"] {
                assert_eq!(browser.get(path).await.header("cache-control"), Some("private"), "{path}");
            }
            assert_eq!(browser.get("/").await.header("cache-control"), None);
        }
    });
}

#[test]
fn route_on_a_resource_takes_the_clubs_state_and_answers_its_errors() {
    on_club(async |club| {
        let (ada, bob) = (club.log_in("ada").await, club.log_in("bob").await);
        let id = ada.book("Middlemarch").await.expect(201).json()["id"].clone();
        let path = format!("/books/{id}/recommend");
        let letter = bob.post(&path, json!({ "to": "grace" })).await.expect(202).json();
        assert_eq!(letter, json!({ "to": 3, "text": "Read “Middlemarch” by George Eliot!" }));
        bob.post(&path, json!({ "to": "eve" })).await.refused(404, "there is no member eve");
        bob.post("/books/9/recommend", json!({ "to": "grace" })).await.expect(404).problem("not_found");
        bob.post("/books/x/recommend", json!({ "to": "grace" })).await.expect(422).problem("validation_failed");
        bob.post(&path, json!({ "to": 7 })).await.expect(422).problem("validation_failed");
        bob.send(Method::POST, &path, None).await.expect(415).problem("unsupported_media_type");
        club.browser().post(&path, json!({ "to": 7 })).await.expect(401).problem("authentication_failed");
    });
}

#[test]
fn document_has_the_clubs_routes_and_the_resources() {
    on_club(async |club| {
        let document = club.browser().get("/api.json").await.expect(200).json();
        assert_eq!(document["info"]["title"], "Reading club");
        assert_eq!(untyped(&document), [""; 0]);
        let paths = document["paths"].as_object().expect("paths");
        for path in
            ["/login", "/letters", "/profile", "/books", "/notes/{id}", "/books/{id}/recommend", "/internal/ready"]
        {
            assert!(paths.contains_key(path), "{path}");
        }
        for path in ["/health", "/docs", "/openapi.json", "/auth/login"] {
            assert!(!paths.contains_key(path), "{path}");
        }
        let tags = document["tags"].as_array().expect("tags").iter().map(|tag| tag["name"].as_str().expect("a name"));
        assert_eq!(tags.collect::<Vec<_>>(), ["books", "notes", "Audit", "Service"]);
        let session = json!({ "type": "apiKey", "name": "id", "in": "cookie" });
        assert_eq!(document["components"]["securitySchemes"], json!({ "session": session }));
        assert_eq!(document["paths"]["/profile"]["get"]["operationId"], "profile");
        let recommend = &document["paths"]["/books/{id}/recommend"]["post"];
        assert_eq!(recommend["security"], json!([{ "session": [] }]));
        let schema = |of: &Value| of["content"]["application/json"]["schema"]["$ref"].clone();
        assert_eq!(schema(&recommend["requestBody"]), "#/components/schemas/Recommendation");
        assert_eq!(schema(&recommend["responses"]["202"]), "#/components/schemas/Letter");
        let missing = &recommend["responses"]["404"]["content"];
        assert_eq!(missing["application/json"]["schema"]["required"], json!(["error"]));
        assert!(missing["application/problem+json"].is_object());
        // Each reference leads to a component.
        let text = document.to_string();
        for reference in text.split(r##""$ref":"#"##).skip(1) {
            let pointer = reference.split('"').next().expect("a pointer");
            assert!(document.pointer(pointer).is_some(), "{pointer}");
        }
    });
}

#[test]
fn jobs_and_schedules_run_beside_the_server() {
    on_club(async |club| {
        let (ada, bob, grace) = (club.log_in("ada").await, club.log_in("bob").await, club.log_in("grace").await);
        let id = ada.book("Middlemarch").await.expect(201).json()["id"].clone();
        let recommend = async |from: &Browser, to: &str| {
            from.post(&format!("/books/{id}/recommend"), json!({ "to": to })).await.expect(202);
        };
        recommend(&bob, "grace").await;
        let text = "Read “Middlemarch” by George Eliot!";
        wait_until("the letter is there", async || grace.letters().await == [text]).await;
        // The last Monday that the club knows of was long ago.
        let set = "UPDATE crud_schedules SET last_run = '2020-01-01T00:00:00.000000Z'";
        wait_until("the schedule is known", async || {
            sqlx::query(set).execute(&club.pool).await.expect("an update").rows_affected() == 1
        })
        .await;
        // The worker looks at the schedules when it is woken.
        recommend(&bob, "ada").await;
        for browser in [&ada, &bob, &grace] {
            wait_until("the weekly letter is there", async || {
                browser.letters().await.iter().any(|text| text == "There are 1 books.")
            })
            .await;
        }
    });
}

#[test]
fn page_of_another_origin_cannot_use_a_session() {
    on_club(async |club| {
        let ada = club.log_in("ada").await;
        ada.book("Middlemarch").await.expect(201);
        let foreign = Browser { page: "https://evil.example".to_owned(), ..ada.clone() };
        foreign.book("Romola").await.expect(403).problem("permission_denied");
        foreign.send(Method::DELETE, "/books/1", None).await.expect(403).problem("permission_denied");
        foreign.post("/books/1/recommend", json!({ "to": "bob" })).await.expect(403).problem("permission_denied");
        foreign.get("/books/1").await.expect(200);
        let cookie = format!("Cookie: {}\r\n", ada.cookie.expect("a session"));
        let (status, _) = club.send_from(ELSEWHERE, "DELETE", "/books/1", &cookie).await;
        assert_eq!(status, 403, "a cookie without an origin");
        let own = format!("{cookie}Sec-Fetch-Site: same-origin\r\n");
        assert_eq!(club.send_from(ELSEWHERE, "DELETE", "/books/1", &own).await.0, 200);
    });
}

#[test]
fn header_of_the_proxy_counts_from_the_proxy_alone() {
    on_club(async |club| {
        let (ada, bob) = (club.log_in("ada").await, club.log_in("bob").await);
        ada.book("Middlemarch").await.expect(201);
        let delete = async |source: IpAddr, headers: &str| club.send_from(source, "DELETE", "/books/1", headers).await;
        for (source, headers) in [
            (ELSEWHERE, "X-Librarian: ann\r\n"),
            (ELSEWHERE, "X-Librarian: ann\r\nX-Forwarded-For: 127.0.0.2\r\nForwarded: for=127.0.0.2\r\n"),
            (ELSEWHERE, "Principal: 1\r\nX-Principal: 1\r\nX-User: 1\r\nAuthorization: Bearer 1\r\n"),
            (PROXY, ""),
            (PROXY, "X-Librarian: \r\n"),
            // The client's header, which a careless proxy passes on beside its own.
            (PROXY, "X-Librarian: eve\r\nX-Librarian: ann\r\n"),
        ] {
            let (status, problem) = delete(source, headers).await;
            assert_eq!((status, &problem["code"]), (401, &json!("authentication_failed")), "{source} {headers}");
        }
        // The session's principal wins over the other one: Bob is not a librarian.
        let both = format!(
            "X-Librarian: ann\r\nSec-Fetch-Site: same-origin\r\nCookie: {}\r\n",
            bob.cookie.expect("a session")
        );
        assert_eq!(delete(PROXY, &both).await.1["code"], "permission_denied");
        // The librarian of the town is no member.
        assert_eq!(club.send_from(PROXY, "GET", "/notes", "X-Librarian: 1\r\n").await.1["code"], "permission_denied");
        assert_eq!(delete(PROXY, "X-Librarian: ann\r\n").await.0, 200);
        let history = ada.get("/books/1/history").await.expect(200).json();
        assert_eq!(history["data"][1]["actor"], "town:ann");
    });
}

#[test]
fn stop_answers_requests_in_flight_and_waits_no_longer_than_its_grace() {
    on_sqlite(async |database| {
        let grace = Duration::from_secs(1);
        let club = Program::start(database, grace).await;
        let ada = club.log_in("ada").await;
        let silent = RawConnection::connect(club.address).await;
        // axum waits for the rest of a head that has begun.
        let mut endless = RawConnection::connect(club.address).await;
        endless.send("GET /books HT").await;
        let mut late = RawConnection::connect(club.address).await;
        let body = r#"{"title":"Romola","author":"George Eliot"}"#;
        let head = format!(
            "POST /books HTTP/1.1\r\nHost: x\r\nSec-Fetch-Site: same-origin\r\nCookie: {}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\nExpect: 100-continue\r\n\r\n",
            ada.cookie.expect("a session"),
            body.len()
        );
        late.send(head).await;
        assert_eq!(late.answer().await.expect("an answer").status, 100);
        let (pool, address) = (club.pool.clone(), club.address);
        let finish = async {
            wait_until("the port is closed", async || TcpStream::connect(address).await.is_err()).await;
            late.send(body).await;
            assert_eq!(late.answer().await.expect("an answer").status, 201);
        };
        let stop = within(grace, "the stop", not_before(grace, "the head does not end", club.stop()));
        tokio::join!(stop, finish);
        let books: (i64,) = sqlx::query_as("SELECT COUNT(*) FROM books").fetch_one(&pool).await.expect("a count");
        assert_eq!(books.0, 1);
        drop((silent, endless));
    });
}

#[test]
fn start_logs_the_tables_that_it_creates_and_the_address() {
    on_sqlite(async |database| {
        let creates =
            "INFO creates tables tables=\"books, notes, audit_logs, crud_jobs, crud_schedules, crud_counters\"";
        let listens = "INFO listening on http://ADDRESS";
        let program = env!("CARGO_BIN_EXE_citizen");
        assert_eq!(start_lines(program, &[], database).await, [creates, listens]);
        assert_eq!(start_lines(program, &[], database).await, [listens], "the tables are there");
    });
}
