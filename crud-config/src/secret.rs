//! Passwords in URLs.

const MASK: &str = "***";

/// A URL with its password and the secrets in its parameters masked.
pub(crate) fn masked(url: &str) -> String {
    let (base, query) = url.split_once('?').map_or((url, None), |(base, query)| (base, Some(query)));
    let mut shown = masked_user(base);
    if let Some(query) = query {
        shown.push('?');
        shown.push_str(&query.split('&').map(masked_parameter).collect::<Vec<_>>().join("&"));
    }
    shown
}

// A password may contain an unescaped `@` or `/`: the last `@` ends it.
fn masked_user(base: &str) -> String {
    let Some((scheme, rest)) = base.split_once("://") else { return base.to_owned() };
    let Some((user, host)) = rest.rsplit_once('@') else { return base.to_owned() };
    let name = user.split(':').next().unwrap_or_default();
    format!("{scheme}://{name}:{MASK}@{host}")
}

fn masked_parameter(parameter: &str) -> String {
    match parameter.split_once('=') {
        Some((name, _)) if ["pass", "key", "token", "secret"].iter().any(|word| name.to_lowercase().contains(word)) => {
            format!("{name}={MASK}")
        }
        _ => parameter.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::masked;

    #[test]
    fn passwords_are_masked() {
        assert_eq!(masked("sqlite://shop.db?mode=rwc"), "sqlite://shop.db?mode=rwc");
        assert_eq!(masked("sqlite::memory:"), "sqlite::memory:");
        assert_eq!(masked("postgres://me:pa:s/s@w@host/db"), "postgres://me:***@host/db");
        assert_eq!(masked("mysql://me@host/db"), "mysql://me:***@host/db");
        assert_eq!(masked("postgres://host/db?user=me&password=secret"), "postgres://host/db?user=me&password=***");
    }
}
