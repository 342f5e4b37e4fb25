//! Origins of web pages, as browsers send them in `Origin` (RFC 6454, section 6.2).

/// Checks that a text is an origin as a browser sends it. Another spelling would match no request.
///
/// # Errors
/// A sentence with the legal form.
///
/// ```
/// use crud_shared::origin::check;
///
/// assert_eq!(check("https://shop.example"), Ok(()));
/// assert!(check("https://shop.example/").is_err());
/// ```
pub fn check(origin: &str) -> Result<(), String> {
    if is_origin(origin) {
        return Ok(());
    }
    Err(format!(
        "must be an origin such as `https://shop.example` or `http://localhost:5173`: in lower case, without a path and \
         without the scheme's own port; not `{origin}`"
    ))
}

fn is_origin(origin: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    // An IPv6 address has colons in its brackets.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    };
    is_scheme(scheme) && is_host(host) && port.is_none_or(|port| is_port(scheme, port))
}

fn is_scheme(scheme: &str) -> bool {
    scheme.starts_with(|first: char| first.is_ascii_lowercase())
        && scheme.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte))
}

fn is_host(host: &str) -> bool {
    if let Some(address) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        return address.parse::<std::net::Ipv6Addr>().is_ok_and(|parsed| parsed.to_string() == address);
    }
    !host.is_empty()
        && host.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-._".contains(&byte))
}

fn is_port(scheme: &str, port: &str) -> bool {
    let is_default = matches!((scheme, port), ("http", "80") | ("https", "443"));
    !is_default && port.parse::<u16>().is_ok_and(|number| number.to_string() == port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_as_browsers_send_them() {
        for good in [
            "https://shop.example",
            "http://localhost:5173",
            "http://127.0.0.1:8080",
            "http://[::1]:3000",
            "https://xn--bcher-kva.example",
            "capacitor://localhost",
        ] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in [
            "",
            "*",
            "null",
            "shop.example",
            "https://",
            "https://shop.example/",
            "https://shop.example/page",
            "https://Shop.example",
            "HTTPS://shop.example",
            "https://shop.example:443",
            "http://shop.example:80",
            "http://shop.example:080",
            "http://shop.example:99999",
            "http://shop.example:",
            "https://*.example",
            "https://me@shop.example",
            "https://bücher.example",
            "http://[::0001]",
        ] {
            assert!(check(bad).is_err(), "{bad}");
        }
    }
}
