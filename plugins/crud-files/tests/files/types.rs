//! Types of files: by their bytes, within those of the field; and what browsers may do with them.

use serde_json::json;

use crate::shop::{PNG, on_shop};

#[test]
fn type_is_that_of_the_bytes_whatever_the_sender_says() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        let zip = b"PK\x03\x04\x14\0\0\0\x08\0".to_vec();
        let refused = shop.put(&path, zip).header("content-type", "image/png").await;
        refused.problem("unsupported_media_type");
        assert!(refused.text().contains("application/zip"), "{}", refused.text());
        let record = shop.put(&path, PNG).header("content-type", "application/pdf").await.expect(200).json();
        assert_eq!(record["photo"]["type"], json!("image/png"));
        assert_eq!(shop.place.objects().len(), 1);
    });
}

#[test]
fn programs_in_files_do_not_run() {
    on_shop(async |shop| {
        let path = format!("{}/photo", shop.product().await);
        let program = "<script>alert(1)</script>";
        let polyglots: [(&str, Vec<u8>, &str, &str); 6] = [
            ("PNG with a page behind it", [PNG, program.as_bytes()].concat(), "image/png", "inline"),
            ("GIF with a program", format!("GIF89a/*{program}*/=1;").into_bytes(), "image/gif", "inline"),
            ("PDF with a program", format!("%PDF-1.7\n{program}").into_bytes(), "application/pdf", "inline"),
            (
                "SVG",
                format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{program}</svg>").into_bytes(),
                "image/svg+xml",
                "attachment",
            ),
            ("HTML", format!("<!doctype html>{program}").into_bytes(), "text/html", "attachment"),
            ("HTML behind white space", format!("\u{feff}\n\t {program}").into_bytes(), "text/html", "attachment"),
        ];
        for (name, bytes, media_type, disposition) in polyglots {
            shop.put(&path, bytes.clone()).header("content-type", "image/png").await.expect(200);
            let answer = shop.test.get(&path).await.expect(200);
            assert_eq!(answer.bytes(), bytes, "{name}");
            assert_eq!(answer.header("content-type"), Some(media_type), "{name}");
            assert!(answer.header("content-disposition").is_some_and(|kind| kind.starts_with(disposition)), "{name}");
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{name}");
            let policy = answer.header("content-security-policy").unwrap_or_default();
            assert!(policy.contains("default-src 'none'") && policy.contains("sandbox"), "{name}: {policy}");
        }
    });
}

#[test]
fn image_of_any_kind_is_not_one_of_markup() {
    on_shop(async |shop| {
        // `scan` admits `*/*`, `photo` names SVG; neither is `image/*` alone.
        let letter = shop.create("/letters", json!({})).await;
        let path = format!("{letter}/scan");
        let record = shop.put(&path, b"<svg onload=x>".to_vec()).await.expect(200).json();
        assert_eq!(record["scan"]["type"], json!("image/svg+xml"));
        let answer = shop.as_user("ann").get(&path).await.expect(200);
        assert!(answer.header("content-disposition").is_some_and(|kind| kind.starts_with("attachment")));
    });
}
