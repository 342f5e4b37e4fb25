//! Cross-site request forgery: requests that browsers send for pages of other origins, with the credentials that they
//! keep for a user.
//!
//! A token in `Authorization` is not at risk: a page has to know it. A cookie, a client certificate and what a proxy
//! adds to a request are sent for every page.

use axum::http::{HeaderMap, HeaderValue, Method, header};

use super::head::Head;
use crate::model::problem::{Code, Problem};

/// Refuses an unsafe request that a page of another origin may have sent. `trusted` are the origins of pages that may.
///
/// Browsers say whose page it is by `Sec-Fetch-Site` (Fetch Metadata) and `Origin` (RFC 6454). A request with a cookie
/// must have one of these headers; a request that has none of the three does not come from a browser.
///
/// # Errors
/// `permission_denied`.
pub(crate) fn check(head: Head<'_>, trusted: &[String]) -> Result<(), Problem> {
    if is_safe(head) || has_secret(head.headers) {
        return Ok(());
    }
    let mut origins = head.headers.get_all(header::ORIGIN).iter();
    let origin = origins.next().filter(|_| origins.next().is_none()).and_then(|origin| origin.to_str().ok());
    let site = head.headers.get("sec-fetch-site").map(HeaderValue::as_bytes);
    let is_own = match (site, origin) {
        (Some(b"same-origin" | b"none"), _) => true,
        (_, Some(origin)) if trusted.iter().any(|other| other == origin) => true,
        (Some(_), _) => false,
        (None, Some(origin)) => host(head).is_some_and(|host| is_origin_of(origin, host)),
        (None, None) => !head.headers.contains_key(header::COOKIE) && !head.headers.contains_key(header::ORIGIN),
    };
    if is_own {
        return Ok(());
    }
    let detail = "a change with a cookie must come from a page of the service's own origin, by its header `Origin` or \
                  `Sec-Fetch-Site`";
    Err(Problem::new(Code::PermissionDenied, detail))
}

/// Whether a request changes nothing (RFC 9110, section 9.2.1). A WebSocket begins with `GET`, but is not such a
/// request.
fn is_safe(head: Head<'_>) -> bool {
    let is_safe = [Method::GET, Method::HEAD, Method::OPTIONS, Method::QUERY, Method::TRACE].contains(head.method);
    is_safe && !head.headers.contains_key(header::UPGRADE)
}

/// Whether the request has credentials that no browser adds by itself: a page of another origin may send them only
/// where CORS allows it. Browsers do add those of `Basic` and `Digest`.
fn has_secret(headers: &HeaderMap) -> bool {
    let scheme = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok()?.split(' ').next());
    scheme.is_some_and(|scheme| !["basic", "digest", "negotiate", "ntlm"].contains(&scheme.to_lowercase().as_str()))
}

/// The host and the port that the client requested.
fn host(head: Head<'_>) -> Option<&str> {
    let of_target = head.uri.authority().map(axum::http::uri::Authority::as_str);
    of_target.or_else(|| head.headers.get(header::HOST)?.to_str().ok())
}

/// Whether an origin has this host and port. The scheme is not compared: a service behind a proxy does not know whether
/// its clients use `http` or `https`.
fn is_origin_of(origin: &str, host: &str) -> bool {
    let plain = |default: &'static str| {
        move |rest: &str| (rest.to_owned(), host.strip_suffix(default).unwrap_or(host).to_owned())
    };
    let parts = origin.strip_prefix("https://").map(plain(":443"));
    let parts = parts.or_else(|| origin.strip_prefix("http://").map(plain(":80")));
    parts.is_some_and(|(origin, host)| !host.is_empty() && origin.eq_ignore_ascii_case(&host))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn is_admitted(method: Method, headers: &[(&str, &str)]) -> bool {
        let request = Request::builder().method(method).header("host", "shop.example");
        let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
        let request = request.body(()).unwrap();
        check(Head::from(&request), &["https://app.example".to_owned()]).is_ok()
    }

    #[test]
    fn unsafe_request_with_a_cookie_is_of_the_own_origin() {
        let cookie = ("cookie", "session=1");
        for (headers, expected) in [
            (vec![cookie], false),
            (vec![cookie, ("origin", "https://shop.example")], true),
            (vec![cookie, ("origin", "http://SHOP.example")], true),
            (vec![cookie, ("origin", "https://shop.example:8443")], false),
            (vec![cookie, ("origin", "https://shop.example.evil.example")], false),
            (vec![cookie, ("origin", "https://evil.example")], false),
            (vec![cookie, ("origin", "https://app.example")], true),
            (vec![cookie, ("origin", "null")], false),
            (vec![cookie, ("origin", "")], false),
            (vec![cookie, ("origin", "shop.example")], false),
            (vec![cookie, ("origin", "https://shop.example"), ("origin", "https://evil.example")], false),
            (vec![cookie, ("sec-fetch-site", "same-origin")], true),
            (vec![cookie, ("sec-fetch-site", "none")], true),
            (vec![cookie, ("sec-fetch-site", "same-site")], false),
            (vec![cookie, ("sec-fetch-site", "cross-site")], false),
            (vec![cookie, ("sec-fetch-site", "cross-site"), ("origin", "https://shop.example")], false),
            (vec![cookie, ("sec-fetch-site", "cross-site"), ("origin", "https://app.example")], true),
            (vec![cookie, ("authorization", "Bearer x")], true),
            (vec![cookie, ("authorization", "Basic x")], false),
            (vec![("authorization", "basic x"), ("origin", "https://evil.example")], false),
        ] {
            assert_eq!(is_admitted(Method::POST, &headers), expected, "{headers:?}");
            assert_eq!(is_admitted(Method::DELETE, &headers), expected, "{headers:?}");
            assert!(is_admitted(Method::GET, &headers), "{headers:?}");
        }
    }

    #[test]
    fn request_of_no_browser_without_a_cookie_is_admitted() {
        assert!(is_admitted(Method::POST, &[]));
        assert!(is_admitted(Method::POST, &[("authorization", "Basic x")]));
        assert!(!is_admitted(Method::POST, &[("origin", "https://evil.example")]));
        assert!(!is_admitted(Method::POST, &[("sec-fetch-site", "cross-site")]));
    }

    #[test]
    fn websocket_is_of_the_own_origin() {
        let upgrade = ("upgrade", "websocket");
        assert!(!is_admitted(Method::GET, &[upgrade, ("cookie", "a=1"), ("origin", "https://evil.example")]));
        assert!(is_admitted(Method::GET, &[upgrade, ("cookie", "a=1"), ("origin", "https://shop.example")]));
    }

    #[test]
    fn port_of_the_scheme_may_be_left_out() {
        assert!(is_origin_of("https://shop.example", "shop.example:443"));
        assert!(!is_origin_of("https://shop.example", "shop.example:80"));
        assert!(is_origin_of("http://[::1]:8000", "[::1]:8000"));
        assert!(!is_origin_of("https://", ""));
    }
}
