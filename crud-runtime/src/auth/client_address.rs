//! The client's address of a request.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::request::Parts;

/// The client's address: the connection's peer, or behind a proxy the last address of `X-Forwarded-For`.
///
/// A proxy appends its peer's address to that header; the addresses before it come from the client.
pub(crate) fn of_request(parts: &Parts, behind_proxy: bool) -> Option<IpAddr> {
    let forwarded = || {
        let last = parts.headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
        last.rsplit(',').next()?.trim().parse().ok()
    };
    let peer = || parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    behind_proxy.then(forwarded).flatten().or_else(peer)
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::*;

    fn parts(forwarded: &[&str]) -> Parts {
        let request =
            forwarded.iter().fold(Request::builder(), |request, value| request.header("x-forwarded-for", *value));
        let peer = ConnectInfo(SocketAddr::from(([10, 0, 0, 1], 80)));
        request.extension(peer).body(()).unwrap().into_parts().0
    }

    #[test]
    fn forwarded_addresses_count_only_behind_a_proxy() {
        let spoofed = parts(&["192.0.2.1"]);
        assert_eq!(of_request(&spoofed, false), Some(IpAddr::from([10, 0, 0, 1])));
        assert_eq!(of_request(&spoofed, true), Some(IpAddr::from([192, 0, 2, 1])));
        assert_eq!(
            of_request(&parts(&["203.0.113.9", "198.51.100.7, 192.0.2.1"]), true),
            Some(IpAddr::from([192, 0, 2, 1]))
        );
        assert_eq!(of_request(&parts(&["unknown"]), true), Some(IpAddr::from([10, 0, 0, 1])));
    }
}
