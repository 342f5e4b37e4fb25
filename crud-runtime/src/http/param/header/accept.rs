//! The headers `Accept` and `Accept-Encoding` (RFC 9110, section 12.5).

use axum::http::{HeaderMap, HeaderName, header};

/// Whether the client takes gzip. Without the header, no gzip is sent.
#[cfg(feature = "pages")]
pub(crate) fn takes_gzip(headers: &HeaderMap) -> bool {
    let weight = |name| weight(headers, &header::ACCEPT_ENCODING, name);
    weight("gzip").or_else(|| weight("*")).is_some_and(|weight| weight > 0.0)
}

/// Whether the client prefers HTML to JSON, as browsers do: it names HTML with a greater weight than JSON.
#[cfg(feature = "docs")]
pub(crate) fn prefers_html(headers: &HeaderMap) -> bool {
    let weight = |name| weight(headers, &header::ACCEPT, name).unwrap_or(0.0);
    weight("text/html") > weight("application/json")
}

/// Whether the client asks for metrics as OpenMetrics, as Prometheus does.
#[cfg(feature = "metrics")]
pub(crate) fn prefers_open_metrics(headers: &HeaderMap) -> bool {
    let weight = |name| weight(headers, &header::ACCEPT, name).unwrap_or(0.0);
    let open = weight("application/openmetrics-text");
    open > 0.0 && open >= weight("text/plain")
}

/// The weight that a list header gives a name; `None` where it does not have the name.
fn weight(headers: &HeaderMap, header: &HeaderName, name: &str) -> Option<f32> {
    let lists = headers.get_all(header).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).find_map(|item| {
        let mut parts = item.split(';').map(str::trim);
        if !parts.next()?.eq_ignore_ascii_case(name) {
            return None;
        }
        let given = parts.find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")));
        Some(given.map_or(1.0, |weight| weight.parse().unwrap_or(0.0)))
    })
}

#[cfg(all(test, feature = "docs"))]
mod tests {
    use super::*;

    fn headers(name: HeaderName, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name, value.parse().unwrap())])
    }

    #[test]
    fn gzip_is_taken_where_its_weight_is_positive() {
        let takes = |value| takes_gzip(&headers(header::ACCEPT_ENCODING, value));
        assert!(takes("gzip") && takes("br, GZIP;q=0.5") && takes("*"));
        assert!(!takes("br") && !takes("gzip;q=0") && !takes("gzip; q=0, *") && !takes(""));
        assert!(!takes_gzip(&HeaderMap::new()));
    }

    #[test]
    fn browsers_prefer_html() {
        let prefers = |value| prefers_html(&headers(header::ACCEPT, value));
        assert!(prefers("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"));
        assert!(!prefers("*/*") && !prefers("application/json") && !prefers("text/html;q=0.5, application/json"));
        assert!(!prefers_html(&HeaderMap::new()));
    }
}
