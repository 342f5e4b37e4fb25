//! [`Link`]: a link from the page to another one.

use serde::Serialize;

/// A link to another page.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Link {
    pub(crate) label: String,
    pub(crate) url: String,
}

impl Link {
    /// Whether the URL is `http`, `https` or a path, so that a click cannot run a script.
    pub(crate) fn is_safe(&self) -> bool {
        let is_path = self.url.starts_with('/') && !self.url.starts_with("//");
        is_path || ["https://", "http://"].iter().any(|scheme| self.url.to_ascii_lowercase().starts_with(scheme))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_of_another_scheme_is_not_safe() {
        let is_safe = |url: &str| Link { label: String::new(), url: url.to_owned() }.is_safe();
        assert!(is_safe("https://grafana.example") && is_safe("HTTP://x") && is_safe("/docs"));
        assert!(!is_safe("javascript:alert(1)") && !is_safe("data:text/html,x") && !is_safe("//evil.example"));
    }
}
