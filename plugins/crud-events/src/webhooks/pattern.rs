//! Patterns of the types of events.

/// Whether a type of events matches one of the patterns, such as `product.updated`, `product.*`, `*.removed` or `*`.
pub(crate) fn matches(patterns: &[String], kind: &str) -> bool {
    patterns.iter().any(|pattern| matches_one(pattern, kind))
}

fn matches_one(pattern: &str, kind: &str) -> bool {
    match pattern.split_once('*') {
        None => pattern == kind,
        Some((start, end)) => kind.len() >= start.len() + end.len() && kind.starts_with(start) && kind.ends_with(end),
    }
}

/// Whether a text is a pattern: a type of letters, digits, `.`, `_` and `-`, with at most one `*`.
pub(crate) fn is_pattern(text: &str) -> bool {
    let is_legal = |byte: u8| byte.is_ascii_alphanumeric() || b"._-*".contains(&byte);
    !text.is_empty() && text.len() <= 100 && text.bytes().all(is_legal) && text.matches('*').count() <= 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn star_stands_for_any_text() {
        let of = |pattern: &str, kind: &str| matches(&[pattern.to_owned()], kind);
        assert!(of("product.updated", "product.updated") && !of("product.updated", "product.created"));
        assert!(
            of("product.*", "product.updated") && !of("product.*", "products.updated") && !of("product.*", "product")
        );
        assert!(of("*.removed", "order.removed") && !of("*.removed", "order.updated"));
        assert!(of("*", "order.updated") && of("order.*ed", "order.updated") && !of("ab*ba", "aba"));
        assert!(!matches(&[], "order.updated"));
        assert!(["*", "a", "order.*", "order_line.shipped"].iter().all(|text| is_pattern(text)));
        assert!(["", "a b", "**", "a.*.*", "ä", "a/b"].iter().all(|text| !is_pattern(text)));
    }
}
