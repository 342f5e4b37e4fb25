//! [`KEYS`]: the keys of the configuration, and their legal values.

use std::time::Duration;

use crud_shared::database::DATABASES;
use crud_shared::{duration, origin};

/// The keys of the configuration. In the environment, a key has the name of the file in capitals, except `auth`.
pub const KEYS: &[ConfigKey] = &[
    ConfigKey::new("database_url", "the database", Kind::Database),
    ConfigKey { default: Some("0.0.0.0:8000"), ..ConfigKey::new("bind", "the address to serve on", Kind::Address) },
    ConfigKey::number("default_limit", "records of a page, when the request gives no limit", u32::MAX as u64)
        .unset("20, or the struct's"),
    ConfigKey::number("max_limit", "records of a page, at most", u32::MAX as u64).unset("100, or the struct's"),
    ConfigKey::number("body_limit", "bytes of a request's body", i64::MAX as u64).unset("2097152"),
    ConfigKey::number("text_limit", "characters of a text without `length(max = …)`", i64::MAX as u64).unset("65536"),
    ConfigKey::time("request_timeout", "the time that a request may take").unset("30s"),
    ConfigKey::time("slow_statement", "the time after which a list is logged with its plan").unset("100ms"),
    ConfigKey::time("head_timeout", "the time that a request's head may take to arrive").unset("15s"),
    ConfigKey::time("body_timeout", "the time that a body may pause, of a request or a response").unset("10s"),
    ConfigKey::time("shutdown_delay", "the time that connections are accepted after the stop signal"),
    ConfigKey::time("write_probe", "the time that the write of `/ready` may take; without it, `/ready` only reads"),
    ConfigKey::number("connections", "connections open at a time", 1 << 24).unset("by `ulimit -n`"),
    ConfigKey::number("requests_in_flight", "requests handled at a time", 1 << 24).unset("2000"),
    ConfigKey::number("request_memory", "bytes of bodies and responses that requests hold", i64::MAX as u64)
        .unset("67108864"),
    ConfigKey::new("metrics", "the address of `/metrics`", Kind::Address).feature("metrics"),
    ConfigKey::new("metrics_role", "the role that reads `/metrics`", Kind::Text).feature("metrics"),
    ConfigKey::new("json_logs", "whether the log is JSON", Kind::Flag).unset("false"),
    ConfigKey::new("compression", "whether responses are compressed", Kind::Flag).unset("false").feature("compression"),
    ConfigKey::new("cors_origins", "web pages that may call the service", Kind::Origins),
    ConfigKey::new("cors_credentials", "whether those pages send cookies", Kind::Flag).unset("false"),
    ConfigKey::time("cors_max_age", "the time that browsers may keep a preflight's answer").unset("1h"),
    ConfigKey::new("auth", "`false` opens the service to everyone; in the file alone", Kind::FileFlag).unset("true"),
    ConfigKey {
        default: Some("true"),
        ..ConfigKey::new("docs", "whether `/openapi.json` and `/docs` exist", Kind::Flag)
    },
    ConfigKey::new("docs_role", "the role that may read `/openapi.json` and `/docs`", Kind::Text),
    ConfigKey::new("users_role", "the role that manages users over HTTP", Kind::Text).feature("auth"),
    ConfigKey::new("database_read_url", "read replicas", Kind::Replicas),
    ConfigKey::new("shard_by", "the column by which records are in shards: `tenant`", Kind::OneOf(&["tenant"])),
    ConfigKey::new("check_schema", "whether the tables are another program's, and are used as they are", Kind::Flag)
        .unset("false"),
];

/// The longest time: a longer one is a mistake.
const YEAR: Duration = Duration::from_hours(365 * 24);

/// A key of the configuration.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ConfigKey {
    /// The name in the file.
    pub name: &'static str,
    /// The meaning, in a few words.
    pub about: &'static str,
    /// The value when none is given; `None` where the program decides.
    pub default: Option<&'static str>,
    /// The value in force when neither the configuration nor the program sets one; empty where there is none.
    pub unset: &'static str,
    kind: Kind,
    /// The feature of crud-runtime that the key needs.
    feature: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Database,
    /// URLs, separated by spaces or commas.
    Replicas,
    Address,
    /// Origins, separated by spaces or commas, or `*` alone.
    Origins,
    /// Any text that is not empty.
    Text,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// `true` or `false`, in the file alone.
    FileFlag,
    /// An integer from 1 to this maximum.
    Number(u64),
    /// A time such as `30s`, a year at most.
    Time,
}

