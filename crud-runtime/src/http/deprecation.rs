//! The headers of a deprecation: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link`.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;

use crate::model::descriptor::Deprecation;

const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
const SUNSET: HeaderName = HeaderName::from_static("sunset");

/// The form of dates in headers (RFC 9110, section 5.6.7).
const HTTP_DATE: &str = "%a, %d %b %Y %H:%M:%S GMT";

/// Adds the headers of a deprecation to a response.
pub(crate) fn report(deprecation: &Deprecation, response: &mut Response) {
    let Deprecation { since, sunset, link, .. } = *deprecation;
    let headers = response.headers_mut();
    let since = since.map(|day| format!("@{}", Deprecation::instant(day).timestamp()));
    insert(headers, DEPRECATION, since);
    insert(headers, SUNSET, sunset.map(|day| Deprecation::instant(day).format(HTTP_DATE).to_string()));
    let relation = if sunset.is_some() { "deprecation sunset" } else { "deprecation" };
    let link = link.and_then(|url| HeaderValue::from_str(&format!("<{url}>; rel=\"{relation}\"")).ok());
    if let Some(link) = link {
        // Appended, because a page may have a `Link` already.
        headers.append(header::LINK, link);
    }
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: Option<String>) {
    if let Some(value) = value.and_then(|value| HeaderValue::try_from(value).ok()) {
        headers.insert(name, value);
    }
}

/// The names of the headers in the document.
pub(crate) fn headers(deprecation: &Deprecation) -> impl Iterator<Item = &'static str> {
    let since = deprecation.since.map(|_| "Deprecation");
    since.into_iter().chain(deprecation.sunset.map(|_| "Sunset"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_those_of_the_standards() {
        let deprecation = Deprecation::new().since("2023-06-30").sunset("2018-11-11").link("https://example.com/a");
        let mut response = Response::default();
        report(&deprecation, &mut response);
        let header = |name: &str| response.headers().get(name).map(|value| value.to_str().expect("text").to_owned());
        // The first second of the day; the example in RFC 9745 is the last one.
        assert_eq!(header("deprecation").as_deref(), Some("@1688083200"));
        assert_eq!(header("sunset").as_deref(), Some("Sun, 11 Nov 2018 00:00:00 GMT"));
        assert_eq!(header("link").as_deref(), Some("<https://example.com/a>; rel=\"deprecation sunset\""));
    }
}
