//! `Content-Disposition`: names of files in requests (RFC 6266) and in answers (RFC 8187).

use std::borrow::Cow;
use std::fmt::Write as _;

use crud_runtime::axum::http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// The largest name, in bytes: the limit of file systems.
const MAX_NAME: usize = 255;

/// The bytes that are percent-encoded in an extended value: all but those of RFC 8187, section 3.2.1.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// The name in a request's header: `attachment; filename="a.jpg"`, or `filename*=UTF-8''na%C3%AFve.jpg`.
pub(crate) fn name(header: &str) -> Option<String> {
    let parameters = parameters(header);
    let of = |wanted: &str| parameters.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
    let extended = of("filename*").and_then(|value| {
        let encoded = value.get(..7).filter(|charset| charset.eq_ignore_ascii_case("utf-8''")).and(value.get(7..))?;
        percent_decode_str(encoded).decode_utf8().ok().map(Cow::into_owned)
    });
    clean(&extended.or_else(|| of("filename").map(str::to_owned))?)
}

/// The parameters of a header, by their names in lower case.
fn parameters(header: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = header;
    while let Some((_, after)) = rest.split_once(';') {
        let Some((name, value)) = after.split_once('=') else { break };
        let (value, remainder) = value_of(value.trim_start());
        found.push((name.trim().to_ascii_lowercase(), value));
        rest = remainder;
    }
    found
}

/// Splits off a value, which may be in quotes, and returns it with the rest of the text.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        return (text[..end].trim().to_owned(), &text[end..]);
    };
    let (mut value, mut characters) = (String::new(), quoted.char_indices());
    while let Some((index, character)) = characters.next() {
        match character {
            '"' => return (value, &quoted[index + 1..]),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

/// A name without directories, control characters and characters that change the direction of text; `None` if nothing is left.
pub(crate) fn clean(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let is_plain = |character: &char| !character.is_control() && !is_directional(*character);
    let kept: String = last.chars().filter(is_plain).collect();
    let kept = kept.trim().trim_matches('.').trim();
    let end = (0..=kept.len().min(MAX_NAME)).rev().find(|end| kept.is_char_boundary(*end)).unwrap_or(0);
    (end > 0).then(|| kept[..end].to_owned())
}

/// Whether a character changes the direction of text, and so can show `gpj.exe` as `exe.jpg`.
const fn is_directional(character: char) -> bool {
    matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The header of an answer: the name in ASCII, and as an extended value too if it has other characters.
pub(crate) fn header(name: &str, is_shown: bool) -> HeaderValue {
    let kind = if is_shown { "inline" } else { "attachment" };
    let is_kept = |character: char| (' '..='~').contains(&character) && !matches!(character, '"' | '\\' | '%');
    let ascii: String = name.chars().map(|character| if is_kept(character) { character } else { '_' }).collect();
    let mut text = format!("{kind}; filename=\"{ascii}\"");
    if ascii != name {
        // Writing to memory cannot fail.
        let _ = write!(text, "; filename*=UTF-8''{}", utf8_percent_encode(name, ESCAPED));
    }
    HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::{clean, header, name};

    #[test]
    fn name_is_read_from_either_parameter() {
        let of = |header: &str| name(header).unwrap_or_default();
        assert_eq!(of("attachment; filename=\"a \\\"b\\\"; c.jpg\"; size=1"), "a \"b\"; c.jpg");
        assert_eq!(of("attachment; filename=a.jpg"), "a.jpg");
        assert_eq!(of("inline; filename=\"x.jpg\"; filename*=utf-8''na%C3%AFve.jpg"), "naïve.jpg");
        assert_eq!(of("attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd"), "passwd");
        assert_eq!(of("attachment; filename*=UTF-8''a%0D%0ASet-Cookie:x.jpg"), "aSet-Cookie:x.jpg");
        for none in ["", "attachment", "attachment; filename=", "attachment; filename=\"..\"", "attachment; filename"] {
            assert_eq!(name(none), None, "{none}");
        }
    }

    #[test]
    fn name_has_no_directories_and_nothing_that_hides_its_ending() {
        assert_eq!(clean("..\\..\\boot.ini").as_deref(), Some("boot.ini"));
        assert_eq!(clean("a\u{202e}gpj.exe").as_deref(), Some("agpj.exe"));
        assert_eq!(clean(&"é".repeat(200)).map(|name| name.len()), Some(254));
    }

    #[test]
    fn answer_has_the_name_in_ascii_and_in_full() {
        assert_eq!(header("a.jpg", true), "inline; filename=\"a.jpg\"");
        assert_eq!(header("a\"b.jpg", false), "attachment; filename=\"a_b.jpg\"; filename*=UTF-8''a%22b.jpg");
        assert_eq!(header("naïve.txt", false), "attachment; filename=\"na_ve.txt\"; filename*=UTF-8''na%C3%AFve.txt");
        assert_eq!(header("a\r\nb", false), "attachment; filename=\"a__b\"; filename*=UTF-8''a%0D%0Ab");
    }
}