impl ConfigKey {
    const fn new(name: &'static str, about: &'static str, kind: Kind) -> Self {
        Self { name, about, default: None, unset: "", kind, feature: None }
    }

    const fn number(name: &'static str, about: &'static str, most: u64) -> Self {
        Self::new(name, about, Kind::Number(most))
    }

    const fn time(name: &'static str, about: &'static str) -> Self {
        Self::new(name, about, Kind::Time)
    }

    const fn unset(self, value: &'static str) -> Self {
        Self { unset: value, ..self }
    }

    const fn feature(self, feature: &'static str) -> Self {
        Self { feature: Some(feature), ..self }
    }

    /// The key of this name.
    pub fn find(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// The name in the environment; `None` for a key that is in the file alone.
    pub fn variable(&self) -> Option<String> {
        (!matches!(self.kind, Kind::FileFlag)).then(|| self.name.to_ascii_uppercase())
    }

    /// The features of crud-runtime that a value needs.
    pub fn needs(&self, value: &str) -> Vec<&'static str> {
        match self.kind {
            Kind::Database | Kind::Replicas => items(value).filter_map(database_feature).collect(),
            Kind::Flag | Kind::FileFlag if value == "false" => Vec::new(),
            _ => self.feature.into_iter().collect(),
        }
    }

    /// Whether values are written as numbers in the file.
    pub fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Number(_))
    }

    /// Whether values are written as `true` or `false`, without quotes, in the file.
    pub fn is_flag(&self) -> bool {
        matches!(self.kind, Kind::Flag | Kind::FileFlag)
    }

    /// Checks a value. The error has the legal values, and repeats nothing that could be secret.
    ///
    /// # Errors
    /// When the value is not legal for the key.
    pub fn check(&self, value: &str) -> Result<(), String> {
        match self.kind {
            Kind::Database => check_database(value),
            Kind::Replicas => items(value).try_for_each(check_database),
            Kind::Address => check_address(value),
            Kind::Origins if value.trim() == "*" => Ok(()),
            Kind::Origins => items(value).try_for_each(origin::check),
            Kind::Text if value.trim().is_empty() => Err("must not be empty".to_owned()),
            Kind::Text => Ok(()),
            Kind::OneOf(words) if words.contains(&value) => Ok(()),
            Kind::OneOf(words) => {
                let words = crud_shared::spelling::alternatives(words.iter().copied());
                Err(format!("must be {words}, not `{value}`"))
            }
            Kind::Flag | Kind::FileFlag if ["true", "false"].contains(&value) => Ok(()),
            Kind::Flag | Kind::FileFlag => Err(format!("must be `true` or `false`, not `{value}`")),
            Kind::Number(most) => match value.parse::<u64>() {
                Ok(number) if (1..=most).contains(&number) => Ok(()),
                _ => Err(format!("must be an integer from 1 to {most}, not `{value}`")),
            },
            Kind::Time if duration::parse(value).is_some_and(|time| time <= YEAR) => Ok(()),
            Kind::Time => {
                let units = duration::UNITS;
                Err(format!("must be a number with {units}, such as `30s`, and a year at most, not `{value}`"))
            }
        }
    }

    /// A value without passwords.
    pub fn shown(&self, value: &str) -> String {
        match self.kind {
            Kind::Database => crate::secret::masked(value),
            Kind::Replicas => masked_urls(value),
            Kind::Address
            | Kind::Origins
            | Kind::Text
            | Kind::OneOf(_)
            | Kind::Flag
            | Kind::FileFlag
            | Kind::Number(_)
            | Kind::Time => value.to_owned(),
        }
    }
}

/// The items of a list.
pub(crate) fn items(list: &str) -> impl Iterator<Item = &str> {
    list.split(|separator: char| separator == ',' || separator.is_whitespace()).filter(|item| !item.is_empty())
}

/// Masks the passwords in a list of URLs.
pub(crate) fn masked_urls(list: &str) -> String {
    items(list).map(crate::secret::masked).collect::<Vec<_>>().join(" ")
}

/// The feature of the database that a URL is of.
fn database_feature(url: &str) -> Option<&'static str> {
    let (scheme, _) = url.split_once(':')?;
    DATABASES.iter().find(|database| database.schemes.contains(&scheme)).map(|database| database.name)
}

