//! The address of the client that sent a request.

use std::net::{IpAddr, SocketAddr};

use axum::extract::ConnectInfo;
use axum::http::{Extensions, HeaderMap};

/// The client's address: the connection's peer, or behind proxies the address that the first proxy appended to
/// `X-Forwarded-For`.
///
/// Each of the `hops` proxies appends its peer's address to that header; any earlier addresses come from the client.
pub(crate) fn of_request(headers: &HeaderMap, extensions: &Extensions, hops: usize) -> Option<IpAddr> {
    let addresses = || {
        let all = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
        all.flat_map(|value| value.split(','))
    };
    // With fewer addresses than proxies, the request skipped a proxy: each address was appended by a proxy.
    let forwarded = || address(addresses().rev().nth(hops - 1).or_else(|| addresses().next())?.trim());
    let peer = || extensions.get::<ConnectInfo<SocketAddr>>().map(|ConnectInfo(peer)| peer.ip());
    (hops > 0).then(forwarded).flatten().or_else(peer)
}

/// An address, with or without a port: some proxies write `192.0.2.1:55`, `[2001:db8::1]` and `[2001:db8::1]:55`.
fn address(text: &str) -> Option<IpAddr> {
    let bare = || text.strip_prefix('[')?.strip_suffix(']')?.parse().ok();
    text.parse().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip())).or_else(bare)
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use axum::http::request::Parts;

    use super::*;

    fn parts(forwarded: &[&str]) -> Parts {
        let request =
            forwarded.iter().fold(Request::builder(), |request, value| request.header("x-forwarded-for", *value));
        let peer = ConnectInfo(SocketAddr::from(([10, 0, 0, 1], 80)));
        request.extension(peer).body(()).unwrap().into_parts().0
    }

    fn of(parts: &Parts, hops: usize) -> Option<IpAddr> {
        of_request(&parts.headers, &parts.extensions, hops)
    }

    #[test]
    fn forwarded_addresses_count_only_behind_a_proxy() {
        let spoofed = parts(&["192.0.2.1"]);
        assert_eq!(of(&spoofed, 0), Some(IpAddr::from([10, 0, 0, 1])));
        assert_eq!(of(&spoofed, 1), Some(IpAddr::from([192, 0, 2, 1])));
        assert_eq!(of(&parts(&["203.0.113.9", "198.51.100.7, 192.0.2.1"]), 1), Some(IpAddr::from([192, 0, 2, 1])));
        assert_eq!(of(&parts(&["unknown"]), 1), Some(IpAddr::from([10, 0, 0, 1])));
    }

    #[test]
    fn ports_are_no_part_of_addresses() {
        for (written, expected) in [
            ("192.0.2.1:55", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:55", "2001:db8::1"),
            ("192.0.2.1:port", "10.0.0.1"),
        ] {
            assert_eq!(of(&parts(&[written]), 1), expected.parse().ok(), "{written}");
        }
    }

    #[test]
    fn each_trusted_proxy_appends_one_address() {
        let chain = parts(&["203.0.113.9, 198.51.100.7:1", "192.0.2.1"]);
        for (hops, expected) in [(1, "192.0.2.1"), (2, "198.51.100.7"), (3, "203.0.113.9"), (4, "203.0.113.9")] {
            assert_eq!(of(&chain, hops), expected.parse().ok(), "{hops}");
        }
    }
}
