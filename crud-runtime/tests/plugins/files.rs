use crud_runtime::routing::{Routes, StaticFiles};

use super::{Book, By, service};

fn board() -> By {
    By {
        routes: |_| {
            let script = "console.log('board');\n".repeat(50);
            let files = StaticFiles::new()
                .index("text/html; charset=utf-8", "<!doctype html><title>Board</title>")
                .file("app.js", script)
                .content_security_policy("default-src 'none'; script-src 'self'");
            Ok(Routes::new().files("/board", files))
        },
        ..By::named("board")
    }
}

#[tokio::test]
async fn files_are_public_and_not_in_the_document() {
    let test = service().await.plugin(board()).unwrap().resource::<Book>().test().await.unwrap();
    let page = test.get("/board").await.expect(200);
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("content-security-policy"), Some("default-src 'none'; script-src 'self'"));
    let document = test.get("/openapi.json").await.expect(200).json();
    assert!(document["paths"]["/board"].is_null());
    test.get("/board/other.js").await.problem("route_not_found");
}

#[tokio::test]
async fn known_file_is_304_and_gzip_is_stored() {
    let test = service().await.plugin(board()).unwrap().resource::<Book>().test().await.unwrap();
    let gzip = test.get("/board/app.js").header("accept-encoding", "gzip").await.expect(200);
    assert_eq!(gzip.header("content-encoding"), Some("gzip"));
    assert!(gzip.bytes().len() < 200);
    let tag = gzip.header("etag").expect("an entity tag").to_owned();
    let known = test.get("/board/app.js").header("accept-encoding", "gzip").header("if-none-match", tag).await;
    assert_eq!((known.status(), known.bytes().len()), (304, 0));
    let plain = test.get("/board/app.js").await.expect(200);
    assert_eq!((plain.header("content-encoding"), plain.bytes().len()), (None, 22 * 50));
}
