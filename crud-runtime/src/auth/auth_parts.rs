//! [`AuthParts`]: the head of a request, for the program's own authentication.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method, Uri, header};

/// The head of a request, for [`AccessOptions::authenticate_with`](crate::AccessOptions::authenticate_with). Its clone is cheap.
#[derive(Debug, Clone)]
pub struct AuthParts(Arc<Parts>);

impl AuthParts {
    pub(crate) fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// The method.
    pub fn method(&self) -> &Method {
        &self.0.method
    }

    /// The target. In a nested router, the path below its prefix.
    pub fn uri(&self) -> &Uri {
        &self.0.uri
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// The extensions, which layers and the server set.
    pub fn extensions(&self) -> &Extensions {
        &self.0.extensions
    }

    /// An extension that a layer has set.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.0.extensions.get()
    }

    /// The value of a header. `None` if the header is absent, has bytes that are not visible ASCII, or has several
    /// values: a client may send one beside the proxy's.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut values = self.0.headers.get_all(name).iter();
        let value = values.next().filter(|_| values.next().is_none())?;
        value.to_str().ok()
    }

    /// The value of a cookie (RFC 6265). `None` if the cookie is absent or has several values: a page of a subdomain
    /// can set a cookie of the same name.
    pub fn cookie(&self, name: &str) -> Option<&str> {
        let headers = self.0.headers.get_all(header::COOKIE).iter();
        let pairs = headers.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(';'));
        let mut values = pairs.filter_map(|pair| {
            let (found, value) = pair.trim().split_once('=')?;
            (found == name).then_some(value)
        });
        values.next().filter(|_| values.next().is_none())
    }

    /// The peer of the connection: the client, or the last proxy. `None` where the server does not report the peer,
    /// such as `axum::serve` without `into_make_service_with_connect_info::<SocketAddr>()`.
    ///
    /// An IPv4 peer has an IPv4 address even where the service listens on `[::]`, whose sockets report
    /// `::ffff:10.0.0.2`.
    pub fn peer(&self) -> Option<SocketAddr> {
        let ConnectInfo(peer) = self.0.extensions.get::<ConnectInfo<SocketAddr>>()?;
        Some(SocketAddr::new(peer.ip().to_canonical(), peer.port()))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn parts(headers: &[(&str, &str)]) -> AuthParts {
        let request = headers.iter().fold(Request::builder(), |request, (name, value)| request.header(*name, *value));
        AuthParts::new(request.body(()).unwrap().into_parts().0)
    }

    #[test]
    fn value_of_a_header_or_cookie_that_is_there_twice_is_none() {
        let one = parts(&[("x-user", "ada"), ("cookie", "a=1; session=s=1"), ("cookie", "b=2")]);
        assert_eq!((one.header("X-User"), one.header("x-role")), (Some("ada"), None));
        assert_eq!((one.cookie("session"), one.cookie("b"), one.cookie("c")), (Some("s=1"), Some("2"), None));
        let two = parts(&[("x-user", "ada"), ("x-user", "admin"), ("cookie", "session=1; session=2")]);
        assert_eq!((two.header("x-user"), two.cookie("session")), (None, None));
        assert_eq!(parts(&[("cookie", "session=1"), ("cookie", "session=2")]).cookie("session"), None);
    }

    #[test]
    fn peer_of_ipv4_has_its_address_on_a_socket_of_ipv6_too() {
        let peer = |written: &str| {
            let peer = ConnectInfo(written.parse::<SocketAddr>().unwrap());
            let parts = Request::builder().extension(peer).body(()).unwrap().into_parts().0;
            AuthParts::new(parts).peer().unwrap().to_string()
        };
        assert_eq!(peer("[::ffff:10.0.0.2]:80"), "10.0.0.2:80");
        assert_eq!(peer("10.0.0.2:80"), "10.0.0.2:80");
        assert_eq!(peer("[2001:db8::1]:80"), "[2001:db8::1]:80");
    }
}
