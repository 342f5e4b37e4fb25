//! The first line of a start that cannot open its database: what is wrong, where, and what would be right.

use crud_runtime::Service;
use crud_tests::{Database, on_each_sql_server};
use futures_util::future::join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// The text with which a program ends that connects to this URL.
async fn error(url: &str) -> String {
    let error = format!("{:?}", Service::connect(url).await.expect_err("the database cannot be opened"));
    assert!(!error.contains("secret"), "{error}");
    assert!(!error.contains("at line") && !error.contains("pool timed out"), "{error}");
    error
}

/// The URL of a database with this user, and at this place.
fn url(database: &Database, user: Option<&str>, place: Option<&str>, name: Option<&str>) -> String {
    let (scheme, rest) = database.url().split_once("://").expect("a scheme");
    let (own_user, rest) = rest.split_once('@').expect("a user");
    let (own_place, rest) = rest.split_once('/').expect("a database");
    let (own_name, parameters) =
        rest.split_once('?').map_or((rest, String::new()), |(name, rest)| (name, format!("?{rest}")));
    let (user, place, name) = (user.unwrap_or(own_user), place.unwrap_or(own_place), name.unwrap_or(own_name));
    format!("{scheme}://{user}@{place}/{name}{parameters}")
}

#[tokio::test]
async fn place_where_no_database_is_and_what_to_mend_are_named() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let http = listener.local_addr().expect("its address").to_string();
    // An HTTP server refuses bytes that are not a request, and waits for one.
    let server = tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                if stream.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {
                    let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n").await;
                }
            });
        }
    });
    let checks = [("postgres", "PostgreSQL"), ("mysql", "MySQL or MariaDB")].map(|(scheme, title)| {
        let http = http.clone();
        async move {
            let of = |rest: &str| format!("{scheme}://{rest}");
            let (refused, foreign, unknown, doubtful, unreadable) = tokio::join!(
                async { error(&of("me:secret@127.0.0.1:1/shop")).await },
                async { error(&of(&format!("me:secret@{http}/shop"))).await },
                async { error(&of("me:secret@no-such-host.invalid/shop")).await },
                async { error(&of("no-such-host.invalid:12/secret@127.0.0.1/shop")).await },
                async { error(&of("me:a#secret@127.0.0.1/shop")).await },
            );
            let expected = format!("nothing listens at `127.0.0.1:1`: start {title}, or mend the host and the port");
            assert!(refused.contains(&expected), "{refused}");
            let expected = format!("what listens at `{http}` does not answer as {title} does: mend the port");
            assert!(foreign.contains(&expected), "{foreign}");
            assert!(unknown.contains("the host `no-such-host.invalid` is unknown: mend the URL"), "{unknown}");
            let expected = "the host of the database's URL is unknown, and an `@` comes after it: in a user name or a password, `@`";
            assert!(doubtful.contains(expected), "{doubtful}");
            assert!(unreadable.contains("the URL of the database cannot be read: invalid port number"), "{unreadable}");
            for error in [unknown, doubtful, unreadable] {
                assert!(error.contains("are written `%40`, `%3A`, `%2F`"), "{error}");
            }
        }
    });
    join_all(checks).await;
    server.abort();
}

#[test]
fn none_of_several_servers_is_a_primary_for_a_reason_each() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let error = runtime
        .block_on(error("postgres://me:secret@127.0.0.1:1,no-such-host.invalid/shop?target_session_attrs=primary"));
    assert!(error.contains("nothing listens at `127.0.0.1:1`"), "{error}");
    assert!(error.contains("the host `no-such-host.invalid` is unknown"), "{error}");
}

#[test]
fn database_that_does_not_exist_is_named_with_its_statement() {
    on_each_sql_server(async |database| {
        let error = error(&url(database, None, None, Some("no_such_shop"))).await;
        assert!(error.contains("has no database `no_such_shop`: `CREATE DATABASE no_such_shop` creates it"), "{error}");
    });
}

#[test]
fn user_whom_the_server_refuses_is_named() {
    on_each_sql_server(async |database| {
        let error = error(&url(database, Some("no_such_user:secret"), None, None)).await;
        assert!(error.contains("refuses the user `no_such_user`"), "{error}");
        assert!(error.contains("mend the user or the password in the URL"), "{error}");
    });
}
