//! The URL at which a request reached the service.

use axum::http::header::HOST;
use axum::http::request::Parts;
use axum::http::uri::Authority;

use super::head::Head;

/// The scheme, the host and the path that the service is mounted under, such as `https://api.example.com/shop`. Behind
/// a proxy, scheme and host are those of `X-Forwarded-Proto` and `X-Forwarded-Host`. Without a valid host, only the
/// path is returned.
pub(crate) fn of_request(parts: &Parts, is_behind_proxy: bool) -> String {
    let header = |name: &str| parts.headers.get(name).and_then(|value| value.to_str().ok());
    // The last value of the last header line is the proxy's; a client may have sent the values before.
    let last = |name: &str| parts.headers.get_all(name).iter().next_back()?.to_str().ok()?.split(',').next_back();
    let forwarded = |name: &str| last(name).filter(|_| is_behind_proxy).map(str::trim);
    let scheme = if forwarded("x-forwarded-proto") == Some("https") { "https" } else { "http" };
    let authority = || parts.uri.authority().map(Authority::as_str);
    let host = forwarded("x-forwarded-host").or_else(|| header(HOST.as_str())).or_else(authority);
    let mount = Head::from(parts).mount();
    match host.filter(|host| is_host(host)) {
        Some(host) => format!("{scheme}://{host}{mount}"),
        None => mount.to_owned(),
    }
}

fn is_host(host: &str) -> bool {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte);
    !host.is_empty() && host.bytes().all(is_legal)
}

#[cfg(test)]
mod tests {
    use axum::extract::OriginalUri;
    use axum::http::{Request, Uri};

    use super::*;

    fn base(headers: &[(&str, &str)], is_behind_proxy: bool) -> String {
        let request = headers
            .iter()
            .fold(Request::builder().uri("/todos"), |request, (name, value)| request.header(*name, *value));
        of_request(&request.body(()).expect("a request").into_parts().0, is_behind_proxy)
    }

    #[test]
    fn forwarded_hosts_count_only_behind_a_proxy() {
        let headers =
            [("host", "10.0.0.7:8000"), ("x-forwarded-host", "api.example.com"), ("x-forwarded-proto", "https")];
        assert_eq!(base(&headers, true), "https://api.example.com");
        assert_eq!(base(&headers, false), "http://10.0.0.7:8000");
    }

    #[test]
    fn forwarded_host_is_that_of_the_proxy() {
        let headers = [("host", "10.0.0.7:8000"), ("x-forwarded-host", "evil.example, api.example.com")];
        assert_eq!(base(&headers, true), "http://api.example.com");
    }

    #[test]
    fn last_line_of_a_forwarded_header_is_that_of_the_proxy() {
        let client = [("x-forwarded-host", "evil.example"), ("x-forwarded-proto", "http")];
        let proxy = [("x-forwarded-host", "api.example.com"), ("x-forwarded-proto", "https")];
        assert_eq!(base(&[client, proxy].concat(), true), "https://api.example.com");
    }

    #[test]
    fn mount_is_that_of_the_root_too() {
        for (inner, original) in [("/", "/shop"), ("/todos", "/shop/todos")] {
            let request = Request::builder().uri(inner).header("host", "api.example.com").body(());
            let mut parts = request.expect("a request").into_parts().0;
            parts.extensions.insert(OriginalUri(Uri::from_static(original)));
            assert_eq!(of_request(&parts, false), "http://api.example.com/shop", "{inner}");
        }
    }

    #[test]
    fn host_that_is_none_is_left_out() {
        for host in ["", "a/b", "a b", "a\"b", "user@a"] {
            assert_eq!(base(&[("host", host)], false), "", "{host}");
        }
    }
}
