//! URLs that name several servers, as libpq takes them
//! (<https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS>).

use crate::model::adapter_error::AdapterError;

/// The servers of a URL.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::postgres) struct HostUrls {
    /// One URL for each server.
    pub(in crate::postgres) urls: Vec<String>,
    /// Whether the URL asks for the primary among its servers.
    pub(in crate::postgres) wants_primary: bool,
}

/// The role of the servers that a URL is meant for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::postgres) enum Wanted {
    Primary,
    Replica,
}

impl HostUrls {
    /// The servers of `postgres://user@a:5432,b:5432/shop` or `postgres:///shop?host=a,b&port=5432,5433`.
    ///
    /// # Errors
    /// When `target_session_attrs` contradicts `wanted`, or the number of ports does not fit the hosts.
    pub(in crate::postgres) fn of_url(url: &str, wanted: Wanted) -> Result<Self, AdapterError> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut kept = Vec::new();
        let (mut hosts, mut ports) = (None, None);
        let mut wants_primary = false;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let Some((key, value)) = url::form_urlencoded::parse(pair.as_bytes()).next() else { continue };
            match &*key {
                "host" if value.contains(',') => hosts = Some(value.into_owned()),
                "port" if value.contains(',') => ports = Some(value.into_owned()),
                "target_session_attrs" => wants_primary = is_primary(&value, wanted)?,
                _ => kept.push(pair),
            }
        }
        let urls = match (hosts, ports) {
            (Some(hosts), ports) => {
                let ports = ports.map(|ports| ports.split(',').map(str::to_owned).collect::<Vec<_>>());
                let mut urls = Vec::new();
                for (index, host) in hosts.split(',').enumerate() {
                    let mut own = url::form_urlencoded::Serializer::new(String::new());
                    own.append_pair("host", host);
                    if let Some(ports) = &ports {
                        own.append_pair(
                            "port",
                            ports.get(index).ok_or_else(|| refuse("it has fewer ports than hosts"))?,
                        );
                    }
                    let own = own.finish();
                    urls.push(with_query(base, kept.iter().copied().chain([own.as_str()])));
                }
                urls
            }
            (None, Some(_)) => return Err(refuse("it has several ports and one host")),
            (None, None) => bases(base).iter().map(|base| with_query(base, kept.iter().copied())).collect(),
        };
        Ok(Self { wants_primary: wanted == Wanted::Primary && (wants_primary || urls.len() > 1), urls })
    }
}

/// Whether a value of `target_session_attrs` asks for the primary.
fn is_primary(value: &str, wanted: Wanted) -> Result<bool, AdapterError> {
    match (value, wanted) {
        ("any", _) | ("standby" | "prefer-standby" | "read-only", Wanted::Replica) => Ok(false),
        ("primary" | "read-write", Wanted::Primary) => Ok(true),
        (_, Wanted::Primary) => {
            Err(refuse("the service writes: expected `target_session_attrs` to be `primary`, `read-write` or `any`"))
        }
        (_, Wanted::Replica) => Err(refuse("expected `target_session_attrs` of a replica to be `standby` or `any`")),
    }
}

/// The part of a URL before its parameters, for each of its hosts.
fn bases(base: &str) -> Vec<String> {
    let Some((scheme, rest)) = base.split_once("://") else { return vec![base.to_owned()] };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (user, hosts) = authority.split_at(authority.rfind('@').map_or(0, |at| at + 1));
    hosts.split(',').map(|host| format!("{scheme}://{user}{host}{path}")).collect()
}

fn with_query<'a>(base: &str, pairs: impl Iterator<Item = &'a str>) -> String {
    let pairs: Vec<&str> = pairs.collect();
    if pairs.is_empty() { base.to_owned() } else { format!("{base}?{}", pairs.join("&")) }
}

/// The URL is not repeated: it may contain a password.
fn refuse(reason: &str) -> AdapterError {
    AdapterError::Other(format!("the URL of the database cannot be used: {reason}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls(url: &str) -> Vec<String> {
        HostUrls::of_url(url, Wanted::Primary).unwrap().urls
    }

    #[test]
    fn each_host_has_a_url() {
        assert_eq!(urls("postgres://a/shop"), ["postgres://a/shop"]);
        assert_eq!(
            urls("postgres://me:p%2Cw@a:5432,[::1]:5433/shop?sslmode=require"),
            ["postgres://me:p%2Cw@a:5432/shop?sslmode=require", "postgres://me:p%2Cw@[::1]:5433/shop?sslmode=require"]
        );
        assert_eq!(
            urls("postgres://me@localhost/shop?host=/run/a,/run/b&port=1,2&application_name=x"),
            [
                "postgres://me@localhost/shop?application_name=x&host=%2Frun%2Fa&port=1",
                "postgres://me@localhost/shop?application_name=x&host=%2Frun%2Fb&port=2"
            ]
        );
        assert_eq!(urls("postgres://a/shop?host=/run/a"), ["postgres://a/shop?host=/run/a"]);
    }

    #[test]
    fn several_hosts_or_an_attribute_ask_for_the_primary() {
        let of =
            |url: &str| HostUrls::of_url(url, Wanted::Primary).map(|hosts| (hosts.wants_primary, hosts.urls.len()));
        assert_eq!(of("postgres://a/shop").unwrap(), (false, 1));
        assert_eq!(of("postgres://a,b/shop").unwrap(), (true, 2));
        assert_eq!(of("postgres://a/shop?target_session_attrs=read-write").unwrap(), (true, 1));
        assert_eq!(of("postgres://a/shop?target_session_attrs=any").unwrap(), (false, 1));
        for refused in ["target_session_attrs=standby", "target_session_attrs=x", "host=a,b,c&port=1,2", "port=1,2"] {
            assert!(of(&format!("postgres://a/shop?{refused}")).is_err(), "{refused}");
        }
        assert!(HostUrls::of_url("postgres://a,b/shop?target_session_attrs=standby", Wanted::Replica).is_ok());
        assert!(HostUrls::of_url("postgres://a,b/shop?target_session_attrs=primary", Wanted::Replica).is_err());
    }
}
