//! Conditional requests and ranges.

use crud_runtime::axum::http::Method;

use crate::shop::{Shop, on_shop};

/// A product whose file is the digits; its path and its entity tag.
async fn digits(shop: &Shop) -> (String, String) {
    let path = format!("{}/photo", shop.product().await);
    shop.put(&path, b"0123456789".to_vec()).await.expect(200);
    let tag = shop.test.get(&path).await.expect(200).header("etag").expect("a tag").to_owned();
    (path, tag)
}

#[test]
fn file_that_the_client_has_is_not_sent_again() {
    on_shop(async |shop| {
        let (path, tag) = digits(shop).await;
        for tags in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}"), "*".to_owned()] {
            let answer = shop.test.get(&path).header("if-none-match", tags).await.expect(304);
            assert_eq!((answer.bytes(), answer.header("etag")), (&b""[..], Some(tag.as_str())));
        }
        shop.test.get(&path).header("if-none-match", "\"x\"").await.expect(200);
        shop.put(&path, b"other".to_vec()).await.expect(200);
        assert_eq!(shop.test.get(&path).header("if-none-match", &tag).await.expect(200).bytes(), b"other");
    });
}

#[test]
fn range_is_answered_with_its_bytes() {
    on_shop(async |shop| {
        let (path, tag) = digits(shop).await;
        for (range, content, bytes) in [
            ("bytes=0-3", "bytes 0-3/10", &b"0123"[..]),
            ("bytes=7-", "bytes 7-9/10", b"789"),
            ("bytes=-2", "bytes 8-9/10", b"89"),
            ("bytes=5-99", "bytes 5-9/10", b"56789"),
        ] {
            let answer = shop.test.get(&path).header("range", range).await.expect(206);
            assert_eq!((answer.header("content-range"), answer.bytes()), (Some(content), bytes), "{range}");
            assert_eq!(answer.header("content-length"), Some(bytes.len().to_string().as_str()));
        }
        let outside = shop.test.get(&path).header("range", "bytes=10-").await.expect(416);
        assert_eq!(outside.header("content-range"), Some("bytes */10"));
        for ignored in ["bytes=0-1,3-4", "items=0-1", "bytes=3-1"] {
            assert_eq!(
                shop.test.get(&path).header("range", ignored).await.expect(200).bytes(),
                b"0123456789",
                "{ignored}"
            );
        }
        let same = shop.test.get(&path).header("range", "bytes=0-3").header("if-range", &tag);
        assert_eq!(same.await.expect(206).bytes(), b"0123");
        let other = shop.test.get(&path).header("range", "bytes=0-3").header("if-range", "\"x\"");
        assert_eq!(other.await.expect(200).bytes(), b"0123456789");
    });
}

#[test]
fn head_has_the_headers_of_get() {
    on_shop(async |shop| {
        let (path, _) = digits(shop).await;
        let (get, head) = (shop.test.get(&path).await, shop.test.request(Method::HEAD, &path).await);
        assert_eq!(head.expect(200).bytes(), b"");
        let head = shop.test.request(Method::HEAD, &path).await;
        for name in ["content-length", "content-type", "etag", "accept-ranges", "cache-control"] {
            assert_eq!(get.header(name), head.header(name), "{name}");
        }
        assert_eq!(get.header("accept-ranges"), Some("bytes"));
    });
}

#[test]
fn file_is_sent_as_it_is_stored_though_the_client_takes_compressed_answers() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        shop.put(&path, vec![b'a'; 50_000]).await.expect(200);
        let answer = shop.test.get(&path).header("accept-encoding", "gzip").await.expect(200);
        assert_eq!((answer.header("content-encoding"), answer.bytes().len()), (None, 50_000));
        assert_eq!(answer.header("cache-control"), Some("public, no-cache, no-transform"));
    });
}
