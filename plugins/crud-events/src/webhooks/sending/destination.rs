//! [`Destinations`]: the URLs that webhooks may have, and [`Destination`], one of them.

use std::net::{IpAddr, SocketAddr};

use url::{Host, Position, Url};

use super::address::is_public;
use super::resolver::Resolver;

/// The longest URL, in bytes.
pub(crate) const MAX_URL: usize = 2_000;

/// Number of addresses of a host that an attempt tries.
const ADDRESSES: usize = 4;

/// The URLs that webhooks may have: `https` on port 443, and those that the program allows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Destinations {
    /// Further ports for `https`.
    pub(crate) ports: Vec<u16>,
    /// Hosts of the program's own network, such as `relay.internal:8080`.
    pub(crate) inner: Vec<InnerHost>,
    pub(crate) resolver: Resolver,
}

/// A host of the program's own network. Webhooks may send to it by `http`, whatever its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InnerHost {
    host: String,
    /// The port; `None` for the scheme's default port.
    port: Option<u16>,
}

impl InnerHost {
    /// Parses `relay.internal`, `relay.internal:8080`, `127.0.0.1:9000` or `[::1]:9000`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let url = Url::parse(&format!("http://{text}/")).ok()?;
        let is_whole = url.path() == "/" && url.username().is_empty() && url.query().is_none();
        let has_port = text.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        let port = if has_port && !text.ends_with(']') { url.port_or_known_default() } else { None };
        is_whole.then(|| Self { host: url.host_str().unwrap_or_default().to_owned(), port })
    }

    fn is_of(&self, url: &Url) -> bool {
        let port = url.port_or_known_default();
        let is_default = url.port().is_none();
        url.host_str() == Some(&self.host) && self.port.map_or(is_default, |own| port == Some(own))
    }
}

/// A URL that a webhook may have, and whether it is in the program's own network.
#[derive(Debug, Clone)]
pub(crate) struct Destination {
    pub(crate) url: Url,
    is_inner: bool,
}

