//! Check of the `Origin` of web pages: DNS rebinding would let any page call a service on the user's machine.

use crud_runtime::axum::http::{HeaderMap, header};
use url::{Host, Url};

use crate::fault::Fault;

/// Refuses requests of web pages, except pages of the user's own machine and of stated origins.
pub(crate) fn check(headers: &HeaderMap, admitted: &[String]) -> Result<(), Fault> {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    let is_admitted = |origin: &str| admitted.iter().any(|it| it == origin) || is_own_machine(origin);
    match origins.find(|origin| !origin.to_str().is_ok_and(is_admitted)) {
        Some(origin) => Err(Fault::forbidden(format!(
            "web pages of `{}` may not call this endpoint: its program admits one by `Mcp::origin`",
            origin.to_str().unwrap_or("?")
        ))),
        None => Ok(()),
    }
}

fn is_own_machine(origin: &str) -> bool {
    Url::parse(origin).is_ok_and(|url| url.host().is_some_and(|host| is_own(&host)))
}

/// Whether a host, with or without a port, is the user's own machine.
pub(crate) fn is_loopback(host: &str) -> bool {
    is_own_machine(&format!("http://{host}"))
}

fn is_own(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_the_users_own_machine_are_recognized() {
        for host in ["localhost", "localhost:8000", "127.0.0.1:1", "[::1]:8000"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in ["localhost.example", "127.0.0.1.example", "example", "", "10.0.0.1", "localhost@example"] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}