fn check_database(url: &str) -> Result<(), String> {
    let schemes = || DATABASES.iter().flat_map(|database| database.schemes.iter().copied());
    let known: Vec<String> = schemes().map(|scheme| format!("{scheme}:")).collect();
    let known = crud_shared::spelling::alternatives(known.iter().map(String::as_str));
    match url.split_once(':') {
        Some((scheme, _)) if schemes().any(|other| other == scheme) => Ok(()),
        Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'+') => {
            Err(format!("must begin with {known}, not `{scheme}:`"))
        }
        _ => Err(format!("must be a URL that begins with {known}")),
    }
}

fn check_address(address: &str) -> Result<(), String> {
    let legal = address.rsplit_once(':').is_some_and(|(host, port)| {
        let bracketed = host.starts_with('[') && host.ends_with(']');
        !host.is_empty()
            && (bracketed || !host.contains(':'))
            && !host.contains(char::is_whitespace)
            && port.parse::<u16>().is_ok()
    });
    if legal { Ok(()) } else { Err(format!("must be an address such as `0.0.0.0:8000`, not `{address}`")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(key: &str, value: &str) -> Result<(), String> {
        ConfigKey::find(key).expect("a key").check(value)
    }

    #[test]
    fn an_address_has_a_host_and_a_port() {
        for good in ["0.0.0.0:8000", "localhost:1", "[::1]:8000", "127.0.0.1:0"] {
            assert_eq!(check("bind", good), Ok(()), "{good}");
        }
        for bad in ["", "8000", ":8000", "localhost", "localhost:99999", "::1:8000", "a b:1"] {
            assert!(check("bind", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_number_is_an_integer_within_its_bounds() {
        assert_eq!(check("max_limit", "100"), Ok(()));
        for bad in ["0", "-1", "1.5", "many", "", "4294967296"] {
            assert!(check("max_limit", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_time_has_a_unit_and_is_a_year_at_most() {
        for good in ["30s", "100ms", "5m", "24h", "365d"] {
            assert_eq!(check("request_timeout", good), Ok(()), "{good}");
        }
        let error = check("request_timeout", "30").expect_err("a number without a unit");
        assert!(error.contains("such as `30s`"), "{error}");
        for bad in ["", "0s", "366d", "1.5h"] {
            assert!(check("slow_statement", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn origins_are_a_list_or_a_star() {
        for good in ["*", "https://shop.example", "https://shop.example, http://localhost:5173"] {
            assert_eq!(check("cors_origins", good), Ok(()), "{good}");
        }
        for bad in ["https://shop.example/", "* https://shop.example", "shop.example"] {
            assert!(check("cors_origins", bad).is_err(), "{bad}");
        }
        assert_eq!(check("cors_credentials", "yes"), Err("must be `true` or `false`, not `yes`".to_owned()));
    }

    #[test]
    fn a_value_names_the_features_that_it_needs() {
        let needs = |key: &str, value: &str| ConfigKey::find(key).expect("a key").needs(value);
        assert_eq!(needs("database_url", "mariadb://a/b"), ["mysql"]);
        assert_eq!(needs("database_read_url", "sqlite://a.db, postgres://a/b"), ["sqlite", "postgres"]);
        assert_eq!(needs("metrics", "127.0.0.1:9090"), ["metrics"]);
        assert_eq!(needs("compression", "true"), ["compression"]);
        assert!(needs("compression", "false").is_empty() && needs("bind", "127.0.0.1:80").is_empty());
    }

    #[test]
    fn each_url_of_a_list_is_checked_and_masked() {
        assert_eq!(check("database_read_url", "sqlite://a.db, sqlite://b.db"), Ok(()));
        let error = check("database_read_url", "sqlite://a.db oracle://me:secret@host").expect_err("an unknown one");
        assert!(error.contains("`oracle:`") && !error.contains("secret"), "{error}");
        let key = ConfigKey::find("database_read_url").expect("a key");
        assert_eq!(key.shown("x://a:secret@b/c, x://a:secret@d/e"), "x://a:***@b/c x://a:***@d/e");
    }

    #[test]
    fn the_error_about_a_url_does_not_repeat_it() {
        for good in
            ["sqlite://a.db", "postgres://a/b", "postgresql://a/b", "mysql://a/b", "mariadb://a/b", "mongodb://a/b"]
        {
            assert_eq!(check("database_url", good), Ok(()), "{good}");
        }
        let error = check("database_url", "oracle://me:secret@host").expect_err("an unknown database");
        let known = "`sqlite:`, `postgres:`, `postgresql:`, `mysql:`, `mariadb:`, `mongodb:` or `mongodb+srv:`";
        assert_eq!(error, format!("must begin with {known}, not `oracle:`"));
        let error = check("database_url", "me:secret@host").expect_err("no URL");
        assert!(!error.contains("secret"), "{error}");
    }
}