impl Destinations {
    /// Parses the URL of a webhook.
    ///
    /// # Errors
    /// A sentence that says what the URL must be.
    pub(crate) fn parse(&self, text: &str) -> Result<Destination, String> {
        let url = Url::parse(text).map_err(|_| "must be a URL, such as `https://example.com/hook`".to_owned())?;
        if text.len() > MAX_URL {
            return Err(format!("must be at most {MAX_URL} bytes long"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must have no user name and no password".to_owned());
        }
        if url.fragment().is_some() {
            return Err("must have no fragment".to_owned());
        }
        let is_inner = self.inner.iter().any(|host| host.is_of(&url));
        if is_inner && matches!(url.scheme(), "http" | "https") {
            return Ok(Destination { url, is_inner });
        }
        self.check_public(&url)?;
        Ok(Destination { url, is_inner })
    }

    /// Checks a URL outside of the program's own network.
    fn check_public(&self, url: &Url) -> Result<(), String> {
        if url.scheme() != "https" {
            return Err("must begin with `https://`".to_owned());
        }
        if url.port().is_some_and(|port| !self.ports.contains(&port)) {
            let ports: Vec<_> = [443].iter().chain(&self.ports).map(u16::to_string).collect();
            return Err(format!("must have the port {}", ports.join(" or ")));
        }
        let literal = match url.host() {
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
            Some(Host::Domain(name)) if !name.is_empty() => return Ok(()),
            _ => return Err("must have a host".to_owned()),
        };
        if is_public(literal) { Ok(()) } else { Err(format!("{literal} is not an address of the internet")) }
    }

    /// The addresses to connect to. The host is looked up once; addresses that are not public are left out, unless the
    /// host is in the program's own network.
    ///
    /// # Errors
    /// A sentence, if no address is left.
    pub(crate) async fn addresses(&self, destination: &Destination) -> Result<Vec<SocketAddr>, String> {
        let url = &destination.url;
        let port = url.port_or_known_default().unwrap_or(443);
        let found = match url.host() {
            Some(Host::Ipv4(address)) => vec![IpAddr::V4(address)],
            Some(Host::Ipv6(address)) => vec![IpAddr::V6(address)],
            Some(Host::Domain(name)) => {
                self.resolver.resolve(name).await.map_err(|_| format!("the host `{name}` has no address"))?
            }
            None => Vec::new(),
        };
        let is_allowed = |address: &IpAddr| destination.is_inner || is_public(*address);
        let allowed = found.into_iter().filter(is_allowed).take(ADDRESSES);
        let allowed: Vec<_> = allowed.map(|address| SocketAddr::new(address, port)).collect();
        if allowed.is_empty() {
            return Err("the host has no address of the internet".to_owned());
        }
        Ok(allowed)
    }
}

impl Destination {
    /// The path and the query, for the request line.
    pub(crate) fn target(&self) -> &str {
        &self.url[Position::BeforePath..Position::AfterQuery]
    }

    /// The host and the port, for the header `Host`.
    pub(crate) fn host(&self) -> &str {
        &self.url[Position::BeforeHost..Position::AfterPort]
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.url.scheme() == "https"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destinations() -> Destinations {
        let inner = ["relay.internal:8080", "127.0.0.1:9000", "[::1]:9000", "inner.example"];
        let inner = inner.map(|host| InnerHost::parse(host).expect(host)).to_vec();
        Destinations { ports: vec![8443], inner, resolver: Resolver::default() }
    }

    #[test]
    fn urls_are_of_the_internet_or_of_stated_hosts() {
        for url in [
            "https://example.com",
            "https://example.com/hook?a=b",
            "https://example.com:443/x",
            "https://example.com:8443/",
            "https://8.8.8.8/",
            "https://[2606:4700::1111]/",
            "http://relay.internal:8080/x",
            "https://relay.internal:8080",
            "http://127.0.0.1:9000/",
            "http://[::1]:9000/",
            "http://inner.example/",
            "https://inner.example/",
        ] {
            assert!(destinations().parse(url).is_ok(), "{url}: {:?}", destinations().parse(url).err());
        }
        for url in [
            "http://example.com",
            "ftp://example.com",
            "file:///etc/passwd",
            "https://",
            "example.com",
            "https://example.com:22",
            "https://example.com:8080",
            "https://user@example.com",
            "https://user:word@example.com",
            "https://:word@example.com",
            "https://127.0.0.1",
            "https://2130706433/",
            "https://0x7f.1/",
            "https://0177.0.0.1/",
            "https://127.1/",
            "https://169.254.169.254/latest",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[::ffff:8.8.8.8]/",
            "https://[fe80::1]/",
            "https://[64:ff9b::7f00:1]/",
            "https://10.0.0.1:8443",
            "http://127.0.0.1:9001/",
            "http://127.0.0.1/",
            "http://inner.example:8080/",
            "http://relay.internal/",
            "http://user@127.0.0.1:9000/",
            "https://example.com/#part",
            "http://127.0.0.1:9000@example.com/",
            "https://１２７.0.0.1/",
            "gopher://127.0.0.1:9000/",
        ] {
            assert!(destinations().parse(url).is_err(), "{url} is refused");
        }
        assert!(destinations().parse(&format!("https://example.com/{}", "a".repeat(2_000))).is_err());
        assert!(["a/b", "user@a", "a?b", "", "a b"].iter().all(|text| InnerHost::parse(text).is_none()));
    }

    #[tokio::test]
    async fn addresses_that_are_not_of_the_internet_are_left_out() {
        let of = async |found: &'static [&'static str]| {
            let resolver =
                Resolver::new(move |_| async move { Ok(found.iter().map(|it| it.parse().unwrap()).collect()) });
            let destinations = Destinations { resolver, ..destinations() };
            let destination = destinations.parse("https://example.com").unwrap();
            destinations.addresses(&destination).await
        };
        assert_eq!(of(&["127.0.0.1", "8.8.8.8", "::ffff:10.0.0.1"]).await.unwrap(), ["8.8.8.8:443".parse().unwrap()]);
        assert!(of(&["127.0.0.1", "fe80::1", "169.254.169.254"]).await.is_err());
        assert!(of(&[]).await.is_err());
    }
}
