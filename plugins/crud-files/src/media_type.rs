//! Media types of files: detection by their first bytes, and which of them browsers may show.

/// The number of first bytes that a type is detected from.
pub(crate) const SNIFFED: usize = 8192;

/// The type of a file whose type is not detected.
const UNKNOWN: &str = "application/octet-stream";

/// Types of text that first bytes do not distinguish: the sender's stated type decides.
const STATED: [&str; 5] = ["application/json", "text/calendar", "text/csv", "text/markdown", "text/plain"];

/// The type of a file, by its first bytes; for text, by the sender's stated type.
pub(crate) fn sniff(head: &[u8], stated: Option<&str>) -> &'static str {
    match markup(head) {
        Some(markup) => markup,
        None => infer::get(head).map_or_else(|| of_text(head, stated), |kind| kind.mime_type()),
    }
}

/// The type of text, or of unknown bytes.
fn of_text(head: &[u8], stated: Option<&str>) -> &'static str {
    if !is_text(head) {
        return UNKNOWN;
    }
    let essence = stated.map(|stated| stated.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    STATED.into_iter().find(|known| essence.as_deref() == Some(known)).unwrap_or("text/plain")
}

/// Whether bytes are UTF-8 without control characters. The last character may be cut.
fn is_text(head: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    let is_cut = |error: std::str::Utf8Error| error.error_len().is_none();
    !head.iter().any(is_control) && std::str::from_utf8(head).err().is_none_or(is_cut)
}

/// The type of markup, which may contain scripts. Markup begins with `<` after white space.
fn markup(head: &[u8]) -> Option<&'static str> {
    let text = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head).trim_ascii_start();
    if text.first() != Some(&b'<') {
        return None;
    }
    let text = String::from_utf8_lossy(text).to_ascii_lowercase();
    Some(match text.as_str() {
        text if text.contains("<svg") => "image/svg+xml",
        text if text.starts_with("<?xml") && !text.contains("<html") => "application/xml",
        _ => "text/html",
    })
}

/// Whether browsers may show a file of this type: raster images, audio, video and PDF. Others are downloaded.
pub(crate) fn is_shown(media_type: &str) -> bool {
    match media_type.split_once('/') {
        Some(("image", kind)) => matches!(kind, "avif" | "bmp" | "gif" | "jpeg" | "png" | "webp"),
        Some(("audio" | "video", _)) => true,
        _ => media_type == "application/pdf",
    }
}

/// Whether a type matches a pattern: the type itself, `image/*` or `*/*`. SVG does not match `image/*`, as it may
/// contain scripts.
pub(crate) fn matches(pattern: &str, media_type: &str) -> bool {
    match pattern.strip_suffix("/*") {
        Some("*") => true,
        Some(family) => media_type != "image/svg+xml" && media_type.split('/').next() == Some(family),
        None => pattern == media_type,
    }
}

/// Whether a text is a type in lower case, or a pattern of types.
pub(crate) const fn is_pattern(text: &str) -> bool {
    let bytes = text.as_bytes();
    let (mut slashes, mut index) = (0, 0);
    while index < bytes.len() {
        match bytes[index] {
            b'/' if index > 0 && index + 1 < bytes.len() => slashes += 1,
            b'*' if (index == 0 && bytes.len() == 3) || index + 1 == bytes.len() => {}
            b'a'..=b'z' | b'0'..=b'9' | b'.' | b'+' | b'-' => {}
            _ => return false,
        }
        index += 1;
    }
    slashes == 1
}

#[cfg(test)]
mod tests {
    use super::{is_pattern, is_shown, matches, sniff};

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";

    #[test]
    fn type_is_that_of_the_bytes_and_not_the_senders_word() {
        assert_eq!(sniff(PNG, Some("text/html")), "image/png");
        assert_eq!(sniff(b"%PDF-1.7\n<script>", Some("image/png")), "application/pdf");
        assert_eq!(sniff(b"\n <!doctype html><p>", Some("image/png")), "text/html");
        assert_eq!(sniff(b"<b>x", None), "text/html");
        assert_eq!(sniff(b"<?xml version='1.0'?><svg onload='x'>", Some("image/png")), "image/svg+xml");
        assert_eq!(sniff(b"\xef\xbb\xbf<svg>", None), "image/svg+xml");
        assert_eq!(sniff(b"a,b\n1,2\n", Some("text/csv; charset=utf-8")), "text/csv");
        assert_eq!(sniff(b"alert(1)", Some("text/javascript")), "text/plain");
        assert_eq!(sniff(b"\x00\x01\x02", Some("text/csv")), "application/octet-stream");
        assert_eq!(sniff(b"", None), "text/plain");
        assert_eq!(sniff("caf\u{e9}".as_bytes().split_last().expect("bytes").1, None), "text/plain");
    }

    #[test]
    fn browsers_show_what_cannot_be_a_program() {
        let shown =
            ["image/png", "video/mp4", "application/pdf", "image/svg+xml", "text/html", "text/plain"].map(is_shown);
        assert_eq!(shown, [true, true, true, false, false, false]);
    }

    #[test]
    fn pattern_is_a_type_or_a_family() {
        assert!(["image/png", "image/*", "*/*", "application/vnd.ms-excel"].into_iter().all(is_pattern));
        assert!(
            !["", "png", "image/", "/png", "*", "image/p*g", "*/png", "Image/PNG", "a/b/c"].into_iter().any(is_pattern)
        );
        assert!(matches("image/*", "image/png") && !matches("image/*", "imagesque/png"));
    }
}
